// A fake of the platform's API, with the calls that the operator's tool and the export of nightly backups need. wrangler finds its address in
// CLOUDFLARE_API_BASE_URL. The fake keeps resources, versions and deployments in memory, and refuses unknown requests.
import { createHash, randomUUID } from "node:crypto";
import { createServer } from "node:http";
import { unstable_splitSqlQuery as statements } from "wrangler";

export const ACCOUNT = "0123456789abcdef0123456789abcdef";

const NEW_QUEUE = { producers: [], consumers: [], producers_total_count: 0, consumers_total_count: 0 };
/** The token that may export databases. */
export const EXPORT_TOKEN = "a-token-that-may-export";
/** The host of dumps. The network of `Deployed` sends its requests to the fake. */
export const DUMPS = "dumps.example.org";
/** A token for uploads. wrangler parses its payload. */
const TOKEN = `e30.${Buffer.from("{}").toString("base64url")}.c2ln`;

const hex = () => randomUUID().replaceAll("-", "");

/** An error of the API, with the platform's code. */
class Refused extends Error {
  constructor(status, code, message) {
    super(message);
    Object.assign(this, { status, code });
  }
}

/** A Worker of the account. */
class Script {
  /** The versions, oldest first. `settings` is the upload's metadata, `modules` its files by name, and `secrets` the secrets at that time. */
  versions = [];
  /** The deployments, oldest first. */
  deployments = [];
  /** The secrets of the next version, by name. */
  secrets = new Map();
  crons = [];

  /** Returns the versions of the current deployment with their shares, the largest first: `{ version_id, percentage }`. */
  shares() {
    return (this.deployments.at(-1)?.versions ?? []).toSorted((one, other) => other.percentage - one.percentage);
  }

  /** Returns the id of the version that answers most requests. */
  active() {
    return this.shares()[0]?.version_id;
  }
}

export class Platform {
  /** Every call, as `METHOD path`. */
  calls = [];
  databases = [];
  namespaces = [];
  queues = [];
  buckets = [];
  #scripts = new Map();
  /** Called for each API call. If it returns a string, the API call fails with this message. */
  trouble = () => undefined;
  /** Returns the database of workerd for an item of `databases`. If it returns undefined, only the queries of migrations are answered. */
  real = () => undefined;
  /** Called with the name of a Worker and the versions of its new deployment, the version with the largest share first. */
  activated = async () => {};
  /** Returns an object of a bucket as bytes, or undefined. */
  object = async () => undefined;
  /** Uploaded SQL files by their MD5 hash. */
  #files = new Map();
  /** The dumps of exports, by the id of their database. */
  #dumps = new Map();

  /** Returns the Worker with this name. The Worker has no versions before its first upload. */
  script(name) {
    if (!this.#scripts.has(name)) this.#scripts.set(name, new Script());
    return this.#scripts.get(name);
  }

  async start() {
    this.server = createServer((request, response) => this.#answer(request, response));
    await new Promise((resolve) => this.server.listen(0, "127.0.0.1", resolve));
    this.url = `http://127.0.0.1:${this.server.address().port}`;
    return this;
  }

  async stop() {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  async #answer(request, response) {
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    const url = new URL(request.url, this.url);
    const path = url.pathname.replace(`/accounts/${ACCOUNT}`, "");
    this.calls.push(`${request.method} ${path}`);
    const body = Buffer.concat(chunks);
    if (request.method === "PUT" && path.startsWith("/upload/")) {
      const etag = createHash("md5").update(body).digest("hex");
      this.#files.set(etag, body.toString());
      return response.writeHead(200, { etag: `"${etag}"` }).end();
    }
    const [, id] = /^\/dumps\/([^/]+)$/.exec(path) ?? [];
    if (id !== undefined) return response.writeHead(this.#dumps.has(id) ? 200 : 404).end(this.#dumps.get(id));
    const [, bucket, key] = /^\/r2\/buckets\/([^/]+)\/objects\/(.+)$/.exec(path) ?? [];
    if (request.method === "GET" && bucket !== undefined) {
      const content = await this.object(bucket, decodeURIComponent(key));
      return response.writeHead(content === undefined ? 404 : 200).end(content);
    }
    let status = 200;
    let answer;
    try {
      const message = await this.trouble(`${request.method} ${path}`, body.toString());
      if (message) throw new Refused(500, 7500, message);
      const form = async () => new Response(body, { headers: { "content-type": request.headers["content-type"] } }).formData();
      const all = await this.#result(request.method, path, url.searchParams, () => JSON.parse(body.toString()), form, request.headers.authorization);
      // All items are on the first page. Clients request pages until they receive an empty page.
      const result = Array.isArray(all) && Number(url.searchParams.get("page") ?? 1) > 1 ? [] : all;
      const count = Array.isArray(result) ? result.length : 1;
      answer = { success: true, errors: [], messages: [], result, result_info: { page: 1, per_page: 100, count, total_count: count, total_pages: 1 } };
    } catch (error) {
      status = error.status ?? 400;
      answer = { success: false, errors: [{ code: error.code ?? 1, message: error.message }], messages: [], result: null };
    }
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(answer));
  }

  #result(method, path, query, json, form, authorization) {
    const routes = [
      ["GET /user", () => ({ id: "user", email: "operator@example.org" })],
      ["GET /user/tokens/verify", () => ({ id: "token", status: "active" })],
      ["GET /accounts", () => [{ id: ACCOUNT, name: "Example" }]],
      ["GET /memberships", () => [{ id: "membership", account: { id: ACCOUNT, name: "Example" } }]],
      ["GET /d1/database", () => this.databases],
      ["POST /d1/database", () => this.createDatabase(json().name)],
      ["GET /d1/database/:id", (id) => this.#database(id)],
      ["POST /d1/database/:id/query", (id) => this.#query(this.#database(id), json().sql)],
      ["POST /d1/database/:id/import", (id) => this.#import(this.#database(id), json())],
      ["POST /d1/database/:id/export", (id) => this.#export(this.#database(id), json(), authorization)],
      ["GET /storage/kv/namespaces", () => this.namespaces],
      ["POST /storage/kv/namespaces", () => this.createNamespace(json().title)],
      ["GET /queues", () => this.queues.filter(({ queue_name }) => !query.has("name") || query.getAll("name").includes(queue_name))],
      ["POST /queues", () => this.createQueue(json().queue_name)],
      ["POST /queues/:id/consumers", (id) => this.#consume(id, json())],
      ["PUT /queues/:id/consumers/:consumer", (id) => this.#consume(id, json())],
      ["GET /r2/buckets", () => ({ buckets: this.buckets })],
      ["GET /r2/buckets/:name", (name) => this.#bucket(name)],
      ["POST /r2/buckets", () => this.#create(this.buckets, { name: json().name, creation_date: "2026-01-01T00:00:00Z" })],
      ["GET /workers/subdomain", () => ({ subdomain: "example" })],
      ["GET /workers/services/:name", (name) => this.#existing(name) && { default_environment: { script: { tag: "tag", tags: [], last_deployed_from: "wrangler" } } }],
      ["POST /workers/scripts/:name/assets-upload-session", () => ({ jwt: TOKEN, buckets: [] })],
      ["PUT /workers/scripts/:name", (name) => this.#upload(name, form, true)],
      ["POST /workers/scripts/:name/versions", (name) => this.#upload(name, form, false)],
      ["GET /workers/scripts/:name/versions/:id", (name, id) => shown(this.script(name).versions.find((version) => version.id === id))],
      ["GET /workers/scripts/:name/deployments", (name) => ({ deployments: this.#existing(name).deployments.toReversed() })],
      ["POST /workers/scripts/:name/deployments", (name) => this.#deploy(name, json().versions)],
      ["PATCH /workers/scripts/:name/script-settings", () => ({})],
      ["GET /workers/workers/:name", (name) => this.#existing(name) && { name, subdomain: { enabled: true, previews_enabled: true } }],
      ["GET /workers/scripts/:name/secrets", (name) => [...this.#existing(name).secrets.keys()].map((name) => ({ name, type: "secret_text" }))],
      ["PUT /workers/scripts/:name/secrets", (name) => this.#keepSecret(name, json())],
      ["GET /workers/scripts/:name/settings", (name) => this.#existing(name) && { bindings: [] }],
      ["GET /workers/scripts/:name/subdomain", () => ({ enabled: true, previews_enabled: true })],
      ["POST /workers/scripts/:name/subdomain", () => ({ enabled: true, previews_enabled: true })],
      ["PUT /workers/scripts/:name/schedules", (name) => (this.script(name).crons = json())],
    ];
    for (const [route, act] of routes) {
      const pattern = route.split(" ")[1].replace(/:[a-z]+/g, "([^/]+)");
      const match = route.startsWith(`${method} `) && new RegExp(`^${pattern}$`).exec(path);
      if (match) return act(...match.slice(1));
    }
    throw new Refused(404, 7000, `the fake platform has no ${method} ${path}`);
  }

  #create(list, item) {
    list.push(item);
    return item;
  }

  createDatabase(name) {
    return this.#create(this.databases, { uuid: randomUUID(), name, migrations: [] });
  }

  createNamespace(title) {
    return this.#create(this.namespaces, { id: hex(), title });
  }

  createQueue(queue_name) {
    return this.#create(this.queues, { ...NEW_QUEUE, queue_id: hex(), queue_name });
  }

  #database(id) {
    const found = this.databases.find(({ uuid }) => uuid === id);
    if (!found) throw new Refused(404, 7404, "no such database");
    return found;
  }

  #bucket(wanted) {
    const found = this.buckets.find(({ name }) => name === wanted);
    if (!found) throw new Refused(404, 10006, "The specified bucket does not exist.");
    return found;
  }

  /** Imports an SQL file: `init` returns the address for the upload, and `ingest` runs the file. */
  async #import(database, { action, etag }) {
    if (action === "init") return { success: true, filename: etag, upload_url: `${this.url}/upload/${etag}` };
    const list = statements(this.#files.get(etag));
    const real = await this.real(database);
    await real.batch(joined(list).map((text) => real.prepare(text)));
    const meta = { duration: 1, rows_read: 0, rows_written: 0, size_after: 0 };
    return { success: true, status: "complete", messages: [], result: { num_queries: list.length, final_bookmark: "0", meta } };
  }

  /** Runs SQL in a real database. If there is none, answers only the queries of migrations: lists the applied migrations, or records a new one. */
  async #query(database, sql) {
    const real = await this.real(database);
    if (real) {
      const results = await real.batch(statements(sql).map((statement) => real.prepare(statement)));
      return results.map(({ results }) => ({ success: true, results, meta: { duration: 0 } }));
    }
    const [, applied] = /INSERT INTO "?d1_migrations"? \(name\)\s+values \('([^']+)'\)/i.exec(sql) ?? [];
    if (applied) database.migrations.push(applied);
    const asks = /^\s*SELECT \*\s+FROM "?d1_migrations"?/i.test(sql);
    const results = asks ? database.migrations.map((name, id) => ({ id, name, applied_at: "2026-01-01" })) : [];
    return [{ success: true, results, meta: { duration: 0 } }];
  }

  /** Exports a database. The first call starts the export, and the second call names the address of the dump. Real exports take more calls. */
  async #export(database, { output_format, current_bookmark }, authorization) {
    if (authorization !== `Bearer ${EXPORT_TOKEN}`) throw new Refused(403, 10000, "Authentication error");
    const state = { success: true, type: "export", messages: [], at_bookmark: `${database.uuid}-1` };
    if (output_format !== "polling" || ![undefined, state.at_bookmark].includes(current_bookmark)) throw new Refused(400, 7400, "unknown bookmark or format");
    if (current_bookmark === undefined) return { ...state, status: "active" };
    const real = await this.real(database);
    const [lines] = await real.prepare("PRAGMA miniflare_d1_export(?,?,?);").bind(false, false).raw();
    this.#dumps.set(database.uuid, lines.join("\n"));
    return { ...state, status: "complete", result: { filename: `${database.uuid}.sql`, signed_url: `https://${DUMPS}/dumps/${database.uuid}` } };
  }

  #consume(id, settings) {
    const queue = this.queues.find((queue) => queue.queue_id === id);
    const consumer = { consumer_id: hex(), type: "worker", script: settings.script_name, ...settings };
    queue.consumers = [consumer];
    return consumer;
  }

  /** Returns a Worker, or refuses the call if the Worker does not exist yet. */
  #existing(name) {
    const script = this.script(name);
    if (script.versions.length === 0) throw new Refused(404, 10007, "This Worker does not exist on your account.");
    return script;
  }

  /** Adds a version from an upload. If `deploys` is true, the version is deployed at once. */
  async #upload(name, form, deploys) {
    const parts = [...(await form())];
    const files = parts.filter(([part]) => part !== "metadata");
    const modules = new Map(await Promise.all(files.map(async ([part, file]) => [part, Buffer.from(await file.arrayBuffer())])));
    const [, metadata] = parts.find(([part]) => part === "metadata");
    return this.#add(name, { settings: JSON.parse(metadata), modules }, deploys);
  }

  async #add(name, { settings, modules }, deploys) {
    const script = this.script(name);
    const version = { id: randomUUID(), number: script.versions.length + 1, settings, modules, secrets: new Map(script.secrets) };
    script.versions.push(version);
    if (deploys) await this.#deploy(name, [{ version_id: version.id, percentage: 100 }]);
    return { ...shown(version), etag: "etag", deployment_id: version.id.replaceAll("-", ""), startup_time_ms: 1 };
  }

  /** Keeps a secret. Like the platform, deploys a new version of the same code that has the secret. */
  async #keepSecret(name, { name: secret, text, type }) {
    const script = this.#existing(name);
    script.secrets.set(secret, text);
    await this.#add(
      name,
      script.versions.find(({ id }) => id === script.active()),
      true,
    );
    return { name: secret, type };
  }

  async #deploy(name, versions) {
    const script = this.script(name);
    const total = versions.reduce((sum, { percentage }) => sum + percentage, 0);
    if (total !== 100 || versions.length > 2) throw new Refused(400, 10021, "the shares of at most two versions must add up to 100");
    const deployment = {
      id: randomUUID(),
      source: "wrangler",
      strategy: "percentage",
      author_email: "operator@example.org",
      annotations: {},
      created_on: new Date().toISOString(),
      versions,
    };
    script.deployments.push(deployment);
    await this.activated(
      name,
      script.shares().map(({ version_id }) => script.versions.find(({ id }) => id === version_id)),
    );
    return deployment;
  }
}

/** Number of characters of SQL that one prepared text has at most. workerd allows 100,000 bytes. */
const JOINED = 20_000;

/**
 * Joins statements into fewer texts. Miniflare's binding makes a blocking call for each prepared text, and workerd closes a connection that is idle for
 * five seconds: after thousands of calls, no batch would reach the database.
 */
function joined(list) {
  const texts = [];
  for (const statement of list) {
    const last = texts.at(-1);
    if (last === undefined || last.length + statement.length > JOINED) texts.push(statement);
    else texts[texts.length - 1] = `${last};\n${statement}`;
  }
  return texts;
}

/** Returns the platform's description of a version. */
function shown({ id, number }) {
  const metadata = { created_on: new Date().toISOString(), author_email: "operator@example.org", source: "wrangler" };
  return { id, number, metadata, annotations: {}, resources: { script: { etag: "etag" }, script_runtime: { usage_model: "standard" }, bindings: [] } };
}
