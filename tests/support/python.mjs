// Python programs of pinned versions, each set in an environment of its own below target/. Test files start side by side and would make an
// environment in each other's way, so `cargo xtask test` makes it before: it runs the module that asks for it.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { install } from "./apt.mjs";

const run = (program, ...words) => execFileSync(program, words, { stdio: ["ignore", "ignore", "pipe"], timeout: 600_000 });

/** Makes an environment. Debian has the module that makes one in a package of its own. */
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

/**
 * The environment `target/{name}/python` with the packages of a requirements file, written by `pip freeze`.
 *
 * `bin` is its folder of programs; `skip` says why there is none, because this machine has no Python, and is false otherwise.
 */
export function environment(name, requirements) {
  const folder = fileURLToPath(new URL(`../../target/${name}`, import.meta.url));
  const python = path.join(folder, "python");
  const bin = path.join(python, "bin");
  const stamp = path.join(python, "requirements.sha256");
  const wanted = createHash("sha256").update(readFileSync(requirements)).digest("hex");
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === wanted) return { folder, bin, skip: false };
  try {
    make(python);
  } catch (error) {
    const why = `there is no \`python3\` with \`venv\`, and it could not be installed: ${error.stderr || error.message}`;
    if (process.env.CI === "true") throw new Error(why);
    return { folder, bin, skip: `did not run: ${why}` };
  }
  // A failure from here on is reported: there is a Python, and it could not be given the packages.
  run(path.join(bin, "python"), "-m", "pip", "install", "--quiet", "--no-deps", "--disable-pip-version-check", "--requirement", fileURLToPath(requirements));
  writeFileSync(stamp, wanted);
  return { folder, bin, skip: false };
}
