// `deploy/<env>.jsonc`: wrangler's configuration of one deployed service. It combines the template `wrangler.jsonc` with the operator's own part:
// settings, domain, account and ids. The operator's part is read back from the file.
import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { replace } from "./files.ts";
import { type Json, type JsonObject, at, isObject, itemsAt, parseJson, textAt } from "./json.ts";
import { type Edition, HOME, commandLine, folderOf } from "./programs.ts";
import { messageOf } from "./report.ts";

/** wrangler's configuration as it comes with the service. Operators do not edit it. */
export const TEMPLATE = path.join(HOME, "wrangler.jsonc");
/** The folder of the files that this module writes, in the folder in which the tool runs. */
const FOLDER = "deploy";
export const PRODUCTION = "production";
/** The maximum length of an environment's name. Names of Workers, queues and buckets may have 63 characters. */
const NAME_MAX = 24;

/** A service: each has its own file, address, database and queues. The name has lower-case letters, digits and single hyphens. */
export class Environment {
  readonly name: string;

  private constructor(name: string) {
    this.name = name;
  }

  static parse(name: string): Environment {
    if (name.length > NAME_MAX || !/^[a-z0-9]+(-[a-z0-9]+)*$/.test(name)) {
      throw new Error(`\`--env ${name}\`: expected lower-case letters, digits and single hyphens, at most ${NAME_MAX} characters, such as \`staging\``);
    }
    return new Environment(name);
  }

  /** Returns the words of a command line that select this environment, with a space before them. Empty for `production`. */
  get option(): string {
    return this.name === PRODUCTION ? "" : ` --env ${this.name}`;
  }

  /** Returns the path of this environment's file. */
  get file(): string {
    return path.resolve(FOLDER, `${this.name}.jsonc`);
  }

  /** Returns the path of the file that records this environment's deployments. */
  get record(): string {
    return path.resolve(FOLDER, `${this.name}.log`);
  }

  /** Returns the path of the file that exists while a deployment of this environment runs on this machine. */
  get lock(): string {
    return path.resolve(FOLDER, `${this.name}.lock`);
  }

  /** Returns the path of the file that a dry run writes instead of the operator's file. */
  get dryRunFile(): string {
    return path.resolve(FOLDER, "dry-run", `${this.name}.jsonc`);
  }

  /** Returns this environment's name for a resource of the template: `assay-jobs` becomes `assay-staging-jobs` in the environment `staging`. */
  own(worker: string, name: string): string {
    return this.name !== PRODUCTION && name.startsWith(worker) ? `${worker}-${this.name}${name.slice(worker.length)}` : name;
  }

  /** Returns the number of a rate limiter's namespace. Workers of one account that have the same number share the counter. */
  namespace(limiter: string, template: string): string {
    if (this.name === PRODUCTION) return template;
    const digest = createHash("sha256").update(`${this.name}/${limiter}`).digest();
    // Numbers below 10,000 are left to people who number their namespaces themselves.
    return String(digest.readUInt32BE() + 10_000);
  }
}

/** Returns a host name for the service: at least two labels of lower-case letters, digits and hyphens. */
export function parseDomain(text: string): string {
  if (text.length > 253 || !/^[a-z0-9-]+(\.[a-z0-9-]+)+$/.test(text)) {
    throw new Error(`\`--domain ${text}\`: expected a host name in lower case, such as \`assets.example.org\``);
  }
  return text;
}

/** The kinds of resources, with the words for messages. */
const KINDS = { database: "D1 database", namespace: "KV namespace", queue: "queue", bucket: "R2 bucket" };

/** A part of the platform that the service needs and that has to be created before its first deployment. */
export interface Resource {
  kind: keyof typeof KINDS;
  /** The name in the operator's account. */
  name: string;
  /** The name of the binding in the Worker. Empty for a queue. */
  binding: string;
  /** The id that the platform assigned. Null until the resource is created, and for queues and buckets. */
  id: string | null;
}

export const describe = ({ kind, name }: Resource): string => `${KINDS[kind]} \`${name}\``;

/** The lists of the configuration whose items have ids, and the names of the ids. */
const ASSIGNED = { database: ["d1_databases", "database_id"], namespace: ["kv_namespaces", "id"] } as const;

/** The lists of the configuration whose items have names of resources. */
const NAMED = [
  [["d1_databases"], "database_name"],
  [["queues", "producers"], "queue"],
  [["queues", "consumers"], "queue"],
  [["queues", "consumers"], "dead_letter_queue"],
  [["r2_buckets"], "bucket_name"],
] as const;

/** The setting that names the database to the Worker, for nightly backups. */
const SOURCE = "BACKUP_SOURCE";

/** Returns true if a setting is neither missing nor `off`. */
const isOn = (value: string) => !["", "off"].includes(value);

/** The operator's part of a configuration. */
interface Own {
  account: string | null;
  vars: Map<string, string>;
  routes: Json[];
  /** The assigned ids, by kind and binding. */
  ids: { database: Map<string, string>; namespace: Map<string, string> };
}

/** The configuration of one deployed service. */
export class Configuration {
  readonly environment: Environment;
  /** The path of the file that wrangler reads. */
  path: string;
  #template: JsonObject;
  #own: Own;

  private constructor(environment: Environment, template: JsonObject, own: Own) {
    this.environment = environment;
    this.path = environment.file;
    this.#template = template;
    this.#own = own;
  }

  /** Reads the template, and the operator's part if the service has been configured before. */
  static load(environment: Environment, template: JsonObject = read(TEMPLATE)): Configuration {
    const own = existsSync(environment.file) ? read(environment.file) : {};
    return new Configuration(environment, template, ownPart(own, environment.file));
  }

  /** Changes a setting. An empty value restores the template's value. */
  set(name: string, value: string): void {
    if (value === "") this.#own.vars.delete(name);
    else this.#own.vars.set(name, value);
  }

  /** Sets the service's own domain. The domain must be a zone of the account, or below such a zone. */
  setDomain(domain: string): void {
    this.#own.routes = [{ pattern: domain, custom_domain: true }];
  }

  /** Returns the address of the service's own domain. Null if it has no domain. */
  get domain(): string | null {
    const [host] = textAt(this.#own.routes, 0, "pattern").split("/");
    return host ? `https://${host}` : null;
  }

  get account(): string | null {
    return this.#own.account;
  }

  set account(id: string) {
    this.#own.account = id;
  }

  /** Records the id that the platform assigned to a database or cache. Does nothing for queues and buckets. */
  assign({ kind, binding }: Resource, id: string): void {
    if (kind === "database" || kind === "namespace") this.#own.ids[kind].set(binding, id);
  }

  /** Returns the name of the Worker. */
  get worker(): string {
    const name = textAt(this.#template, "name");
    return this.environment.own(name, name);
  }

  /** Returns the effective value of a setting. */
  setting(name: string): string {
    return this.#own.vars.get(name) ?? textAt(this.#template, "vars", name);
  }

  /** Returns the build of the Worker that the settings need. */
  get edition(): Edition {
    return editionFor(this.setting("LEDGER"));
  }

  /** Returns true if the service stores files or nightly backups, which needs a bucket. */
  get needsBucket(): boolean {
    return isOn(this.setting("FILES")) || this.makesBackups;
  }

  /** Returns true if the service copies its database at night. */
  get makesBackups(): boolean {
    return isOn(this.setting("BACKUP_HOUR"));
  }

  /** Returns the name of the bucket. Throws if the template has none. */
  get bucket(): string {
    const [item] = itemsAt(this.#template, "r2_buckets");
    const name = textAt(item, "bucket_name");
    if (name === "") throw new Error(`${TEMPLATE} has no bucket`);
    return this.environment.own(textAt(this.#template, "name"), name);
  }

  /** Returns all resources that have to exist before the Worker is deployed. */
  resources(): Resource[] {
    const worker = textAt(this.#template, "name");
    const own = (name: string) => this.environment.own(worker, name);
    const resource = (kind: Resource["kind"], name: string, item: Json = null): Resource => {
      const binding = textAt(item, "binding");
      return { kind, name, binding, id: this.#idOf(kind, binding) };
    };
    const databases = itemsAt(this.#template, "d1_databases").map((item) => resource("database", own(textAt(item, "database_name")), item));
    const namespaces = itemsAt(this.#template, "kv_namespaces").map((item) => {
      const binding = textAt(item, "binding").toLowerCase().replaceAll("_", "-");
      return resource("namespace", `${this.worker}-${binding}`, item);
    });
    const lists = NAMED.filter(([list]) => list[0] === "queues");
    const queues = new Set(lists.flatMap(([list, name]) => itemsAt(this.#template, ...list).map((item) => textAt(item, name))));
    const named = [...queues].filter((name) => name !== "").map(own);
    const buckets = this.needsBucket ? itemsAt(this.#template, "r2_buckets").map((item) => resource("bucket", own(textAt(item, "bucket_name")), item)) : [];
    return [...databases, ...namespaces, ...named.sort().map((name) => resource("queue", name)), ...buckets];
  }

  #idOf(kind: Resource["kind"], binding: string): string | null {
    const id = kind === "database" || kind === "namespace" ? this.#own.ids[kind].get(binding) : undefined;
    return id === undefined || isUnset(id) ? null : id;
  }

  /** Returns wrangler's configuration. Throws if the template lacks a part that every service needs. */
  render(): JsonObject {
    const value = structuredClone(this.#template);
    const home = path.relative(path.dirname(this.path), HOME).replaceAll(path.sep, "/");
    for (const [holder, name] of [
      [value, "main"],
      [value.assets, "directory"],
    ] as const) {
      const built = textAt(holder, name);
      if (!isObject(holder) || !built.startsWith("dist/")) throw new Error(`\`${name}\` of ${TEMPLATE} is not in \`dist\``);
      holder[name] = `${home}/${folderOf(this.edition)}/${built.slice("dist/".length)}`;
    }
    const worker = textAt(value, "name");
    for (const item of objectsAt(value, "d1_databases")) {
      if ("migrations_dir" in item) item.migrations_dir = `${home}/${textAt(item, "migrations_dir")}`;
    }
    for (const [list, name] of NAMED) {
      for (const item of objectsAt(value, ...list)) if (name in item) item[name] = this.environment.own(worker, textAt(item, name));
    }
    for (const kind of ["database", "namespace"] as const) {
      const [list, name] = ASSIGNED[kind];
      for (const item of objectsAt(value, list)) item[name] = this.#idOf(kind, textAt(item, "binding")) ?? item[name] ?? "";
    }
    value.ratelimits = objectsAt(value, "ratelimits").flatMap((limiter) => this.#limiter(limiter) ?? []);
    value.name = this.worker;
    // This tool builds the Worker before it calls wrangler.
    delete value.build;
    if (!this.needsBucket) delete value.r2_buckets;
    if (this.#own.account !== null) value.account_id = this.#own.account;
    if (this.#own.routes.length > 0) {
      // The service gets only one address. Otherwise, published links and badges could use the second address and keep it in use.
      Object.assign(value, { routes: this.#own.routes, workers_dev: false, preview_urls: false });
    }
    if (!isObject(value.vars)) throw new Error(`\`vars\` of ${TEMPLATE} is not an object`);
    Object.assign(value.vars, Object.fromEntries(this.#own.vars));
    // The Worker has no other way to learn the ids of its account and database. Zeros stand for ids that are not known yet.
    if (this.makesBackups) value.vars[SOURCE] = `${this.#own.account ?? "0".repeat(32)}/${textAt(value, "d1_databases", 0, "database_id")}`;
    else delete value.vars[SOURCE];
    return value;
  }

  /** Returns a rate limiter with the limit in the settings, or undefined if the setting is `off`. */
  #limiter(limiter: JsonObject): JsonObject | undefined {
    const name = textAt(limiter, "name");
    const announced = this.setting(`RATE_${name}`);
    if (announced === "off") return undefined;
    const [, limit, period] = /^(\d+)\/(\d+)$/.exec(announced) ?? [];
    // The Worker itself refuses a setting of any other form, and explains why.
    const simple = limit === undefined || period === undefined ? (limiter.simple ?? null) : { limit: Number(limit), period: Number(period) };
    return { ...limiter, simple, namespace_id: this.environment.namespace(name, textAt(limiter, "namespace_id")) };
  }

  /** Writes the file. */
  save(): void {
    const header = `// Written by \`${commandLine("deploy")}${this.environment.option}\`. Keep a copy, because it names the database.
// Settings are in "vars": change them here, or by \`--set NAME=VALUE\`. Secrets do not belong here.
// Kept from one run to the next: vars, routes, account_id and ids. Everything else comes from the template of the release.
`;
    replace(this.path, `${header}${JSON.stringify(this.render(), null, 2)}\n`);
  }
}

/** Returns the operator's part of a configuration. */
function ownPart(file: JsonObject, name: string): Own {
  const wrong = (what: string) => new Error(`${name} is not valid: ${what}`);
  const vars = at(file, "vars") ?? {};
  if (!isObject(vars)) throw wrong("`vars` must be an object");
  const values = Object.entries(vars).map(([key, value]): [string, string] => {
    if (typeof value !== "string") throw wrong(`the setting \`${key}\` must be a string`);
    return [key, value];
  });
  const idsOf = (kind: keyof typeof ASSIGNED) => {
    const [list, id] = ASSIGNED[kind];
    return new Map(itemsAt(file, list).map((item) => [textAt(item, "binding"), textAt(item, id)]));
  };
  return {
    account: textAt(file, "account_id") || null,
    vars: new Map(values),
    routes: itemsAt(file, "routes"),
    ids: { database: idsOf("database"), namespace: idsOf("namespace") },
  };
}

/** Returns the build of the Worker for a value of `LEDGER`. */
export const editionFor = (ledger: string): Edition => (ledger.trim() === "evm" ? "evm" : "embedded");

/** Reads a configuration. Throws if the file cannot be read, or is not an object of JSON with comments on lines of their own. */
export function read(file: string): JsonObject {
  const text = readFileSync(file, "utf8");
  try {
    const value = parseJson(text);
    if (isObject(value)) return value;
  } catch (error) {
    throw new Error(`${file} is not JSON with comments on lines of their own: ${messageOf(error)}`);
  }
  throw new Error(`${file} is not an object`);
}

/** Returns true if an id is missing or consists of zeros, as in the template. */
export const isUnset = (id: string): boolean => /^[0-]*$/.test(id);

const objectsAt = (value: Json, ...list: string[]) => itemsAt(value, ...list).filter(isObject);
