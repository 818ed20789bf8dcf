//! `/sessions`, `/account/keys` and `/account/access`: the credentials of an account.

use order_core::{Address, Code, Field};
use serde_json::Value;

use crate::accounts;
use crate::api::{AccountAccess, ApiKey, Challenge, NewApiKey, NewSession, Session, bodies};
use crate::db::Page;
use crate::db::{Decision, storage};
use crate::failure::Failure;
use crate::sessions::{self, Credential, KeyDraft};
use crate::web::{
    self, Handled, Input, Route, Success, from_own_page, ok, private, public, session_cookie,
};

/// The path segment that names the session of the request, in place of a session's reference.
const CURRENT: &str = "current";

/// The secret of an API key. A replayed answer has null in this field, because the service stores only the secret's hash.
pub(super) const KEY: web::Secret = web::Secret {
    field: "key",
    read: |_, _, _| Box::pin(async { Ok(Value::Null) }),
};

pub(super) const ROUTES: &[Route] = &[
    // An account signs in before it can provide its information.
    Route::get("/sessions/challenge", public!(challenge))
        .answers::<Challenge>(
            "getSignInChallenge",
            "Get the fields of a message that signs in",
        )
        .details("The service stores nothing. The nonce is valid for ten minutes."),
    Route::post("/sessions", private!(Message, create))
        .json::<bodies::SignInRequest>()
        .unidentified()
        .answers::<NewSession>("createSession", "Sign in")
        .details(
            "The message follows EIP-4361 and has the fields of the challenge and the \
             account's address. The wallet signs the message with `personal_sign`. Each \
             message is valid for one sign-in. The session ends after 12 hours without use, \
             and at the latest after 30 days. An account has at most 20 sessions. A further \
             session ends the one that would expire first.\n\nIf `cookie` is true, the \
             token is in a cookie for pages of this service, and not in the answer's body. \
             The request then needs the `Origin` of such a page.",
        )
        .statuses(&[201])
        .errors(&[
            Code::SignInNotValid,
            Code::NonceNotValid,
            Code::SignatureNotValid,
            Code::ContractSignature,
            Code::OriginNotAllowed,
            Code::FieldNotValid,
        ]),
    Route::get("/sessions", private!(Account, list))
        .query::<Page>()
        .unidentified()
        .lists::<Session>("getSessions", "List the account's sessions"),
    Route::delete("/sessions/:sessionRef", private!(Account, end, SessionRef))
        .unidentified()
        .revokes()
        .answers::<Session>("deleteSession", "Sign out")
        .details("`current` is the session of the request. Works while changes are paused.")
        .errors(&[Code::SessionNotFound]),
    Route::post("/account/keys", private!(Session, create_key))
        .json::<bodies::ApiKeyRequest>()
        .secret(KEY)
        .unidentified()
        .answers::<NewApiKey>("createApiKey", "Create an API key")
        .details(
            "Only this answer contains the key itself. An account has at most 20 keys. A \
             key does not sign: orders, deployments and approvals still need the claims of \
             their accounts.",
        )
        .statuses(&[201])
        .errors(&[Code::TooManyKeys]),
    Route::get("/account/keys", private!(Account, keys))
        .query::<Page>()
        .unidentified()
        .lists::<ApiKey>("getApiKeys", "List the account's API keys"),
    Route::delete(
        "/account/keys/:keyRef",
        private!(Account, revoke_key, KeyRef),
    )
    .unidentified()
    .revokes()
    .answers::<ApiKey>("deleteApiKey", "Revoke an API key")
    .details("Works while changes are paused.")
    .errors(&[Code::KeyNotFound]),
    Route::get("/account/access", private!(Account, access))
        .unidentified()
        .answers::<AccountAccess>(
            "getAccountAccess",
            "Get the account's settings for signing in",
        ),
    Route::put("/account/access", private!(Session, set_access))
        .json::<bodies::AccountAccessInput>()
        .unidentified()
        .answers::<AccountAccess>(
            "updateAccountAccess",
            "Turn the signed Authorization header on or off",
        )
        .details(
            "The signed header never expires. Once it is off, the account uses sessions and \
             API keys, and can always sign in with its wallet. The change is in force \
             everywhere after five seconds.",
        )
        .errors(&[Code::FieldNotValid]),
];

/// GET /sessions/challenge
pub(super) async fn challenge(input: &Input<'_>) -> Handled {
    let identity = input.ledger.identity(input.ctx).await?;
    let origin = &input.request.origin;
    ok(sessions::challenge(input.ctx, &identity, origin))
}

/// POST /sessions
pub(super) async fn create(input: &Input<'_>, caller: Address) -> Handled {
    let as_cookie = flag(&Field::body(&input.body).get("cookie"), Some(false))?;
    if as_cookie {
        // Without this check, a page of another site could sign its visitor in to an account that the site's owner controls.
        from_own_page(input.request)?;
    }
    let Some(Credential::Message(sign_in)) = input.credential() else {
        return Err(Failure::internal("the route has no sign-in message"));
    };
    let decision = sessions::create(input.ctx, &caller, sign_in).await?;
    decision.answered(|session| {
        let mut session = session.clone();
        if !as_cookie {
            return Success::created(session);
        }
        // The token is only in the cookie, because scripts of the page do not need it.
        let token = session.token.take().unwrap_or_default();
        let cookie = session_cookie(&token, sessions::MAX_MS);
        Ok(Success::created(session)?.with_cookie(cookie))
    })
}

/// GET /sessions
pub(super) async fn list(input: &Input<'_>, caller: Address) -> Handled {
    let page: Page = input.query.parsed()?;
    let (mut found, total) = sessions::sessions(input.ctx, &caller, &page).await?;
    let current = current(input).map(|(reference, _)| reference);
    for session in &mut found {
        session.is_current = current == Some(session.reference.0.as_str());
    }
    page.answer_rows((found, total), |session: &Session| {
        session.reference.0.clone()
    })
}

/// DELETE /sessions/:sessionRef
pub(super) async fn end(input: &Input<'_>, caller: Address, reference: &str) -> Handled {
    let current = current(input);
    let reference = match current {
        Some((current, _)) if reference == CURRENT => current,
        _ => reference,
    };
    let ended = sessions::end(input.ctx.db(), &caller, reference).await?;
    let decision = ended.ok_or_else(|| Failure::code(Code::SessionNotFound))?;
    decision.answered(|session| {
        let mut session = session.clone();
        session.is_current = current.is_some_and(|(current, _)| current == session.reference.0);
        let by_cookie = current.is_some_and(|(_, by_cookie)| by_cookie);
        let clears = session.is_current && by_cookie;
        let answer = Success::ok(session)?;
        Ok(if clears {
            answer.with_cookie(session_cookie("", 0))
        } else {
            answer
        })
    })
}

/// Returns the reference of the session that authenticates the request, and true if its token came in a cookie.
fn current<'a>(input: &'a Input<'_>) -> Option<(&'a str, bool)> {
    match input.credential()? {
        Credential::Session {
            reference,
            by_cookie,
        } => Some((reference, *by_cookie)),
        Credential::Header
        | Credential::Key { .. }
        | Credential::Message(_)
        | Credential::Metrics => None,
    }
}

/// POST /account/keys
pub(super) async fn create_key(input: &Input<'_>, caller: Address) -> Handled {
    let draft = KeyDraft::parse(&input.body, input.ctx.now())?;
    let created = sessions::create_key(input.ctx, &caller, draft).await?;
    created.answered(|key| Success::created(key))
}

/// GET /account/keys
pub(super) async fn keys(input: &Input<'_>, caller: Address) -> Handled {
    let page: Page = input.query.parsed()?;
    let found = sessions::keys(input.ctx, &caller, &page).await?;
    page.answer_rows(found, |key: &ApiKey| key.reference.0.clone())
}

/// DELETE /account/keys/:keyRef
pub(super) async fn revoke_key(input: &Input<'_>, caller: Address, reference: &str) -> Handled {
    let revoked = sessions::revoke_key(input.ctx, &caller, reference).await?;
    let decision = revoked.ok_or_else(|| Failure::code(Code::KeyNotFound))?;
    decision.answered(|changed| Success::ok(changed))
}

/// GET /account/access
pub(super) async fn access(input: &Input<'_>, caller: Address) -> Handled {
    let refuses = accounts::refuses_header(input.ctx.db(), &caller).await?;
    ok(AccountAccess {
        legacy_auth: !refuses,
    })
}

/// PUT /account/access
pub(super) async fn set_access(input: &Input<'_>, caller: Address) -> Handled {
    let legacy_auth = flag(&Field::body(&input.body).get("legacyAuth"), None)?;
    let write = accounts::set_header(&caller, legacy_auth, input.ctx.now());
    let access = AccountAccess { legacy_auth };
    let decision = Decision::new("account", vec![write], access).paid_by(storage::ENTRANCE);
    decision.answered(|changed| Success::ok(changed))
}

/// Reads a boolean. An empty field has the default, and is an error if there is no default.
fn flag(field: &Field<'_>, default: Option<bool>) -> Result<bool, Failure> {
    let read = if field.is_empty() {
        default
    } else {
        field.boolean()
    };
    read.ok_or_else(|| field.wrong(Code::FieldNotValid, "true or false").into())
}
