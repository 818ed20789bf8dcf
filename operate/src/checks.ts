// Checks a configuration before anything is uploaded. wrangler itself would upload a configuration with these mistakes without a warning.
import { existsSync } from "node:fs";
import path from "node:path";
import { Environment, PRODUCTION, TEMPLATE, editionFor, isUnset, read } from "./configuration.ts";
import { type Json, at, itemsAt, textAt } from "./json.ts";
import { type Edition, HOME, commandLine, folderOf } from "./programs.ts";

/** The value of `SERVICE_NAME` in the template. */
const DEFAULT_NAME = "assay";

/** Returns true if wrangler would upload code with these arguments, or simulate an upload. */
export function uploads(words: string[]): boolean {
  const asksForHelp = words.some((word) => ["--help", "-h"].includes(word));
  return !asksForHelp && (words.includes("deploy") || words.some((word, index) => word === "versions" && words[index + 1] === "upload"));
}

/**
 * Returns the configuration that a call of wrangler uses, and the call's arguments, changed to select that configuration. `--config` names the file
 * directly. Otherwise the call gets the file of the environment in `--env`, and throws if that file does not exist. Without both options, the call gets
 * the file of the environment `production`, or the template before the first deployment.
 */
export function selected(words: string[]): { file: string; words: string[] } {
  const config = option(words, ["--config", "-c"]).value;
  if (config !== null) return { file: path.resolve(HOME, config), words };
  const { value, rest } = option(words, ["--env", "-e"]);
  const { file } = Environment.parse(value ?? PRODUCTION);
  if (existsSync(file)) return { file, words: ["--config", file, ...rest] };
  if (value !== null) throw new Error(`${file} does not exist, so this command knows no service of the name \`${value}\``);
  return { file: TEMPLATE, words };
}

/** Returns the value of an option, `--name value` or `--name=value`, and the words without the option. Null if the option or its value is missing. */
export function option(words: string[], names: string[]): { value: string | null; rest: string[] } {
  const index = words.findIndex((word) => names.includes(word.split("=", 1)[0] ?? ""));
  const word = words[index];
  if (word === undefined) return { value: null, rest: words };
  const isJoined = word.includes("=");
  const value = isJoined ? word.slice(word.indexOf("=") + 1) : (words[index + 1] ?? null);
  return { value, rest: words.toSpliced(index, isJoined ? 1 : 2) };
}

/** Checks the configuration file that wrangler will use for an upload. Returns the build of the Worker that its settings need. */
export function checkUpload(file: string): Edition {
  const configuration = read(file);
  refuse(file, problemsOf(configuration));
  return neededEdition(configuration);
}

/** Checks the settings of a configuration whose ids may be missing. `command` changes settings; the sentences quote it. */
export function checkSettings(configuration: Json, command: string): void {
  refuse("the service", mistakes(configuration, command));
}

/** Returns a sentence for each mistake in a configuration. */
export const problemsOf = (configuration: Json): string[] => [...unsetIds(configuration), ...wrongBuild(configuration), ...mistakes(configuration, commandLine("deploy"))];

function refuse(what: string, errors: string[]): void {
  if (errors.length > 0) throw new Error(`${what} is not ready to be deployed:\n  - ${errors.join("\n  - ")}`);
}

const neededEdition = (configuration: Json) => editionFor(textAt(configuration, "vars", "LEDGER"));

function unsetIds(configuration: Json): string[] {
  const lists = [
    ["d1_databases", "database_id", "database"],
    ["kv_namespaces", "id", "cache"],
  ] as const;
  return lists
    .filter(([list, id]) => itemsAt(configuration, list).some((item) => isUnset(textAt(item, id))))
    .map(([, id, name]) => `the ${name}'s \`${id}\` is not set: \`${commandLine("deploy")}\` creates the ${name} and writes its id`);
}

/** Returns a sentence if `main` of the file is not the build of the Worker that the settings need. */
function wrongBuild(configuration: Json): string[] {
  const folder = folderOf(neededEdition(configuration));
  const main = textAt(configuration, "main");
  if (path.basename(path.dirname(main)) === folder) return [];
  return [`\`main\` is \`${main}\`, but with this \`LEDGER\` it must be \`${folder}/worker.js\`: \`${commandLine("deploy")}\` writes the right path`];
}

function mistakes(configuration: Json, command: string): string[] {
  const errors: string[] = [];
  const setting = (name: string) => textAt(configuration, "vars", name);
  if (["", DEFAULT_NAME].includes(setting("SERVICE_NAME")) && setting("AUTH_TEXT") === "") {
    errors.push(
      `\`SERVICE_NAME\` is the default, so a signature made for another service with that name would also sign in here. Choose a name of your own, such as your domain: \`${command} --set SERVICE_NAME=certificates.example.org\``,
    );
  }
  if (setting("ENVIRONMENT") === "development") {
    errors.push(`\`ENVIRONMENT\` is \`development\`, and a development instance answers only requests from its own machine: \`${command} --set ENVIRONMENT=production\``);
  }
  const isOff = (name: string) => at(configuration, name) === false;
  if (itemsAt(configuration, "routes").length > 0 && !(isOff("workers_dev") && isOff("preview_urls"))) {
    errors.push("`routes` names a domain, and the address below workers.dev is still on: set `workers_dev` and `preview_urls` to false");
  }
  const isFree = setting("PAYMENTS") === "off" || setting("COST_ASSET_DEPLOY") === "0";
  if (isFree && setting("DEPLOYERS") === "") {
    errors.push(`\`DEPLOYERS\` is empty and deploying costs nothing, so nobody may deploy ledgers. Name your accounts: \`${command} --set DEPLOYERS=0x…,0x…\``);
  }
  return errors;
}
