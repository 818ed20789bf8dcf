// The folder `target/hosts`: the programs of the lock file beside this module, the packed packages, and a folder for each host.
import { execFile, spawn } from "node:child_process";
import { cp, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const run = promisify(execFile);
const at = (relative) => fileURLToPath(new URL(relative, import.meta.url));
const root = at("../../target/hosts");
const OWN = ["cert", "validate", "client", "elements"];

/** Installs the programs if the lock file has changed, and unpacks the packed packages beside them. */
export async function install() {
  const lock = await readFile(at("package-lock.json"), "utf8");
  const marker = path.join(root, "installed");
  await mkdir(root, { recursive: true });
  if ((await readFile(marker, "utf8").catch(() => "")) !== lock) {
    await rm(marker, { force: true });
    for (const name of ["package.json", "package-lock.json"]) await cp(at(name), path.join(root, name));
    await run("npm", ["ci", "--ignore-scripts", "--no-audit", "--no-fund"], { cwd: root });
    await writeFile(marker, lock);
  }
  await rm(path.join(root, "node_modules/@assay"), { recursive: true, force: true });
  for (const name of OWN) {
    const into = path.join(root, "node_modules/@assay", name);
    await mkdir(into, { recursive: true });
    const { stdout } = await run("npm", ["pack", "--json", "--ignore-scripts", "--pack-destination", root, at(`../../pkg/${name}`)], { cwd: root });
    const file = path.join(root, JSON.parse(stdout)[0].filename);
    await run("tar", ["-xzf", file, "--strip-components=1", "-C", into]);
    await rm(file);
  }
}

/** Creates the folder of a host with these files. It is a sibling of the other hosts' folders, so nothing is found twice. */
export async function project(name, files) {
  const folder = path.join(root, name);
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  const write = async (some) => {
    for (const [file, text] of Object.entries(some)) {
      await mkdir(path.dirname(path.join(folder, file)), { recursive: true });
      await writeFile(path.join(folder, file), text);
    }
  };
  await write({ "package.json": '{ "name": "somebody-elses", "private": true, "type": "module" }', ...files });
  const within = { cwd: folder, env: environment(), maxBuffer: 2 ** 26 };
  return {
    folder,
    write,
    file: (file) => path.join(folder, file),
    /** Runs a script of an installed package, and returns its output. A failure has the output. */
    tool: (script, ...words) => output(process.execPath, [path.join(root, "node_modules", script), ...words], within),
    /** Runs an installed program that is no script. */
    program: (program, ...words) => output(path.join(root, "node_modules", program), words, within),
    node: (...words) => output(process.execPath, words, within),
    /** Runs a file alone in an empty folder, so nothing beside it can be found. */
    async alone(file, ...program) {
      const empty = path.join(root, `${name}-alone`);
      await rm(empty, { recursive: true, force: true });
      await mkdir(empty);
      await cp(path.join(folder, file), path.join(empty, path.basename(file)));
      return output(...(program.length > 0 ? [path.join(root, "node_modules", program[0]), [...program.slice(1), path.basename(file)]] : [process.execPath, [path.basename(file)]]), {
        ...within,
        cwd: empty,
      });
    },
    /** Starts a server that prints its address, and calls `act` with the address. */
    async served(script, words, act, more = {}) {
      const child = spawn(process.execPath, [path.join(root, "node_modules", script), ...words], { ...within, env: { ...within.env, ...more } });
      let said = "";
      try {
        const address = await new Promise((resolve, reject) => {
          const read = (bytes) => {
            said += bytes;
            const found = /https?:\/\/(?:localhost|127\.0\.0\.1|0\.0\.0\.0):\d+/.exec(said);
            if (found) resolve(found[0].replace("0.0.0.0", "127.0.0.1"));
          };
          child.stdout.on("data", read);
          child.stderr.on("data", read);
          child.once("exit", () => reject(new Error(said)));
        });
        await act(address);
      } finally {
        child.kill();
      }
    },
  };
}

/** Node's own environment of the tests would reach the hosts. */
function environment() {
  const { NODE_ENV, NODE_TEST_CONTEXT, NODE_OPTIONS, ...rest } = process.env;
  return { ...rest, NEXT_TELEMETRY_DISABLED: "1", ASTRO_TELEMETRY_DISABLED: "1", PARCEL_WORKERS: "2", CI: "1", NO_COLOR: "1", DO_NOT_TRACK: "1" };
}

async function output(program, words, options) {
  try {
    return (await run(program, words, options)).stdout.trim();
  } catch (error) {
    throw new Error(`${error.message}\n${error.stdout}\n${error.stderr}`.slice(0, 6000));
  }
}
