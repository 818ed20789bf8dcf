// Copies the database of a service into a folder, and fills the database of a new service from such a folder.
import { readFileSync } from "node:fs";
import path from "node:path";
import type { Environment } from "../configuration.ts";
import { commandLine } from "../programs.ts";
import { Remote } from "../remote.ts";
import { note, step } from "../report.ts";
import { type Database, Local } from "./database.ts";
import { exportDatabase } from "./export.ts";
import { Folder } from "./folder.ts";
import { drill, fetchNightly } from "./nightly.ts";
import { type Identity, askIdentity, restoreDatabase } from "./restore.ts";

/** The database of a deployed service, or the state folder of a service on this machine. */
export type Source = { environment: Environment } | { state: string };

/** Copies a database into a folder, by default `backups/<ENV>`. `firstRows` is the number of rows of each table that the first call reads. */
export async function backUp(source: Source, into: string | null, firstRows: number): Promise<void> {
  const isState = "state" in source;
  const name = isState ? "state" : source.environment.name;
  const database: Database = isState ? new Local(path.resolve(source.state), false) : Remote.open(source.environment);
  try {
    const folder = new Folder(path.resolve(into ?? path.join("backups", name)));
    const { tables, at } = await step(`backup into ${folder.path}`, () => exportDatabase(database, folder, name, release(), firstRows));
    const rows = tables.reduce((sum, table) => sum + table.rows, 0);
    note(`
  ${rows} rows of ${tables.length} tables, as they were at ${at}
  The folder has personal data and the signing secrets of webhooks: keep it as safe as the database.
  It has neither the Worker's secrets nor the content of hosted files.`);
  } finally {
    await database.close();
  }
}

/** Fetches the newest nightly backup of a service into a folder, by default `backups/<ENV>-nightly`. */
export async function fetchLast(environment: Environment, into: string | null): Promise<void> {
  await fetchNightly(environment, release(), into);
}

/** Restores the newest nightly backup of a service into a scratch database, checks it, and deletes it. */
export async function drillNightly(environment: Environment): Promise<void> {
  await drill(environment, release());
}

export interface RestoreCommand {
  folder: string;
  target: Source;
  /** Null asks the user. */
  identity: Identity | null;
  account: string | null;
  /** Bytes of SQL that one transaction loads. */
  partBytes: number;
}

/** Fills a new database from a folder. */
export async function restore({ folder: name, target, identity: chosen, account, partBytes }: RestoreCommand): Promise<void> {
  const folder = new Folder(path.resolve(name));
  const { manifest, id } = folder.manifest();
  await step("check the files of the backup", () => folder.verify(manifest));
  const identity = chosen ?? (await askIdentity(manifest.instance));
  const database: Database = "state" in target ? new Local(path.resolve(target.state), true) : await Remote.create(target.environment, account);
  try {
    await restoreDatabase(database, { folder, manifest, id, identity, partBytes });
  } finally {
    await database.close();
  }
  note("\n  All restored rows equal the backup's.");
  if ("state" in target) note(`  Next: \`cargo xtask dev --state ${target.state}\``);
  else {
    note(
      `  Next: \`${commandLine(`deploy${target.environment.option}`)}\` with the old service's settings, its secrets by \`${commandLine("wrangler secret put")}\`, and its bucket's objects if FILES is on.`,
    );
  }
  if (identity === "keep") note("  The old service must stay off. Otherwise, both services perform the same claims.");
}

/** Returns the version of the service. The npm package has its package.json at the same place relative to the bundled program. */
function release(): string {
  const manifest: { version: string } = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8"));
  return manifest.version;
}
