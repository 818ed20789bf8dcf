// Finds or installs Debian's Chromium. Test files run in parallel and share the machine's browser, so run this file before them.
import { existsSync } from "node:fs";
import path from "node:path";
import { install } from "../support/apt.mjs";

// The headless shell comes first: it runs the tests of the verify page in 38 s instead of 79 s.
const PROGRAMS = ["chromium-headless-shell", "chromium"];

function find(program) {
  const folders = (process.env.PATH ?? "").split(path.delimiter);
  return folders.map((folder) => path.join(folder, program)).find((file) => existsSync(file));
}

/** Returns the path of the first program that is installed, or that this process can install as a Debian package. Otherwise undefined. */
function executable() {
  for (const program of PROGRAMS) {
    if (!find(program)) install(program);
    const found = find(program);
    if (found) return found;
  }
}

export const executablePath = executable();
if (!executablePath && process.env.CI === "true") throw new Error("there is no Chromium, and it could not be installed");

/** False if tests of pages can run, otherwise the reason why they cannot. */
export const skip = executablePath ? false : "did not run: there is no Chromium, and it could not be installed";
