// A server that gives configured answers and records its requests, and clients of this server.
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { Client, PrivateKeyProvider } from "@assay/client";

/** Recorded calls of the original client, with its accounts and gateways. */
export const vectors = JSON.parse(await readFile(new URL("../../../tests/vectors/claims/client-requests.json", import.meta.url), "utf8"));
export const { accounts, payment, gatewayConfig } = vectors;
export const KEY = accounts[1].privateKey;
export const provider = await PrivateKeyProvider.from(KEY);
export const ME = provider.accountId;
export const ACCOUNT = { id: "r", status: 200, data: { id: ME, payment, gateway: gatewayConfig }, meta: {} };
export const OK = { status: 200, body: { id: "r", status: 200, data: [], meta: {} } };
export const failure = (status, code, headers) => ({ status, headers, body: { id: "r", status, errors: [{ code, message: "no", path: "" }] } });

export const ORDER = {
  signersIds: [ME],
  payerId: ME,
  wildcardSigner: false,
  automatedPerform: true,
  actions: [{ kind: 3, valueLedgerId: payment.tokenAddress, value: 1, senderId: ME, receiverId: accounts[2].address }],
};
/** Options that pin the gateways and payments of a client. */
export const PINS = {
  gatewayConfig,
  paymentConfig: { tokenAddress: payment.tokenAddress, receiverAddress: payment.receiverAddress },
  maxCosts: Object.fromEntries(
    Object.entries(payment)
      .filter(([name]) => name.endsWith("Cost"))
      .map(([name, units]) => [name, BigInt(units)]),
  ),
};
export const DEPLOYMENT = vectors.records.find(({ name }) => name === "createDeployment ETH_SIGN").requests[0].body.deploy.assetLedgerData;

/**
 * Returns a client after `init`, and its server. The server answers further calls with `answers` and repeats the last answer. The server does not
 * keep the process alive.
 */
export async function connected(answers, { account = ACCOUNT, ...options } = {}) {
  let count = 0;
  const server = await recordingServer(() => {
    count += 1;
    return count === 1 ? { status: 200, body: account } : answers[Math.min(count - 2, answers.length - 1)];
  });
  const client = new Client({ provider, apiUrl: `${server.url}/`, ...options });
  await client.init();
  server.requests.length = 0;
  return { client, server };
}

/** Calls `run` with the clock stopped at `time`. */
export async function at(time, run) {
  const now = Date.now;
  Date.now = () => time;
  try {
    return await run();
  } finally {
    Date.now = now;
  }
}

/**
 * Starts a server. `answer(request)` returns `{ status, body, headers }`; a `body` other than text is sent as JSON. `null` closes the
 * connection without an answer, and `half: true` closes it in the middle of the body.
 */
export async function recordingServer(answer) {
  const requests = [];
  const server = createServer(async (incoming, outgoing) => {
    let body = "";
    for await (const chunk of incoming) body += chunk;
    const url = new URL(incoming.url, "http://server");
    const request = {
      method: incoming.method,
      path: url.pathname,
      query: [...url.searchParams],
      headers: incoming.headers,
      rawBody: body === "" ? null : body,
    };
    requests.push(request);
    const given = await answer(request, requests.length - 1);
    if (given === null) return incoming.socket.destroy();
    const text = typeof given.body === "string" ? given.body : JSON.stringify(given.body);
    outgoing.writeHead(given.status, { "content-type": "application/json", ...given.headers });
    if (given.half) return outgoing.write(text.slice(0, text.length / 2), () => incoming.socket.destroy());
    outgoing.end(given.status === 204 ? undefined : text);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  // The server does not keep the process alive.
  server.unref();
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    requests,
    stop() {
      server.closeAllConnections();
      server.close();
    },
  };
}
