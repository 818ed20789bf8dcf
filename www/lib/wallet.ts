// Offers of credentials to wallets (docs/decisions/0091-wallet-offers.md): this browser encrypts a finished credential, the service keeps it until a wallet
// picks it up, and only the offer's link has the code. Does not use the DOM.
import type { Client } from '@assay/client';
import { base64url } from './base64url.ts';
import { hex } from './hex.ts';
import { TAG, encrypted } from './one-use.ts';
import { Refusal } from '../../pkg/view/src/json.ts';

/** The kind of a credential in the service's metadata for wallets. */
export type Configuration = 'open-badge' | 'open-badge-jwt' | 'sd-jwt';

/** A signed credential of a certificate on a ledger. */
interface Finished {
  readonly ledger: string;
  readonly configuration: Configuration;
  /** JSON or a compact JWT, as the wallet gets it. */
  readonly credential: string;
}

/** An offer that waits for a wallet. */
export interface Offer {
  /** The link that opens a wallet. It works once. */
  readonly link: string;
  readonly codeHash: string;
  readonly expiresAt: string;
}

/** The days for which an offer waits. */
const DAYS = 7;
/** The longest cipher text that the service takes, in bytes. */
const MAX_CIPHERTEXT = 65_536;
/** The grant type of OpenID4VCI 1.0. */
const GRANT = 'urn:ietf:params:oauth:grant-type:pre-authorized_code';

/** Stores a credential for a wallet. `issuer` is the origin of the service. */
export async function offer(client: Client, { ledger, configuration, credential }: Finished, issuer: string): Promise<Offer> {
  const text = new TextEncoder().encode(credential);
  if (text.length + TAG > MAX_CIPHERTEXT) {
    throw Refusal.of('openBadge.walletTooLarge');
  }
  const code = crypto.getRandomValues(new Uint8Array(32));
  const key = await derived(await derived(code, 'assay wallet token'), 'assay wallet key');
  const ciphertext = base64url(await encrypted(key, text));
  const codeHash = hex(await crypto.subtle.digest('SHA-256', code));
  const { data } = await client.createWalletOffer(ledger, { codeHash, configuration, ciphertext, days: DAYS });
  const content = { credential_issuer: issuer, credential_configuration_ids: [configuration], grants: { [GRANT]: { 'pre-authorized_code': base64url(code) } } };
  return { link: `openid-credential-offer://?credential_offer=${encodeURIComponent(JSON.stringify(content))}`, codeHash, expiresAt: data.expiresAt };
}

/** Computes the secret that follows from another one. */
async function derived(secret: Uint8Array<ArrayBuffer>, purpose: string): Promise<Uint8Array<ArrayBuffer>> {
  const key = await crypto.subtle.importKey('raw', secret, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign']);
  return new Uint8Array(await crypto.subtle.sign('HMAC', key, new TextEncoder().encode(purpose)));
}
