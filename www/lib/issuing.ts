// Issues certificates with the service's client: finds or deploys a ledger, makes the public files, and sends the order. Does not use the DOM.
import { Ability, ActionKind, ApiError, LedgerCapability, Priority, RequestStatus } from '/client/index.js';
import type { AccountAbility, Client, ClientDeployment, Ledger } from '/client/index.js';
import { randomHex, withAddresses } from '../../pkg/view/src/issue.ts';
import { Refusal, isObject } from '../../pkg/view/src/json.ts';
import { PATIENCE, payingFees } from './approvals.ts';
import { eachOf } from './few.ts';
import { perform, propose } from './orders.ts';

/** The maximum number of an account's ledgers, and of its deployments, that are read. */
const MAX_LEDGERS = 400;
/** The maximum number of ledgers that are looked at for abilities. Anybody can give any account abilities on any number of ledgers. */
const MAX_SHARED = 100;
/** The service's code for an asset that does not exist. */
const ASSET_NOT_FOUND = 400005;

/** The capabilities that withdrawing and replacing certificates need. */
const CAPABILITIES = [LedgerCapability.DESTROY_ASSET, LedgerCapability.UPDATE_ASSET];
/** The capabilities of new ledgers. Older ledgers lack the last one: certificates of others cannot be withdrawn there. */
const NEW_CAPABILITIES = [...CAPABILITIES, LedgerCapability.REVOKE_ASSET];

/** A ledger that an account owns or shares. `isForeign` is true if another account deployed it. */
export interface OwnLedger extends Ledger {
  isForeign?: boolean;
  /** The abilities of the account. Absent on its own ledgers. Empty if the roles of the account were taken back. */
  abilities?: readonly Ability[];
}

/** Returns true if the account has no role any more on a ledger. */
export const hasLeft = ({ abilities }: Pick<OwnLedger, 'abilities'>): boolean => abilities?.length === 0;

/** The addresses of the metadata on a ledger. */
type Places = Pick<Ledger, 'uriPrefix' | 'uriPostfix'>;

/** The texts of a certificate, as the task `certify` returns them. `files` has the beginning of the schema's file name. */
export interface Made {
  schema: string;
  metadata: { whole: string };
  evidence: { whole: string };
  files: { schema: string };
}

/** A file for the issuer's own web site. */
export interface PublicFile {
  name: string;
  address: string;
  text: string;
}

/**
 * Returns the ledgers that the client's account owns: first those that it deployed, then those that others deployed for it. Of the
 * latter, `isForeign` is true. Anybody may deploy ledgers for any owner, and give any account abilities on any number of ledgers. The account's own
 * ledgers are therefore also looked up by its deployments, so ledgers of others cannot hide them. Each part is in the service's order, newest first.
 */
export async function ownLedgers(client: Client): Promise<OwnLedger[]> {
  const { accountId } = client.provider;
  const [deployments, ledgers] = await Promise.all([firstOf(client.deployments({ statuses: [RequestStatus.FINALIZED], limit: 100 })), firstOf(client.ledgers({ limit: 100 }))]);
  const deployed = new Set(deployments.flatMap(({ ledgerId }) => (ledgerId === null ? [] : [ledgerId.toLowerCase()])));
  const [own, foreign]: [OwnLedger[], OwnLedger[]] = [[], []];
  const add = (ledger: Ledger) => {
    const isForeign = !deployed.delete(ledger.id.toLowerCase());
    if (isSame(ledger.ownerId, accountId)) {
      (isForeign ? foreign : own).push({ ...ledger, isForeign });
    }
  };
  ledgers.forEach(add);
  for (const id of [...deployed]) {
    add((await client.getLedger(id)).data);
  }
  return [...own, ...foreign];
}

async function firstOf<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const found: Item[] = [];
  for await (const item of items) {
    found.push(item);
    if (found.length === MAX_LEDGERS) {
      break;
    }
  }
  return found;
}

/** Returns the account's own ledgers, and the ledgers of other owners on which the account has abilities, of which `isWanted` is true. */
async function allLedgers(client: Client, isWanted: (abilities: readonly Ability[]) => boolean): Promise<{ readonly own: OwnLedger[]; readonly shared: OwnLedger[] }> {
  const [own, { data }] = await Promise.all([ownLedgers(client), client.getAccountAbilities({ limit: MAX_SHARED })]);
  const known = new Set(own.map(({ id }) => id.toLowerCase()));
  return {
    own,
    shared: await sharedOf(
      client,
      data.filter(({ ledgerId, abilities }) => isWanted(abilities) && !known.has(ledgerId.toLowerCase())),
    ),
  };
}

/** Returns the ledgers on which the account may do something: its own, and then those on which others have given it an ability. */
export async function knownLedgers(client: Client): Promise<OwnLedger[]> {
  const { own, shared } = await allLedgers(client, () => true);
  return [...own, ...shared];
}

async function sharedOf(client: Client, found: readonly Pick<AccountAbility, 'ledgerId' | 'abilities'>[]): Promise<OwnLedger[]> {
  const { accountId } = client.provider;
  const ledgers = await eachOf(found, async ({ ledgerId, abilities }) => ({ ...(await client.getLedger(ledgerId)).data, abilities }));
  return ledgers.filter(({ ownerId }) => !isSame(ownerId, accountId)).map((ledger) => ({ ...ledger, isForeign: true }));
}

/**
 * Returns the ledgers with one of these schemas on which the account may issue: its own, as `ownLedgers` does, and then those that others share with it.
 * Leaves out ledgers on which the owner cannot withdraw and replace certificates.
 */
export async function ledgersOf(client: Client, schemaIds: string[]): Promise<OwnLedger[]> {
  const isWanted = (ledger: Ledger) => schemaIds.some((id) => isSame(ledger.schemaId, id)) && CAPABILITIES.every((capability) => ledger.capabilities.includes(capability));
  const { own, shared } = await allLedgers(client, (abilities) => abilities.includes(Ability.ALLOW_CREATE_ASSET));
  return [...own, ...shared].filter(isWanted);
}

/** Returns true if the account still has an ability on a register. The owner has every ability. */
export async function stillMay(client: Client, { ref, ownerId }: Pick<OwnLedger, 'ref' | 'ownerId'>, ability: Ability): Promise<boolean> {
  const { accountId } = client.provider;
  if (isSame(ownerId, accountId)) {
    return true;
  }
  const { data } = await client.getLedgerAbilities(ref, { filterAccountIds: [accountId] });
  return data.some(({ abilities }) => abilities.includes(ability));
}

const isSame = (one: string, other: string) => one.toLowerCase() === other.toLowerCase();

/** Deploys a ledger of the client's account, on which certificates can be withdrawn and replaced. Resolves to the ledger when the deployment is final. */
export async function deploy(client: Client, { name, symbol, schemaId, uriPrefix, uriPostfix }: Omit<ClientDeployment, 'capabilities' | 'ownerId'>): Promise<Ledger> {
  const ledger = { name, symbol, schemaId, uriPrefix, uriPostfix, capabilities: NEW_CAPABILITIES, ownerId: client.provider.accountId };
  const sent = await payingFees(
    client,
    ({ assetDeployCost }) => BigInt(assetDeployCost),
    () => client.createDeployment(ledger, Priority.MEDIUM),
  );
  const { data } = await client.waitForDeployment(sent.data.ref, { timeout: PATIENCE });
  return (await client.getLedger(data.ledgerId)).data;
}

interface ToIssue {
  readonly ledgerId: string;
  readonly assetId: string;
  readonly imprint: string;
  /** Whether an earlier attempt may have succeeded. If it did, nothing is sent. */
  readonly isAgain?: boolean;
  /** The account that has to sign too, or an empty text. */
  readonly reviewer?: string;
}

/**
 * Records a certificate as an asset of the client's account. Resolves when the order is final. If a colleague has to sign too, resolves to the reference of the order
 * that waits for the signature.
 */
export async function issueOne(client: Client, { ledgerId, assetId, imprint, isAgain = false, reviewer = '' }: ToIssue): Promise<string | null> {
  if (isAgain && (await imprintOf(client, ledgerId, assetId)) === imprint) {
    return null;
  }
  const actions = [{ kind: ActionKind.CREATE_ASSET, assetLedgerId: ledgerId, id: assetId, imprint, receiverId: client.provider.accountId }];
  if (reviewer !== '') {
    return propose(client, actions, reviewer);
  }
  await perform(client, actions);
  return null;
}

async function imprintOf(client: Client, ledgerId: string, assetId: string) {
  try {
    return (await client.getLedgerAsset(ledgerId, assetId)).data.imprint;
  } catch (error) {
    if (error instanceof ApiError && error.errors.some(({ code }) => code === ASSET_NOT_FOUND)) {
      return null;
    }
    throw error;
  }
}

/** Returns the address of a certificate on this service, with the ledger's address in lower case. */
export const certificateAddress = ({ ledgerId, assetId }: { ledgerId: string; assetId: string }) => `${location.origin}/c/${ledgerId.toLowerCase()}/${assetId}`;

/** Returns the address at which a ledger looks for an asset's metadata. */
export const metadataAddress = ({ uriPrefix, uriPostfix }: Places, assetId: string) => `${uriPrefix}${assetId}${uriPostfix}`;

/** Returns the address of the folder on the issuer's web site for the files of all certificates of a ledger. */
export function folderOf(given: string): string {
  const text = given.trim();
  const url = URL.canParse(text) ? new URL(text) : null;
  const isLocal = url?.protocol === 'http:' && /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(url.hostname);
  if (url === null || (url.protocol !== 'https:' && !isLocal) || url.search !== '' || url.hash !== '') {
    throw Refusal.of('issue.folderWrong');
  }
  return url.href.endsWith('/') ? url.href : `${url.href}/`;
}

/** The address at which this service hosts files. */
const HOSTED = `${location.origin}/files/`;

/** Returns true if this service hosts the files of a ledger's certificates. */
export const isHosted = ({ uriPrefix }: Pick<Places, 'uriPrefix'>) => uriPrefix.startsWith(HOSTED);

/** Returns the place of the files of a new ledger on this service. `account` is the ledger's owner. */
export const placeOf = (account: string): Places => ({ uriPrefix: `${HOSTED}${account}/${randomHex(12)}/`, uriPostfix: '' });

/** Uploads the public files of a certificate to this service. Returns an empty list, because the issuer has nothing to upload. */
export async function publish(client: Client, made: Made, ledger: Pick<Ledger, 'ref'>, assetId: string): Promise<PublicFile[]> {
  const upload = async (text: string, options: { assetId?: string; name?: 'metadata' | 'evidence' }) =>
    (await client.uploadFile(new Blob([text], { type: 'application/json' }), { ledgerRef: ledger.ref, ...options })).data;
  const schema = await upload(made.schema, {});
  const evidence = await upload(made.evidence.whole, { assetId, name: 'evidence' });
  const addresses = { evidence: evidence.namedAddress ?? evidence.address, schema: schema.address };
  await upload(JSON.stringify(withAddresses(metadataIn(made), addresses)), { assetId, name: 'metadata' });
  return [];
}

function metadataIn(made: Made) {
  const metadata: unknown = JSON.parse(made.metadata.whole);
  return isObject(metadata) ? metadata : {};
}

/**
 * Returns the three public files of a certificate for the issuer's own web site. The metadata has the addresses of the other
 * two files, relative to its own address. `made` is the result of the task `certify`, called without addresses.
 */
export function publicFiles(made: Made, ledger: Places, assetId: string): PublicFile[] {
  const address = metadataAddress(ledger, assetId);
  const names = { evidence: `${assetId}.evidence.json`, schema: `${made.files.schema}.schema.json` };
  const metadata = withAddresses(metadataIn(made), names);
  const at = (name: string) => new URL(name, address).href;
  const texts: [address: string, text: string][] = [
    [address, JSON.stringify(metadata, null, 2)],
    [at(names.evidence), made.evidence.whole],
    [at(names.schema), made.schema],
  ];
  return texts.map(([address, text]) => ({ name: decodeURIComponent(new URL(address).pathname.split('/').at(-1) ?? ''), address, text }));
}
