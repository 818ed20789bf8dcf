// Makes Open Badges from certificates, and checks badges, by a worker (docs/spec/badge.md).
import type { Client, Validity } from '/client/index.js';
import { ask as askDocuments, beside } from './beside.ts';
import { readFile } from './file.ts';
import { headingOf } from '../../pkg/view/src/display.ts';
import { badgeKey } from './badge-key.ts';
import { badgePicture } from './badge-picture.ts';
import { isAssetKey, isPointer } from '../../pkg/view/src/issue.ts';
import { Refusal, own } from '../../pkg/view/src/json.ts';
import type { JsonObject } from '../../pkg/view/src/json.ts';
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
}

/** Makes the badge of a certificate, which shows the public fields and the chosen ones. Returns the file to publish first if the badge key is not listed. */
export async function makeBadge({ file, record, domain, publicKeys, choices }: Ready, chosen: ReadonlySet<string>, client: Client, colour: string): Promise<MadeBadge | Unlisted> {
  const { pair, bytes: key } = await badgeKey();
  const did = await didOf(domain);
  if (did === null) {
    throw Refusal.of('openBadge.unreadable', { domain });
  }
  const { id, broken } = await ask('listed', { did, domain, key });
  if (id === null || broken.some(({ isFatal }) => isFatal)) {
    return { domain, file: await ask('withKey', { did, domain, key }) };
  }
  const { service, ledger, asset, imprint } = readFile(file);
  const shown = choices.filter(({ key }) => chosen.has(key));
  const paths = [...publicKeys, ...shown.map(({ key }) => key)].map((key) => [key]);
  const { file: copy, fragment } = await askDocuments('share', { texts: [file], paths, ledger, asset, service });
  if (shown.length > 0 && fragment === null) {
    throw Refusal.of('openBadge.tooLong');
  }
  const facts = { file: copy, imprint, domain, name: record.issuer?.name ?? null, created: record.asset?.createdAt ?? '' };
  const place = await placeOf(client, ledger, asset, imprint);
  const withEmail = shown.some(({ isEmail }) => isEmail);
  const json = await ask('make', { ...facts, form: shown.length > 0 ? fragment : null, place, withEmail, keyId: id, key: pair.privateKey });
  const title = String(own(readFile(copy).document, 'name') ?? '');
  const picture = await ask('bake', { picture: await badgePicture(title, record.issuer?.name ?? domain, colour), badge: json });
  return { json, picture };
}

/** Returns the entry of this browser's badge key for the file of a domain. */
export async function entryFor(domain: string): Promise<Readonly<Record<string, unknown>>> {
  const { bytes: key } = await badgeKey();
  const did = JSON.stringify({ id: `did:web:${domain.replace(':', '%3A')}` });
  const { verificationMethod } = JSON.parse(await ask('withKey', { did, domain, key }));
  return verificationMethod[0];
}

/** Draws a place in the status lists of the service. Returns null if the service has none. */
async function placeOf(client: Client, ledger: string, assetId: string, imprint: string) {
  if ((await client.getOperator()).data.statusLists !== 'on') {
    return null;
  }
  const [place] = (await client.createStatusEntries(ledger, [{ assetId, imprint }])).data.entries;
  return place === undefined ? null : { list: place.list, index: place.index };
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
