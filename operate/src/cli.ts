// The command line: reads the options of each command, and runs the command.
import { type ParseArgsOptionsConfig, parseArgs } from "node:util";
import { setReceiver } from "./alerts.ts";
import { type Source, backUp, drillNightly, fetchLast, restore } from "./backup/mod.ts";
import { isIdentity } from "./backup/restore.ts";
import { check } from "./check.ts";
import { Environment, PRODUCTION, parseDomain } from "./configuration.ts";
import { deploy, rollBack, runWrangler, share } from "./deploy.ts";
import { commandLine } from "./programs.ts";
import { printError } from "./report.ts";

/** A mistake in the command line, which is printed with the command's help. */
class Usage extends Error {}

interface Command {
  /** The command line after the tool's name. */
  usage: string;
  help: string;
  /** Returns the exit code. */
  run(words: string[]): Promise<number>;
}

const text = { type: "string" } as const;

const ENV = "  --env ENV           The service [default: production]; each has its own file deploy/<ENV>.jsonc, address, database and queues";

const COMMANDS: Record<string, Command> = {
  deploy: {
    usage: "deploy [OPTIONS], deploy share PERCENT [--env ENV], deploy rollback [--env ENV] [VERSION]",
    help: `Deploy the service with its database, cache and queues. A new version is tested before it answers requests, and the old one stays if the test fails.
\`share\` changes the share of requests that the version of \`--share\` answers; 100 completes the release.
\`rollback\` returns to the last version that passed its smoke test, or to the named one. The database keeps its tables.

${ENV}
  --dry-run           Build and check everything, and change nothing
  --set NAME=VALUE    A setting, kept in deploy/<ENV>.jsonc; may be repeated; an empty value restores the default
  --share PERCENT     Give the new version only this share of the requests, 1 to 99 [default: all]
  --domain HOST       Serve the service at this host name instead of below workers.dev; its zone must be in the account
  --account ID        The id of the platform's account, if the login has several accounts`,
    async run(words) {
      const { values, positionals } = parse(words, { env: text, "dry-run": { type: "boolean" }, set: { type: "string", multiple: true }, share: text, domain: text, account: text });
      const environment = environmentOf(values.env);
      const [action, word, ...more] = positionals;
      if (action !== undefined) {
        if (!["rollback", "share"].includes(action) || more.length > 0) throw new Usage(`\`${positionals.join(" ")}\` is not \`rollback\` with one version, or \`share\` with one percentage`);
        for (const name of ["dry-run", "set", "share", "domain", "account"] as const) if (values[name] !== undefined) throw new Usage(`\`${action}\` has no option --${name}`);
        if (action === "rollback") await rollBack(environment, word ?? null);
        else await share(environment, numberOf("share", word ?? "", 100));
        return 0;
      }
      await deploy({
        environment,
        dryRun: values["dry-run"] ?? false,
        settings: (values.set ?? []).map(settingOf),
        domain: values.domain === undefined ? null : parseDomain(values.domain),
        account: values.account ?? null,
        percent: values.share === undefined ? 100 : numberOf("share", values.share, 99),
      });
      return 0;
    },
  },
  check: {
    usage: "check [--env ENV]",
    help: `Test a deployed service, and list what its operator has left open: weak settings, alerts, nightly backups.

${ENV}`,
    async run(words) {
      const { values, positionals } = parse(words, { env: text });
      none(positionals);
      await check(environmentOf(values.env));
      return 0;
    },
  },
  alerts: {
    usage: "alerts [--env ENV]",
    help: `Send a test message to the receiver of alerts, and store its address. The address is read from the standard input, because it is a secret.

${ENV}`,
    async run(words) {
      const { values, positionals } = parse(words, { env: text });
      none(positionals);
      await setReceiver(environmentOf(values.env));
      return 0;
    },
  },
  backup: {
    usage: "backup [OPTIONS], backup fetch [--env ENV] [--into FOLDER], backup drill [--env ENV]",
    help: `Copy the database of a running service into a folder. Run it again to continue a stopped copy.
\`fetch\` writes the newest nightly backup into such a folder instead. The service may be gone.
\`drill\` restores the newest nightly backup into a scratch database on this machine, checks it, and deletes it.

${ENV}
  --state DIR         The state folder of a service on this machine instead, while no server uses it
  --into FOLDER       The folder of the copy [default: backups/<ENV>]
  --rows NUMBER       Rows of each table that the first call reads, 1 to 20000; later calls read about 4 MB [default: 500]`,
    async run(words) {
      const { values, positionals } = parse(words, { env: text, state: text, into: text, rows: text });
      const [action, ...more] = positionals;
      none(more);
      if (action !== undefined) {
        if (!["fetch", "drill"].includes(action)) throw new Usage(`\`${action}\` is not \`fetch\` or \`drill\``);
        for (const name of ["state", "rows"] as const) if (values[name] !== undefined) throw new Usage(`\`${action}\` has no option --${name}`);
        if (action === "fetch") await fetchLast(environmentOf(values.env), values.into ?? null);
        else await drillNightly(environmentOf(values.env));
        return 0;
      }
      const source = sourceOf(values.env, values.state) ?? { environment: environmentOf(undefined) };
      await backUp(source, values.into ?? null, numberOf("rows", values.rows ?? "500", 20_000));
      return 0;
    },
  },
  restore: {
    usage: "restore FOLDER [OPTIONS]",
    help: `Fill a new, empty database from the folder of a backup and compare it with the backup's hashes. Run it again to continue.

  --env ENV           The new service to fill, which must not be deployed yet
  --state DIR         The state folder of a service on this machine to fill
  --instance keep|new Keep the backup's instance, or create a new one [default: ask]. With \`keep\`, claims and open orders stay valid, and the old
                      service must be off for good. With \`new\`, the old service may keep running
  --part BYTES        Bytes of SQL that one transaction loads [default: 4000000]
  --account ID        The id of the platform's account, if the login has several accounts`,
    async run(words) {
      const { values, positionals } = parse(words, { env: text, state: text, instance: text, part: text, account: text });
      const [folder, ...more] = positionals;
      none(more);
      if (folder === undefined) throw new Usage("name the folder of a backup");
      const target = sourceOf(values.env, values.state);
      if (target === null) throw new Usage("name the new service by --env, or a state folder by --state");
      const identity = values.instance ?? null;
      if (identity !== null && !isIdentity(identity)) throw new Usage("--instance is `keep` or `new`");
      await restore({ folder, target, identity, account: values.account ?? null, partBytes: numberOf("part", values.part ?? "4000000", 100_000_000) });
      return 0;
    },
  },
  admin: {
    usage: "admin --key FILE [--url URL METHOD PATH [NAME=VALUE]…]",
    help: `Call a route of a service as an administrator, or print the address of a key's account.

  --key FILE          A file with the private key of an account in \`ADMIN_ACCOUNTS\`, 64 hexadecimal digits
  --url URL           The address of the service
  METHOD PATH         GET or POST, and the path with its query, such as /admin/audit?limit=5
  NAME=VALUE          Fields of the body`,
    async run(words) {
      const { values, positionals } = parse(words, { key: text, url: text });
      const [method, path, ...fields] = positionals;
      // Only this command needs the client.
      const { callAsAdmin, openKey } = await import("./admin.ts");
      if (values.key === undefined) throw new Usage("name the file of a private key by --key");
      if (values.url === undefined && method === undefined) {
        process.stdout.write(`${(await openKey(values.key)).accountId}\n`);
        return 0;
      }
      if (values.url === undefined || method === undefined || path === undefined) throw new Usage("a call needs --url, a method and a path");
      const isAccepted = await callAsAdmin(values.key, { url: values.url, method: method.toUpperCase(), path, fields });
      return isAccepted ? 0 : 1;
    },
  },
  wrangler: {
    usage: "wrangler ARGUMENTS…",
    help: "Run wrangler with the file of `--env`. Uploads check the settings first.",
    run: runWrangler,
  },
};

/** Parses the words of a command. Throws a sentence for an unknown option, and for an option without its value. */
function parse<T extends ParseArgsOptionsConfig>(words: string[], options: T) {
  try {
    return parseArgs({ args: words, options, allowPositionals: true });
  } catch (error) {
    throw new Usage(error instanceof Error ? error.message : String(error));
  }
}

function none(words: string[]): void {
  if (words.length > 0) throw new Usage(`\`${words.join(" ")}\` was not expected`);
}

function environmentOf(name: string | undefined): Environment {
  try {
    return Environment.parse(name ?? PRODUCTION);
  } catch (error) {
    throw new Usage(error instanceof Error ? error.message : String(error));
  }
}

function sourceOf(environment: string | undefined, state: string | undefined): Source | null {
  if (environment !== undefined && state !== undefined) throw new Usage("--env and --state exclude each other");
  if (state !== undefined) return { state };
  return environment === undefined ? null : { environment: environmentOf(environment) };
}

function settingOf(text: string): [string, string] {
  const [, name, value] = /^([A-Z][A-Z0-9_]*)=([^]*)$/.exec(text) ?? [];
  if (name === undefined || value === undefined) throw new Usage(`\`--set ${text}\`: expected NAME=VALUE, such as SERVICE_NAME=certificates.example.org`);
  return [name, value.trim()];
}

function numberOf(name: string, text: string, most: number): number {
  const number = /^\d{1,9}$/.test(text) ? Number(text) : 0;
  if (number < 1 || number > most) throw new Usage(`--${name}: expected a number from 1 to ${most}`);
  return number;
}

function overview(): string {
  const lines = Object.entries(COMMANDS).map(([name, { help }]) => `  ${name.padEnd(10)}${help.split("\n", 1)[0]}`);
  return `Usage: ${commandLine("COMMAND")}\n\n${lines.join("\n")}\n\n\`${commandLine("COMMAND --help")}\` explains a command.\n`;
}

/** Runs a command line, and returns the exit code. A mistake in the command line has the code 2. */
async function main([name = "", ...words]: string[]): Promise<number> {
  if (["", "help", "--help", "-h"].includes(name)) {
    process.stdout.write(overview());
    return name === "" ? 2 : 0;
  }
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (command === undefined) {
    process.stderr.write(`\`${name}\` is not a command\n\n${overview()}`);
    return 2;
  }
  const help = `Usage: ${commandLine(command.usage)}\n\n${command.help}\n`;
  if (name !== "wrangler" && words.some((word) => word === "--help" || word === "-h")) {
    process.stdout.write(help);
    return 0;
  }
  try {
    return await command.run(words);
  } catch (error) {
    printError(error);
    if (!(error instanceof Usage)) return 1;
    process.stderr.write(`\n${help}`);
    return 2;
  }
}

process.exitCode = await main(process.argv.slice(2));
