// Checks a deployed service: its answers, its versions, and what its operator has left open.
import type { Environment } from "./configuration.ts";
import { addressOf, deployed } from "./deploy.ts";
import { commandLine } from "./programs.ts";
import { note, step } from "./report.ts";
import { smokeTest } from "./smoke.ts";

/** Tests the service at its address, and prints its state with the commands for what is missing. Throws if an answer is wrong. */
export async function check(environment: Environment): Promise<void> {
  const { configuration, wrangler } = deployed(environment);
  const address = addressOf(configuration);
  if (address === null) throw new Error(`${environment.record} names no address of the service: deploy the service, or copy this file from the machine that deployed it`);
  const said = await step(`smoke test of ${address}`, () => smokeTest(address));
  note(`\n  ${said.service} answers at ${address}, version ${said.version} (${said.versionId ?? "unknown"})`);
  for (const setting of said.weakening) note(`warning: \`${setting}\` weakens the service`);
  const shares = await wrangler.shares();
  if (shares.length > 1) note(`  a release is in progress: ${shares.map(({ version, percent }) => `${version} at ${percent} %`).join(", ")}`);
  const secrets = await wrangler.secrets();
  const { option } = environment;
  if (!secrets.includes("ALERT_URL")) note(`warning: no alerts are sent: \`${commandLine(`alerts${option}`)}\``);
  if (configuration.makesBackups) note(`  nightly backups start at ${configuration.setting("BACKUP_HOUR")}:00 UTC. Try the last one: \`${commandLine(`backup drill${option}`)}\``);
  else note(`warning: no nightly backups are made: docs/operating.md, "Nightly backups"`);
  if (!secrets.includes("METRICS_TOKEN")) note('  no program reads the metrics: docs/operating.md, "Metrics"');
}
