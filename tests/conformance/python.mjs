// Schemathesis, of the versions in requirements.txt, in an environment of its own below target/. Test files start side by side, and would
// make it in each other's way: run by itself, this file makes it before they do.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { install } from "../support/apt.mjs";

const REQUIREMENTS = fileURLToPath(new URL("requirements.txt", import.meta.url));
export const FOLDER = fileURLToPath(new URL("../../target/conformance", import.meta.url));

const run = (program, ...words) => execFileSync(program, words, { stdio: ["ignore", "ignore", "pipe"], timeout: 600_000 });

/** Makes the environment. Debian has the module that makes one in a package of its own. */
function make(folder) {
  const attempt = () => {
    rmSync(folder, { recursive: true, force: true });
    run("python3", "-m", "venv", folder);
  };
  try {
    attempt();
  } catch {
    install("python3-venv");
    attempt();
  }
}

/** The program, installed where it is not there in these versions, or why there is none: there is no Python. */
function program() {
  const folder = path.join(FOLDER, "python");
  const stamp = path.join(folder, "requirements.sha256");
  const wanted = createHash("sha256").update(readFileSync(REQUIREMENTS)).digest("hex");
  const found = path.join(folder, "bin/schemathesis");
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === wanted && existsSync(found)) return { found };
  try {
    make(folder);
  } catch (error) {
    return { why: `there is no \`python3\` with \`venv\`, and it could not be installed: ${error.stderr || error.message}` };
  }
  // A failure from here on is reported: there is a Python, and it could not be given the packages.
  run(path.join(folder, "bin/python"), "-m", "pip", "install", "--quiet", "--no-deps", "--disable-pip-version-check", "--requirement", REQUIREMENTS);
  writeFileSync(stamp, wanted);
  return { found };
}

const { found, why } = program();
if (why && process.env.CI === "true") throw new Error(why);

export const schemathesis = found;
/** Why the conformance test does not run; false where it does. */
export const skip = why ? `did not run: ${why}` : false;
