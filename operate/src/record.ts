// `deploy/<env>.log`: wrangler appends a line of JSON for each deployment. This tool appends a line for each version that passed its smoke test.
import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { type Json, itemsAt, textAt } from "./json.ts";

/** A deployment of the Worker. */
export interface Deployed {
  version: string | null;
  /** The address below workers.dev. Null if the Worker has none. */
  address: string | null;
}

/** A version that passed the smoke test at an address. */
export interface Tested {
  version: string;
  address: string;
}

/** The value of `type` in the lines of this tool. */
const TESTED = "tested";

/** Returns wrangler's last deployment. Throws if the record has none. */
export function lastDeployed(record: string): Deployed {
  const line = linesOf(record, "deploy").at(-1);
  if (line === undefined) throw new Error(`wrangler wrote no deployment into ${record}`);
  const hosts = itemsAt(line, "targets").map((target) => String(target).replace(/^https:\/\//, ""));
  const host = hosts.find((name) => name.endsWith(".workers.dev"));
  return { version: textAt(line, "version_id") || null, address: host === undefined ? null : `https://${host}` };
}

/** Returns the id of the version that wrangler uploaded last without deploying it, or null if the record has none. */
export function lastUploaded(record: string): string | null {
  return textAt(linesOf(record, "version-upload").at(-1) ?? null, "version_id") || null;
}

/** Returns the last version that passed its smoke test and is not `active`. Null if there is no such version or no record. */
export function lastTested(record: string, active: string | null): Tested | null {
  const tested = linesOf(record, TESTED).map((line) => ({ version: textAt(line, "version_id"), address: textAt(line, "address") }));
  return tested.findLast(({ version }) => version !== active) ?? null;
}

/** Appends a version that passed its smoke test. */
export function passed(record: string, { version, address }: Tested): void {
  appendFileSync(record, `${JSON.stringify({ type: TESTED, version_id: version, address })}\n`);
}

/** Returns the lines of a type. Other lines are ignored, because wrangler writes several types. */
function linesOf(record: string, type: string): Json[] {
  if (!existsSync(record)) return [];
  const lines = readFileSync(record, "utf8").split("\n");
  return lines.map(valueOf).filter((value) => textAt(value, "type") === type);
}

function valueOf(line: string): Json {
  try {
    return JSON.parse(line);
  } catch {
    return null;
  }
}
