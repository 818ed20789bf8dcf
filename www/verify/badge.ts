// Opens an Open Badge that was made from a certificate: compares both, and opens the certificate. This part of the page is loaded with the first badge.
import { type Compared, compared, saidBy } from '/lib/badges.ts';
import { ask } from '/lib/beside.ts';
import { type Copy, isCompact, writeFile } from '/lib/file.ts';
import { assetOf } from '/lib/link.ts';
import { sayIn } from '/lib/texts.ts';
import { validityOf } from '/lib/validity.ts';
import type { Validity } from '/client/index.js';
import { Refusal, isObject, own, shorten, visible } from '/view/json.ts';

/** The maximum length of a shown name, in characters. */
const MAX_NAME = 120;
/** The results for which the badge is not a reason to doubt. */
const HARMLESS: readonly Compared[] = ['same', 'unreadable'];

/** A certificate that a badge names, and a sentence about the badge. `copy` is null if the badge shows public values only. */
export interface OpenedBadge {
  readonly ledger: string;
  readonly asset: string;
  readonly copy: Copy | null;
  /** The sentence in parts. Every second part is a name, which browsers must not translate. */
  readonly sentence: readonly string[];
  readonly isWarning: boolean;
}

/** Opens a badge, or a picture with a badge inside. Refuses badges of other programs and of other services. */
export async function openBadge(bytes: Uint8Array): Promise<OpenedBadge> {
  const say = await sayIn('openbadge');
  const refused = (error: unknown) => {
    throw error instanceof Refusal && error.key?.startsWith('openBadge.') ? new Refusal(foreignSentence(error, bytes) ?? say(error.key, error.values)) : error;
  };
  const foreignSentence = (error: Refusal, bytes: Uint8Array) => {
    const issuer = error.key === 'openBadge.foreignUnnamed' ? issuerIn(bytes) : null;
    return issuer === null ? null : say('openBadge.foreign', { issuer });
  };
  const said = await saidBy(bytes).catch(refused);
  const asset = assetOf(said.evidence);
  if (asset === null || asset.host === null) {
    throw new Refusal(say('openBadge.foreignUnnamed'));
  }
  if (asset.host !== location.host) {
    throw Refusal.of('verify.foreignService', { host: visible(asset.host) });
  }
  const [ledger, id] = [asset.ledgerId.toLowerCase(), BigInt(asset.assetId).toString()];
  const record = await validityOf({ ledger, asset: id }, 'reload');
  const [, form = null] = said.evidence.split('#');
  const copy = form === null ? null : await copyIn(form);
  const found = await compared(bytes, said, { form, file: fileOf(form === null ? publicCopy(record) : copy, record, ledger, id), record }).catch(refused);
  // `visible` leaves no NUL in a name.
  const named = (name: string) => `\0${visible(shorten(name, MAX_NAME))}\0`;
  const sentence = say(`openBadge.says.${found}`, { name: named(said.name), issuer: named(said.issuer) }).split('\0');
  return { ledger, asset: id, copy, sentence, isWarning: !HARMLESS.includes(found) };
}

/** Returns the copy in a short form, or null if the form is damaged. */
async function copyIn(form: string): Promise<Copy | null> {
  try {
    const { content } = await ask('openForm', form);
    return isCompact(content) ? null : content;
  } catch {
    return null;
  }
}

function publicCopy({ schema, metadata, evidence }: Validity): Copy | null {
  return isObject(schema) && isObject(metadata) ? { schema, document: metadata, evidence } : null;
}

/** Returns the file of a copy with the imprint on the ledger, or null if there is none. */
function fileOf(copy: Copy | null, { asset }: Validity, ledger: string, id: string): string | null {
  if (copy === null || asset?.imprint == null) {
    return null;
  }
  try {
    return writeFile({ service: location.origin, ledger, asset: id, imprint: asset.imprint, ...copy });
  } catch {
    return null;
  }
}

/** Returns the domain or the name of the issuer in the JSON of a foreign badge. */
function issuerIn(bytes: Uint8Array): string | null {
  try {
    const issuer = own(JSON.parse(new TextDecoder().decode(bytes)), 'issuer');
    const id = typeof issuer === 'string' ? issuer : (own(issuer, 'id') ?? own(issuer, 'url'));
    const [, domain] = /^(?:did:web:|https:\/\/)([a-z0-9.-]{1,253})/i.exec(String(id)) ?? [];
    return domain ?? null;
  } catch {
    return null;
  }
}
