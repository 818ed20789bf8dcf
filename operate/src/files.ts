// Helpers for files that several commands write.
import { closeSync, fsyncSync, mkdirSync, openSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";

/** Replaces a file atomically, so that a stopped run leaves the old content or the new content. Creates its folder. */
export function replace(file: string, content: string): void {
  try {
    write(file, content);
  } catch (cause) {
    throw unwritable(file, cause);
  }
}

const unwritable = (file: string, cause: unknown) => new Error(`${file} cannot be written: run the command in a folder in which you may write`, { cause });

function write(file: string, content: string): void {
  mkdirSync(path.dirname(file), { recursive: true });
  const written = openSync(`${file}.new`, "w");
  try {
    writeFileSync(written, content);
    fsyncSync(written);
  } finally {
    closeSync(written);
  }
  renameSync(`${file}.new`, file);
}

/**
 * Creates a file that shows that this process is at work, and returns the function that deletes it. Throws if another process that still runs has created it.
 * The file of a process that was killed is replaced. Two processes that replace it in the same moment do not see each other.
 */
export function hold(file: string): () => void {
  if (!isCreated(file)) {
    const id = readFileSync(file, "utf8");
    // An empty file was created a moment ago.
    if (id === "" || isRunning(Number(id))) throw new Error(`another command is at work (process ${id || "not known yet"}): wait until it has ended. If there is no such command, delete ${file}`);
    rmSync(file, { force: true });
    if (!isCreated(file)) throw new Error(`another command has just created ${file}: wait until it has ended`);
  }
  return () => rmSync(file, { force: true });
}

/** Creates the file with the number of this process in it. Returns false if the file exists. */
function isCreated(file: string): boolean {
  try {
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, String(process.pid), { flag: "wx" });
    return true;
  } catch (error) {
    if (codeOf(error) === "EEXIST") return false;
    throw unwritable(file, error);
  }
}

function isRunning(id: number): boolean {
  try {
    return id > 0 && process.kill(id, 0);
  } catch (error) {
    // The process of another user runs, although it takes no signal.
    return codeOf(error) === "EPERM";
  }
}

const codeOf = (error: unknown) => (error instanceof Error && "code" in error ? error.code : null);
