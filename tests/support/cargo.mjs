// The programs that cargo builds for tests.
import path from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

/** Returns the path of a program in cargo's output folder, such as `debug/cert`. The variable `CARGO_TARGET_DIR` moves this folder. */
export const program = (name) => path.resolve(ROOT, process.env.CARGO_TARGET_DIR ?? "target", name + (process.platform === "win32" ? ".exe" : ""));
