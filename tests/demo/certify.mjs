// Certifies the demonstration's document, with one function for each profile.
import { randomBytes } from "node:crypto";
import * as aih1 from "@assay/cert";
import * as aih2 from "@assay/cert/aih2";

/** The fields that identify the asset. They are public in every certificate, so that a certificate copied to another ledger is recognised. */
const ASSET = ["ledgerId", "assetId"];

/** The public fields, if the schema has them. */
const PUBLIC = ["$evidence", "$schema", "name", "description", "image", ...ASSET];

/** Returns the schema with the fields that identify the asset. */
export function withAssetFields(schema) {
  const fields = Object.fromEntries(ASSET.map((key) => [key, { type: "string" }]));
  return { ...schema, properties: { ...schema.properties, ...fields, ...schema.properties } };
}

/** Returns the top-level keys of a document that the schema has, as paths. */
function described(schema, data) {
  return Object.keys(schema.properties ?? {})
    .filter((key) => Object.hasOwn(data, key))
    .map((key) => [key]);
}

/** Returns the paths to show: those of public fields, or all paths if the only public fields are addresses, ledger and asset. */
function open(schema, data) {
  const all = described(schema, data);
  const shown = all.filter(([key]) => PUBLIC.includes(key));
  return shown.some(([key]) => !key.startsWith("$") && !ASSET.includes(key)) ? shown : all;
}

/** For each profile, a function that returns the id of a schema. */
export const IDENTIFY = {
  "AIH-2": (schema) => new aih2.Cert({ schema }).identify(),
  "AIH-1": (schema) => new aih1.Cert({ schema }).identify(),
};

/**
 * For each profile, a function that certifies a document. `pointers` are the members of the public metadata that have the addresses of schema
 * and evidence. Returns the `imprint` for the ledger, and the published `paths`, `metadata` and `evidence`. `kept` describes the issuer's
 * secret. Under AIH-2, `holder` has the holder's share: the document, evidence that opens everything, and the paths that the holder shows.
 */
export const CERTIFY = {
  async "AIH-2"({ schema, document, pointers }) {
    // AIH-2 certifies the whole document. Pointers that the schema does not have are left out of it.
    const certified = described(schema, pointers).map(([key]) => [key, pointers[key]]);
    const data = { ...document, ...Object.fromEntries(certified) };
    // Each document has its own key. Without the key, hidden values cannot be guessed, and further values cannot be shown.
    const key = aih2.generateKey();
    const cert = new aih2.Cert({ schema, key });
    const unknown = cert.uncovered(data).map((path) => path.join("."));
    if (unknown.length > 0) {
      throw new Error(`the schema does not have ${unknown.join(", ")}, and AIH-2 certifies a whole document; \`--profile AIH-1\` leaves such keys out`);
    }
    const paths = open(schema, data);
    const hidden = described(schema, data).filter(([key]) => !paths.some(([open]) => open === key));
    const [imprint, evidence, whole] = await Promise.all([cert.imprint(data), cert.disclose(data, paths), cert.notarize(data)]);
    return {
      imprint,
      paths,
      metadata: { ...cert.expose(data, paths), ...pointers },
      evidence,
      kept: ["key", "random, for this document alone, kept by the issuer: nothing that is hidden can be guessed"],
      holder: { data, whole, paths: hidden.length > 0 ? hidden : paths.filter(([key]) => !ASSET.includes(key)) },
    };
  },

  async "AIH-1"({ schema, document, pointers }) {
    const data = { ...document, ...pointers };
    // Without a secret, a hidden value with few possible values could be guessed, for example a birthday within a second.
    const cert = new aih1.Cert({ schema, noncer: { secret: randomBytes(32) } });
    const paths = open(schema, data);
    return {
      imprint: await cert.imprint(data),
      paths,
      // The address of the evidence must be public, whether the schema certifies it or not.
      metadata: { ...cert.expose(data, paths), ...pointers },
      evidence: { $schema: new URL("evidence-schema.json", pointers.$schema).href, data: await cert.disclose(data, paths) },
      kept: ["secret", "random, kept by the issuer: it keeps hidden values from being guessed"],
    };
  },
};
