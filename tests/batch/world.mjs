// A network that loses responses between the tool and a service, and the tool in a separate folder.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { access, mkdtemp, readFile, readdir, rm, writeFile } from "node:fs/promises";
import { createServer, request as connect } from "node:http";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Client, PrivateKeyProvider } from "@assay/client";
import { Host } from "../demo/host.mjs";
import { program } from "../support/cargo.mjs";

const TOOL = program("debug/cert");

export const SCHEMA = {
  type: "object",
  title: "Course certificate",
  properties: {
    name: { type: "string" },
    email: { type: "string" },
    points: { type: "number", maximum: 100 },
    ledgerId: { type: "string" },
    assetId: { type: "string" },
  },
  required: ["name", "email", "points", "ledgerId", "assetId"],
};

/** Returns a CSV table with this number of rows. */
export const table = (count) => ["name;E-Mail;points", ...Array.from({ length: count }, (_, index) => `"Person ${index}, Dr.";person${index}@example.com;${index % 101}`)].join("\r\n");

/** A proxy in front of a service. `mangle(request, number)` returns a fault for a request, or nothing to pass the request on. */
export class Network {
  requests = [];
  mangle = () => undefined;
  #server;

  static async start(service) {
    const network = new Network();
    network.#server = createServer((incoming, outgoing) => {
      network.#pass(service, incoming, outgoing).catch((error) => {
        // A killed tool ends its requests early.
        if (error.code !== "ECONNRESET") throw error;
        incoming.socket.destroy();
      });
    });
    await once(network.#server.listen(0, "127.0.0.1"), "listening");
    return network;
  }

  async #pass(service, incoming, outgoing) {
    let body = "";
    for await (const chunk of incoming) body += chunk;
    const { method, url } = incoming;
    this.requests.push({ method, url, body });
    const what = this.mangle({ method, url, body }, this.requests.length);
    if (what === "lost before") return incoming.socket.destroy();
    if (typeof what === "object") return outgoing.writeHead(what.status, { "content-type": "application/json", ...what.headers }).end("{}");
    const forward = connect(new URL(url, service), { method, headers: { ...incoming.headers, host: new URL(service).host } });
    forward.end(body);
    const [answer] = await once(forward, "response");
    const parts = [];
    for await (const part of answer) parts.push(part);
    if (what === "lost after") return incoming.socket.destroy();
    outgoing.writeHead(answer.statusCode, answer.headers).end(Buffer.concat(parts));
  }

  get url() {
    return `http://127.0.0.1:${this.#server.address().port}`;
  }

  stop() {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}

/** A folder in which the tool runs, with a table, a schema and the private key of an account. */
export class Desk {
  static async of(network, { rows = table(5), name = "people.csv", schema = SCHEMA, tool = TOOL } = {}) {
    const desk = new Desk();
    desk.network = network;
    desk.tool = tool;
    desk.folder = await mkdtemp(path.join(tmpdir(), "assay-batch-"));
    desk.key = randomBytes(32).toString("hex");
    desk.host = await Host.start();
    desk.name = name;
    await desk.write(name, rows);
    await desk.write("schema.json", JSON.stringify(schema));
    await desk.write("issuer.key", `${desk.key}\n`);
    return desk;
  }

  async leave() {
    await this.host.stop();
    await rm(this.folder, { recursive: true });
  }

  file(name) {
    return path.join(this.folder, name);
  }

  write(name, content) {
    return writeFile(this.file(name), content);
  }

  read(name) {
    return readFile(this.file(name), "utf8");
  }

  async json(name) {
    return JSON.parse(await this.read(name));
  }

  /** Returns the name of the private file of an asset. */
  async privateName(asset) {
    const names = await readdir(this.file("issued/private"));
    const [name, ...others] = names.filter((name) => asset.endsWith(/-(\d+)\.private\.assay\.json$/.exec(name)?.[1] ?? "-"));
    assert.deepEqual(others, []);
    return name;
  }

  /** Returns the content of the private file of an asset. */
  async privateFile(asset) {
    return this.json(`issued/private/${await this.privateName(asset)}`);
  }

  /** Returns the parsed lines of the state file, or an empty list if there is no such file. */
  async state() {
    const text = await this.read("issued/state.ndjson").catch(() => "");
    return text
      .split("\n")
      .slice(0, -1)
      .map((line) => JSON.parse(line));
  }

  get site() {
    return this.host.url("").replace(/\/$/, "");
  }

  get #arguments() {
    return [
      "batch",
      this.name,
      "--schema",
      "schema.json",
      "--public",
      "name",
      "--key-column",
      "E-Mail",
      "--map",
      "E-Mail=email",
      "--site",
      this.site,
      "--account-key",
      "issuer.key",
      "--service",
      this.network.url,
      "--out",
      "issued",
    ];
  }

  /** The options of a run that issues, with a deposit unless `more` has one. */
  #confirmed(more) {
    return ["--new-ledger", "Courses", "--yes", ...(more.includes("--deposit") ? [] : ["--deposit", "500000"]), ...more];
  }

  /** Starts the tool with `options` (by default the usual ones) and `more`. */
  start(more, options = this.#arguments) {
    const child = spawn(this.tool, [...options, ...more], { cwd: this.folder, stdio: ["ignore", "pipe", "pipe"] });
    const run = { child, out: "", err: "" };
    child.stdout.on("data", (text) => (run.out += text));
    child.stderr.on("data", (text) => (run.err += text));
    run.ended = once(child, "close").then(([code]) => ({ code, out: run.out, err: run.err }));
    return run;
  }

  /** Runs the tool to its end. */
  run(...more) {
    return this.start(more).ended;
  }

  issue(...more) {
    return this.run(...this.#confirmed(more));
  }

  /** Starts the tool and kills it as soon as the state has this number of lines. Returns its output and its exit code, which is null if it was killed. */
  async killAt(lines, ...more) {
    const run = this.start(this.#confirmed(more));
    let isOver = false;
    const ended = run.ended.finally(() => (isOver = true));
    while (!isOver) {
      const text = await this.read("issued/state.ndjson").catch(() => "");
      if (text.split("\n").length > lines) {
        run.child.kill("SIGKILL");
        break;
      }
      await sleep(2);
    }
    return ended;
  }

  /** Returns the issuer's client, which calls the service directly instead of through the network. */
  async client(service) {
    const client = new Client({ provider: await PrivateKeyProvider.from(this.key), apiUrl: service });
    await client.init();
    return client;
  }

  /** Publishes the site. */
  async publish() {
    for (const entry of await readdir(this.file("issued/site"), { recursive: true, withFileTypes: true })) {
      if (!entry.isFile()) continue;
      const file = path.join(entry.parentPath ?? entry.path, entry.name);
      this.host.serve(path.relative(this.file("issued/site"), file), JSON.parse(await readFile(file, "utf8")));
    }
  }

  /** Returns the contents of all public files. */
  async public() {
    const entries = await readdir(this.file("issued/site"), { recursive: true, withFileTypes: true });
    const files = entries.filter((entry) => entry.isFile());
    return Promise.all(files.map((entry) => readFile(path.join(entry.parentPath ?? entry.path, entry.name), "utf8")));
  }
}

/** Rejects if the tool is not built. `cargo test --no-run -p cert-cli --test cli` builds it. */
export const isBuilt = () => access(TOOL);
