// The account of a deployment, and the resources in it.
import { type Configuration, type Resource, describe } from "./configuration.ts";
import type { Account, Wrangler } from "./platform.ts";
import { note, step } from "./report.ts";

/** Returns the account to deploy to: the account in the options, the account of the last run, or the only account of the login. Throws if the choice is not certain. */
export function chooseAccount(accounts: Account[], chosen: string | null, last: string | null): Account {
  if (chosen !== null && last !== null && chosen !== last) {
    throw new Error(`this service is in the account ${last}: choose another --env for a service in the account ${chosen}`);
  }
  const list = accounts.map(({ id, name }) => `\n  --account ${id}  ${name}`).join("");
  const wanted = chosen ?? last;
  const [only, ...others] = accounts;
  if (wanted !== null) {
    const found = accounts.find(({ id }) => id === wanted);
    if (found === undefined) throw new Error(`the login has no account ${wanted}, only:${list}`);
    return found;
  }
  if (only === undefined) throw new Error("the login has no account: give the token the permissions of its account");
  if (others.length > 0) throw new Error(`the login has several accounts: choose one${list}`);
  return only;
}

/** Creates the resources that the account does not have. Saves each id immediately, so that a stopped run loses no id. */
export async function createMissing(wrangler: Wrangler, configuration: Configuration, resources: Resource[]): Promise<void> {
  const found = await step("a look at the account's resources", () => Promise.all(resources.map(async (resource) => ({ resource, id: await wrangler.find(resource) }))));
  for (const { resource, id } of found) note(`  ${describe(resource)} ${id === null ? "is missing" : "exists"}`);
  for (const { resource, id } of found) {
    configuration.assign(resource, id ?? (await step(`create the ${describe(resource)}`, () => wrangler.create(resource))));
    configuration.save();
  }
}
