// Generates a client from the description with openapi-python-client, and uses it with the service.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdir, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";
import { Wallet } from "ethers";
import { startServer } from "../support/server.mjs";
import { bin, folder, skip } from "./python.mjs";

const run = promisify(execFile);
/** The time after which a program counts as stuck, in milliseconds. */
const PATIENCE = 120_000;

/** The generator does not support images. */
const CONFIG = `content_type_overrides:
  "image/*": application/octet-stream
  "image/svg+xml": application/octet-stream
`;

/** A program that uses the generated package. */
const USE = `
import json, sys
from generated import AuthenticatedClient, Client
from generated.api.badge import get_validity
from generated.api.deployments import create_deployment
from generated.api.service import get_health
from generated.api.stats import get_ticker_stats
from generated.models import DeploymentRequest, Failure

url, authorization, deployment = sys.argv[1:]
with Client(base_url=url) as client:
    text = get_health.sync(client=client).data.authorization_text
    tickers = get_ticker_stats.sync(client=client, limit=1).meta.limit
    validity = get_validity.sync(client=client, ledger_id="0x" + "11" * 20, asset_id="1").data
with AuthenticatedClient(base_url=url, token=authorization, prefix="") as client:
    refused = create_deployment.sync(client=client, body=DeploymentRequest.from_dict(json.loads(deployment)))
assert isinstance(refused, Failure)
print(json.dumps({
    "text": text, "limit": tickers, "status": validity.status.kind.value, "valid": validity.valid, "metadata": validity.metadata,
    "codes": [error.code for error in refused.errors], "hash": refused.hash_,
}))
`;

test("openapi-python-client makes a whole client of it, which works", { skip }, async (context) => {
  const server = await startServer({ vars: { ENVIRONMENT: "development" } });
  context.after(() => server.stop());
  const text = await (await fetch(`${server.url}/openapi.json`)).text();
  const generated = path.join(folder, "generated");
  const [document, config, use] = ["openapi.json", "config.yaml", "use.py"].map((name) => path.join(folder, name));
  await rm(generated, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  await Promise.all([writeFile(document, text), writeFile(config, CONFIG), writeFile(use, USE)]);
  const env = { ...process.env, PATH: `${bin}:${process.env.PATH}`, PYTHONPATH: folder };
  // The generator leaves out unsupported parts of the document with a warning.
  const words = ["generate", "--path", document, "--config", config, "--meta", "none", "--output-path", generated, "--fail-on-warning"];
  await run(path.join(bin, "openapi-python-client"), words, { env, timeout: PATIENCE });

  const wallet = Wallet.createRandom();
  const { paths } = JSON.parse(text);
  const deployment = structuredClone(paths["/deployments"].post.requestBody.content["application/json"].example);
  const { data: account } = await (await fetch(`${server.url}/account`, { headers: { authorization: `3:${await wallet.signMessage("assay api")}` } })).json();
  deployment.deploy.makerId = wallet.address;
  deployment.deploy.expiration = Date.now() + 3_600_000;
  Object.assign(deployment.deploy.tokenTransferData, { ledgerId: account.payment.tokenAddress, receiverId: account.payment.receiverAddress });
  delete deployment.claim;
  const authorization = `3:${await wallet.signMessage("assay api")}`;
  const { stdout } = await run(path.join(bin, "python"), [use, server.url, authorization, JSON.stringify(deployment)], { env, timeout: PATIENCE });
  const { hash, ...seen } = JSON.parse(stdout);
  assert.deepEqual(seen, { text: "assay api", limit: 1, status: "unknownLedger", valid: null, metadata: null, codes: [422008] });
  assert.match(hash, /^0x[0-9a-f]{64}$/);
});
