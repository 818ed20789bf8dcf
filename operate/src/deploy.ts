// Deploys the service, or rolls it back to an earlier version. Each step can be repeated, so a stopped run continues when the command is run again.
import path from "node:path";
import { checkSettings, checkUpload, selected, uploads } from "./checks.ts";
import { Configuration, type Environment, describe, read } from "./configuration.ts";
import { hold } from "./files.ts";
import { textAt } from "./json.ts";
import { type Share, Wrangler } from "./platform.ts";
import { keepPrevious } from "./previous.ts";
import { HOME, builtWorker, commandLine, pass, wranglerProgram } from "./programs.ts";
import { lastDeployed, lastTested, lastUploaded, passed } from "./record.ts";
import { messageOf, note, step } from "./report.ts";
import { chooseAccount, createMissing } from "./resources.ts";
import { isSecret, neededSecrets } from "./secrets.ts";
import { type Answering, keepsClients, smokeTest } from "./smoke.ts";
import { tryStart } from "./trial.ts";

export interface DeployOptions {
  environment: Environment;
  /** Builds and checks everything, and changes nothing. */
  dryRun: boolean;
  /** Settings to change: name and value. */
  settings: [string, string][];
  domain: string | null;
  account: string | null;
  /** The percentage of requests that the new version answers in the end. */
  percent: number;
}

/** The share of a version that has replaced all others. */
const ALL = 100;

export async function deploy(options: DeployOptions): Promise<void> {
  if (options.dryRun) {
    await simulate(checked(options));
    return;
  }
  // From here on, because each run writes the operator's file with the settings that it has read.
  const end = hold(options.environment.lock);
  try {
    await deployAlone(options);
  } finally {
    end();
  }
}

/** Returns the configuration with the options applied. Throws if the service would not start with it. */
function checked(options: DeployOptions): Configuration {
  const configuration = configure(options);
  checkSettings(configuration.render(), commandLine(`deploy${options.environment.option}`));
  note('The monthly costs: docs/operating.md, "Costs".');
  return configuration;
}

async function deployAlone(options: DeployOptions): Promise<void> {
  const { environment } = options;
  const configuration = checked(options);
  configuration.save();
  const dist = await builtWorker(configuration.edition);
  await starts(dist, configuration.path);

  const wrangler = new Wrangler(configuration);
  const account = await step("the login", async () => {
    const chosen = options.account ?? process.env.CLOUDFLARE_ACCOUNT_ID ?? null;
    return chooseAccount(await wrangler.accounts(), chosen, configuration.account);
  });
  note(`  account ${account.name} (${account.id})`);
  wrangler.account = account.id;
  configuration.account = account.id;
  configuration.save();

  const resources = configuration.resources();
  await createMissing(wrangler, configuration, resources);
  await ensureSecrets(wrangler, configuration);
  const before = await onlyVersion(wrangler, configuration);
  const address = addressOf(configuration);
  if (options.percent < ALL && before === null) throw new Error("no version is deployed that could answer the other requests: leave out --share");
  if (options.percent < ALL && address === null) throw new Error(`${environment.record} names no address of the service, so the new version cannot be tested before it answers: leave out --share`);
  await step("migrations of the database", () => wrangler.migrate(resources));
  if (before !== null) await keepFiles(configuration, dist);
  try {
    if (before === null || address === null) await releaseAtOnce(wrangler, configuration);
    else await release(wrangler, configuration, { before, address, percent: options.percent });
  } catch (error) {
    throw error instanceof Stays ? error : await undo(wrangler, configuration, before, error);
  }
}

/** The new version works, but cannot get a part of the requests yet. It stays at 0 %. */
class Stays extends Error {}

/** Returns the version that answers all requests, or null if the Worker was never deployed. Throws if several versions answer. */
async function onlyVersion(wrangler: Wrangler, { environment }: Configuration): Promise<string | null> {
  const [first, second] = await wrangler.shares();
  if (second !== undefined && second.percent > 0) {
    const [finish, end] = [commandLine(`deploy share 100${environment.option}`), commandLine(`deploy rollback${environment.option}`)];
    throw new Error(`two versions answer requests. First finish the earlier release by \`${finish}\`, or end it by \`${end}\``);
  }
  return first?.version ?? null;
}

/** Does everything that changes neither the platform nor the operator's file. */
async function simulate(configuration: Configuration): Promise<void> {
  const dist = await builtWorker(configuration.edition);
  configuration.path = configuration.environment.dryRunFile;
  configuration.save();
  warn(await starts(dist, configuration.path));
  await step("wrangler accepts the configuration", () => new Wrangler(configuration).simulate());
  for (const resource of configuration.resources()) note(`  needed: ${describe(resource)}`);
  for (const [name] of neededSecrets((setting) => configuration.setting(setting))) note(`  needed: secret \`${name}\``);
  note("Nothing was created, because of --dry-run. Missing resources are created by the same command without it.");
}

/** Deploys a version to all users, and tests it at its address. For a service that has no version or no known address yet. */
async function releaseAtOnce(wrangler: Wrangler, configuration: Configuration): Promise<void> {
  const { version, address: below } = await step("upload of the Worker and its pages", () => wrangler.deploy());
  if (version === null) throw new Error("wrangler did not name the version that it deployed");
  const address = configuration.domain ?? below;
  if (address === null) throw new Error("the Worker was deployed without an address: set a domain with --domain, or allow addresses below workers.dev for the account");
  await complete(configuration, address, version);
}

/** Uploads a version, tests it before it answers requests of users, and then gives it its share of the requests. */
async function release(wrangler: Wrangler, configuration: Configuration, { before, address, percent }: { before: string; address: string; percent: number }): Promise<void> {
  const version = await step("upload of the Worker and its pages", () => wrangler.upload());
  await step("the new version at 0 %", () => wrangler.divide(split(version, 0, before), "tested before it answers"));
  await step("crons, queues and addresses", () => wrangler.applyTriggers());
  await step(`smoke test of the new version at ${address}`, () => smokeTest(address, { worker: configuration.worker, version }));
  await give(wrangler, configuration, { version, percent, before, address });
}

const split = (version: string, percent: number, before: string): Share[] => [
  { version, percent },
  { version: before, percent: ALL - percent },
];

/** Gives a tested version its share of the requests. Below 100 %, the version `before` answers the others. */
async function give(wrangler: Wrangler, configuration: Configuration, { version, percent, before, address }: { version: string; percent: number; before: string; address: string }): Promise<void> {
  if (percent === ALL) {
    await step("the new version at 100 %", () => wrangler.divide([{ version, percent }], "tested at 0 %"));
    await complete(configuration, address, version);
    return;
  }
  await step(`the new version at ${percent} %`, () => wrangler.divide(split(version, percent, before), "a part of the requests"));
  if (!(await step("one version for each client", () => keepsClients(address, percent)))) {
    await wrangler.divide(split(version, 0, before), "clients are not kept at one version");
    throw new Stays(
      `the platform sends requests of one client to both versions, so a page of one version would miss its scripts. The new version stays at 0 %. Add the rule of docs/operating.md, "Releases in steps", to the zone, or give the version all requests: \`${commandLine(`deploy share 100${configuration.environment.option}`)}\``,
    );
  }
  const { option } = configuration.environment;
  note(`\n  version ${version} answers ${percent} % of the requests at ${address}`);
  note(`  then: \`${commandLine(`deploy share 100${option}`)}\`, or back: \`${commandLine(`deploy rollback${option}`)}\``);
}

/** Tests the version that answers all requests, and records it as tested. */
async function complete(configuration: Configuration, address: string, version: string): Promise<void> {
  const said = await step(`smoke test of ${address}`, () => smokeTest(address));
  passed(configuration.environment.record, { version, address });
  finish(address, version, said);
}

/** Changes the share of the version that was uploaded last. */
export async function share(environment: Environment, percent: number): Promise<void> {
  const { configuration, wrangler } = deployed(environment);
  const candidate = lastUploaded(environment.record);
  const shares = await wrangler.shares();
  const other = shares.find(({ version }) => version !== candidate);
  if (candidate === null || other === undefined || !shares.some(({ version }) => version === candidate)) {
    throw new Error(`no release is in progress. \`${commandLine(`deploy --share 10${environment.option}`)}\` starts one`);
  }
  const address = addressOf(configuration);
  if (address === null) throw new Error(`${environment.record} names no address of the service`);
  await give(wrangler, configuration, { version: candidate, percent, before: other.version, address });
}

/** Returns the configuration of a service that was deployed from this folder. */
export function deployed(environment: Environment): { configuration: Configuration; wrangler: Wrangler } {
  const configuration = Configuration.load(environment);
  if (configuration.account === null) {
    throw new Error(`${configuration.path} does not exist or names no account, so this command knows no service`);
  }
  return { configuration, wrangler: new Wrangler(configuration) };
}

/**
 * Adds the files of the deployed release to the pages, so that open tabs still find them (docs/decisions/0057-bundles.md). If this fails, the
 * deployment continues: a tab that misses a file loads itself again, and the service may be broken until the deployment.
 */
async function keepFiles(configuration: Configuration, dist: string): Promise<void> {
  const address = addressOf(configuration);
  if (address === null) return;
  try {
    const kept = await step("files of the previous release", () => keepPrevious(address, path.join(dist, "assets")));
    note(`  files kept for open tabs: ${kept.length}`);
  } catch (error) {
    note(`warning: open tabs will have to load their page again: ${messageOf(error)}`);
  }
}

/** Returns the address of the service's domain, or the address of its last deployment. Null if it has neither. */
export function addressOf({ domain, environment }: Configuration): string | null {
  if (domain !== null) return domain;
  try {
    return lastDeployed(environment.record).address;
  } catch {
    return null;
  }
}

/** Reads the configuration of the environment and applies the options to it. */
function configure({ environment, settings, domain }: DeployOptions): Configuration {
  const configuration = Configuration.load(environment);
  for (const [name, value] of settings) {
    if (isSecret(name)) throw new Error(`\`${name}\` is a secret, which must not be in a file: \`${commandLine(`wrangler secret put ${name}${environment.option}`)}\``);
    configuration.set(name, value);
  }
  if (domain !== null) configuration.setDomain(domain);
  return configuration;
}

/** Starts the Worker on this machine with the settings of a configuration file. Returns the settings that weaken the service. */
function starts(dist: string, file: string): Promise<string[]> {
  const configuration = read(file);
  const secrets = neededSecrets((name) => textAt(configuration, "vars", name));
  return step("the Worker starts with its settings", () => tryStart(dist, file, secrets));
}

function warn(weakening: string[]): void {
  for (const setting of weakening) note(`warning: \`${setting}\` weakens the service`);
}

/** Throws if the platform does not have a secret that the settings need. */
async function ensureSecrets(wrangler: Wrangler, configuration: Configuration): Promise<void> {
  const needed = neededSecrets((name) => configuration.setting(name));
  if (needed.length === 0) return;
  const present = await wrangler.secrets();
  const missing = needed.filter(([name]) => !present.includes(name));
  if (missing.length > 0) {
    const commands = missing.map(([name]) => `\n  ${commandLine(`wrangler secret put ${name}${configuration.environment.option}`)}`);
    throw new Error(`the settings need secrets that the platform does not have. Store them, then run this command again:${commands.join("")}`);
  }
}

function finish(address: string, version: string, { service, version: release, weakening }: Answering): void {
  note(`\n  ${service} answers at ${address}, version ${release} (${version})`);
  if (weakening.length === 0) note("  no setting weakens it");
  warn(weakening);
}

/**
 * Ends a failed release. If the new version answers all requests, rolls back to the last version that passed its smoke test, or to the version
 * before the release. Otherwise the version `before` answers all requests again. Returns the error of the release with the result. An upload can
 * fail after its version became active, for example at a queue or a domain.
 */
async function undo(wrangler: Wrangler, configuration: Configuration, before: string | null, cause: unknown): Promise<Error> {
  const because = (message: string) => new Error(message, { cause });
  let shares: Share[];
  try {
    shares = await wrangler.shares();
  } catch (unknown) {
    return because(`the release failed, and it is unknown whether its version is active: ${messageOf(unknown)}`);
  }
  const active = shares[0]?.version ?? null;
  if (active === before && shares.length < 2) return because("the code was not replaced");
  const target = active === before ? before : (lastTested(configuration.environment.record, active)?.version ?? before);
  if (target === null) return because("the release failed. It is the first version, so there is none to return to: mend the cause and run this command again");
  try {
    await step(`rollback to the version ${target}`, () => wrangler.rollBack(target, "the release failed"));
  } catch (again) {
    return because(`the release failed, and so did the rollback. The platform has ${shares.map(({ version, percent }) => `${version} at ${percent} %`).join(" and ")}: ${messageOf(again)}`);
  }
  if (active === before) return because(`the release failed, and never answered all requests. The version ${target} answers them as before`);
  const address = addressOf(configuration);
  const answers =
    address !== null &&
    (await smokeTest(address).then(
      () => true,
      () => false,
    ));
  const state = answers ? "which answers as it should" : "which does not answer as it should either, so the cause may lie outside of the code";
  return because(`the release failed. The code was rolled back to the version ${target}, ${state}. The tables keep their new migrations, which the earlier version can use`);
}

/**
 * Rolls back to a version, or to the last other version that passed its smoke test. During a release in steps, this is the version that answered
 * before the release. The database keeps its tables.
 */
export async function rollBack(environment: Environment, version: string | null): Promise<void> {
  const { configuration, wrangler } = deployed(environment);
  const shares = await wrangler.shares();
  const [active] = shares;
  if (active === undefined) throw new Error("the service was never deployed");
  const tested = lastTested(environment.record, active.version);
  const earlier = shares.length > 1 ? shares.find((one) => one.version !== lastUploaded(environment.record))?.version : tested?.version;
  await step("rollback", () => wrangler.rollBack(version ?? earlier ?? null, commandLine("deploy rollback")));
  const now = (await wrangler.activeVersion()) ?? "";
  const address = configuration.domain ?? tested?.address ?? addressOf(configuration);
  if (address === null) note(`  version ${now} answers now`);
  else finish(address, now, await step(`smoke test of ${address}`, () => smokeTest(address)));
}

/**
 * Runs wrangler, with the file of the environment if there is one. Before an upload, checks the settings and builds and starts the Worker. Returns
 * wrangler's exit code.
 */
export async function runWrangler(given: string[]): Promise<number> {
  const { file, words } = selected(given);
  if (uploads(words)) warn(await starts(await builtWorker(checkUpload(file)), file));
  return pass(process.execPath, [wranglerProgram(), ...words], { cwd: HOME });
}
