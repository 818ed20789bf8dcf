// The operator's tool as a release has it: the packed npm package, installed into an empty folder. Only Node.js runs it.
import { execFile } from "node:child_process";
import { cp, mkdir, readFile, symlink } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import { pack } from "../../operate/pack.mjs";
import { ROOT, start } from "../support/task.mjs";

/**
 * Packs the tool, and installs it into a folder. Its dependencies are links to the locked ones, because the tests do not use the network. A
 * dependency that the package does not name is missing.
 */
export async function install(folder) {
  const target = path.join(folder, "node_modules/@assay/operate");
  await mkdir(target, { recursive: true });
  const file = await pack(folder);
  await promisify(execFile)("tar", ["--extract", "--file", file, "--strip-components=1", "--directory", target]);
  const { dependencies, bin } = JSON.parse(await readFile(path.join(target, "package.json"), "utf8"));
  for (const name of Object.keys(dependencies)) await symlink(path.join(ROOT, "node_modules", name), path.join(folder, "node_modules", name));
  const [program] = Object.values(bin);
  return new Installed(folder, path.join(target, program));
}

class Installed {
  #folder;
  #program;

  constructor(folder, program) {
    this.#folder = folder;
    this.#program = program;
  }

  /** Takes over the files of a service that was deployed from the clone. */
  async take(environment) {
    for (const end of ["jsonc", "log"]) await cp(path.join(ROOT, "deploy", `${environment}.${end}`), path.join(this.#folder, "deploy", `${environment}.${end}`));
  }

  /** Starts a command. Its programs are those of Node.js and of the system. */
  start(words, { env, input }) {
    const { ASSAY_XTASK: _, ASSAY_OPERATE: __, ...rest } = env;
    const alone = { ...rest, PATH: [path.dirname(process.execPath), "/usr/bin", "/bin"].join(path.delimiter) };
    return start(process.execPath, [this.#program, ...words], { env: alone, cwd: this.#folder, input });
  }
}
