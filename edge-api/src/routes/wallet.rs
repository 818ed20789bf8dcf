//! `/ledgers/:ledgerRef/wallet-offers`, `/wallet` and two addresses below `/.well-known`: credentials that wallets pick up (OpenID4VCI 1.0).

use http::{StatusCode, header};
use order_core::{Address, Code};
use serde_json::{Value, json};

use super::badge::cacheable;
use crate::api;
use crate::failure::Failure;
use crate::wallet::{self, Draft, Refusal, TOKEN_SECONDS};
use crate::web::{Handled, Input, Response, Route, Success, private, public, raw};

/// The media type of the answers to wallets.
const JSON: &str = "application/json";
/// Seconds for which caches keep the metadata.
const METADATA_SECONDS: u64 = 300;
/// The scheme of a wallet's token in the Authorization header.
const SCHEME: &str = "Bearer ";

pub(super) const ROUTES: &[Route] = &[
    Route::post(
        "/ledgers/:ledgerRef/wallet-offers",
        private!(Orders, deposit, LedgerRef),
    )
    .json::<api::bodies::WalletOfferRequest>()
    .answers::<api::WalletOffer>("createWalletOffer", "Offer a credential to a wallet")
    .tag("wallet")
    .details(
        "For accounts with ability 16 or 512 (create assets), or 128 or 1024 (update assets), if \
         the service hosts files. The code of the offer is 32 random bytes. The token is \
         HMAC-SHA-256 of `assay wallet token` under the code, and the key HMAC-SHA-256 of `assay \
         wallet key` under the token. The cipher text is the credential, encrypted with \
         AES-256-GCM under this key, with twelve zero bytes as nonce. At most 1,000 offers of a \
         ledger wait at a time. The service deletes an offer ten minutes after a wallet used its code.",
    )
    .statuses(&[201])
    .errors(&[
        Code::FilesNotHosted,
        Code::LedgerNotFound,
        Code::LedgerBlocked,
        Code::OffersNotAllowed,
        Code::OffersFull,
        Code::FieldNotValid,
    ]),
    Route::delete(
        "/ledgers/:ledgerRef/wallet-offers/:codeHash",
        private!(Orders, end, LedgerRef, CodeHash),
    )
    .revokes()
    .answers::<api::EndedOffer>("endWalletOffer", "End an offer that no wallet has used")
    .tag("wallet")
    .details("For accounts with an ability on the ledger. Works while changes are paused.")
    .errors(&[Code::OfferNotFound, Code::LedgerBlocked]),
    Route::get("/.well-known/openid-credential-issuer", public!(issuer))
        .answers_document(JSON, "getCredentialIssuer", "Get the kinds of credentials for wallets")
        .tag("wallet")
        .details("The metadata of the credential issuer (OpenID4VCI 1.0, section 12.2).")
        .errors(&[Code::FilesNotHosted]),
    Route::get("/.well-known/oauth-authorization-server", public!(server))
        .answers_document(JSON, "getAuthorizationServer", "Get the address of tokens for wallets")
        .tag("wallet")
        .details("The metadata of the authorization server (RFC 8414).")
        .errors(&[Code::FilesNotHosted]),
    Route::post("/wallet/token", public!(token))
        .bytes()
        .answers_document(JSON, "createWalletToken", "Exchange the code of an offer for a token")
        .tag("wallet")
        .details(
            "The body is a form of the type `application/x-www-form-urlencoded` with `grant_type` \
             and `pre-authorized_code`. Each code gets one token, which lasts ten minutes. \
             Refusals have status 400 and the form of OAuth 2.0: `invalid_request`, \
             `unsupported_grant_type` or `invalid_grant`.",
        )
        .refuses_with::<api::WalletRefusal>(&[400])
        .errors(&[Code::FilesNotHosted, Code::BodyTooLarge]),
    Route::post("/wallet/credential", public!(credential))
        .json::<api::bodies::CredentialRequest>()
        .answers_document(JSON, "getWalletCredential", "Pick up a credential")
        .tag("wallet")
        .details(
            "The Authorization header is `Bearer ` and the token. The answer has the credential as \
             it was deposited, until the token expires. Refusals have status 401 with \
             `invalid_token`, or 400 with `unknown_credential_configuration`.",
        )
        .refuses_with::<api::WalletRefusal>(&[400, 401])
        .errors(&[Code::FilesNotHosted]),
];

/// Fails if the service does not host files. Wallet offers are stored for others, too.
fn hosted(input: &Input<'_>) -> Result<(), Failure> {
    match input.ctx.config().files {
        true => Ok(()),
        false => Err(Failure::code(Code::FilesNotHosted)),
    }
}

/// POST /ledgers/:ledgerRef/wallet-offers
pub(super) async fn deposit(input: &Input<'_>, caller: Address, ledger: &str) -> Handled {
    hosted(input)?;
    let draft = Draft::parse(&input.body)?;
    let decision = wallet::deposit(input.ctx, &caller, ledger, &draft).await?;
    decision.answered(|offer| Success::created(offer))
}

/// DELETE /ledgers/:ledgerRef/wallet-offers/:codeHash
pub(super) async fn end(
    _input: &Input<'_>,
    caller: Address,
    ledger: &str,
    code_hash: &str,
) -> Handled {
    let ended = api::EndedOffer {
        code_hash: code_hash.to_owned(),
    };
    wallet::end(&caller, ledger, code_hash).answered_from_rows(move |rows| {
        if rows.iter().all(|rows| rows.list.is_empty()) {
            return Err(Failure::code(Code::OfferNotFound));
        }
        Success::ok(ended)
    })
}

/// GET /.well-known/openid-credential-issuer
pub(super) async fn issuer(input: &Input<'_>) -> Handled {
    hosted(input)?;
    let name = &input.ctx.config().service_name;
    let metadata = wallet::issuer_metadata(&input.request.origin, name);
    raw(cacheable(
        json_of(StatusCode::OK, &metadata),
        METADATA_SECONDS,
    ))
}

/// GET /.well-known/oauth-authorization-server
pub(super) async fn server(input: &Input<'_>) -> Handled {
    hosted(input)?;
    let metadata = wallet::server_metadata(&input.request.origin);
    raw(cacheable(
        json_of(StatusCode::OK, &metadata),
        METADATA_SECONDS,
    ))
}

/// POST /wallet/token
pub(super) async fn token(input: &Input<'_>) -> Handled {
    hosted(input)?;
    let (decision, token) = match wallet::exchange(input.ctx, &input.request.body) {
        Ok(exchange) => exchange,
        Err(refusal) => return raw(refused(refusal)),
    };
    decision.answered_from_rows(move |rows| {
        let is_valid = rows.iter().any(|rows| !rows.list.is_empty());
        let answer = json!({
            "access_token": token,
            "token_type": SCHEME.trim_end(),
            "expires_in": TOKEN_SECONDS,
        });
        Ok(Success::Raw(match is_valid {
            true => private_json(StatusCode::OK, &answer),
            false => refused(Refusal::InvalidGrant),
        }))
    })
}

/// POST /wallet/credential
pub(super) async fn credential(input: &Input<'_>) -> Handled {
    hosted(input)?;
    let header = input.request.headers.get(header::AUTHORIZATION);
    let token = header
        .and_then(|value| value.to_str().ok())
        .and_then(|text| text.strip_prefix(SCHEME));
    raw(
        match wallet::credential(input.ctx, token, &input.body).await? {
            Ok(credential) => {
                let answer = json!({ "credentials": [{ "credential": credential }] });
                private_json(StatusCode::OK, &answer)
            }
            Err(refusal) => refused(refusal),
        },
    )
}

/// Returns a refusal in the form of OAuth 2.0. A token's refusal also has the header of RFC 6750.
fn refused(refusal: Refusal) -> Response {
    let is_token = refusal == Refusal::InvalidToken;
    let status = match is_token {
        true => StatusCode::UNAUTHORIZED,
        false => StatusCode::BAD_REQUEST,
    };
    let refusal = api::WalletRefusal {
        error: refusal.code(),
        error_description: refusal.sentence(),
    };
    let response = private_json(status, &json!(refusal));
    match is_token {
        true => response.with(header::WWW_AUTHENTICATE, "Bearer error=\"invalid_token\""),
        false => response,
    }
}

/// Returns an answer that no cache may keep.
fn private_json(status: StatusCode, value: &Value) -> Response {
    json_of(status, value).with(header::CACHE_CONTROL, "no-store")
}

fn json_of(status: StatusCode, value: &Value) -> Response {
    let mut response = Response::empty(status).with(header::CONTENT_TYPE, JSON);
    response.body = value.to_string().into_bytes();
    response
}
