// The nightly backups of a service: fetches the newest one from the bucket as a folder that `restore` reads, and tries its restoration.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { Configuration, type Environment } from "../configuration.ts";
import { Wrangler } from "../platform.ts";
import { commandLine } from "../programs.ts";
import { note, step } from "../report.ts";
import { type Database, Local, query } from "./database.ts";
import { Dump } from "./dump.ts";
import { exportDatabase } from "./export.ts";
import { Folder, type Manifest } from "./folder.ts";
import { restoreDatabase } from "./restore.ts";

const DAY_MS = 86_400_000;
/** Days for which a fetch looks for a backup. */
const DAYS = 40;
/** Hours after which the service itself sends an alert about the age of the last backup (`edge-api/src/monitor/alerts.rs`). */
const OLD_HOURS = 36;
/** Rows of each table that the first call reads. */
const FIRST_ROWS = 20_000;
/** Bytes of SQL that a transaction of a drill loads. */
const PART_BYTES = 4_000_000;
/** Tables whose number of rows a drill shows. */
const SHOWN = ["accounts", "ledgers", "assets", "records"];

/** Fetches the newest nightly backup into a folder. */
export async function fetchNightly(environment: Environment, release: string, into: string | null): Promise<void> {
  const folder = new Folder(path.resolve(into ?? path.join("backups", `${environment.name}-nightly`)));
  if (folder.isFinished) throw new Error(`${folder.path} has a finished backup: choose another folder with --into`);
  const { manifest } = await inScratch((scratch) => fetched(environment, release, folder, scratch));
  const rows = manifest.tables.reduce((sum, table) => sum + table.rows, 0);
  note(`
  ${rows} rows of ${manifest.tables.length} tables, as they were at ${manifest.at}
  The folder has personal data and the signing secrets of webhooks: keep it as safe as the database.
  Next: \`${commandLine(`restore ${folder.path} --env NEW --instance keep`)}\``);
}

/** Restores the newest nightly backup into a scratch database on this machine, checks it, and deletes it. Throws if the backup is old or damaged. */
export async function drill(environment: Environment, release: string): Promise<void> {
  await inScratch(async (scratch) => {
    const folder = new Folder(path.join(scratch, "folder"));
    const { madeAt } = await fetched(environment, release, folder, scratch);
    const { manifest, id } = folder.manifest();
    await step("check the files", () => folder.verify(manifest));
    const database = new Local(path.join(scratch, "state"), true);
    try {
      await restoreDatabase(database, { folder, manifest, id, identity: "keep", partBytes: PART_BYTES });
      await step("check the references of the restored rows", () => checkReferences(database));
      note(`\n  restored from the backup of ${manifest.at}: ${counts(manifest)}`);
      note(`  last record: ${await lastRecord(database)}`);
    } finally {
      await database.close();
    }
    const hours = (Date.now() - madeAt) / 3_600_000;
    if (hours > OLD_HOURS) throw new Error(`the newest backup can be restored, but is ${Math.floor(hours)} hours old: docs/runbook.md, "backup-old"`);
    note("  The scratch database was deleted.");
  });
}

/** Runs a function with a folder that only this user can read, and deletes the folder afterwards. */
async function inScratch<T>(run: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(path.join(tmpdir(), "assay-nightly-"));
  try {
    return await run(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Fetches the newest dump, checks it, and writes its rows into a folder. */
async function fetched(environment: Environment, release: string, folder: Folder, scratch: string): Promise<{ manifest: Manifest; madeAt: number }> {
  const configuration = Configuration.load(environment);
  if (configuration.account === null) throw new Error(`${configuration.path} does not exist or names no account, so this command knows no service`);
  const file = path.join(scratch, "dump.sql");
  const wrangler = new Wrangler(configuration);
  // Without a login, wrangler gives no reason why it cannot download an object.
  await step("the login", () => wrangler.accounts());
  const day = await step("fetch the newest backup", () => download(wrangler, configuration.bucket, file));
  note(`  backups/${day}.sql`);
  const dump = await step("load the dump", () => Dump.load(file, path.join(scratch, "dump.sqlite")));
  try {
    await step("check the dump", () => dump.check());
    const madeAt = dump.madeAt();
    const at = new Date(madeAt).toISOString();
    const manifest = await exportDatabase(dump, folder, environment.name, release, FIRST_ROWS, at);
    return { manifest, madeAt };
  } finally {
    await dump.close();
  }
}

/** Downloads the dump of the last night that has one, and returns its day. */
async function download(wrangler: Wrangler, bucket: string, file: string): Promise<string> {
  for (let before = 0; before < DAYS; before++) {
    const day = new Date(Date.now() - before * DAY_MS).toISOString().slice(0, 10);
    if (await wrangler.download(bucket, `backups/${day}.sql`, file)) return day;
  }
  throw new Error(`the bucket \`${bucket}\` has no backup of the last ${DAYS} days: docs/operating.md, "Nightly backups"`);
}

/** Throws if a restored row references a row that is missing. */
async function checkReferences(database: Database): Promise<void> {
  const [broken = []] = await query(database, ["PRAGMA foreign_key_check"]);
  if (broken.length > 0) throw new Error(`${broken.length} references of restored rows lead nowhere`);
}

function counts({ tables }: Manifest): string {
  const known = tables.filter(({ name }) => SHOWN.includes(name));
  return known.map(({ name, rows }) => `${rows} ${name}`).join(", ");
}

async function lastRecord(database: Database): Promise<string> {
  const [[last] = []] = await query(database, ["SELECT ref, created_at FROM records ORDER BY ref DESC LIMIT 1"]);
  return last === undefined ? "none" : `${last.ref} at ${new Date(Number(last.created_at)).toISOString()}`;
}
