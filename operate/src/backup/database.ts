// The databases that a backup reads and a restoration fills. A database belongs to a deployed service, or is in a state folder on this machine.
import { type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import path from "node:path";
import type { Readable, Writable } from "node:stream";
import { type Json, at, itemsAt, isObject, textAt } from "../json.ts";
import { linesIn } from "../lines.ts";
import { HOME } from "../programs.ts";
import type { Row } from "./table.ts";

export interface Database {
  /** Runs statements as one transaction, and returns the rows of each statement. */
  query(statements: string[]): Promise<Row[][]>;
  /** Runs many statements that return no rows, as one transaction. */
  load(statements: string[]): Promise<void>;
  close(): Promise<void>;
}

/** Runs statements, and checks that each has an answer. */
export async function query(database: Database, statements: string[]): Promise<Row[][]> {
  const answers = await database.query(statements);
  if (answers.length !== statements.length) throw new Error(`the database answered ${answers.length} of ${statements.length} statements`);
  return answers;
}

/** The database of a state folder, which workerd opens. host/database.mjs runs as a child process. */
export class Local implements Database {
  #child: ChildProcessByStdio<Writable, Readable, null>;
  #lines: AsyncIterator<string>;

  /** Opens the database of a state folder. If `migrate` is true, creates a missing folder and applies missing migrations. Otherwise, throws if the folder has no database. */
  constructor(state: string, migrate: boolean) {
    if (!migrate && !existsSync(path.join(state, "d1"))) throw new Error(`${state} has no database: name the folder of \`cargo xtask dev --state\``);
    const words = [path.join(HOME, "host/database.mjs"), "--state", state, ...(migrate ? ["--migrate"] : [])];
    this.#child = spawn(process.execPath, words, { stdio: ["pipe", "pipe", "inherit"] });
    this.#lines = linesIn(this.#child.stdout);
  }

  async query(statements: string[]): Promise<Row[][]> {
    // The program reads lines by readline, which also ends a line at these characters. JSON may contain them.
    const line = JSON.stringify(statements).replaceAll("\u2028", "\\u2028").replaceAll("\u2029", "\\u2029");
    this.#child.stdin.write(`${line}\n`);
    const said = await this.#lines.next();
    if (said.done) throw new Error("the local database ended");
    const answer: Json = JSON.parse(said.value);
    if (at(answer, "error") !== undefined) throw new Error(textAt(answer, "error"));
    return itemsAt(answer, "results").map((rows) => itemsAt(rows).filter(isObject));
  }

  async load(statements: string[]): Promise<void> {
    await this.query(statements);
  }

  /** Ends the process and waits until it has written everything. */
  async close(): Promise<void> {
    const ended = this.#child.exitCode === null ? once(this.#child, "close") : null;
    this.#child.stdin.end();
    await ended;
  }
}
