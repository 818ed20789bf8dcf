// The database of a deployed service, reached through wrangler.
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { Configuration, type Environment } from "./configuration.ts";
import type { JsonObject } from "./json.ts";
import { Wrangler } from "./platform.ts";
import { step } from "./report.ts";
import { chooseAccount, createMissing } from "./resources.ts";

/** The binding of the database in the Worker. */
const BINDING = "DB";

/** A database of the platform. */
export class Remote {
  #wrangler: Wrangler;

  private constructor(wrangler: Wrangler) {
    this.#wrangler = wrangler;
  }

  /** Opens the database of a deployed service. */
  static open(environment: Environment): Remote {
    const configuration = Configuration.load(environment);
    if (configuration.account === null) {
      throw new Error(`${configuration.path} does not exist or names no account, so this command cannot find the service: copy the file from the machine that deployed the service`);
    }
    return new Remote(new Wrangler(configuration));
  }

  /**
   * Creates the database of a service that is not deployed yet, with all its tables. Throws if the service's Worker is deployed already, because it would
   * use the database while a backup is being restored into it.
   */
  static async create(environment: Environment, chosen: string | null): Promise<Remote> {
    const configuration = Configuration.load(environment);
    configuration.save();
    const wrangler = new Wrangler(configuration);
    const account = await step("the login", async () => chooseAccount(await wrangler.accounts(), chosen, configuration.account));
    wrangler.account = account.id;
    configuration.account = account.id;
    configuration.save();
    if ((await wrangler.activeVersion()) !== null) {
      throw new Error(`the service \`${configuration.worker}\` is deployed already, and would use the database during the restoration: restore into a new --env, and deploy it afterwards`);
    }
    const databases = configuration.resources().filter(({ kind }) => kind === "database");
    await createMissing(wrangler, configuration, databases);
    await step("migrations of the database", () => wrangler.migrate(databases));
    return new Remote(wrangler);
  }

  query(statements: string[]): Promise<JsonObject[][]> {
    return this.#wrangler.query(BINDING, statements.join(";\n"));
  }

  async load(statements: string[]): Promise<void> {
    // Only this user can read the folder, because the file contains personal data.
    const folder = await mkdtemp(path.join(tmpdir(), "assay-restore-"));
    try {
      const file = path.join(folder, "part.sql");
      await writeFile(file, `${statements.join(";\n")};\n`, { mode: 0o600 });
      await this.#wrangler.import(BINDING, file);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }

  async close(): Promise<void> {}
}
