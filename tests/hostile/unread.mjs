// An attack with large unread answers: a client requests a report on many connections without reading the answers.
import { once } from "node:events";
import { connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { Cert } from "@assay/cert";
import { atMost, common, exactly, timed } from "./bounds.mjs";
import { watched } from "./watch.mjs";

/** The number of bytes of padding in the evidence. The padding is a member that the service ignores. */
const EVIDENCE = 4.5 * (1 << 20);
/** The time for which the answers stay unread, in milliseconds. */
const LIES = 3_000;
/** The time limit for reading a waiting answer, in milliseconds. */
const READ_WITHIN = 5_000;

/** The number of requests on each connection. The system can buffer the whole first answer, so a second request keeps an answer unread in the service. */
const REQUESTS = 2;
/** Maximum number of rounds until an unread answer is ended. In about one round of eight, too few answers are unread when the other client asks. */
const ROUNDS = 5;

/** Opens a connection that sends a request a number of times and does not read the answers. */
export async function ask(url, target, times = 1) {
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname, port, highWaterMark: 0 });
  socket.on("error", () => {});
  socket.pause();
  await once(socket, "connect");
  const request = (connection) => `GET ${target} HTTP/1.1\r\nhost: ${hostname}:${port}\r\nconnection: ${connection}\r\n\r\n`;
  socket.write(request("keep-alive").repeat(times - 1) + request("close"));
  return socket;
}

/** Reads the answers of a connection. Returns true if the server ended an answer of status 200 before it was complete. Returns false after a time limit. */
function wasEnded(socket) {
  return new Promise((resolve) => {
    /** The received part of an answer's incomplete headers, the last status, and the number of bytes that an answer's body still lacks. */
    let [start, status, missing] = [Buffer.alloc(0), 0, 0];
    const late = setTimeout(() => resolve(false), READ_WITHIN);
    socket.on("data", (part) => {
      for (;;) {
        const body = Math.min(missing, part.byteLength);
        missing -= body;
        start = Buffer.concat([start, part.subarray(body)]);
        const end = start.indexOf("\r\n\r\n");
        if (missing > 0 || end < 0) return;
        const head = start.subarray(0, end).toString();
        status = Number(/^HTTP\/1\.1 (\d+)/.exec(head)?.[1]);
        missing = Number(/\r\ncontent-length: (\d+)/i.exec(head)?.[1]);
        part = start.subarray(end + 4);
        start = Buffer.alloc(0);
      }
    });
    socket.on("close", () => {
      clearTimeout(late);
      resolve(status === 200 && missing > 0);
    });
    socket.resume();
  });
}

/** Issues an asset whose evidence is large. Returns the report's address. */
export async function publish({ host, issuer, url }) {
  await issuer.client.createDeposit(10_000_000);
  const schema = { type: "object", properties: { $evidence: { type: "string" }, $schema: { type: "string" }, name: { type: "string" } } };
  const metadata = { $evidence: host.url("unread/evidence.json"), $schema: host.url("unread/schema.json"), name: "Ada" };
  const cert = new Cert({ schema });
  const evidence = { data: await cert.disclose(metadata, [["$evidence"], ["$schema"], ["name"]]) };
  host.serve("unread/schema.json", schema);
  host.serve("unread/evidence.json", { ...evidence, padding: "x".repeat(EVIDENCE) });
  host.serve("unread/1.json", metadata);
  const ledger = await issuer.deploy({
    name: "U",
    symbol: "U",
    uriPrefix: host.url("unread/"),
    uriPostfix: ".json",
    schemaId: cert.identify(),
    capabilities: [],
  });
  const order = await issuer.creation(ledger.ledgerId, "1", await cert.imprint(metadata), issuer.id);
  const created = await fetch(`${url}/orders`, { method: "POST", headers: issuer.headers, body: JSON.stringify(order) });
  const { data } = await created.json();
  await issuer.client.waitForOrder(data.ref, { interval: 50 });
  return `/badge.json?ledgerId=${ledger.ledgerId}&assetId=1`;
}

/** On a slow machine, the service can also end the answer of the client that reads. The client then asks again. */
function ended(error) {
  if (error.cause?.code !== "UND_ERR_SOCKET") throw error;
  return { status: 0, text: "" };
}

/**
 * Leaves the answers of `count` connections unread, and then reads an answer as another client. Returns the length of this answer, the number
 * of refusals before it, and whether an unread answer was ended.
 */
async function round({ url, ask: read }, target, count) {
  const outcome = { read: 0, waited: 0, ended: false };
  const sockets = await Promise.all(Array.from({ length: count }, () => ask(url, target, REQUESTS)));
  await sleep(LIES);
  for (; ; outcome.waited += 1) {
    const { status, text } = await read("GET", target).catch(ended);
    if (status === 200) outcome.read = text.length;
    if (status === 200 || outcome.waited === 5) break;
    await sleep(1_000);
  }
  outcome.ended = (await Promise.all(sockets.map(wasEnded))).some(Boolean);
  for (const socket of sockets) socket.destroy();
  return outcome;
}

/** In each round, opens `unread` connections and then lets another client read an answer. Repeats the rounds until the service ends an unread answer to make room. */
export async function unread(stage, { unread }) {
  const server = await stage.start();
  const target = await publish(stage);
  const whole = await stage.ask("GET", target);
  if (whole.status !== 200) throw new Error(`the report was answered ${whole.text.slice(0, 1_000)}`);
  const outcomes = [];
  const figures = await watched(server, async () => {
    while (outcomes.length < ROUNDS && !outcomes.some(({ ended }) => ended)) {
      outcomes.push(await round({ url: stage.url, ask: (...request) => stage.ask(...request) }, target, unread));
    }
    return {};
  });
  const outcome = {
    read: Math.min(...outcomes.map(({ read }) => read)),
    waited: Math.max(...outcomes.map(({ waited }) => waited)),
    ended: outcomes.some(({ ended }) => ended),
  };
  return [
    ...common(figures),
    exactly("length of the report for a client that reads", outcome.read, whole.text.length, "bytes"),
    exactly("an unread answer was ended to make room", outcome.ended, true, ""),
    timed(atMost("refusals before that client gets the report", outcome.waited, 1, "times")),
  ];
}
