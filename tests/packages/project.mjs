// A user's project: a new folder with the packed packages, outside of this workspace.
import { execFile } from "node:child_process";
import { existsSync, realpathSync } from "node:fs";
import { copyFile, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const run = promisify(execFile);
const at = (relative) => fileURLToPath(new URL(relative, import.meta.url));
export const readme = await readFile(at("../../pkg/cert/README.md"), "utf8");

/** Returns the README's code block whose first line is a comment with this file name. */
export function snippet(name) {
  const blocks = [...readme.matchAll(/^```\w+\n(.*?)^```$/gms)].map(([, code]) => code);
  const found = blocks.filter((code) => [`// ${name}`, `<!-- ${name} -->`].includes(code.split("\n")[0]));
  if (found.length !== 1) throw new Error(`the README has ${found.length} blocks called ${name}`);
  return found[0];
}

/** The sources that a page's content security policy has to allow, from the README. */
export const policy = /content security policy has to allow `([^`]+)`/.exec(readme)?.[1];

/** The imprint of the README's examples, according to the README. */
export const imprint = /Each of these gives the imprint\s+`([0-9a-f]{64})`/.exec(readme)?.[1];

/** Finds the Node programs in `PATH`, one for each version. The running program comes first. Returns the programs by version. */
export async function nodes() {
  const folders = (process.env.PATH ?? "").split(path.delimiter);
  const programs = [process.execPath, ...folders.map((folder) => path.join(folder, "node")).filter(existsSync)];
  const found = new Map();
  for (const program of new Set(programs.map((one) => realpathSync(one)))) {
    const { stdout } = await run(program, ["--version"]);
    if (!found.has(stdout.trim())) found.set(stdout.trim(), program);
  }
  return found;
}

/** Packs the packages and installs them in a new folder. Also writes `files` and the tests' `story.mjs` there. */
export async function createProject(files = {}) {
  const folder = realpathSync(await mkdtemp(path.join(tmpdir(), "assay-project-")));
  const npm = (...words) => run("npm", [...words, "--ignore-scripts", "--offline", "--no-audit", "--no-fund"], { cwd: folder });
  try {
    await writeFile(path.join(folder, "package.json"), JSON.stringify({ name: "somebody-elses", private: true, type: "module" }));
    const { stdout } = await npm("pack", "--json", ...["cert", "validate", "client", "elements"].map((name) => at(`../../pkg/${name}`)));
    const packed = JSON.parse(stdout);
    await npm("install", ...packed.map(({ filename }) => `./${filename}`));
    await copyFile(at("story.mjs"), path.join(folder, "story.mjs"));
    const project = {
      folder,
      packed,
      file: (name) => path.join(folder, name),
      write: async (some) => {
        for (const [name, text] of Object.entries(some)) await writeFile(path.join(folder, name), text);
      },
      run: async (program, ...words) => (await run(program, words, { cwd: folder })).stdout.trim(),
      remove: () => rm(folder, { recursive: true, force: true }),
    };
    await project.write(files);
    return project;
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    throw error;
  }
}
