// An AIH-1 certificate that discloses a part of its document, and the service's reports on it.
import { Cert } from "@assay/cert";

const text = { type: "string" };
export const schema = {
  type: "object",
  properties: {
    $schema: text,
    name: { ...text, title: "Course" },
    holder: { type: "object", properties: { name: text, email: text } },
    hours: { type: "integer" },
    nickname: text,
    grades: { type: "array", items: text },
    marks: { type: "array", items: text },
  },
};
export const data = {
  $schema: "https://school.example/schema.json",
  name: "Applied Cryptography",
  holder: { name: "Ada Example", email: "ada@example.com" },
  hours: 96,
  grades: ["good", "better", "best"],
  marks: ["first", "last"],
};
export const disclosed = [["$schema"], ["name"], ["nickname"], ["holder", "name"], ["grades", 0], ["marks"]];

const cert = new Cert({ schema });
export const schemaId = cert.identify();
export const imprint = await cert.imprint(data);
export const metadata = cert.expose(data, disclosed);
export const evidence = { data: await cert.disclose(data, disclosed) };

/**
 * Certifies a document that has its addresses on a host. Serves schema, metadata and evidence there, for asset 1 of a ledger. Returns the metadata,
 * the fields of the ledger, and the imprint.
 */
export async function publish(host) {
  const described = { ...schema, properties: { ...schema.properties, $evidence: text } };
  const document = { ...data, $schema: host.url("schema.json"), $evidence: host.url("evidence/1.json") };
  const cert = new Cert({ schema: described });
  const paths = [...disclosed, ["$evidence"]];
  const open = cert.expose(document, paths);
  host.serve("schema.json", described);
  host.serve("metadata/1.json", open);
  host.serve("evidence/1.json", { data: await cert.disclose(document, paths) });
  const ledger = { name: "Courses", symbol: "CRS", uriPrefix: host.url("metadata/"), uriPostfix: ".json", schemaId: cert.identify(), capabilities: [1, 2] };
  return { open, ledger, imprint: await cert.imprint(document) };
}

const ISSUER = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8";
const CREATED = "2026-05-07T09:30:00.000Z";
export const ledger = {
  id: "0xF9196F9f176fd2eF9243E8960817d5FbE63D79aa",
  name: "University of Oxenford",
  symbol: "UOX",
  schemaId,
  capabilities: [2],
  ownerId: ISSUER,
  createdAt: CREATED,
};
export const asset = {
  id: "1",
  imprint,
  uri: "https://school.example/1.json",
  ownerId: "0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC",
  createdAt: CREATED,
  updatedAt: CREATED,
  withdrawnAt: null,
};
/** The members of a report that are different if the ledger does not have the asset. */
export const absent = { metadata: null, evidence: null, schema: null, integrity: "notChecked" };
const gone = { ...asset, imprint: null, ownerId: null, updatedAt: null };
const status = (kind, since = null) => ({ kind, since, reason: null, reasonBy: null, expiresAt: null });
const WITHDRAWN = "2026-09-21T14:13:20.000Z";
export const withdrawn = { ...absent, valid: false, status: status("withdrawn", WITHDRAWN), asset: { ...gone, withdrawnAt: WITHDRAWN } };
export const neverIssued = { ...absent, valid: null, status: status("neverIssued"), asset: { ...gone, createdAt: null } };
export const unknownLedger = { ...absent, valid: null, status: status("unknownLedger"), issuer: null, ledger: null, asset: null };

/** Returns the HTTP response that has the service's report on the certificate as an asset. `changes` replaces members of the report. */
export function badge(changes = {}) {
  const report = {
    valid: true,
    integrity: "unchanged",
    status: status("inForce", CREATED),
    issuer: { account: ISSUER, kind: "notConfirmed", confirmed: false, domain: null },
    errors: [],
    ledger,
    asset,
    metadata,
    evidence,
    schema,
    ...changes,
  };
  return { contentType: "application/json", body: JSON.stringify({ id: "1", status: 200, data: report, meta: {} }) };
}
