// Starts other programs, and finds the files of the service.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, existsSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { fileURLToPath } from "node:url";

/** The folder with the Worker's template, migrations and host scripts. In the npm package it has the same place relative to the bundled program. */
export const HOME = fileURLToPath(new URL("../../edge-api", import.meta.url));

/** The words before a command of this tool, as messages quote them. `cargo xtask` sets the variable. */
const NAME = process.env.ASSAY_OPERATE ?? "npx @assay/operate";

/** Returns a command line of this tool. */
export const commandLine = (words: string): string => `${NAME} ${words}`;

/** The build of the Worker: for the embedded ledger, or for a ledger on a chain. */
export type Edition = "embedded" | "evm";

/** Returns the name of an edition's folder in `HOME`. */
export const folderOf = (edition: Edition): string => (edition === "evm" ? "dist-evm" : "dist");

/** The result of a program. */
export interface Ended {
  code: number | null;
  stdout: string;
  stderr: string;
}

export interface Options {
  cwd?: string;
  env?: NodeJS.ProcessEnv;
  /** The text that the program reads. */
  input?: string;
}

/** Runs a program, and returns its exit code and its output. */
export async function finish(program: string, words: string[], { input = "", ...options }: Options = {}): Promise<Ended> {
  const child = spawn(program, words, { ...options, stdio: ["pipe", "pipe", "pipe"] });
  // The program may end without reading its input.
  child.stdin.on("error", () => {}).end(input);
  const ended = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"] as const) child[name].setEncoding("utf8").on("data", (text: string) => (ended[name] += text));
  const [code] = await once(child, "close");
  return { code, ...ended };
}

/** Runs a program whose input and output are those of this program. Returns its exit code, or 1 if a signal ended it. */
export async function pass(program: string, words: string[], options: Options = {}): Promise<number> {
  const child = spawn(program, words, { ...options, stdio: "inherit" });
  const [code] = await once(child, "close");
  return code ?? 1;
}

/** Returns the path of wrangler's program. */
export function wranglerProgram(): string {
  const require = createRequire(import.meta.url);
  return path.join(path.dirname(require.resolve("wrangler/package.json")), "bin/wrangler.js");
}

/** Returns the folder of an edition of the Worker. Builds it first in a clone of the project. The npm package has both editions. */
export async function builtWorker(edition: Edition): Promise<string> {
  const folder = path.join(HOME, folderOf(edition));
  const builder = process.env.ASSAY_XTASK;
  if (builder !== undefined) {
    const code = await pass(builder, ["build", "worker", ...(edition === "evm" ? ["--evm"] : [])]);
    if (code !== 0) throw new Error("the Worker could not be built");
  } else if (!existsSync(path.join(folder, "assets"))) {
    // The package has the pages once, because both editions have the same.
    cpSync(path.join(HOME, folderOf("embedded"), "assets"), path.join(folder, "assets"), { recursive: true });
  }
  return folder;
}
