// Large unread answers: a client requests a report repeatedly without reading the answers.
import { once } from "node:events";
import { connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { Cert } from "@assay/cert";
import { atMost, common, exactly, timed } from "./bounds.mjs";
import { watched } from "./watch.mjs";

/** The size of the evidence in bytes, most of it in a member without meaning. */
const EVIDENCE = 4.5 * (1 << 20);
/** The time for which the answers stay unread, in milliseconds. */
const LIES = 3_000;
/** The time limit for reading a waiting answer, in milliseconds. */
const READ_WITHIN = 5_000;

/** Opens a connection that sends a request and does not read the answer. */
export async function ask(url, target) {
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname, port, highWaterMark: 0 });
  socket.on("error", () => {});
  socket.pause();
  await once(socket, "connect");
  socket.write(`GET ${target} HTTP/1.1\r\nhost: ${hostname}:${port}\r\nconnection: close\r\n\r\n`);
  return socket;
}

/** Reads the rest of an answer. Returns true if the server ended an answer of status 200 before it was complete. */
function wasEnded(socket, whole) {
  return new Promise((resolve) => {
    let [start, bytes] = ["", 0];
    const give = () => resolve(start.startsWith("HTTP/1.1 200") && bytes < whole);
    const late = setTimeout(() => resolve(false), READ_WITHIN);
    socket.on("data", (part) => {
      if (bytes === 0) start = part.toString();
      bytes += part.byteLength;
    });
    socket.on("close", () => {
      clearTimeout(late);
      give();
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
    name: "U", symbol: "U", uriPrefix: host.url("unread/"), uriPostfix: ".json", schemaId: cert.identify(), capabilities: [],
  });
  const order = await issuer.creation(ledger.ledgerId, "1", await cert.imprint(metadata), issuer.id);
  const created = await fetch(`${url}/orders`, { method: "POST", headers: issuer.headers, body: JSON.stringify(order) });
  const { data } = await created.json();
  await issuer.client.waitForOrder(data.ref, { interval: 50 });
  return `/badge.json?ledgerId=${ledger.ledgerId}&assetId=1`;
}

/** The attack: `unread` answers at a time, and then a client that reads its answer. */
export async function unread(stage, { unread }) {
  const server = await stage.start();
  const target = await publish(stage);
  const whole = await stage.ask("GET", target);
  if (whole.status !== 200) throw new Error(`the report was answered ${whole.text.slice(0, 1_000)}`);
  const outcome = { read: 0, waited: 0, ended: false };
  const figures = await watched(server, async () => {
    const sockets = await Promise.all(Array.from({ length: unread }, () => ask(stage.url, target)));
    await sleep(LIES);
    for (; ; outcome.waited += 1) {
      const { status, text } = await stage.ask("GET", target);
      if (status === 200) outcome.read = text.length;
      if (status === 200 || outcome.waited === 5) break;
      await sleep(1_000);
    }
    outcome.ended = (await Promise.all(sockets.map((socket) => wasEnded(socket, whole.text.length)))).some(Boolean);
    for (const socket of sockets) socket.destroy();
    return {};
  });
  return [
    ...common(figures),
    exactly("length of the report for a client that reads", outcome.read, whole.text.length, "bytes"),
    exactly("an unread answer was ended to make room", outcome.ended, true, ""),
    timed(atMost("refusals before that client gets the report", outcome.waited, 1, "times")),
  ];
}
