//! `/sessions`, `/account/keys` and `/account/access`: the credentials of an account.

use order_core::{Address, Code, Field};
use serde_json::Value;

use crate::accounts;
use crate::api::{AccountAccess, ApiKey, Session};
use crate::db::Page;
use crate::db::{Decision, storage};
use crate::failure::Failure;
use crate::sessions::{self, Credential, KeyDraft};
use crate::web::{self, Handled, Input, Success, from_own_page, ok, session_cookie};

/// The path segment that names the session of the request, in place of a session's reference.
const CURRENT: &str = "current";

/// The secret of an API key. A replayed answer has null in this field, because the service stores only the secret's hash.
pub(super) const KEY: web::Secret = web::Secret {
    field: "key",
    read: |_, _, _| Box::pin(async { Ok(Value::Null) }),
};

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
        Credential::Header | Credential::Key { .. } | Credential::Message(_) => None,
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
    let revoked = sessions::revoke_key(input.ctx.db(), &caller, reference).await?;
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
