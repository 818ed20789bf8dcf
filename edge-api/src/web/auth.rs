//! Finds the caller of a request: the account of a session, of an API key, of a signed Authorization header, or of a signed
//! message in the body. See `docs/interface.md`, "Authentication", and `docs/decisions/0047-sessions.md`.

use std::cell::RefCell;

use alloy_primitives::keccak256;
use http::{StatusCode, header};
use order_core::{Address, Code};
use serde_json::Value;

use super::recovered::RecoveredAccounts;
use super::{Memory, Needs, Request, cookie};
use crate::accounts;
use crate::context::Context;
use crate::failure::Failure;
use crate::ledger::Ledger;
use crate::ports::DatabaseError;
use crate::sessions::{self, Credential};

/// The account for which requests with the token for metrics are counted. No private key of this address is known.
const MONITOR: Option<Address> = Address::from_bytes([0xff; 20]);

/// The account that sent a request, and the credential that proves it.
#[derive(Clone, Debug)]
pub(super) struct Caller {
    pub(super) account: Address,
    pub(super) credential: Credential,
}

impl From<(Address, Credential)> for Caller {
    fn from((account, credential): (Address, Credential)) -> Self {
        Self {
            account,
            credential,
        }
    }
}

/// Finds the caller of a request by the Authorization header. If the request has no such header, uses the session cookie.
///
/// # Errors
/// Status 401, status 403 for a cookie from a page of another origin, or an error of the database.
pub(super) async fn caller(
    ctx: &Context<'_>,
    memory: &Memory,
    request: &Request,
) -> Result<Caller, Failure> {
    let mut values = request.headers.get_all(header::AUTHORIZATION).iter();
    let value = match (values.next(), values.next()) {
        (Some(value), None) => value,
        (None, _) => match cookie::token(request)? {
            Some(token) => {
                cookie::from_own_page(request)?;
                return of_token(ctx, token, true).await;
            }
            None => return Err(missing(ctx)),
        },
        (Some(_), Some(_)) => return Err(missing(ctx)),
    };
    let Ok(text) = value.to_str() else {
        return Err(unauthorized(
            "the `Authorization` header has characters other than visible ASCII",
        ));
    };
    match text.split_once(' ') {
        Some((scheme, token)) if scheme.eq_ignore_ascii_case("bearer") => {
            let own = ctx.config().metrics_token.as_ref();
            if let (Some(own), Some(account)) = (own, MONITOR)
                && own.is(token.trim())
            {
                return Ok((account, Credential::Metrics).into());
            }
            of_token(ctx, token.trim(), false).await
        }
        _ => {
            let account = of_header(ctx, &memory.recovered, text)?;
            if refuses_header(ctx, memory, &account).await? {
                let why = "the account does not accept the signed Authorization header: sign in through POST /sessions, or use an API key";
                return Err(header_refused(why));
            }
            Ok((account, Credential::Header).into())
        }
    }
}

fn unauthorized(message: &str) -> Failure {
    Failure::one(Code::SignatureNotValid, "authorization", message).status(StatusCode::UNAUTHORIZED)
}

fn header_refused(why: &str) -> Failure {
    Failure::one(Code::HeaderNotAccepted, "authorization", why)
}

fn missing(ctx: &Context<'_>) -> Failure {
    let token = "the route needs one `Authorization` header: `Bearer` and the token of a session or an API key";
    if !ctx.config().legacy_auth {
        return unauthorized(token);
    }
    unauthorized(&format!(
        "{token}, or `3:` and a PERSONAL_SIGN signature, or `0:` and an ETH_SIGN one, of the text `{}`",
        ctx.config().authorization.text()
    ))
}

/// Returns the caller who owns this session token or API key.
async fn of_token(ctx: &Context<'_>, token: &str, by_cookie: bool) -> Result<Caller, Failure> {
    let found = sessions::find(ctx, token, by_cookie).await?;
    found.map(Caller::from).ok_or_else(|| {
        let path = if by_cookie { "cookie" } else { "authorization" };
        Failure::one(
            Code::CredentialNotValid,
            path,
            Code::CredentialNotValid.message(),
        )
    })
}

/// Returns the account that signed the Authorization header. Fails if the signature is not valid, or if the service does
/// not accept signed headers.
fn of_header(
    ctx: &Context<'_>,
    recovered: &RefCell<RecoveredAccounts>,
    text: &str,
) -> Result<Address, Failure> {
    if !ctx.config().legacy_auth {
        let why = "this service does not accept the signed Authorization header: sign in through POST /sessions, or use an API key";
        return Err(header_refused(why));
    }
    let key = keccak256(text.as_bytes());
    if let Some(account) = recovered.borrow().get(&key) {
        return Ok(account);
    }
    let account = ctx
        .config()
        .authorization
        .recover(text)
        .map_err(|error| unauthorized(&error.message))?;
    recovered.borrow_mut().insert(key, account);
    Ok(account)
}

/// Returns true if the account has turned off the signed header. The cache lists such accounts up to a limit. If
/// there are more, this function queries the database.
async fn refuses_header(
    ctx: &Context<'_>,
    memory: &Memory,
    account: &Address,
) -> Result<bool, DatabaseError> {
    let restrictions = memory.restrictions.current(ctx).await?;
    match restrictions.refuses_header(account) {
        Some(refuses) => Ok(refuses),
        None => accounts::refuses_header(ctx.db(), account).await,
    }
}

/// Returns the account that signed the sign-in message in the body.
pub(super) async fn signer(
    ctx: &Context<'_>,
    ledger: &dyn Ledger,
    request: &Request,
    body: &Value,
) -> Result<Caller, Failure> {
    let identity = ledger.identity(ctx).await?;
    let (account, sign_in) = sessions::verify(ctx, &identity, &request.origin, body)?;
    Ok((account, Credential::Message(sign_in)).into())
}

/// Checks that a route with these needs accepts the credential.
///
/// # Errors
/// 403020 for an API key without the route's scope, or 403021 for a kind of credential that the route does not accept.
pub(super) fn permit(needs: Needs, credential: &Credential) -> Result<(), Failure> {
    let is_permitted = match (needs, credential) {
        (Needs::Message, _) | (_, Credential::Session { .. }) => true,
        (Needs::Metrics, Credential::Metrics) => true,
        (Needs::Key(_) | Needs::Account | Needs::Metrics, Credential::Header) => true,
        (Needs::Key(scope), Credential::Key { scopes }) if scopes.contains(&scope) => true,
        // The token for metrics has no scope.
        (Needs::Key(scope), Credential::Key { .. } | Credential::Metrics) => {
            let message = format!(
                "the route needs an API key with the scope `{}`",
                scope.name()
            );
            return Err(Failure::one(Code::ScopeMissing, "authorization", message));
        }
        (Needs::Account | Needs::Session | Needs::Metrics, _)
        | (Needs::Key(_), Credential::Message(_)) => false,
    };
    if is_permitted {
        return Ok(());
    }
    Err(Failure::one(
        Code::SessionNeeded,
        "authorization",
        Code::SessionNeeded.message(),
    ))
}
