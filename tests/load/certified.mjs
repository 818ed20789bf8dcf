// The certified asset of the measurements.
import { Cert } from "@assay/cert";

/**
 * Serves the public files of a certificate from `host`. Returns the certificate's imprint, and the data of a ledger for it, without the ledger's
 * name and owner.
 */
export async function certified(host) {
  const schema = { type: "object", properties: { name: { type: "string" } } };
  const cert = new Cert({ schema });
  const metadata = { $schema: host.url("schema.json"), $evidence: host.url("evidence/1.json"), name: "Ada" };
  host.serve("schema.json", schema);
  host.serve("metadata/1.json", metadata);
  host.serve("evidence/1.json", { $schema: host.url("evidence-schema.json"), data: await cert.disclose(metadata, [["name"]]) });
  return {
    imprint: await cert.imprint(metadata),
    deployment: { symbol: "L", uriPrefix: host.url("metadata/"), uriPostfix: ".json", schemaId: cert.identify(), capabilities: [2] },
  };
}
