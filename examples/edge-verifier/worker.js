// Answers `GET /<ledger>/<asset>` with the proven values of a certificate. This Worker verifies the documents itself. It trusts the service only
// for imprint and status.
import { Cert } from "@assay/cert/verify";

const ADDRESS = /^\/(0x[0-9a-fA-F]{40})\/([0-9]{1,78})$/;
/** The members with the addresses of schema and evidence. They belong to the certified document only if its schema has them. */
const ADDRESSES = ["$schema", "$evidence"];

export default {
  async fetch(request, env) {
    const [, ledgerId, assetId] = ADDRESS.exec(new URL(request.url).pathname) ?? [];
    if (request.method !== "GET" || !ledgerId) return Response.json({ error: "expected GET /<ledger>/<asset>" }, { status: 404 });
    const answer = await fetch(`${env.SERVICE}/badge.json?${new URLSearchParams({ ledgerId, assetId })}`).catch(() => null);
    if (!answer?.ok) return Response.json({ error: "the service did not answer" }, { status: 502 });
    const { data } = await answer.json();
    const status = data.status.kind;
    if (status !== "inForce") return Response.json({ status, valid: false });
    if (!data.schema || !data.metadata || data.evidence?.profile !== "AIH-2") return Response.json({ status, valid: null });
    const document = { ...data.metadata };
    for (const name of ADDRESSES) if (!Object.hasOwn(data.schema.properties ?? {}, name)) delete document[name];
    const cert = new Cert({ schema: data.schema });
    try {
      const report = await cert.verify(document, data.evidence, data.asset.imprint, { asset: { ledgerId, assetId } });
      return Response.json({ status, valid: report.valid, document: report.document, errors: report.errors });
    } finally {
      cert.free();
    }
  },
};
