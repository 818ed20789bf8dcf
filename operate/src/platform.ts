// Calls the platform through wrangler. Every call gets the environment's file by `--config`.
import type { Configuration, Resource } from "./configuration.ts";
import { describe } from "./configuration.ts";
import { type Json, type JsonObject, at, isObject, itemsAt, parseJson, textAt } from "./json.ts";
import { type Ended, HOME, commandLine, finish, wranglerProgram } from "./programs.ts";
import { type Deployed, lastDeployed, lastUploaded } from "./record.ts";

/** Strings in wrangler's output. Each of them shows that the Worker was never deployed. */
const NO_WORKER = ["code: 10007", "code: 10090", "has no deployments", "If this is a new Worker"];

/** A string in wrangler's output, which shows that a bucket does not have an object. */
const NO_OBJECT = "The specified key does not exist";

/** An account of the person who is logged in. */
export interface Account {
  id: string;
  name: string;
}

/** A version of the Worker, and the percentage of requests that it answers. */
export interface Share {
  version: string;
  percent: number;
}

/** wrangler in the version that this tool depends on. It stores the login itself. */
export class Wrangler {
  /** The platform's account of all calls. Null until it is chosen. */
  account: string | null;
  #config: string;
  /** The file to which wrangler appends a line for each deployment. */
  #record: string;

  constructor(configuration: Configuration) {
    this.#config = configuration.path;
    this.#record = configuration.environment.record;
    this.account = configuration.account;
  }

  #end(words: string[], input = ""): Promise<Ended> {
    const env: NodeJS.ProcessEnv = { ...process.env, WRANGLER_SEND_METRICS: "false" };
    // The configuration file does not use wrangler's own environments.
    delete env.CLOUDFLARE_ENV;
    // Some commands do not read the account from the file.
    if (this.account !== null) env.CLOUDFLARE_ACCOUNT_ID = this.account;
    if (["deploy", "versions upload"].includes(words.join(" "))) env.WRANGLER_OUTPUT_FILE_PATH = this.#record;
    return finish(process.execPath, [wranglerProgram(), ...words, "--config", this.#config], { cwd: HOME, env, input });
  }

  async #call(words: string[]): Promise<string> {
    const ended = await this.#end(words);
    if (ended.code !== 0) throw failed(words.join(" "), ended);
    return ended.stdout;
  }

  async #json(words: string[]): Promise<Json> {
    return parsed(words.join(" "), await this.#call(words));
  }

  /** Returns the accounts that the login may use. Throws the command for logging in, if no account is logged in. */
  async accounts(): Promise<Account[]> {
    const ended = await this.#end(["whoami", "--json"]);
    const answer = valueOf(ended.stdout);
    if (ended.code === 0 && isObject(answer)) return itemsAt(answer, "accounts").map((item) => ({ id: textAt(item, "id"), name: textAt(item, "name") }));
    if (at(answer, "loggedIn") === false) {
      throw new Error(`not logged in to the platform: run \`${commandLine("wrangler login")}\`, or set CLOUDFLARE_API_TOKEN`);
    }
    throw failed("whoami", ended);
  }

  /**
   * Returns the id of a resource in the account, or null if the resource does not exist. The id of a queue or bucket is its name. Throws if the
   * configuration names an id that the account does not have.
   */
  async find(resource: Resource): Promise<string | null> {
    const { kind, name } = resource;
    switch (kind) {
      case "database":
        return this.#listed(resource, await this.#json(["d1", "list", "--json"]), ["uuid", "name"]);
      case "namespace":
        return this.#listed(resource, await this.#json(["kv", "namespace", "list"]), ["id", "title"]);
      case "queue": {
        const ended = await this.#end(["queues", "info", name]);
        // The platform may also return queues whose names only begin with this name.
        if (ended.code === 0) return hasLine(ended.stdout, `Queue Name: ${name}`) ? name : null;
        if (`${ended.stdout}${ended.stderr}`.includes("does not exist")) return null;
        throw failed(`queues info ${name}`, ended);
      }
      case "bucket": {
        const lines = (await this.#call(["r2", "bucket", "list"])).split("\n").map((line) => line.trim());
        return lines.some((line) => line.startsWith("name:") && line.slice("name:".length).trim() === name) ? name : null;
      }
    }
  }

  #listed(resource: Resource, answer: Json, [idName, nameName]: [string, string]): string | null {
    const all = itemsAt(answer);
    const { id, name } = resource;
    const found = all.find((item) => (id === null ? textAt(item, nameName) === name : textAt(item, idName) === id));
    if (found === undefined && id !== null) {
      throw new Error(
        `the account has no ${describe(resource)} with the id ${id}, which ${this.#config} names. Choose the account that has it with --account, or remove the id from the file: the next run then creates an empty one`,
      );
    }
    return found === undefined ? null : textAt(found, idName);
  }

  /** Creates a resource and returns its id. */
  async create(resource: Resource): Promise<string> {
    const { kind, name } = resource;
    // Without this option, wrangler asks whether to change the file.
    const keep = "--update-config=false";
    const words = {
      database: ["d1", "create", name, keep],
      namespace: ["kv", "namespace", "create", name, keep],
      queue: ["queues", "create", name],
      bucket: ["r2", "bucket", "create", name, keep],
    };
    await this.#call(words[kind]);
    const id = kind === "queue" || kind === "bucket" ? name : await this.find(resource);
    if (id === null) throw new Error(`the ${describe(resource)} was created, and is not listed yet: run the command again`);
    return id;
  }

  /** Returns the names of the Worker's secrets. Empty if the Worker was never deployed. */
  async secrets(): Promise<string[]> {
    const words = ["secret", "list", "--format", "json"];
    const ended = await this.#end(words);
    if (isUnknownWorker(ended)) return [];
    if (ended.code !== 0) throw failed("secret list", ended);
    return itemsAt(parsed("secret list", ended.stdout)).map((item) => textAt(item, "name"));
  }

  /** Stores a secret of the Worker, which the platform puts into a new version. */
  async putSecret(name: string, value: string): Promise<void> {
    const ended = await this.#end(["secret", "put", name], `${value}\n`);
    if (ended.code !== 0) throw failed(`secret put ${name}`, ended);
  }

  /** Applies the missing migrations of the databases among these resources. */
  async migrate(resources: Resource[]): Promise<void> {
    for (const { kind, binding } of resources) {
      if (kind === "database") await this.#call(["d1", "migrations", "apply", binding, "--remote"]);
    }
  }

  /** Runs SQL statements in a database as one batch. Returns the rows of each statement. */
  async query(binding: string, sql: string): Promise<JsonObject[][]> {
    const answers = itemsAt(parsed("d1 execute", await this.#execute(binding, "--command", sql)));
    return answers.map((answer) => itemsAt(answer, "results").filter(isObject));
  }

  /** Runs a file of SQL in a database. Either all its statements take effect, or none. Other requests to the database wait meanwhile. */
  async import(binding: string, file: string): Promise<void> {
    await this.#execute(binding, "--file", file);
  }

  /** Downloads an object of a bucket into a file. Returns false if the bucket does not have the object. */
  async download(bucket: string, key: string, file: string): Promise<boolean> {
    const ended = await this.#end(["r2", "object", "get", `${bucket}/${key}`, "--remote", "--file", file]);
    if (ended.code === 0) return true;
    if (`${ended.stdout}${ended.stderr}`.includes(NO_OBJECT)) return false;
    throw failed("r2 object get", ended);
  }

  async #execute(binding: string, option: string, value: string): Promise<string> {
    const ended = await this.#end(["d1", "execute", binding, "--remote", "--yes", "--json", option, value]);
    // The error message does not contain the command, because the command contains rows of the database.
    if (ended.code !== 0) throw failed("d1 execute", ended);
    return ended.stdout;
  }

  /** Returns the versions of the current deployment, the largest share first. Empty if the Worker was never deployed. */
  async shares(): Promise<Share[]> {
    const ended = await this.#end(["deployments", "status", "--json"]);
    if (isUnknownWorker(ended)) return [];
    if (ended.code !== 0) throw failed("deployments status", ended);
    const versions = itemsAt(parsed("deployments status", ended.stdout), "versions");
    const shares = versions.map((item) => ({ version: textAt(item, "version_id"), percent: Number(at(item, "percentage")) }));
    return shares.sort((one, other) => other.percent - one.percent);
  }

  /** Returns the version that answers most requests, or null if the Worker was never deployed. */
  async activeVersion(): Promise<string | null> {
    const [first] = await this.shares();
    return first?.version ?? null;
  }

  /** Uploads the Worker with its pages, and makes the new version answer all requests. */
  async deploy(): Promise<Deployed> {
    await this.#call(["deploy"]);
    return lastDeployed(this.#record);
  }

  /** Uploads the Worker with its pages as a version that answers no requests yet. Returns the version's id. */
  async upload(): Promise<string> {
    await this.#call(["versions", "upload"]);
    const version = lastUploaded(this.#record);
    if (version === null) throw new Error(`wrangler wrote no uploaded version into ${this.#record}`);
    return version;
  }

  /** Divides the requests among versions. A version with 0 % answers only requests that name it. */
  async divide(shares: Share[], reason: string): Promise<void> {
    const words = shares.map(({ version, percent }) => `${version}@${percent}%`);
    await this.#call(["versions", "deploy", ...words, "--yes", "--message", reason]);
  }

  /** Applies crons, queues and addresses, which an upload of a version does not change. */
  async applyTriggers(): Promise<void> {
    await this.#call(["triggers", "deploy"]);
  }

  /** Bundles the Worker with its pages and checks the configuration. Uploads nothing. */
  async simulate(): Promise<void> {
    await this.#call(["deploy", "--dry-run"]);
  }

  /** Makes an earlier version answer all requests: `version`, or the version before the active one if it is null. */
  async rollBack(version: string | null, reason: string): Promise<void> {
    await this.#call(["rollback", ...(version === null ? [] : [version]), "--yes", "--message", reason]);
  }
}

const failed = (words: string, { stdout, stderr }: Ended) => new Error(`\`wrangler ${words}\` failed\n${stdout}${stderr}`);

function parsed(words: string, text: string): Json {
  const value = valueOf(text);
  if (value === undefined) throw new Error(`\`wrangler ${words}\` said \`${text.trim()}\``);
  return value;
}

/** Parses JSON. Returns undefined for another text. */
function valueOf(text: string): Json | undefined {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}

const hasLine = (text: string, line: string) => text.split("\n").some((found) => found.trim() === line);

const isUnknownWorker = ({ code, stdout, stderr }: Ended) => code !== 0 && NO_WORKER.some((text) => `${stdout}${stderr}`.includes(text));
