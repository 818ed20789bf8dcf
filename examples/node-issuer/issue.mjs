// Issues a certificate: node issue.mjs document.json
//
// ASSAY_KEY is the issuer's private key, and ASSAY_API the address of the service. ASSAY_SITE is the web address of the folder `site`.
// The script writes the public files into `site`, and the holder's private file into the current folder.
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { Cert, generateKey } from "@assay/cert/aih2";
import { ActionKind, Client, PrivateKeyProvider, Priority } from "@assay/client";

/** The names of the public properties. The holder can show the other properties. */
const PUBLIC = ["name", "issued"];

const { ASSAY_KEY, ASSAY_API = "http://127.0.0.1:8787", ASSAY_SITE } = process.env;
const [file] = process.argv.slice(2);
if (!ASSAY_KEY || !ASSAY_SITE || !file) throw new Error("usage: ASSAY_KEY=… ASSAY_SITE=… node issue.mjs document.json");
const document = JSON.parse(await readFile(file, "utf8"));

const text = { type: "string" };
const own = Object.fromEntries(Object.keys(document).map((name) => [name, {}]));
const schema = { type: "object", properties: { ...own, ledgerId: text, assetId: text, $schema: text, $evidence: text } };

const provider = await PrivateKeyProvider.from(ASSAY_KEY);
const me = provider.accountId;
const client = new Client({ provider, apiUrl: ASSAY_API });
await client.init();
// On a development service, deposits move no money. For any other service, remove this line, and deposit before you run the script.
await client.createDeposit(20_00);

const key = generateKey();
const cert = new Cert({ schema, key });
const assetId = "1";
const deployment = await client.createDeployment(
  { name: "Certificates", symbol: "CERT", uriPrefix: `${ASSAY_SITE}/assets/`, uriPostfix: ".json", schemaId: cert.identify(), capabilities: [], ownerId: me },
  Priority.MEDIUM,
);
const { ledgerId } = (await client.waitForDeployment(deployment.data.ref)).data;

const data = { ...document, ledgerId, assetId, $schema: `${ASSAY_SITE}/schema.json`, $evidence: `${ASSAY_SITE}/evidence/${assetId}.json` };
const open = [...PUBLIC, "ledgerId", "assetId", "$schema", "$evidence"].map((name) => [name]);
const imprint = await cert.imprint(data);
await publish("schema.json", schema);
await publish(`assets/${assetId}.json`, cert.expose(data, open));
await publish(`evidence/${assetId}.json`, await cert.disclose(data, open));

const order = await client.createOrder(
  {
    actions: [{ kind: ActionKind.CREATE_ASSET, assetLedgerId: ledgerId, id: assetId, imprint, senderId: me, receiverId: me }],
    signersIds: [me],
    payerId: me,
    wildcardSigner: false,
    automatedPerform: true,
  },
  Priority.MEDIUM,
);
await client.waitForOrder(order.data.ref);

// The holder's file opens the whole document (docs/spec/file.md).
const certificate = {
  assay: 1,
  service: new URL(ASSAY_API).origin,
  ledger: ledgerId,
  asset: assetId,
  imprint: imprint.replace("aih2:", ""),
  schema,
  document: data,
  evidence: await cert.notarize(data),
};
await writeFile("certificate.private.assay.json", JSON.stringify(certificate), { mode: 0o600 });
console.log(JSON.stringify({ ledgerId, assetId, imprint, badge: client.badgeUrl(ledgerId, assetId), page: client.certificateUrl(ledgerId, assetId) }));

async function publish(name, json) {
  const target = new URL(`site/${name}`, `file://${process.cwd()}/`);
  await mkdir(new URL(".", target), { recursive: true });
  await writeFile(target, JSON.stringify(json));
}
