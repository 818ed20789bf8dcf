// An office with a confirmed domain, which issues certificates by `cert batch` and makes badges by `cert export`.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { createPrivateKey, randomBytes, sign } from "node:crypto";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { Cert } from "@assay/cert/aih2";
import { ActionKind, Priority } from "@assay/client";
import { Host } from "../demo/host.mjs";
import { Desk } from "../batch/world.mjs";
import { program } from "../support/cargo.mjs";
import { until } from "../support/client.mjs";

/** The settings of the service. Status lists are not cached, so that a test sees a withdrawal immediately. */
export const SETTINGS = { ENVIRONMENT: "development", DEPOSITS: "test", ALLOW_PRIVATE_FETCH: "true", FILES: "on", BADGE_CACHE_SECONDS: "0", STATUS_KEY: randomBytes(32).toString("hex") };

const string = { type: "string" };
export const SCHEMA = {
  type: "object",
  title: "Course certificate",
  properties: { name: string, description: string, holder: string, email: string, issuedAt: string, hours: { type: "number" }, grade: string, validUntil: string, ledgerId: string, assetId: string },
  required: ["name", "holder", "ledgerId", "assetId"],
};
export const ROWS =
  "name,description,holder,email,issuedAt,hours,grade,validUntil\nApplied Cryptography,Ten weeks,Ada Example,ada@example.com,2026-06-30,96,A,2099-06-30\nApplied Cryptography,Ten weeks,Bob Ünïcode,bob@example.com,2026-06-30,96,B,2099-06-30\n";
const PUBLIC = "name,description,issuedAt,validUntil";

/** Writes bytes in base58btc. */
function base58(bytes) {
  const digits = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";
  let [value, text] = [BigInt(`0x${Buffer.from(bytes).toString("hex")}`), ""];
  for (; value > 0n; value /= 58n) text = digits[Number(value % 58n)] + text;
  return "1".repeat(bytes.findIndex((byte) => byte !== 0)) + text;
}

export class Office {
  /** Issues the rows, and publishes their public files. `server` is the service. */
  static async open(server, { rows = ROWS, tool, deposit = "500000" } = {}) {
    const office = new Office();
    office.deposit = deposit;
    // No IP address, because some programs refuse those in `did:web`.
    office.service = `http://localhost:${new URL(server.url).port}`;
    office.desk = await Desk.of({ url: office.service }, { rows, schema: SCHEMA, tool });
    office.site = await Host.start();
    office.did = `did:web:${office.domain.replace(":", "%3A")}`;
    await office.desk.write("badge.key", `${randomBytes(32).toString("hex")}\n`);
    const issued = await office.batch();
    assert.equal(issued.code, 0, issued.err);
    await office.desk.publish();
    office.client = await office.desk.client(office.service);
    office.entry = JSON.parse(await office.cert("badge-key", "badge.key", "--domain", office.domain));
    const account = { id: `${office.did}#assay`, type: "EcdsaSecp256k1RecoveryMethod2020", controller: office.did, blockchainAccountId: `eip155:1:${office.client.provider.accountId}` };
    office.didFile = {
      "@context": ["https://www.w3.org/ns/did/v1"],
      id: office.did,
      verificationMethod: [office.entry, account],
      assertionMethod: [office.entry.id, account.id],
      service: [{ id: `${office.did}#assay-issuer`, type: "AssayIssuer", serviceEndpoint: { name: "University of Example" } }],
    };
    office.serve(office.didFile);
    return office;
  }

  /** The domain. It is no IP address, because some programs refuse those. */
  get domain() {
    return `localhost:${new URL(this.site.url("")).port}`;
  }

  /** Signs a badge with the office's badge key, as a thief of the key could. */
  async sign({ proof, ...badge }) {
    const { proofValue: _, ...options } = proof;
    const child = spawn(program("debug/examples/to-sign"), { stdio: ["pipe", "pipe", "inherit"] });
    child.stdin.end(JSON.stringify({ ...badge, proof: options }));
    const [output] = await Promise.all([text(child.stdout), once(child, "close")]);
    const seed = Buffer.from((await this.desk.read("badge.key")).trim(), "hex");
    // PKCS #8 around the seed of a key of Ed25519 (RFC 8410).
    const key = createPrivateKey({ key: Buffer.concat([Buffer.from("302e020100300506032b657004220420", "hex"), seed]), format: "der", type: "pkcs8" });
    const signature = sign(null, Buffer.from(output.trim(), "hex"), key);
    return { ...badge, proof: { ...options, proofValue: `z${base58(signature)}` } };
  }

  serve(didFile) {
    this.site.serve(".well-known/did.json", didFile);
  }

  /** Waits until the service confirms the domain. */
  async confirm() {
    await this.client.setDomain(this.domain);
    const found = await until(
      async () => (await this.client.getDomain()).data,
      ({ state, isBeingChecked }) => state === "confirmed" && !isBeingChecked,
    );
    assert.equal(found.state, "confirmed", JSON.stringify(found));
  }

  /** Returns the asset's id and the name of its private file, by the row's e-mail address. */
  async certificate(email) {
    const lines = await this.desk.state();
    const { asset } = lines.find(({ kind, key }) => kind === "row" && key === email);
    return { ledger: lines.find(({ kind }) => kind === "ledger").ledger, asset, file: `issued/private/${await this.desk.privateName(asset)}` };
  }

  /** Returns the options with which a badge names a place in a status list of the service. */
  get withStatus() {
    return ["--badge-key", "badge.key", "--account-key", "issuer.key", "--service", this.service];
  }

  /** Draws a credential key, and lists it in the files of the domain. */
  async listCredentialKey() {
    await this.desk.write("credential.key", await this.cert("key", "--credential"));
    const words = ["credential-key", "credential.key", "--domain", this.domain];
    this.credentialEntry = JSON.parse(await this.cert(...words));
    this.issuerMetadata = JSON.parse(await this.cert(...words, "--jwt-vc-issuer"));
    // Behind the badge key, because some programs read the first key only. Before the account.
    const { verificationMethod, assertionMethod } = this.didFile;
    this.didFile = {
      ...this.didFile,
      verificationMethod: verificationMethod.toSpliced(1, 0, this.credentialEntry),
      assertionMethod: assertionMethod.toSpliced(1, 0, this.credentialEntry.id),
    };
    this.serve(this.didFile);
    this.site.serve(".well-known/jwt-vc-issuer", this.issuerMetadata);
  }

  /** Returns the options with which an SD-JWT or a badge as JWT names a place in a status list of the service. */
  get credentialOptions() {
    return ["--credential-key", "credential.key", "--account-key", "issuer.key", "--service", this.service];
  }

  /** Issues the rows that are not issued yet. */
  batch(...more) {
    const words = ["--schema", "schema.json", "--public", PUBLIC, "--key-column", "email", "--site", this.desk.site, "--account-key", "issuer.key", "--service", this.service, "--out", "issued"];
    return this.run("batch", "people.csv", ...words, "--new-ledger", "Courses", "--yes", "--deposit", this.deposit, ...more);
  }

  /** Issues a certificate on a ledger whose files the service hosts. Returns the name of its private file. */
  async issueHosted(assetId, document, shown) {
    const { client, service } = this;
    const { accountId } = client.provider;
    const cert = new Cert({ schema: SCHEMA, key: randomBytes(32) });
    const wanted = { name: "Hosted", symbol: "HOST", schemaId: cert.identify(), uriPrefix: `${service}/files/${accountId}/hosted/`, uriPostfix: "", capabilities: [], ownerId: accountId };
    const { ref } = (await client.createDeployment(wanted, Priority.MEDIUM)).data;
    const { ledgerId } = (await client.waitForDeployment(ref)).data;
    const whole = { ...document, ledgerId, assetId };
    const paths = [["ledgerId"], ["assetId"], ...shown];
    const upload = async (content, name) => (await client.uploadFile(Buffer.from(JSON.stringify(content)), { ledgerRef: ledgerId, ...(name && { assetId, name }) })).data;
    const schema = await upload(SCHEMA);
    const evidence = await upload(await cert.disclose(whole, paths, { detached: true }), "evidence");
    await upload({ ...cert.expose(whole, paths), $evidence: evidence.namedAddress, $schema: schema.address }, "metadata");
    const imprint = (await cert.imprint(whole)).replace("aih2:", "");
    const actions = [{ kind: ActionKind.CREATE_ASSET, assetLedgerId: ledgerId, id: assetId, imprint, senderId: accountId, receiverId: accountId }];
    const { data } = await client.createOrder({ actions, signersIds: [accountId], payerId: accountId, wildcardSigner: false, automatedPerform: true }, Priority.MEDIUM);
    await client.waitForOrder(data.ref);
    const file = { assay: 1, service, ledger: ledgerId, asset: assetId, imprint, schema: SCHEMA, document: whole, evidence: await cert.notarize(whole) };
    await this.desk.write("hosted.private.assay.json", JSON.stringify(file));
    return "hosted.private.assay.json";
  }

  /** Withdraws a certificate. */
  async withdraw({ ledger, asset }) {
    const me = this.client.provider.accountId;
    const order = { actions: [{ kind: 6, assetLedgerId: ledger, id: asset, senderId: me }], signersIds: [me], payerId: me, wildcardSigner: false, automatedPerform: true };
    const { data: created } = await this.client.createOrder(order, 2);
    await this.client.waitForOrder(created.ref);
  }

  /** Runs the tool. */
  run(...words) {
    return this.desk.start([], words).ended;
  }

  /** Runs the tool, and returns its output. */
  async cert(...words) {
    const { code, out, err } = await this.run(...words);
    assert.equal(code, 0, err);
    return out;
  }

  async close() {
    await this.site.stop();
    await this.desk.leave();
  }
}
