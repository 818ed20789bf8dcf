//! The operator's restrictions: administrators' routes, blocked accounts, blocked ledgers, and paused changes.
//!
//! This module checks only the caller and the ledger that a request names. The content of an order, deployment or
//! approval can name further accounts and ledgers. The ledger's rules check those ([`order_core::Request::apply`]).

use http::{HeaderValue, Method, header};
use order_core::{Address, Code, Field};

use super::{Access, Input, Match, Needs, Param};
use crate::failure::Failure;
use crate::sessions::Credential;

/// Seconds after which a client may send a paused change again.
const PAUSE_RETRY_AFTER: u32 = 60;

/// The field with which a body names a ledger.
const LEDGER_FIELD: &str = "ledgerRef";

/// Refuses calls of administrators' routes by other accounts (403010), and calls of blocked accounts (403011). Refuses
/// changes that name a blocked ledger (403012). While changes are paused, refuses changes (503000), except ending a session
/// and revoking a key.
///
/// A ledger is named by the path's `:ledgerRef` or the body's `ledgerRef`, so no handler has to check for blocks.
pub(super) async fn check(
    input: &Input<'_>,
    path: &Match,
    caller: Option<Address>,
) -> Result<(), Failure> {
    let (ctx, route) = (input.ctx, input.route);
    if route.admin {
        // Pauses and blocks do not apply to administrators' routes, so administrators can always undo them.
        if let Some(Credential::Metrics) = input.credential() {
            // Only the route of metrics accepts this credential.
            return Ok(());
        }
        let admins = &ctx.config().admins;
        return match caller.filter(|caller| admins.contains(caller)) {
            Some(_) => Ok(()),
            None => Err(Failure::code(Code::NotAnAdministrator)),
        };
    }
    let changes = !matches!(route.method, Method::GET | Method::HEAD);
    if caller.is_none() && !changes {
        return Ok(());
    }
    let is_admin = caller.is_some_and(|caller| ctx.config().admins.contains(&caller));
    if is_admin && matches!(route.access, Access::Private(Needs::Message, _)) {
        // Administrators can sign in despite a pause or a block, because they may need a session to undo it.
        return Ok(());
    }
    let restrictions = input.memory.restrictions.current(ctx).await?;
    if caller.is_some_and(|caller| restrictions.blocks(&caller)) {
        return Err(Failure::code(Code::AccountBlocked));
    }
    if !changes {
        return Ok(());
    }
    if let Some(message) = restrictions.pause().filter(|_| !route.revokes) {
        let seconds = HeaderValue::from(PAUSE_RETRY_AFTER);
        let paused = Failure::one(Code::WritesPaused, "", message);
        return Err(paused.header(header::RETRY_AFTER, seconds));
    }
    let field = Field::body(&input.body).get(LEDGER_FIELD);
    let mut named = [Some(path.get(Param::LedgerRef)), field.text()]
        .into_iter()
        .flatten();
    if named.any(|ledger| restrictions.blocks_ledger(ledger)) {
        return Err(Failure::code(Code::LedgerBlocked));
    }
    Ok(())
}
