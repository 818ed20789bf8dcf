// A certificate of AIH-2 with a hidden field, and a service's report on it.
import { readFile } from "node:fs/promises";
import { Cert } from "@assay/cert/aih2";
import { withAssetFields } from "../../pkg/view/src/issue.ts";
import { templateOf } from "../../pkg/view/src/templates.ts";
import { LEDGER, reportOf } from "./reports.mjs";

const text = { type: "string" };
const schema = {
  type: "object",
  title: "Course certificate",
  properties: {
    name: { ...text, title: "Course" },
    holder: { type: "object", title: "Holder", properties: { name: text, email: { ...text, title: "Email" } } },
    day: { ...text, title: "Day" },
    hours: { type: "integer", title: "Hours" },
    grades: { type: "array", title: "Grades", items: text },
    site: { ...text, title: "Site" },
    ledgerId: text,
    assetId: text,
  },
};
const data = {
  name: "Applied Cryptography",
  holder: { name: "Ada Example", email: "ada@example.com" },
  day: "2026-05-07",
  hours: 96,
  grades: ["good", "better"],
  site: "https://school.example/",
  ledgerId: LEDGER,
};
const issuer = new Cert({ schema, key: new Uint8Array(32).fill(7) });
const shownPaths = [["name"], ["holder", "name"], ["day"], ["hours"], ["grades"], ["site"], ["ledgerId"], ["assetId"]];

/** Returns a report on an asset with the documents of its certificate. `forge` changes the metadata, and `changes` replaces members of the report. */
export async function certified(code, assetId, forge = (metadata) => metadata, changes = {}) {
  const document = { ...data, assetId };
  const report = reportOf(code, assetId);
  return {
    ...report,
    ledger: { ...report.ledger, schemaId: issuer.identify() },
    asset: { ...report.asset, imprint: (await issuer.imprint(document)).replace("aih2:", "") },
    schema,
    metadata: forge(issuer.expose(document, shownPaths)),
    evidence: await issuer.disclose(document, shownPaths),
    ...changes,
  };
}

/** Returns a report on a membership certificate that was issued on the German pages. */
export async function germanMembership(assetId) {
  const texts = JSON.parse(await readFile(new URL("../../pkg/view/texts/de.templates.json", import.meta.url), "utf8"));
  const schema = withAssetFields(templateOf("membership", (key) => key.split(".").reduce((at, step) => at[step], texts)).schema);
  const cert = new Cert({ schema, key: new Uint8Array(32).fill(7) });
  const document = { name: "Rowing Club", level: "Gold", ledgerId: LEDGER, assetId };
  const report = reportOf("valid", assetId);
  return {
    ...report,
    ledger: { ...report.ledger, schemaId: cert.identify() },
    asset: { ...report.asset, imprint: (await cert.imprint(document)).replace("aih2:", "") },
    schema,
    metadata: document,
    evidence: await cert.notarize(document),
  };
}
