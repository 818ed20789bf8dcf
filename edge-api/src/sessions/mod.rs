//! Sessions of accounts that signed in with Ethereum (EIP-4361), and API keys. See `docs/decisions/0047-sessions.md`.

mod challenge;
mod keys;
mod message;
mod store;
mod token;

pub(crate) use challenge::challenge;
pub(crate) use keys::{KeyDraft, create_key, keys, revoke_key};
pub(crate) use message::{SignIn, verify};
pub(crate) use store::{MAX_MS, create, end, sessions};

use order_core::Address;

use crate::api::KeyScope;
use crate::context::Context;
use crate::ports::{DatabaseError, Statement};
use token::Kind;

/// Minimum milliseconds between two recorded uses of a session or key. Without this minimum, each request would write a row.
const USE_RECORDED_MS: u64 = 5 * 60_000;

/// The credential with which a request proves its account.
#[derive(Clone, Debug)]
pub(crate) enum Credential {
    /// The signed Authorization header of the interface specification.
    Header,
    /// The token of the session with this reference, from a cookie or from the Authorization header.
    Session { reference: String, by_cookie: bool },
    /// An API key.
    Key { scopes: Vec<KeyScope> },
    /// A signed sign-in message in the body.
    Message(SignIn),
    /// The operator's token for metrics, which belongs to no account.
    Metrics,
}

/// Returns the account of a token, and the token's session or key. Returns `None` if the token is not valid, if its session
/// or key has ended, or if a cookie contains an API key.
pub(crate) async fn find(
    ctx: &Context<'_>,
    token: &str,
    by_cookie: bool,
) -> Result<Option<(Address, Credential)>, DatabaseError> {
    let Some((kind, hash)) = token::read(token) else {
        return Ok(None);
    };
    match kind {
        // The service's own cookies contain only session tokens, so an API key in a cookie is refused.
        Kind::Key if by_cookie => Ok(None),
        Kind::Key => keys::find(ctx, &hash).await,
        Kind::Session => store::find(ctx, &hash, by_cookie).await,
    }
}

/// Returns true if the last recorded use is so old that the present use must be recorded.
fn is_old(used_at: Option<u64>, now: u64) -> bool {
    now.saturating_sub(used_at.unwrap_or_default()) >= USE_RECORDED_MS
}

/// Returns statements that delete an account's sessions and keys.
pub(crate) fn remove_all(account: &str) -> [Statement; 2] {
    [
        Statement::new("DELETE FROM sessions WHERE account_id = ?1").bind(account),
        Statement::new("DELETE FROM api_keys WHERE account_id = ?1").bind(account),
    ]
}
