// A wallet library of others picks up credentials that `cert export` offers by OpenID4VCI 1.0.
import assert from "node:assert/strict";
import { createHash, randomBytes } from "node:crypto";
import { load } from "./programs.mjs";

const [{ Openid4vciClient, setGlobalConfig }, { clientAuthenticationAnonymous }] = await Promise.all(["@openid4vc/openid4vci", "@openid4vc/oauth2"].map(load));

// The service listens on loopback, without TLS.
setGlobalConfig({ allowInsecureUrls: true });

const never = () => {
  throw new Error("a wallet without a key of the holder signs and decrypts nothing");
};
const wallet = new Openid4vciClient({
  callbacks: {
    fetch,
    hash: (data, algorithm) => createHash(algorithm.replace("-", "")).update(data).digest(),
    generateRandom: (count) => randomBytes(count),
    clientAuthentication: clientAuthenticationAnonymous(),
    signJwt: never,
    verifyJwt: never,
    encryptJwe: never,
    decryptJwe: never,
  },
});

/** Picks up the credential of an offer's link. Returns its kind and the credential. */
export async function pickUp(link) {
  const credentialOffer = await wallet.resolveCredentialOffer(link);
  const issuerMetadata = await wallet.resolveIssuerMetadata(credentialOffer.credential_issuer);
  const [kind, ...others] = credentialOffer.credential_configuration_ids;
  assert.deepEqual(others, []);
  assert.ok(kind in issuerMetadata.knownCredentialConfigurations, "the library does not know the kind of the credential");
  const { accessTokenResponse } = await wallet.retrievePreAuthorizedCodeAccessTokenFromOffer({ credentialOffer, issuerMetadata });
  const accessToken = accessTokenResponse.access_token;
  const { credentialResponse } = await wallet.retrieveCredentials({ issuerMetadata, accessToken, credentialConfigurationId: kind });
  const [{ credential }] = credentialResponse.credentials;
  return { kind, credential, format: issuerMetadata.credentialIssuer.credential_configurations_supported[kind].format };
}
