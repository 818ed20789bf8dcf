// Finds Debian's Chromium. Test files start in parallel but share the machine's browser, so running this file first installs it once.
import { existsSync } from "node:fs";
import path from "node:path";
import { install } from "../support/apt.mjs";

function find() {
  const folders = (process.env.PATH ?? "").split(path.delimiter);
  return folders.map((folder) => path.join(folder, "chromium")).find((file) => existsSync(file));
}

/** Returns the browser's program: the machine's, or else Debian's if this process may install it. */
function program() {
  const found = find();
  if (found) return found;
  install("chromium");
  return find();
}

export const executablePath = program();
if (!executablePath && process.env.CI === "true") throw new Error("there is no `chromium`, and it could not be installed");

/** The reason why tests of pages do not run; false if they do. */
export const skip = executablePath ? false : "did not run: there is no `chromium`, and it could not be installed";
