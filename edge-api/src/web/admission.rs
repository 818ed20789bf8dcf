//! The operator's restrictions. Only this module refuses requests because of restrictions. In addition, the ledger's
//! rules refuse orders that name a blocked account or ledger ([`order_core::Request::apply`]), because others may send them.

use http::{HeaderValue, Method, header};
use order_core::{Address, Code};

use super::Input;
use crate::failure::Failure;

/// Seconds after which a client may send a paused change again.
const PAUSE_RETRY_AFTER: u32 = 60;

/// Refuses a request to an administrators' route (403010), of a blocked account (403011), or that changes data while changes
/// are paused (503000).
pub(super) async fn check(input: &Input<'_>, caller: Option<Address>) -> Result<(), Failure> {
    let (ctx, route) = (input.ctx, input.route);
    if route.admin {
        // Neither a pause nor a block applies, so that administrators can always undo them.
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
