// An AIH-2 certificate as an organisation issues it, with titles, a holder, dates and grades. Also has the certificate's files, and the
// service's answers about the certificate.
import { readFile } from "node:fs/promises";
import { Cert } from "@assay/cert/aih2";

const load = async (name) => JSON.parse(await readFile(new URL(`../demo/${name}.json`, import.meta.url), "utf8"));
const [described, own] = await Promise.all(["schema", "metadata"].map(load));
const { $evidence, $schema, ...properties } = described.properties;

export const schema = { ...described, properties: { ...properties, validUntil: { title: "Valid until", type: "string" } } };
export const ledgerId = "0xF9196F9f176fd2eF9243E8960817d5FbE63D79aa";
export const data = { ...own, validUntil: "2099-06-30", ledgerId, assetId: "1" };
export const key = Uint8Array.from({ length: 32 }, (_, index) => index);
export const cert = new Cert({ schema, key });
export const imprint = (await cert.imprint(data)).replace("aih2:", "");
/** The paths, metadata and evidence that the issuer published. */
export const open = [["name"], ["description"], ["image"], ["issuedAt"], ["ledgerId"], ["assetId"]];
export const metadata = cert.expose(data, open);
export const evidence = await cert.disclose(data, open);

/** Returns the issuer's private file, as the certify page makes it. */
export function privateFile(changes = {}) {
  const secret = Buffer.from(key).toString("hex");
  return { "assay private file": 1, warning: "Keep it.", profile: "AIH-2", imprint, secret, shown: [["name"], ["description"], ["image"], ["issuedAt"]], data, schema, ...changes };
}

/** Returns the content of a certificate file that shows `paths` and the asset's ids. */
export async function certificateFile(paths, changes = {}) {
  const shown = await cert.disclose(data, [...paths, ["ledgerId"], ["assetId"]]);
  return { assay: 1, service: "https://assay.example", ledger: ledgerId, asset: "1", imprint, schema, document: cert.expose(data, [...paths, ["ledgerId"], ["assetId"]]), evidence: shown, ...changes };
}

const ISSUER = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8";
const ISSUED = "2026-06-30T09:30:00.000Z";
export const shown = [...open, ["holder", "name"], ["hours"], ["grades"], ["validUntil"]];
const record = { id: "1", imprint, uri: "https://school.example/1.json", ownerId: ISSUER, createdAt: ISSUED, updatedAt: ISSUED, withdrawnAt: null, withdrawnBefore: null, pastImprints: [] };
const report = {
  valid: true,
  headline: { code: "valid", look: "green", text: "Valid. Issued by uni.example", parameters: { date: null, reason: null, domain: "uni.example", name: null } },
  integrity: "unchanged",
  status: { kind: "inForce", since: ISSUED, reason: null, reasonBy: null, expiresAt: null },
  issuer: {
    account: ISSUER,
    kind: "confirmed",
    confirmed: true,
    domain: "uni.example",
    name: "University of Example",
    logo: null,
    firstSeen: "2026-01-05T00:00:00.000Z",
    lastSeen: "2026-11-23T00:00:00.000Z",
    checkedBy: "dns",
  },
  errors: [],
  ledger: { id: ledgerId, name: "Courses", symbol: "CRS", schemaId: cert.identify(), capabilities: [2], ownerId: ISSUER, createdAt: ISSUED },
  asset: record,
  metadata: cert.expose(data, shown),
  evidence: await cert.disclose(data, shown),
  schema,
  lists: [],
  values: [],
  omittedValues: 0,
};
const headline = (code, look) => ({ headline: { ...report.headline, code, look, text: code } });
const unread = { metadata: null, evidence: null, schema: null, integrity: "notChecked" };
const gone = { ...unread, valid: false, asset: { ...record, imprint: null, ownerId: null, updatedAt: null } };
const status = (kind, since) => ({ status: { ...report.status, kind, since } });
const issuer = (kind, changes = {}) => ({ issuer: { ...report.issuer, kind, confirmed: false, ...changes } });

/** For each headline, the members of the service's report that differ from `report`. */
export const STATES = {
  valid: {},
  "valid-by-operator": { ...headline("valid-by-operator", "green"), issuer: { ...report.issuer, kind: "operator", domain: "assay.example", checkedBy: "operator" } },
  changed: { ...headline("changed", "red"), integrity: "changed", valid: false, metadata: { ...report.metadata, hours: 960 } },
  "other-asset": { ...headline("other-asset", "red"), integrity: "otherAsset", valid: false, asset: { ...record, id: "2" } },
  withdrawn: {
    ...gone,
    asset: { ...gone.asset, withdrawnAt: "2026-09-21T14:13:20.000Z" },
    ...headline("withdrawn", "grey-red"),
    status: { kind: "withdrawn", since: "2026-09-21T14:13:20.000Z", reason: "Issued by <b>mistake</b>.", reasonBy: { account: ISSUER, role: "issuer" }, expiresAt: null },
  },
  "never-issued": { ...gone, ...headline("never-issued", "red"), ...status("neverIssued", null), valid: null, asset: { ...gone.asset, createdAt: null } },
  "unknown-ledger": { ...unread, ...headline("unknown-ledger", "red"), ...status("unknownLedger", null), valid: null, issuer: null, ledger: null, asset: null },
  "issuer-disowned": { ...headline("issuer-disowned", "red"), ...issuer("disowned"), valid: false },
  "not-proven": { ...headline("not-proven", "red"), integrity: "notCovered", valid: false, metadata: { ...report.metadata, holder: data.holder } },
  expired: { ...headline("expired", "amber"), ...status("expired", "2026-11-01T00:00:00.000Z"), valid: false },
  replaced: {
    ...headline("replaced", "amber"),
    ...status("replaced", "2026-11-01T00:00:00.000Z"),
    valid: false,
    asset: { ...record, imprint: "0".repeat(64), pastImprints: [{ imprint, endedAt: "2026-11-01T00:00:00.000Z", withdrawn: false }] },
  },
  "not-checked": { ...unread, ...headline("not-checked", "grey"), valid: null },
  "issuer-no-longer-confirmed": { ...headline("issuer-no-longer-confirmed", "amber"), ...issuer("wasConfirmed") },
  "issuer-not-confirmed": { ...headline("issuer-not-confirmed", "amber"), ...issuer("notConfirmed", { domain: null, name: null, firstSeen: null, lastSeen: null, checkedBy: null }) },
};

/** Returns the HTTP response that has the service's report on the certificate. `changes` replaces members of the report. */
export const answer = (changes = {}) => ({ contentType: "application/json", body: JSON.stringify({ id: "1", status: 200, data: { ...report, ...changes }, meta: {} }) });

/** Returns the response of the issuer's domain: a `did.json` that confirms the account, with this endpoint of the issuer's service. */
export const didFile = (serviceEndpoint) => ({
  headers: { "access-control-allow-origin": "*" },
  contentType: "application/json",
  body: JSON.stringify({
    id: "did:web:uni.example",
    verificationMethod: [{ id: "did:web:uni.example#assay", blockchainAccountId: `eip155:1:${report.issuer.account}` }],
    assertionMethod: ["did:web:uni.example#assay"],
    service: [{ type: "AssayIssuer", serviceEndpoint }],
  }),
});

export { record, report };
