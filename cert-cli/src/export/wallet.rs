//! Offers of credentials to wallets: the credential is encrypted here, the service keeps it until a wallet picks it up, and only the offer's link has the
//! code (docs/decisions/0091-wallet-offers.md).

use base64ct::{Base64UrlUnpadded, Encoding as _};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use ring::aead::{AES_256_GCM, Aad, LessSafeKey, Nonce, UnboundKey};
use ring::{digest, hmac};
use serde_json::json;

use crate::batch::random;
use crate::batch::service::Service;
use crate::failure::Failure;
use crate::keys;

/// The days for which an offer waits.
const DAYS: u8 = 7;
/// Bytes of a code, of a token and of a key.
const SECRET_BYTES: usize = 32;
/// The grant type of OpenID4VCI 1.0.
const GRANT: &str = "urn:ietf:params:oauth:grant-type:pre-authorized_code";

/// A kind of credential in the service's metadata for wallets.
#[derive(Clone, Copy, Debug)]
pub(super) enum Kind {
    OpenBadge,
    OpenBadgeJwt,
    SdJwt,
}

impl Kind {
    const fn id(self) -> &'static str {
        match self {
            Self::OpenBadge => "open-badge",
            Self::OpenBadgeJwt => "open-badge-jwt",
            Self::SdJwt => "sd-jwt",
        }
    }
}

/// Stores a credential for a wallet. Returns the offer's link, which works once.
pub(super) fn offer(
    service: &Service,
    ledger: &str,
    kind: Kind,
    credential: &str,
) -> Result<String, Failure> {
    let code = random::<SECRET_BYTES>()?;
    let token = derive(&code, "assay wallet token");
    let key = derive(token.as_ref(), "assay wallet key");
    let mut text = credential.as_bytes().to_vec();
    let sealed = UnboundKey::new(&AES_256_GCM, key.as_ref()).and_then(|key| {
        // A key encrypts one text only, so its nonce needs no randomness.
        let nonce = Nonce::assume_unique_for_key([0; 12]);
        LessSafeKey::new(key).seal_in_place_append_tag(nonce, Aad::empty(), &mut text)
    });
    if sealed.is_err() {
        unreachable!("a tag of HMAC-SHA-256 is a key of AES-256");
    }
    let hash = digest::digest(&digest::SHA256, &code);
    let body = json!({
        "codeHash": keys::hex(hash.as_ref()),
        "configuration": kind.id(),
        "ciphertext": Base64UrlUnpadded::encode_string(&text),
        "days": DAYS,
    });
    let path = format!("/ledgers/{ledger}/wallet-offers");
    let answer = service.post(&path, &keys::draw()?, &body)?;
    if !answer.is_success() {
        let why = format!("{}{path}: {}", service.base(), answer.reasons());
        return Err(Failure::new("service-refused", why));
    }
    let content = json!({
        "credential_issuer": service.base(),
        "credential_configuration_ids": [kind.id()],
        "grants": { GRANT: { "pre-authorized_code": Base64UrlUnpadded::encode_string(&code) } },
    });
    let content = content.to_string();
    let content = utf8_percent_encode(&content, NON_ALPHANUMERIC);
    Ok(format!(
        "openid-credential-offer://?credential_offer={content}"
    ))
}

/// Computes the secret that follows from another one.
fn derive(secret: &[u8], purpose: &str) -> hmac::Tag {
    hmac::sign(
        &hmac::Key::new(hmac::HMAC_SHA256, secret),
        purpose.as_bytes(),
    )
}
