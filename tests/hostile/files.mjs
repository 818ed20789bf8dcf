// Attacks on hosted files. Unfunded accounts must not store files, a funded account must not fill the bucket, and unread files must use bounded memory.
import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { HEAP_MEGABYTES, atMost, common, exactly } from "./bounds.mjs";
import { withDatabase } from "./database.mjs";
import { ask } from "./unread.mjs";
import { watched } from "./watch.mjs";

/** Maximum bytes of a file. */
const FILE = 1_000_000;
/** The maximum number of bytes that a funded account can store per day. */
const DAY_BYTES = 2 ** 28;

/** Returns a picture of the maximum size, different each time. */
const picture = () => new Blob([Buffer.from("89504e470d0a1a0a", "hex"), randomBytes(FILE - 8)]);

/** Sends a file, and returns the status and the data of the answer. */
async function upload(stage, headers, target, file) {
  const form = new FormData();
  for (const [name, text] of Object.entries(target)) form.set(name, text);
  form.set("file", file);
  const { authorization } = headers;
  const { status, text } = await stage.ask("POST", "/files", authorization ? { authorization } : {}, form);
  if (status >= 500) throw new Error(`a file was answered ${text}`);
  return { status, data: JSON.parse(text).data };
}

/**
 * An unfunded account and callers without a signature send large files. A funded account sends pages with scripts, and then pictures until one
 * is refused. Then clients request a stored file and do not read it.
 */
export async function files(stage, { files }) {
  const server = await stage.start({ FILES: "on" }, { heapMegabytes: HEAP_MEGABYTES });
  await stage.issuer.client.createDeposit(10_000_000);
  const ledger = { name: "L", symbol: "L", uriPrefix: `${stage.url}/files/${stage.issuer.id}/c/`, uriPostfix: "", schemaId: `0x${"0".repeat(64)}`, capabilities: [] };
  const { ledgerId } = await stage.issuer.deploy(ledger);
  const target = { ledgerRef: ledgerId, assetId: "1", name: "metadata" };
  const answers = { stranger: 0, unsigned: 0, script: 0 };
  let stored = 0;
  const figures = await watched(server, async () => {
    const refused = await stage.unfunded();
    for (let n = 0; n < files; n++) {
      if ((await upload(stage, refused.headers, target, picture())).status === 403) answers.stranger += 1;
      if ((await upload(stage, {}, target, picture())).status === 401) answers.unsigned += 1;
      const script = new Blob(["<!doctype html><script>alert(1)</script>".padEnd(FILE, " ")], { type: "text/html" });
      if ((await upload(stage, stage.issuer.headers, { ledgerRef: ledgerId }, script)).status === 422) answers.script += 1;
    }
    let last;
    for (let n = 0; n < files; n++) {
      const { status, data } = await upload(stage, stage.issuer.headers, { ledgerRef: ledgerId }, picture());
      if (status !== 201) break;
      stored += 1;
      last = data;
    }
    const sockets = await Promise.all(Array.from({ length: 60 }, () => ask(stage.url, `/files/${last.hash}`)));
    await sleep(1_000);
    for (const socket of sockets) socket.destroy();
    return {};
  });
  await stage.stop();
  const { bytes, unused } = await withDatabase(stage.place, (database) =>
    database.prepare("SELECT coalesce(sum(bytes), 0) AS bytes, (SELECT count(*) FROM file_deletions) AS unused FROM files").first(),
  );
  return [
    ...common(figures),
    exactly("refused files of an account without abilities", answers.stranger, files, "files"),
    exactly("refused files without a signature", answers.unsigned, files, "files"),
    exactly("refused pages with scripts", answers.script, files, "files"),
    exactly("objects that no file uses", unused, 0, "objects"),
    atMost("files of a funded account in a day", stored * FILE, DAY_BYTES, "bytes"),
    exactly("bytes of these files in the service's own count", bytes, stored * FILE, "bytes"),
  ];
}
