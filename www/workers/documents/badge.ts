// Makes and opens Open Badges in a worker (cert-badge). WebCrypto signs and checks signatures. Does not use the DOM.
import init, { Opened, Unsigned, baked, listedKey, withKey } from '/badge/badge.js';
import { fromBase64url } from '/lib/base64url.ts';
import { Refusal } from '/view/json.ts';
import { serve } from '/lib/serve.ts';

/** A certificate: its file, which shows the values that the badge may have, and the service's answer about it. */
interface Facts {
  file: string;
  /** The imprint on the ledger. */
  imprint: string;
  domain: string;
  name: string | null;
  /** The time at which the asset was created. */
  created: string;
  /** The short form that proves the shown values, or null if all of them are public. */
  form: string | null;
}

/** A badge to make. */
interface ToMake extends Facts {
  /** The place in the service's status list, or null. */
  place: { list: number; index: number } | null;
  withEmail: boolean;
  /** The id of the key in the issuer's `did.json`. */
  keyId: string;
  key: CryptoKey;
}

/** The state of a badge key in a `did.json`: its id, or null, and the rules that the file breaks. */
export interface ListedKey {
  id: string | null;
  broken: { code: string; isFatal: boolean }[];
}

/** The badge key, and the issuer's `did.json`. */
interface InFile {
  did: string;
  domain: string;
  key: Uint8Array;
}

/** The statements of a badge about itself, before any check. */
export interface Said {
  name: string;
  issuer: string;
  /** The address of the certificate. */
  evidence: string;
}

/** The signature of a badge: whether the issuer's domain lists its key, and whether it fits. */
export type Signed = 'valid' | 'wrong' | 'missing' | 'notListed';

export type Tasks = typeof TASKS;

const ED25519 = { name: 'Ed25519' };
const P256 = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
/** The number of bytes of a key of Ed25519. */
const ED25519_BYTES = 32;

/** A key, the bytes to sign and a signature, as far as they are there. */
type Signature = [key: Uint8Array | undefined, content: Uint8Array | undefined, signature: Uint8Array | undefined];

/** Checks a signature. The length of the key tells its kind. */
async function checked(...[key, content, signature]: Signature): Promise<Signed> {
  if (content === undefined || signature === undefined) {
    return 'missing';
  }
  if (key === undefined) {
    return 'notListed';
  }
  const kind = key.length === ED25519_BYTES ? ED25519 : P256;
  try {
    const known = await crypto.subtle.importKey('raw', new Uint8Array(key), kind, false, ['verify']);
    return (await crypto.subtle.verify(kind, known, new Uint8Array(signature), new Uint8Array(content))) ? 'valid' : 'wrong';
  } catch {
    // The key is not on its curve, so it has signed nothing.
    return 'wrong';
  }
}

const TASKS = {
  /** Returns the state of a badge key in the issuer's file. */
  listed: ({ did, domain, key }: InFile): ListedKey => JSON.parse(listedKey(did, domain, key)),

  /** Returns the issuer's file with the badge key. */
  withKey: ({ did, domain, key }: InFile): string => `${withKey(did, domain, key)}\n`,

  /** Makes and signs a badge. Returns its JSON. */
  async make({ place, withEmail, keyId, key, ...facts }: ToMake): Promise<string> {
    const unsigned = new Unsigned(facts.file, factsText(facts), JSON.stringify({ place, withEmail, keyId, now: Date.now() }));
    return unsigned.signed(new Uint8Array(await crypto.subtle.sign(ED25519, key, new Uint8Array(unsigned.toSign()))));
  },

  /** Puts a badge into a picture. */
  bake: ({ picture, badge }: { picture: Uint8Array; badge: string }): Uint8Array<ArrayBuffer> => new Uint8Array(baked(picture, badge)),

  /** Reads a badge, or a picture with a badge inside. */
  said: ({ bytes }: { bytes: Uint8Array }): Said => using(bytes, (badge) => JSON.parse(badge.said())),

  /** Checks the signature of a badge by the issuer's file. */
  signature: ({ bytes, did }: { bytes: Uint8Array; did: string }): Promise<Signed> => checked(...using(bytes, (badge): Signature => [badge.key(did), badge.toSign(), badge.signature()])),

  /** Checks the signature of a JWT by the issuer's file. */
  jwtSignature({ jwt, did, domain, keyId }: { jwt: string; did: string; domain: string; keyId: string }): Promise<Signed> {
    const end = jwt.lastIndexOf('.');
    return checked(Opened.jwtKey(did, domain, keyId), new TextEncoder().encode(jwt.slice(0, end)), fromBase64url(jwt.slice(end + 1)));
  },

  /** Returns true if a badge says the same as its certificate. The file has the values that the badge's evidence proves. */
  saysTheSame: ({ bytes, ...facts }: Facts & { bytes: Uint8Array }): boolean => using(bytes, (badge) => badge.saysTheSame(facts.file, factsText(facts))),
};

function factsText({ imprint, domain, name, created, form }: Facts): string {
  return JSON.stringify({ imprint, domain, name, created: Date.parse(created), form });
}

function using<Result>(bytes: Uint8Array, act: (badge: Opened) => Result): Result {
  const badge = new Opened(bytes);
  try {
    return act(badge);
  } finally {
    badge.free();
  }
}

/** The keys of texts about the codes that WebAssembly throws. Other codes are faults of this program. */
const KEYS: Partial<Record<string, string>> = {
  'name-missing': 'openBadge.nameMissing',
  'link-too-long': 'openBadge.tooLong',
  'badge-too-large': 'openBadge.tooLarge',
  'profile-unknown': 'openBadge.profile',
  'not-proven': 'openBadge.notProven',
  'badge-foreign': 'openBadge.foreignUnnamed',
  'picture-without-badge': 'openBadge.unbaked',
  'picture-with-badges': 'openBadge.several',
  'picture-damaged': 'openBadge.damaged',
  'picture-compressed': 'openBadge.damaged',
};

const ready = init({ module_or_path: new URL('../../../cert-badge/dist/badge_bg.wasm', import.meta.url) });

serve(TASKS, { ready: () => ready, refusalOf: (thrown) => (typeof thrown === 'string' ? Refusal.of(KEYS[thrown] ?? 'openBadge.failed') : thrown) });
