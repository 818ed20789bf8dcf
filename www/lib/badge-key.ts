// The badge key of this browser: an Ed25519 key in IndexedDB, which no script can export. Each browser has its own, and a domain may list several.
import { Refusal } from '../../pkg/view/src/json.ts';
import { within } from './stored.ts';

const KEYS = { database: 'assay.badges', store: 'keys' };
/** The only entry: the key of this origin. */
const OWN = 'own';

/** Returns the badge key. Makes it the first time. Refuses with `openBadge.browser` if the browser has no Ed25519 or stores nothing. */
export async function badgeKey(): Promise<{ pair: CryptoKeyPair; bytes: Uint8Array<ArrayBuffer> }> {
  try {
    const kept = await within<CryptoKeyPair>(KEYS, 'readonly', (keys) => keys.get(OWN));
    const pair = kept ?? (await drawn());
    return { pair, bytes: new Uint8Array(await crypto.subtle.exportKey('raw', pair.publicKey)) };
  } catch {
    throw Refusal.of('openBadge.browser');
  }
}

async function drawn(): Promise<CryptoKeyPair> {
  const pair = await crypto.subtle.generateKey({ name: 'Ed25519' }, false, ['sign', 'verify']);
  if (!('privateKey' in pair)) {
    throw new Error('Ed25519 has pairs of keys');
  }
  // Another tab may have been faster. Its key counts.
  await within(KEYS, 'readwrite', (keys) => keys.add(pair, OWN)).catch(() => {});
  return (await within<CryptoKeyPair>(KEYS, 'readonly', (keys) => keys.get(OWN))) ?? Promise.reject(new Error('nothing was stored'));
}
