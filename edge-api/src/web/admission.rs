//! The operator's restrictions: administrators' routes, blocked accounts, paused changes. This module checks the
//! caller. The ledger's rules check the content ([`order_core::Request::apply`]): another account may send an order
//! that names a blocked account or ledger.

use http::{HeaderValue, Method, header};
use order_core::{Address, Code};

use super::Input;
use crate::failure::Failure;

/// Seconds after which a client may send a paused change again.
const PAUSE_RETRY_AFTER: u32 = 60;

/// Refuses calls of administrators' routes by other accounts (403010), calls of blocked accounts (403011), and changes
/// while changes are paused (503000).
pub(super) async fn check(input: &Input<'_>, caller: Option<Address>) -> Result<(), Failure> {
    let (ctx, route) = (input.ctx, input.route);
    if route.admin {
        // Pauses and blocks do not apply here, so administrators can always undo them.
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
    let restrictions = input.memory.restrictions.current(ctx).await?;
    if caller.is_some_and(|caller| restrictions.blocks(&caller)) {
        return Err(Failure::code(Code::AccountBlocked));
    }
    match restrictions.pause() {
        Some(message) if changes => {
            let seconds = HeaderValue::from(PAUSE_RETRY_AFTER);
            Err(Failure::one(Code::WritesPaused, "", message).header(header::RETRY_AFTER, seconds))
        }
        _ => Ok(()),
    }
}
