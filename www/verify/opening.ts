// Side effects of opening a certificate: from a link, from files, from a picture of a QR code, and the example.
import type { Validity } from '/client/index.js';
import { cleaned, isAnchor, isFile, readFile } from '/lib/file.ts';
import { ask } from '/lib/beside.ts';
import type { Compact } from '/lib/compact.ts';
import type { Copy } from '/lib/file.ts';
import { foreignKind } from '/view/foreign.ts';
import { assetOf as assetIn, isPrivateFile } from '/view/issue.ts';
import { Refusal, isObject, own, visible } from '/view/json.ts';
import { assetOf, isCutLink } from '/lib/link.ts';
import { part } from '/lib/part.ts';
import { pixelsOf } from '/lib/pictures.ts';
import { readCertificate } from '/lib/certificate-file.ts';
import { isPrivateName } from '/lib/saved-page.ts';
import { shortIn } from '/lib/short.ts';
import { listText, say, sayIn } from '/lib/texts.ts';
import { refusal } from '/components/answer.ts';
import { certificateIn, codeReader } from './code.ts';
import type { OpenedBadge } from './badge.ts';
import type { Action, Parts, Shown, State } from './state.ts';

export type Dispatch = (action: Action) => void;

/** The maximum number of files that are read together. */
const MAX_FILES = 8;
/** The maximum size of a picture with a badge inside, in bytes (docs/spec/badge.md). */
const MAX_BADGE = 10 * 1024 * 1024;
/** The maximum width and height of a picture for the reader of QR codes, in pixels. */
const MAX_PIXELS = 1600;

/** What an opened text, file or example shows. Null if another page opens instead. */
type Opened = { readonly shown: Shown; readonly whose?: readonly string[]; readonly isWarning?: boolean } | null;

/** Opens a certificate, and shows it or the reason of a refusal. */
async function open(read: () => Promise<Opened>, isReading: boolean, dispatch: Dispatch): Promise<void> {
  const opening = {};
  dispatch({ type: 'opening', opening, isReading });
  try {
    const opened = await read();
    if (opened !== null) {
      dispatch({ type: 'shown', opening, shown: opened.shown, whose: opened.whose ?? [], isWarning: opened.isWarning ?? false });
    }
  } catch (error) {
    dispatch({ type: 'refused', opening, answer: refusal(error) });
  }
}

/** Opens the certificate that the text of the field names. */
export const openGiven = ({ given }: State, dispatch: Dispatch): Promise<void> => open(() => readLink(given), false, dispatch);

/**
 * Returns the certificate that a text names. If the text names no other service, opens the certificate's page, because the address of that page can be
 * passed on.
 */
async function readLink(text: string, refusal = Refusal.of(isCutLink(text) ? 'file.link' : 'verify.nothing')): Promise<Opened> {
  const short = shortIn(text);
  if (short !== null) {
    return openShort(short);
  }
  const asset = assetOf(text);
  if (asset === null) {
    throw refusal;
  }
  const [ledger, id] = [asset.ledgerId, BigInt(asset.assetId).toString()];
  const { host, fragment } = asset;
  const given = fragment === null || isAnchor(cleaned(fragment)) ? null : fragment;
  const opened = given === null ? null : await ask('openForm', given);
  const path = `/c/${ledger}/${id}`;
  if (host === null || host === location.host) {
    location.assign(opened === null ? path : `${path}#${opened.form}`);
    return null;
  }
  return { shown: shownOf(ledger, id, opened?.content ?? null, ''), whose: [say('verify.other', { host: visible(host) })] };
}

/** Opens a short link. Only the service that keeps its content can open it. */
async function openShort({ host, path }: NonNullable<ReturnType<typeof shortIn>>): Promise<null> {
  if (host !== null && host !== location.host) {
    const say = await sayIn('short');
    throw new Refusal(say('link.elsewhere', { host: visible(host) }));
  }
  location.assign(path);
  return null;
}

const shownOf = (ledger: string, asset: string, copy: Copy | Compact | null, source: string, wholeSource = source): Shown => ({
  ledger,
  asset,
  copy,
  source,
  wholeSource,
  address: `${location.origin}/c/${ledger}/${asset}`,
});

/** Opens the certificate that a code names. */
export const openCode = (text: string, dispatch: Dispatch): Promise<void> => open(() => readLink(text), false, dispatch);

/** Shows the reason why nothing can be opened. */
export const refuse = (error: unknown, dispatch: Dispatch): Promise<void> => open(() => Promise.reject(error), false, dispatch);

/** Opens files: the certificate's file, a picture of its QR code, or its separate files. */
export const openFiles = (files: readonly File[], state: State, dispatch: Dispatch): Promise<void> => open(() => readFiles(files, state, dispatch), true, dispatch);

async function readFiles(files: readonly File[], { parts: before, given }: State, dispatch: Dispatch): Promise<Opened> {
  if (files.length > MAX_FILES) {
    throw Refusal.of('share.tooMany');
  }
  let parts = before;
  for (const file of files) {
    if (await hasBadge(file)) {
      return readBadge(file);
    }
    if (await hasJwt(file)) {
      return readJwt(file);
    }
    if (file.type.startsWith('image/')) {
      return readLink(await codeIn(file));
    }
    const text = await readCertificate(file);
    if (isPrivateFile(text)) {
      throw Refusal.of('verify.privateFile');
    }
    if (isFile(text)) {
      return { shown: shownFile(text, isPrivateName(file.name)) };
    }
    // Separate files are kept until all of them are there.
    parts = { ...parts, ...partIn(parsed(text)) };
    dispatch({ type: 'partsKept', parts });
  }
  const shown = shownParts(parts, given);
  dispatch({ type: 'partsKept', parts: {} });
  return { shown };
}

/** Returns true for a file that may be a badge, or a picture with a badge inside. The names of both are in ASCII, and stand in the file as they are. */
async function hasBadge(file: File): Promise<boolean> {
  const mayHave = /\.(json|png|svg)$/i.test(file.name) || /^(image\/|application\/(json|vc))/.test(file.type);
  return mayHave && file.size <= MAX_BADGE && /"OpenBadgeCredential"|openbadgecredential|openbadges:credential/.test(await file.text());
}

/** Returns true for a file that may be a badge as JWT, or an SD-JWT. Both start with the JSON of their header. */
const hasJwt = async (file: File): Promise<boolean> => file.size <= MAX_BADGE && /^\s*eyJ[\w-]+\.eyJ/.test(await file.slice(0, 2048).text());

/** Opens a badge as JWT, or an SD-JWT, which ends with a tilde. */
async function readJwt(file: File): Promise<Opened> {
  const text = await file.text();
  if (!text.includes('~')) {
    return readBadge(file);
  }
  const { openSdJwt } = await part(import('./sd-jwt.ts'));
  return openedOf(await openSdJwt(text));
}

async function readBadge(file: File): Promise<Opened> {
  const { openBadge } = await part(import('./badge.ts'));
  return openedOf(await openBadge(new Uint8Array(await file.arrayBuffer())));
}

function openedOf({ ledger, asset, copy, sentence, isWarning }: OpenedBadge): Opened {
  return { shown: shownOf(ledger, asset, copy, copy === null ? '' : say('certificate.fromFile')), whose: sentence, isWarning };
}

function shownFile(text: string, isPrivate: boolean): Shown {
  const { service, ledger, asset, schema, document, evidence } = readFile(text);
  if (service !== location.origin) {
    throw Refusal.of('verify.foreignService', { host: new URL(service).host });
  }
  const whole = say('certificate.fromPrivateFile');
  return shownOf(ledger, asset, { schema, document, evidence }, isPrivate ? whole : say('certificate.fromFile'), whole);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    const kind = foreignKind(text);
    throw Refusal.of(kind === null ? 'file.json' : `foreign.${kind}`);
  }
}

const hasNodes = (proofs: unknown): boolean => Array.isArray(proofs) && proofs.every((proof) => Array.isArray(own(proof, 'nodes')));

/** Returns separate evidence, or a separate schema or document. */
function partIn(value: unknown): Parts {
  const proofs = Array.isArray(value) ? value : own(value, 'data');
  if (typeof own(value, 'proof') === 'string' || (Array.isArray(proofs) && proofs.length > 0 && hasNodes(proofs))) {
    return { evidence: value };
  }
  if (!isObject(value)) {
    throw Refusal.of('foreign.list');
  }
  return isObject(own(value, 'properties')) ? { schema: value } : { document: value };
}

/** Returns the separate files as a certificate. Refuses them while one is missing. The record belongs to the asset of the link in the field, or else to the asset that the files name. */
function shownParts({ evidence, schema, document }: Parts, given: string): Shown {
  const values = own(evidence, 'values');
  const missing = Object.entries({ document: document ?? values, evidence, schema })
    .filter(([, value]) => value === undefined)
    .map(([name]) => say(`verify.${name}`));
  if (missing.length > 0 || !isObject(schema)) {
    throw Refusal.of('verify.missing', { files: listText(missing) });
  }
  const named = assetIn(document ?? topLevel(values));
  const asset = assetOf(given) ?? assetOf(`${named.ledgerId}/${named.assetId}`);
  if (asset === null) {
    throw Refusal.of('verify.imprintMissing');
  }
  const copy = { schema, document: isObject(document) ? document : null, evidence };
  return shownOf(asset.ledgerId, BigInt(asset.assetId).toString(), copy, say('certificate.fromFile'));
}

/** Returns the top-level values of attached evidence, which are pairs of a path and a value. */
function topLevel(values: unknown): unknown {
  const pairs: unknown[] = Array.isArray(values) ? values : [];
  return Object.fromEntries(pairs.flatMap((pair) => (Array.isArray(pair) && Array.isArray(pair[0]) && pair[0].length === 1 ? [[pair[0][0], pair[1]]] : [])));
}

/** Reads the QR code in a picture. */
async function codeIn(file: File): Promise<string> {
  const pixels = await createImageBitmap(file)
    .then((picture) => pixelsOf(picture, picture, MAX_PIXELS))
    .catch(() => {
      throw Refusal.of('verify.pictureBroken');
    });
  const text = (await codeReader())(pixels);
  if (text === null) {
    throw Refusal.of('verify.noQr');
  }
  return certificateIn(text);
}

/** Opens the example. Its record is a file of this page. `change` converts the record to an answer of the service. */
export const openExample = (change: (data: Validity) => Validity, dispatch: Dispatch): Promise<void> =>
  open(
    async () => {
      const { data }: { data: Validity } = await (await fetch('/verify/example.json')).json();
      const { ledger, asset } = data;
      const record = async () => change(data);
      return { shown: { ledger: ledger?.id ?? '', asset: asset?.id ?? '', source: say('verify.isExample'), address: null, record, isEmbedded: true } };
    },
    false,
    dispatch,
  );
