// Helpers for files that several commands write.
import { closeSync, fsyncSync, mkdirSync, openSync, renameSync, writeFileSync } from "node:fs";
import path from "node:path";

/** Replaces a file atomically, so that a stopped run leaves the old content or the new content. Creates its folder. */
export function replace(file: string, content: string): void {
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
