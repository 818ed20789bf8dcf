// Writes the vectors in `tests/vectors/badge`: badges and status lists that other programs canonicalized and signed.
import { writeFile } from "node:fs/promises";
import { canonical, encodedList, sign } from "./programs.mjs";
import { KEY, SERVICE_KEY, TEXTS, badge, flags, statusList } from "./samples.mjs";

const seed = Uint8Array.from({ length: 32 }, (_, index) => index);
const badges = [];
let publicKeyMultibase;
for (const [index, text] of TEXTS.entries()) {
  const unsigned = badge(flags(index), () => text);
  const made = await sign(unsigned, { ...KEY, seed });
  ({ publicKeyMultibase } = made);
  badges.push({ quads: await canonical(unsigned), signed: made.signed });
}

const lists = [];
for (const revoked of [[], [0], [7, 8, 4711], [131_071], Array.from({ length: 300 }, (_, index) => index * 437)]) {
  const unsigned = statusList(await encodedList(revoked));
  const { signed } = await sign(unsigned, { ...SERVICE_KEY, seed });
  lists.push({ revoked, quads: await canonical(unsigned), signed });
}

/** Writes a file of vectors with the key. */
async function write(name, content) {
  const file = new URL(`../vectors/badge/${name}`, import.meta.url);
  await writeFile(file, `${JSON.stringify({ seed: Buffer.from(seed).toString("hex"), publicKeyMultibase, ...content }, null, 1)}\n`);
}
await write("badges.json", { badges });
await write("lists.json", { lists });
