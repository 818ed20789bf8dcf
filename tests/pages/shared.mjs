// A certificate of AIH-2 as an organisation issues it: with titles, a holder, dates and grades. Its files, and the service's answer about it.
import { readFile } from "node:fs/promises";
import { Cert } from "@assay/cert/aih2";

const load = async (name) => JSON.parse(await readFile(new URL(`../demo/${name}.json`, import.meta.url), "utf8"));
const [described, own] = await Promise.all(["schema", "metadata"].map(load));
const { $evidence, $schema, ...properties } = described.properties;

export const schema = { ...described, properties: { ...properties, validUntil: { title: "Valid until", type: "string" } } };
export const ledgerId = "0xF9196f9f176fd2eF9243E8960817d5FbE63D79aa";
export const data = { ...own, validUntil: "2099-06-30", ledgerId, assetId: "1" };
export const key = Uint8Array.from({ length: 32 }, (_, index) => index);
export const cert = new Cert({ schema, key });
export const imprint = (await cert.imprint(data)).replace("aih2:", "");
/** What the issuer published. */
export const open = [["name"], ["description"], ["image"], ["issuedAt"], ["ledgerId"], ["assetId"]];
export const metadata = cert.expose(data, open);
export const evidence = await cert.disclose(data, open);

/** Returns the issuer's private file, as the certify page makes it. */
export function privateFile(changes = {}) {
  const secret = Buffer.from(key).toString("hex");
  return { "assay private file": 1, warning: "Keep it.", profile: "AIH-2", imprint, secret, shown: [["name"], ["description"], ["image"], ["issuedAt"]], data, schema, ...changes };
}

/** Returns the file of a certificate that shows `paths`. */
export async function certificateFile(paths, changes = {}) {
  const shown = await cert.disclose(data, [...paths, ["ledgerId"], ["assetId"]]);
  return { assay: 1, service: "https://assay.example", ledger: ledgerId, asset: "1", imprint, schema, document: cert.expose(data, [...paths, ["ledgerId"], ["assetId"]]), evidence: shown, ...changes };
}
