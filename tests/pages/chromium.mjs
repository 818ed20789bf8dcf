// Debian's Chromium. Test files start side by side, and one machine has one browser: run by itself, this file installs it before they do.
import { existsSync } from "node:fs";
import path from "node:path";
import { install } from "../support/apt.mjs";

function find() {
  const folders = (process.env.PATH ?? "").split(path.delimiter);
  return folders.map((folder) => path.join(folder, "chromium")).find((file) => existsSync(file));
}

/** The browser's program: the machine's, else Debian's, where this may install it. */
function program() {
  const found = find();
  if (found) return found;
  install("chromium");
  return find();
}

export const executablePath = program();
if (!executablePath && process.env.CI === "true") throw new Error("there is no `chromium`, and it could not be installed");

/** Why tests of pages do not run; false where they do. */
export const skip = executablePath ? false : "did not run: there is no `chromium`, and it could not be installed";
