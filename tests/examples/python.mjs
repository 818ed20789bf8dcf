// Python for the examples, with the packages of their requirements.txt.
import { execFile } from "node:child_process";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { environment } from "../support/python.mjs";

const { bin, skip } = environment("examples", new URL("../../examples/python-orders/requirements.txt", import.meta.url));
export { skip };

/** Returns the folder of an example. */
export const example = (name) => fileURLToPath(new URL(`../../examples/${name}`, import.meta.url));

/** Runs Python in the folder of an example. */
export const python = (folder, words, variables = {}) =>
  promisify(execFile)(path.join(bin, "python"), words, { cwd: example(folder), env: { ...process.env, PYTHONDONTWRITEBYTECODE: "1", ...variables } });
