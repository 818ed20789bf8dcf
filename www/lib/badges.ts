// Makes Open Badges from certificates, and checks badges, by a worker (docs/spec/badge.md).
import type { Client, Validity } from '/client/index.js';
import { ask as askDocuments, beside } from './beside.ts';
import { type CertificateFile, readFile } from './file.ts';
import { headingOf } from '../../pkg/view/src/display.ts';
import { badgeKey } from './badge-key.ts';
import { badgePicture } from './badge-picture.ts';
import { isAssetKey, isPointer } from '../../pkg/view/src/issue.ts';
import { isHosted } from './issuing.ts';
import { Refusal, own } from '../../pkg/view/src/json.ts';
import type { JsonObject } from '../../pkg/view/src/json.ts';
import { type SdJwt, comparedWith } from './sd-jwt.ts';
import { validityOf } from './validity.ts';
import type { Said, Tasks } from '../workers/documents/badge.ts';
import type { Tasks as DidTasks } from '../workers/issuers/did.ts';

const { ask } = beside<Tasks>(new URL('../workers/documents/badge.ts', import.meta.url), { keepsAll: true });
const dids = beside<DidTasks>(new URL('../workers/issuers/did.ts', import.meta.url), { keepsAll: true });

/** The parts of a badge that a field can have, in the order of docs/spec/badge.md. */
const PARTS = ['name', 'description', 'criteria', 'image', 'issuedAt', 'grade', 'email'];

/** A field that is not public, and that the badge can show. */
export interface Choice {
  readonly key: string;
  readonly title: string;
  /** Whether it is, or has, the e-mail address of the holder. */
  readonly isEmail: boolean;
}

/** A certificate from which a badge can be made. */
export interface Ready {
  readonly file: string;
  readonly record: Validity;
  readonly domain: string;
  readonly publicKeys: readonly string[];
  readonly choices: readonly Choice[];
}

/** Reads a holder's file, and the record of its certificate. Refuses a certificate that no badge can be made of now. */
export async function readyFor(file: string): Promise<Ready> {
  const { ledger, asset, imprint, schema, document, evidence } = readFile(file);
  if (own(evidence, 'profile') !== 'AIH-2') {
    throw Refusal.of('openBadge.profile');
  }
  const record = await validityOf({ ledger, asset }, 'reload');
  if (record.status.kind !== 'inForce' || record.integrity !== 'unchanged' || record.asset?.imprint !== imprint) {
    throw Refusal.of('openBadge.notInForce');
  }
  const domain = record.issuer?.kind === 'confirmed' ? record.issuer.domain : null;
  if (domain == null) {
    throw Refusal.of('openBadge.notConfirmed');
  }
  const isOwn = (key: string) => !isAssetKey(key) && !isPointer(key);
  const whole: [string, unknown][] = Object.entries(document ?? {}).filter(([key]) => isOwn(key));
  const isPublic = ([key, value]: [string, unknown]) => JSON.stringify(own(record.metadata, key)) === JSON.stringify(value);
  const choices = whole.filter((member) => !isPublic(member)).flatMap((member) => choiceOf(member, schema));
  return { file, record, domain, publicKeys: whole.filter(isPublic).map(([key]) => key), choices };
}

function choiceOf([key, value]: [string, unknown], schema: JsonObject): Choice[] {
  const property = own(own(schema, 'properties'), key);
  const mark = own(property, 'x-assay-badge');
  const isEmail = mark === 'email' || (mark === undefined && (key === 'email' || (key === 'holder' && typeof own(value, 'email') === 'string')));
  const isPart = isEmail || PARTS.includes(typeof mark === 'string' ? mark : key);
  return isPart ? [{ key, title: headingOf(property) ?? key, isEmail }] : [];
}

/** The badge key is not listed, or the issuer's file breaks a rule. `file` is the text to publish instead. */
export interface Unlisted {
  readonly domain: string;
  readonly file: string;
}

export interface MadeBadge {
  readonly json: string;
  readonly picture: Uint8Array<ArrayBuffer>;
  readonly ledger: string;
  /** The certificate, if its public files are on this service and the badge shows public values only. Otherwise null. */
  readonly hostedAt: { readonly ledger: string; readonly asset: string } | null;
}

/** Uploads a badge of public values, so that programs get it at the certificate's link. */
export async function publishBadge(client: Client, { json, hostedAt }: MadeBadge): Promise<void> {
  if (hostedAt !== null) {
    await client.uploadFile(new Blob([json], { type: 'application/json' }), { ledgerRef: hostedAt.ledger, assetId: hostedAt.asset, name: 'badge' });
  }
}

/** What all badges of an issuer have in common. */
interface Maker {
  readonly domain: string;
  /** The id of the badge key in the issuer's file. */
  readonly keyId: string;
  readonly key: CryptoKey;
  readonly client: Client;
  /** The colour of the pictures. */
  readonly colour: string;
}

/** Prepares the badges of an issuer. Returns the file to publish first if the badge key is not listed. */
export async function makerFor({ domain }: Pick<Ready, 'domain'>, client: Client, colour: string): Promise<Maker | Unlisted> {
  const { pair, bytes: key } = await badgeKey();
  const did = await didOf(domain);
  if (did === null) {
    throw Refusal.of('openBadge.unreadable', { domain });
  }
  const { id, broken } = await ask('listed', { did, domain, key });
  if (id === null || broken.some(({ isFatal }) => isFatal)) {
    return { domain, file: await ask('withKey', { did, domain, key }) };
  }
  return { domain, keyId: id, key: pair.privateKey, client, colour };
}

/** The place of a certificate in the status lists of the service. */
type Place = { list: number; index: number } | null;

/** Makes the badges of certificates of one ledger. Each badge shows the public fields and the chosen ones. Passes each badge on as soon as it is made. */
export async function makeBadges(all: readonly Ready[], chosen: ReadonlySet<string>, maker: Maker, made: (badge: MadeBadge) => void): Promise<void> {
  const files = all.map(({ file }) => readFile(file));
  const places = await placesOf(maker.client, files);
  for (const [index, ready] of all.entries()) {
    made(await makeBadge(ready, chosen, maker, places[index] ?? null));
  }
}

async function makeBadge({ file, record, domain, publicKeys, choices }: Ready, chosen: ReadonlySet<string>, { keyId, key, colour }: Maker, place: Place): Promise<MadeBadge> {
  const { service, ledger, asset, imprint } = readFile(file);
  const shown = choices.filter(({ key }) => chosen.has(key));
  const paths = [...publicKeys, ...shown.map(({ key }) => key)].map((key) => [key]);
  const { file: copy, fragment } = await askDocuments('share', { texts: [file], paths, ledger, asset, service });
  if (shown.length > 0 && fragment === null) {
    throw Refusal.of('openBadge.tooLong');
  }
  const facts = { file: copy, imprint, domain, name: record.issuer?.name ?? null, created: record.asset?.createdAt ?? '' };
  const withEmail = shown.some(({ isEmail }) => isEmail);
  const json = await ask('make', { ...facts, form: shown.length > 0 ? fragment : null, place, withEmail, keyId, key });
  const title = String(own(readFile(copy).document, 'name') ?? '');
  const picture = await ask('bake', { picture: await badgePicture(title, record.issuer?.name ?? domain, colour), badge: json });
  const isHostable = shown.length === 0 && isHosted({ uriPrefix: record.asset?.uri ?? '' });
  return { json, picture, ledger, hostedAt: isHostable ? { ledger, asset } : null };
}

/** The maximum number of places of one request. */
const MAX_PLACES = 1000;

/** Draws places in the status lists of the service. The list is empty if the service has no status lists. */
async function placesOf(client: Client, files: readonly CertificateFile[]): Promise<Place[]> {
  const [first] = files;
  if (first === undefined || (await client.getOperator()).data.statusLists !== 'on') {
    return [];
  }
  const places: Place[] = [];
  for (let start = 0; start < files.length; start += MAX_PLACES) {
    const wanted = files.slice(start, start + MAX_PLACES).map(({ asset, imprint }) => ({ assetId: asset, imprint }));
    const { entries } = (await client.createStatusEntries(first.ledger, wanted)).data;
    places.push(...entries.map(({ list, index }) => ({ list, index })));
  }
  return places;
}

/** Returns the file of a domain with this browser's badge key. */
export async function withBadgeKey(did: string, domain: string): Promise<string> {
  const { bytes: key } = await badgeKey();
  return ask('withKey', { did, domain, key });
}

/** Returns the issuer's file, or null if this browser cannot read it. */
function didOf(domain: string): Promise<string | null> {
  const isHere = /^(localhost|127\.\d+\.\d+\.\d+)(:|$)/.test(domain);
  return dids.ask('read', { domain, protocol: isHere ? 'http:' : 'https:' });
}

/** The result of comparing a badge with its certificate. The keys of texts are `openBadge.says.` and the result. */
export type Compared = 'same' | 'different' | 'notProven' | 'wrongSignature' | 'notListed' | 'unreadable' | 'otherIssuer';

/** Reads a badge, or a picture with a badge inside. */
export const saidBy = (bytes: Uint8Array): Promise<Said> => ask('said', { bytes });

/** Compares a badge with the certificate on its ledger. `copy` has the values that its evidence proves, or null for the public ones. */
export async function compared(bytes: Uint8Array, { issuer }: Said, { form, file, record }: { form: string | null; file: string | null; record: Validity }): Promise<Compared> {
  const { domain = null, name = null } = record.issuer?.kind === 'confirmed' ? record.issuer : {};
  if (domain === null || domain !== issuer) {
    return 'otherIssuer';
  }
  if (file === null || record.asset === null) {
    return 'notProven';
  }
  const did = await didOf(domain);
  if (did === null) {
    return 'unreadable';
  }
  const signature = await ask('signature', { bytes, did });
  if (signature !== 'valid') {
    return signature === 'notListed' ? 'notListed' : 'wrongSignature';
  }
  const facts = { file, imprint: record.asset.imprint ?? '', domain, name, created: record.asset.createdAt ?? '', form };
  try {
    return (await ask('saysTheSame', { bytes, ...facts })) ? 'same' : 'different';
  } catch (error) {
    if (error instanceof Refusal && error.key === 'openBadge.notProven') {
      return 'notProven';
    }
    throw error;
  }
}

/** The result of comparing an SD-JWT with its certificate. The keys of texts are `openBadge.sdJwt.` and the result. */
export type ComparedSdJwt = Exclude<Compared, 'notProven'> | 'notValidNow';

/** Compares an SD-JWT with the certificate on its ledger. Fields that are not public are confirmed by the issuer's signature alone. */
export async function comparedSdJwt({ issuer, imprint, keyId, jwt, from, until, disclosed }: SdJwt, { issuer: known, asset, metadata }: Validity): Promise<ComparedSdJwt> {
  const domain = known?.kind === 'confirmed' ? (known.domain ?? null) : null;
  if (domain === null || domain !== issuer) {
    return 'otherIssuer';
  }
  const did = await didOf(domain);
  if (did === null) {
    return 'unreadable';
  }
  const signature = await ask('jwtSignature', { jwt, did, domain, keyId });
  if (signature !== 'valid') {
    return signature === 'notListed' ? 'notListed' : 'wrongSignature';
  }
  const seconds = Date.now() / 1000;
  if (seconds < from || (until !== null && seconds > until)) {
    return 'notValidNow';
  }
  const isDifferent = disclosed.some((field) => comparedWith(field, own(metadata, field.path.at(-1) ?? '')) === 'different');
  return asset?.imprint !== imprint || isDifferent ? 'different' : 'same';
}
