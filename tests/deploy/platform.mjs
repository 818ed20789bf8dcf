// A stand-in of the platform's API, as far as `cargo xtask deploy`, `backup` and `restore` need it. wrangler reaches it by
// CLOUDFLARE_API_BASE_URL. It keeps resources, versions and deployments in memory, and refuses unknown requests.
import { createHash, randomUUID } from "node:crypto";
import { createServer } from "node:http";
import { unstable_splitSqlQuery as statements } from "wrangler";

export const ACCOUNT = "0123456789abcdef0123456789abcdef";

const NEW_QUEUE = { producers: [], consumers: [], producers_total_count: 0, consumers_total_count: 0 };
/** A token for uploads. wrangler reads its content. */
const TOKEN = `e30.${Buffer.from("{}").toString("base64url")}.c2ln`;

const hex = () => randomUUID().replaceAll("-", "");

/** An error of the API, with the platform's code. */
class Refused extends Error {
  constructor(status, code, message) {
    super(message);
    Object.assign(this, { status, code });
  }
}

export class Platform {
  /** Every call, as `METHOD path`. */
  calls = [];
  databases = [];
  namespaces = [];
  queues = [];
  buckets = [];
  /** The versions of the Worker, oldest first. */
  versions = [];
  /** The deployments of the Worker, oldest first. */
  deployments = [];
  /** Called for each call. If it returns a text, the call fails with this message. */
  trouble = () => undefined;
  /** Returns a database of workerd that answers for one of `databases`. If it returns none, only the queries of migrations are answered. */
  real = () => undefined;
  /** Uploaded files of SQL by their MD5. */
  #files = new Map();

  /** Returns the calls that create something: resources, versions, deployments. */
  created(part) {
    return this.calls.filter((call) => call.startsWith("POST ") && call.includes(part)).length;
  }

  /** Returns the version that answers requests. */
  active() {
    return this.deployments.at(-1)?.versions[0].version_id;
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
    let status = 200;
    let answer;
    try {
      const message = await this.trouble(`${request.method} ${path}`, body.toString());
      if (message) throw new Refused(500, 7500, message);
      const all = await this.#result(request.method, path, url.searchParams, () => JSON.parse(body.toString()));
      // All items are on the first page. Clients request pages until they get an empty page.
      const result = Array.isArray(all) && Number(url.searchParams.get("page") ?? 1) > 1 ? [] : all;
      const count = Array.isArray(result) ? result.length : 1;
      answer = { success: true, errors: [], messages: [], result, result_info: { page: 1, per_page: 100, count, total_count: count, total_pages: 1 } };
    } catch (error) {
      status = error.status ?? 400;
      answer = { success: false, errors: [{ code: error.code ?? 1, message: error.message }], messages: [], result: null };
    }
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(answer));
  }

  #result(method, path, query, json) {
    const routes = [
      ["GET /user", () => ({ id: "user", email: "operator@example.org" })],
      ["GET /user/tokens/verify", () => ({ id: "token", status: "active" })],
      ["GET /accounts", () => [{ id: ACCOUNT, name: "Example" }]],
      ["GET /memberships", () => [{ id: "membership", account: { id: ACCOUNT, name: "Example" } }]],
      ["GET /d1/database", () => this.databases],
      ["POST /d1/database", () => this.#create(this.databases, { uuid: randomUUID(), name: json().name, migrations: [] })],
      ["GET /d1/database/:id", (id) => this.#database(id)],
      ["POST /d1/database/:id/query", (id) => this.#query(this.#database(id), json().sql)],
      ["POST /d1/database/:id/import", (id) => this.#import(this.#database(id), json())],
      ["GET /storage/kv/namespaces", () => this.namespaces],
      ["POST /storage/kv/namespaces", () => this.#create(this.namespaces, { id: hex(), title: json().title })],
      ["GET /queues", () => this.queues.filter(({ queue_name }) => !query.has("name") || query.getAll("name").includes(queue_name))],
      ["POST /queues", () => this.#create(this.queues, { ...NEW_QUEUE, queue_id: hex(), queue_name: json().queue_name })],
      ["POST /queues/:id/consumers", (id) => this.#consume(id, json().script_name)],
      ["PUT /queues/:id/consumers/:consumer", () => ({})],
      ["GET /r2/buckets", () => ({ buckets: this.buckets })],
      ["POST /r2/buckets", () => this.#create(this.buckets, { name: json().name, creation_date: "2026-01-01T00:00:00Z" })],
      ["GET /workers/subdomain", () => ({ subdomain: "example" })],
      ["GET /workers/services/:name", () => this.#worker({ default_environment: { script: { tag: "tag", tags: [], last_deployed_from: "wrangler" } } })],
      ["POST /workers/scripts/:name/assets-upload-session", () => ({ jwt: TOKEN, buckets: [] })],
      ["PUT /workers/scripts/:name", () => this.#upload(true)],
      ["POST /workers/scripts/:name/versions", () => this.#upload(false)],
      ["GET /workers/scripts/:name/versions/:id", (_, id) => this.versions.find((version) => version.id === id)],
      ["GET /workers/scripts/:name/deployments", () => this.#worker({ deployments: this.deployments.toReversed() })],
      ["POST /workers/scripts/:name/deployments", () => this.#deploy(json().versions[0].version_id)],
      ["PATCH /workers/scripts/:name/script-settings", () => ({})],
      ["GET /workers/workers/:name", (name) => this.#worker({ name, subdomain: { enabled: true, previews_enabled: true } })],
      ["GET /workers/scripts/:name/secrets", () => this.#worker([])],
      ["GET /workers/scripts/:name/settings", () => this.#worker({ bindings: [] })],
      ["GET /workers/scripts/:name/subdomain", () => ({ enabled: true, previews_enabled: true })],
      ["POST /workers/scripts/:name/subdomain", () => ({ enabled: true, previews_enabled: true })],
      ["PUT /workers/scripts/:name/schedules", () => ({})],
    ];
    for (const [route, act] of routes) {
      const pattern = route.split(" ")[1].replace(/:[a-z]+/g, "([^/]+)");
      const match = route.startsWith(`${method} `) && new RegExp(`^${pattern}$`).exec(path);
      if (match) return act(...match.slice(1));
    }
    throw new Refused(404, 7000, `the stand-in has no ${method} ${path}`);
  }

  #create(list, item) {
    list.push(item);
    return item;
  }

  #database(id) {
    const found = this.databases.find(({ uuid }) => uuid === id);
    if (!found) throw new Refused(404, 7404, "no such database");
    return found;
  }

  /** Imports a file of SQL: `init` returns the address for the upload, and `ingest` runs the file. */
  async #import(database, { action, etag }) {
    if (action === "init") return { success: true, filename: etag, upload_url: `${this.url}/upload/${etag}` };
    const results = await this.#query(database, this.#files.get(etag));
    const meta = { duration: 1, rows_read: 0, rows_written: 0, size_after: 0 };
    return { success: true, status: "complete", messages: [], result: { num_queries: results.length, final_bookmark: "0", meta } };
  }

  /** Runs SQL in a real database. Without a real database, only answers the queries of migrations: lists the applied migrations, and records a new one. */
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

  #consume(id, script) {
    this.queues.find((queue) => queue.queue_id === id).consumers.push({ consumer_id: hex(), type: "worker", script });
    return {};
  }

  /** Returns the answer, or refuses if the Worker does not exist yet. */
  #worker(answer) {
    if (this.versions.length === 0) throw new Refused(404, 10007, "This Worker does not exist on your account.");
    return answer;
  }

  /** Adds a version. The first upload also deploys it. */
  #upload(deploys) {
    const id = randomUUID();
    this.versions.push({ id, number: this.versions.length + 1, metadata: { created_on: new Date().toISOString(), author_email: "operator@example.org", source: "wrangler" }, annotations: {}, resources: { script: { etag: "etag" }, bindings: [] } });
    if (deploys) this.#deploy(id);
    return { id, etag: "etag", resources: { script: { etag: "etag" } }, deployment_id: id.replaceAll("-", ""), startup_time_ms: 1 };
  }

  #deploy(version_id) {
    const deployment = { id: randomUUID(), source: "wrangler", strategy: "percentage", author_email: "operator@example.org", annotations: {}, created_on: new Date().toISOString(), versions: [{ version_id, percentage: 100 }] };
    return this.#create(this.deployments, deployment);
  }
}
