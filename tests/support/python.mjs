// Provides Python programs in pinned versions. Each set of programs has its own environment below target/. Test files start in parallel and
// would create the same environment at the same time. Therefore `cargo xtask test` first runs the modules that create the environments.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { install } from "./apt.mjs";

const run = (program, ...words) => execFileSync(program, words, { stdio: ["ignore", "ignore", "pipe"], timeout: 600_000 });

/** Creates an environment. Debian ships the required Python module in a separate package. */
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
 * Returns the environment `target/{name}/python` with the packages of a requirements file in the format of `pip freeze`.
 *
 * `bin` is the environment's folder of programs. `skip` is false, or the reason why there is no environment: this machine has no Python with
 * `venv`. In CI, a missing Python is an error instead.
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
  // From here on failures are reported: Python exists, but the packages could not be installed.
  run(path.join(bin, "python"), "-m", "pip", "install", "--quiet", "--no-deps", "--disable-pip-version-check", "--requirement", fileURLToPath(requirements));
  writeFileSync(stamp, wanted);
  return { folder, bin, skip: false };
}
