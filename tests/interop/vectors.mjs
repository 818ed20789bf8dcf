// Writes `tests/vectors/badge/badges.json`: badges that other programs canonicalized and signed.
import { writeFile } from "node:fs/promises";
import { canonical, sign } from "./programs.mjs";
import { KEY, TEXTS, badge, flags } from "./samples.mjs";

const seed = Uint8Array.from({ length: 32 }, (_, index) => index);
const badges = [];
let publicKeyMultibase;
for (const [index, text] of TEXTS.entries()) {
  const unsigned = badge(flags(index), () => text);
  const made = await sign(unsigned, { ...KEY, seed });
  ({ publicKeyMultibase } = made);
  badges.push({ quads: await canonical(unsigned), signed: made.signed });
}
const file = new URL("../vectors/badge/badges.json", import.meta.url);
await writeFile(file, `${JSON.stringify({ seed: Buffer.from(seed).toString("hex"), publicKeyMultibase, badges }, null, 1)}\n`);
