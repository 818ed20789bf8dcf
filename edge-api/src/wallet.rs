//! Wallet offers: finished credentials that a wallet picks up by OpenID for Verifiable Credential Issuance 1.0 with a pre-authorised code
//! (`docs/decisions/0091-wallet-offers.md`).
//!
//! The issuer's software signs a credential, encrypts it and deposits it. The service signs nothing, and cannot read what it keeps:
//!
//! ```text
//! code   32 random bytes, in the link of the offer
//! token  HMAC-SHA-256(code, "assay wallet token")
//! key    HMAC-SHA-256(token, "assay wallet key"), for AES-256-GCM with twelve zero bytes as nonce: each key encrypts one text
//! ```
//!
//! The depositor sends SHA-256 of the code. The wallet sends the code itself, once, and gets the token. With the token it gets the credential, until
//! [`TOKEN_SECONDS`] have passed. So a lost answer can be asked for again, and a link that was used is worthless.

use aes_gcm::aead::{Aead, KeyInit as _};
use aes_gcm::{Aes256Gcm, Nonce};
use alloy_primitives::hex;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hmac::{Hmac, Mac};
use order_core::{Abilities, Address, Code, Field, json};
use serde::Deserialize;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use crate::api::{Timestamp, WalletOffer};
use crate::context::Context;
use crate::db::{Decision, storage};
use crate::failure::{Failure, Problem};
use crate::ledger::projection::ledger_key;
use crate::links;
use crate::ports::{DatabaseError, Statement};
use crate::text::{DAY_MS, account_key};

/// Maximum bytes of a cipher text: twice a badge with the largest picture that pages make.
pub(crate) const BYTES_MAX: usize = 65_536;
/// Bytes of a code, of a token and of a key.
const SECRET_BYTES: usize = 32;
/// The numbers of days for which an offer can wait.
const DAYS: [u64; 2] = [1, 7];
/// Maximum number of offers of a ledger that wait at a time. They take at most 90 MB.
const OPEN_MAX: u64 = 1_000;
/// Seconds for which a token gets the credential.
pub(crate) const TOKEN_SECONDS: u64 = 600;

/// A kind of credential, as the metadata lists it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Configuration {
    /// An Open Badge with an embedded proof. A JSON object.
    OpenBadge,
    /// An Open Badge as a JWT.
    OpenBadgeJwt,
    /// An SD-JWT VC of a certificate.
    SdJwt,
}

impl Configuration {
    pub(crate) const ALL: [Self; 3] = [Self::OpenBadge, Self::OpenBadgeJwt, Self::SdJwt];

    /// Returns the id of the credential configuration.
    pub(crate) const fn id(self) -> &'static str {
        match self {
            Self::OpenBadge => "open-badge",
            Self::OpenBadgeJwt => "open-badge-jwt",
            Self::SdJwt => "sd-jwt",
        }
    }

    fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|one| one.id() == text)
    }

    /// Returns the configuration's entry in the metadata. `origin` is the service's own.
    fn metadata(self, origin: &str) -> Value {
        let (algorithm, name) = match self {
            Self::OpenBadge => ("eddsa-rdfc-2022", "Open Badge"),
            Self::OpenBadgeJwt => ("ES256", "Open Badge"),
            Self::SdJwt => ("ES256", "Certificate"),
        };
        let mut entry = json!({
            "credential_signing_alg_values_supported": [algorithm],
            "credential_metadata": { "display": [{ "name": name, "locale": "en" }] },
        });
        let types = json!(["VerifiableCredential", "OpenBadgeCredential"]);
        let own = match self {
            Self::OpenBadge => json!({
                "format": "ldp_vc",
                "credential_definition": { "@context": cert_badge::CONTEXTS, "type": types },
            }),
            Self::OpenBadgeJwt => json!({
                "format": "jwt_vc_json",
                "credential_definition": { "type": types },
            }),
            // The type of a credential names its schema. The metadata is the same for all schemas.
            Self::SdJwt => json!({ "format": "dc+sd-jwt", "vct": format!("{origin}/vct") }),
        };
        if let (Some(entry), Value::Object(own)) = (entry.as_object_mut(), own) {
            entry.extend(own);
        }
        entry
    }
}

/// Returns the metadata of the credential issuer (OpenID4VCI 1.0, section 12.2).
pub(crate) fn issuer_metadata(origin: &str, name: &str) -> Value {
    let configurations = Configuration::ALL.map(|one| (one.id().to_owned(), one.metadata(origin)));
    let configurations: serde_json::Map<String, Value> = configurations.into_iter().collect();
    json!({
        "credential_issuer": origin,
        "credential_endpoint": format!("{origin}/wallet/credential"),
        "display": [{ "name": name }],
        "credential_configurations_supported": configurations,
    })
}

/// Returns the metadata of the authorization server (RFC 8414). It is the service itself.
pub(crate) fn server_metadata(origin: &str) -> Value {
    json!({
        "issuer": origin,
        "token_endpoint": format!("{origin}/wallet/token"),
        "grant_types_supported": [GRANT],
        "response_types_supported": [],
        "token_endpoint_auth_methods_supported": ["none"],
        "pre-authorized_grant_anonymous_access_supported": true,
    })
}

/// The grant type of a pre-authorised code.
const GRANT: &str = "urn:ietf:params:oauth:grant-type:pre-authorized_code";

/// The validated content of an offer to create.
pub(crate) struct Draft {
    code_hash: String,
    configuration: Configuration,
    ciphertext: String,
    days: u64,
}

impl Draft {
    /// Parses the body of POST /ledgers/:ledgerRef/wallet-offers. Fails with the errors of all fields.
    pub(crate) fn parse(body: &Value) -> Result<Self, Failure> {
        let mut errors: Vec<Problem> = Vec::new();
        let body = Field::body(body);
        let field = body.get("codeHash");
        let code_hash = field.text().filter(|text| {
            let is_digit = |byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
            text.len() == 2 * SECRET_BYTES && text.bytes().all(is_digit)
        });
        if code_hash.is_none() {
            let expected = "SHA-256 of the code: 64 lower-case hexadecimal digits";
            errors.push(field.wrong(Code::FieldNotValid, expected));
        }
        let field = body.get("configuration");
        let configuration = field.text().and_then(Configuration::parse);
        if configuration.is_none() {
            let expected = "open-badge, open-badge-jwt or sd-jwt";
            errors.push(field.wrong(Code::FieldNotValid, expected));
        }
        let field = body.get("ciphertext");
        let ciphertext = links::ciphertext(&field, BYTES_MAX);
        if ciphertext.is_none() {
            let expected = "16 to 65,536 bytes as base64url without padding";
            errors.push(field.wrong(Code::FieldNotValid, expected));
        }
        let field = body.get("days");
        let days = field.whole_number().filter(|days| DAYS.contains(days));
        if days.is_none() {
            errors.push(field.wrong(Code::FieldNotValid, "1 or 7"));
        }
        match (code_hash, configuration, ciphertext, days) {
            (Some(code_hash), Some(configuration), Some(ciphertext), Some(days)) => Ok(Self {
                code_hash: code_hash.to_owned(),
                configuration,
                ciphertext: ciphertext.to_owned(),
                days,
            }),
            _ => Err(Failure::new(errors)),
        }
    }
}

/// Stores an offer, or stores it again if no wallet has used its code. Only accounts that may issue certificates of the ledger may store one.
///
/// # Errors
/// 400004: the ledger does not exist. 403006: the caller may neither create nor update assets. 429004: too many offers of the ledger wait.
pub(crate) async fn deposit(
    ctx: &Context<'_>,
    caller: &Address,
    ledger: &str,
    draft: &Draft,
) -> Result<Decision<WalletOffer>, Failure> {
    #[derive(Deserialize)]
    struct Row {
        id: String,
        abilities: Option<u16>,
        open: u64,
    }
    let select = Statement::new(
        "SELECT l.id, (SELECT abilities FROM abilities WHERE ledger_id = l.id AND account_id = ?2) AS abilities, \
         (SELECT count(*) FROM wallet_offers WHERE ledger_id = l.id AND expires_at > ?3) AS open \
         FROM ledgers l WHERE l.id = ?1 OR l.ref = ?1",
    )
    .bind(ledger_key(ledger))
    .bind(account_key(caller))
    .bind(ctx.now());
    let found = ctx.db().query(select).await?.first::<Row>()?;
    let found = found.ok_or_else(|| Failure::code(Code::LedgerNotFound))?;
    let abilities = Abilities::from_bits(found.abilities.unwrap_or_default())
        .map_err(|why| DatabaseError::corrupt("abilities", "", why))?;
    if !abilities.can_issue() {
        return Err(Failure::code(Code::OffersNotAllowed));
    }
    if found.open >= OPEN_MAX {
        return Err(Failure::code(Code::OffersFull));
    }
    let expires_at = ctx.now().saturating_add(draft.days.saturating_mul(DAY_MS));
    let insert = Statement::new(
        "INSERT INTO wallet_offers (code_hash, ledger_id, configuration, ciphertext, expires_at) VALUES (?1, ?2, ?3, ?4, ?5) \
         ON CONFLICT (code_hash) DO UPDATE SET configuration = excluded.configuration, ciphertext = excluded.ciphertext, \
         expires_at = excluded.expires_at WHERE ledger_id = excluded.ledger_id AND token_hash IS NULL",
    )
    .bind(draft.code_hash.as_str())
    .bind(found.id)
    .bind(draft.configuration.id())
    .bind(draft.ciphertext.as_str())
    .bind(expires_at);
    let offer = WalletOffer {
        code_hash: draft.code_hash.clone(),
        configuration: draft.configuration.id(),
        expires_at: Timestamp(expires_at),
    };
    Ok(Decision::new("wallet-offer", vec![insert], offer).paid_by(storage::WORK))
}

/// Returns the decision to end an offer that no wallet has used. Its transaction returns a row if there was one, and if the caller has an ability on the
/// ledger. The hash is known only to accounts that know the code, or stored the offer.
pub(crate) fn end(caller: &Address, ledger: &str, code_hash: &str) -> Decision<()> {
    let delete = Statement::new(
        "DELETE FROM wallet_offers WHERE code_hash = ?1 AND token_hash IS NULL AND EXISTS (SELECT 1 FROM ledgers l \
         JOIN abilities a ON a.ledger_id = l.id AND a.account_id = ?2 WHERE l.id = wallet_offers.ledger_id AND (l.id = ?3 OR l.ref = ?3)) \
         RETURNING code_hash",
    )
    .bind(code_hash)
    .bind(account_key(caller))
    .bind(ledger_key(ledger));
    Decision::new("wallet-offer", vec![delete], ()).free()
}

/// A refusal in the form of OAuth 2.0 (RFC 6749, section 5.2): the code of the error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Refusal {
    InvalidRequest,
    UnsupportedGrantType,
    InvalidGrant,
    InvalidToken,
    UnknownConfiguration,
}

impl Refusal {
    /// Returns the value of `error`.
    pub(crate) const fn code(self) -> &'static str {
        match self {
            Self::InvalidRequest => "invalid_request",
            Self::UnsupportedGrantType => "unsupported_grant_type",
            Self::InvalidGrant => "invalid_grant",
            Self::InvalidToken => "invalid_token",
            Self::UnknownConfiguration => "unknown_credential_configuration",
        }
    }

    /// Returns a sentence for the wallet's developer.
    pub(crate) const fn sentence(self) -> &'static str {
        match self {
            Self::InvalidRequest => {
                "the request lacks `grant_type` or `pre-authorized_code`, or has one twice"
            }
            Self::UnsupportedGrantType => {
                "the only grant is urn:ietf:params:oauth:grant-type:pre-authorized_code"
            }
            Self::InvalidGrant => {
                "the offer was used, has expired or was ended: ask the issuer for a new one"
            }
            Self::InvalidToken => "the token does not exist or has expired",
            Self::UnknownConfiguration => {
                "the token belongs to another `credential_configuration_id`"
            }
        }
    }
}

/// A code, token or key. Never logged.
struct Secret([u8; SECRET_BYTES]);

impl Secret {
    fn parse(text: &str) -> Option<Self> {
        let bytes = URL_SAFE_NO_PAD.decode(text).ok()?;
        bytes.try_into().ok().map(Self)
    }

    /// Computes the secret that follows from this one.
    fn derive(&self, purpose: &str) -> Self {
        let mut mac = Hmac::<Sha256>::new_from_slice(&self.0)
            .unwrap_or_else(|_| unreachable!("HMAC takes keys of any length"));
        mac.update(purpose.as_bytes());
        Self(mac.finalize().into_bytes().into())
    }

    fn text(&self) -> String {
        URL_SAFE_NO_PAD.encode(self.0)
    }

    /// Returns SHA-256 of the secret. A salt is not needed, because nobody can guess 256 random bits.
    fn hash(&self) -> String {
        hex::encode(Sha256::digest(self.0))
    }
}

/// Reads the code in the body of POST /wallet/token, a form of `application/x-www-form-urlencoded`.
fn code_of(body: &[u8]) -> Result<Secret, Refusal> {
    let (mut grant, mut code) = (None, None);
    for (name, value) in form_urlencoded::parse(body) {
        let slot = match name.as_ref() {
            "grant_type" => &mut grant,
            "pre-authorized_code" => &mut code,
            // Wallets also send `client_id` and others.
            _ => continue,
        };
        if slot.replace(value).is_some() {
            return Err(Refusal::InvalidRequest);
        }
    }
    if grant.ok_or(Refusal::InvalidRequest)? != GRANT {
        return Err(Refusal::UnsupportedGrantType);
    }
    let code = code.ok_or(Refusal::InvalidRequest)?;
    Secret::parse(&code).ok_or(Refusal::InvalidGrant)
}

/// Returns the decision to exchange a code for its token, and the token. The decision's transaction returns a row if the code is valid and was not used before.
pub(crate) fn exchange(ctx: &Context<'_>, body: &[u8]) -> Result<(Decision<()>, String), Refusal> {
    let code = code_of(body)?;
    let token = code.derive("assay wallet token");
    let until = ctx
        .now()
        .saturating_add(TOKEN_SECONDS.saturating_mul(1_000));
    let take = Statement::new(
        "UPDATE wallet_offers SET token_hash = ?2, expires_at = ?3 WHERE code_hash = ?1 AND token_hash IS NULL AND expires_at > ?4 \
         RETURNING configuration",
    )
    .bind(code.hash())
    .bind(token.hash())
    .bind(until)
    .bind(ctx.now());
    let decision = Decision::new("wallet-token", vec![take], ()).free();
    Ok((decision, token.text()))
}

/// Returns the credential of a token: JSON for an Open Badge, and a string for others.
///
/// # Errors
/// The outer error is one of the service, the inner one is the wallet's.
pub(crate) async fn credential(
    ctx: &Context<'_>,
    token: Option<&str>,
    body: &Value,
) -> Result<Result<Value, Refusal>, Failure> {
    #[derive(Deserialize)]
    struct Row {
        configuration: String,
        ciphertext: String,
    }
    let Some(token) = token.and_then(Secret::parse) else {
        return Ok(Err(Refusal::InvalidToken));
    };
    let select = Statement::new(
        "SELECT configuration, ciphertext FROM wallet_offers WHERE token_hash = ?1 AND expires_at > ?2",
    );
    let rows = ctx
        .db()
        .query(select.bind(token.hash()).bind(ctx.now()))
        .await?;
    let Some(row) = rows.first::<Row>()? else {
        return Ok(Err(Refusal::InvalidToken));
    };
    let wanted = body.get("credential_configuration_id");
    if wanted.and_then(Value::as_str) != Some(&row.configuration) {
        return Ok(Err(Refusal::UnknownConfiguration));
    }
    // A depositor who used another key stored a text that no wallet can get.
    let Some(text) = decrypt(&token, &row.ciphertext) else {
        return Ok(Err(Refusal::InvalidToken));
    };
    if row.configuration != Configuration::OpenBadge.id() {
        return Ok(Ok(Value::from(text)));
    }
    let badge = json::from_text::<Value>(&text)
        .ok()
        .filter(Value::is_object);
    Ok(badge.ok_or(Refusal::InvalidToken))
}

fn decrypt(token: &Secret, ciphertext: &str) -> Option<String> {
    let key = token.derive("assay wallet key");
    let cipher = Aes256Gcm::new(&key.0.into());
    let bytes = URL_SAFE_NO_PAD.decode(ciphertext).ok()?;
    let text = cipher.decrypt(&Nonce::default(), bytes.as_slice()).ok()?;
    String::from_utf8(text).ok()
}
