// Certifies the demonstration's document, by each profile.
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

/** Returns the paths to show: the public ones, or all if the document has no public fields besides addresses and asset. */
function open(schema, data) {
  const all = described(schema, data);
  const shown = all.filter(([key]) => PUBLIC.includes(key));
  return shown.some(([key]) => !key.startsWith("$") && !ASSET.includes(key)) ? shown : all;
}

/** Each profile's way to identify a schema. */
export const IDENTIFY = {
  "AIH-2": (schema) => new aih2.Cert({ schema }).identify(),
  "AIH-1": (schema) => new aih1.Cert({ schema }).identify(),
};

/**
 * Certifies a document, by each profile. `pointers` are the members of its public metadata with the addresses of schema and evidence.
 * Returns the `imprint` for the ledger, the published `paths`, `metadata` and `evidence`, and a description of the secret that is `kept`.
 * Under AIH-2 it also returns the holder's share: the document, evidence that opens everything, and the paths that the holder shows.
 */
export const CERTIFY = {
  async "AIH-2"({ schema, document, pointers }) {
    // The whole document is certified. Pointers that the schema does not have are not part of it.
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
    // Without a secret, hidden values with few possibilities could be guessed, for example a birthday within a second.
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
