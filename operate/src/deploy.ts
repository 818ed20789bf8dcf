// Deploys the service, or rolls it back to an earlier version. Each step can be repeated, so a stopped run continues when the command is run again.
import path from "node:path";
import { checkSettings, checkUpload, selected, uploads } from "./checks.ts";
import { Configuration, type Environment, describe, read } from "./configuration.ts";
import { textAt } from "./json.ts";
import { Wrangler } from "./platform.ts";
import { keepPrevious } from "./previous.ts";
import { HOME, builtWorker, commandLine, pass, wranglerProgram } from "./programs.ts";
import { lastDeployed, lastTested, passed } from "./record.ts";
import { messageOf, note, step } from "./report.ts";
import { chooseAccount, createMissing } from "./resources.ts";
import { isSecret, neededSecrets } from "./secrets.ts";
import { type Answering, smokeTest } from "./smoke.ts";
import { tryStart } from "./trial.ts";

export interface DeployOptions {
  environment: Environment;
  /** Builds and checks everything, and changes nothing. */
  dryRun: boolean;
  /** Settings to change: name and value. */
  settings: [string, string][];
  domain: string | null;
  account: string | null;
}

export async function deploy(options: DeployOptions): Promise<void> {
  const { environment } = options;
  const configuration = configure(options);
  checkSettings(configuration.render(), commandLine(`deploy${environment.option}`));
  note('The monthly costs: docs/operating.md, "Costs".');
  if (options.dryRun) {
    await simulate(configuration);
    return;
  }
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
  await step("migrations of the database", () => wrangler.migrate(resources));
  const before = await wrangler.activeVersion();
  if (before !== null) await keepFiles(configuration, dist);
  try {
    await release(wrangler, configuration);
  } catch (error) {
    throw await undo(wrangler, configuration, before, error);
  }
}

/** Does everything that changes neither the platform nor the operator's file. */
async function simulate(configuration: Configuration): Promise<void> {
  const dist = await builtWorker(configuration.edition);
  configuration.path = configuration.environment.dryRunFile;
  configuration.save();
  warn(await starts(dist, configuration.path));
  await step("wrangler accepts the configuration", () => new Wrangler(configuration).simulate());
  for (const resource of configuration.resources()) note(`  needed: ${describe(resource)}`);
  note("Nothing was created, because of --dry-run. Missing resources are created by the same command without it.");
}

/** Uploads the Worker and tests it at its address. */
async function release(wrangler: Wrangler, configuration: Configuration): Promise<void> {
  const { version, address: below } = await step("upload of the Worker and its pages", () => wrangler.deploy());
  if (version === null) throw new Error("wrangler did not name the version that it deployed");
  const address = configuration.domain ?? below;
  if (address === null) throw new Error("the Worker was deployed without an address: set a domain with --domain, or allow addresses below workers.dev for the account");
  const said = await step(`smoke test of ${address}`, () => smokeTest(address));
  passed(configuration.environment.record, { version, address });
  finish(address, version, said);
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
function addressOf({ domain, environment }: Configuration): string | null {
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
 * Rolls back after a failed release, to the last version that passed its smoke test, or to the version before the release. If the release did not
 * change the active version, does nothing. Returns the error of the release with the result of the rollback. An upload can fail after its version
 * became active, for example at a queue or a domain.
 */
async function undo(wrangler: Wrangler, configuration: Configuration, before: string | null, cause: unknown): Promise<Error> {
  const because = (message: string) => new Error(message, { cause });
  let active: string | null;
  try {
    active = await wrangler.activeVersion();
  } catch (unknown) {
    return because(`the release failed, and it is unknown whether its version is active: ${messageOf(unknown)}`);
  }
  if (active === before) return because("the code was not replaced");
  const target = lastTested(configuration.environment.record, active)?.version ?? before;
  if (target === null) return because("the release failed. It is the first version, so there is none to return to: mend the cause and run this command again");
  try {
    await step(`rollback to the version ${target}`, () => wrangler.rollBack(target, "the release failed"));
  } catch (again) {
    return because(`the release failed, and so did the rollback, so the new code still answers: ${messageOf(again)}`);
  }
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

/** Rolls back to a version, or to the last other version that passed its smoke test. The database keeps its tables. */
export async function rollBack(environment: Environment, version: string | null): Promise<void> {
  const configuration = Configuration.load(environment);
  if (configuration.account === null) {
    throw new Error(`${configuration.path} does not exist or names no account, so this command knows no service to roll back`);
  }
  const wrangler = new Wrangler(configuration);
  const active = await wrangler.activeVersion();
  if (active === null) throw new Error("the service was never deployed");
  const tested = lastTested(environment.record, active);
  await step("rollback", () => wrangler.rollBack(version ?? tested?.version ?? null, commandLine("deploy rollback")));
  const now = (await wrangler.activeVersion()) ?? "";
  const address = configuration.domain ?? tested?.address;
  if (address === undefined) note(`  version ${now} answers now`);
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
