// The message that signs in (EIP-4361). The client writes the message itself, so a service cannot choose the signed text.
import type { Challenge } from "./types.js";

const STATEMENT = "Sign in. This costs nothing and sends no transaction.";
const NONCE = /^[0-9A-Za-z]{8,200}$/;
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?Z$/;

/** Returns the message of an account for the service at `apiUrl`. Throws if the challenge is malformed or for another service. */
export function signInMessage(apiUrl: string, account: string, challenge: Challenge): string {
  const { host, origin } = new URL(apiUrl);
  const { domain, uri, version, chainId, nonce, issuedAt, expirationTime } = challenge;
  if (domain !== host || uri !== origin) throw new Error(`the service at \`${origin}\` asks for a signature for \`${uri}\`: set \`apiUrl\` to the service's own address`);
  const isKnown = version === "1" && Number.isSafeInteger(chainId) && NONCE.test(nonce) && TIME.test(issuedAt) && TIME.test(expirationTime);
  if (!isKnown) throw new Error("the service's challenge has an unknown form");
  return [
    `${host} wants you to sign in with your Ethereum account:`,
    account,
    "",
    STATEMENT,
    "",
    `URI: ${origin}`,
    "Version: 1",
    `Chain ID: ${chainId}`,
    `Nonce: ${nonce}`,
    `Issued At: ${issuedAt}`,
    `Expiration Time: ${expirationTime}`,
  ].join("\n");
}
