//! Storing the reason of a withdrawal.

use std::collections::BTreeSet;

use order_core::{Address, AssetId, Code, Request};
use serde::Deserialize;

use super::Reason;
use super::events::reason_event;
use crate::context::Context;
use crate::db::{Decision, storage};
use crate::failure::Failure;
use crate::ledger::projection::{
    Certified, LedgerRow, SELECT_ORDER, Withdrawal, certified, write_reason,
};
use crate::ports::{DatabaseError, Rows};
use crate::text::account_key;
use crate::webhooks::outbox;

/// A destroyed asset with the reason of its withdrawal.
pub(crate) struct WithdrawnAsset {
    pub(crate) ledger: LedgerRow,
    pub(crate) asset: AssetId,
    pub(crate) withdrawal: Withdrawal,
}

/// Stores the reason for a withdrawal. The account that withdrew the asset ([`Withdrawal::is_by`]) may give a
/// reason. Of the accounts that may, only the reason's author and the ledger's owner may replace a reason, so a holder cannot
/// overwrite the issuer's words. The ordering key of the reason's event is the reference of the order that withdrew the
/// asset. The event is therefore sent after the event of the withdrawal.
///
/// # Errors
/// - 400004: the ledger does not exist.
/// - 400005: the ledger never had the asset.
/// - 400106: the asset is not withdrawn.
/// - 403002: the caller may not give the reason.
pub(crate) async fn give_reason(
    ctx: &Context<'_>,
    ledger: &str,
    asset: AssetId,
    caller: Address,
    reason: &Reason,
) -> Result<Decision<WithdrawnAsset>, Failure> {
    let (certified, order, _) =
        certified(ctx.db(), ledger, &asset, SELECT_ORDER, Vec::new()).await?;
    let (ledger, withdrawal) = match certified {
        Certified::NoLedger => return Err(Failure::code(Code::LedgerNotFound)),
        Certified::Never(_) => return Err(Failure::code(Code::AssetNotFound)),
        Certified::InForce { .. } => return Err(Failure::code(Code::AssetNotWithdrawn)),
        Certified::Withdrawn {
            ledger, withdrawal, ..
        } => (ledger, withdrawal),
    };
    let replaces = withdrawal
        .reason_by
        .is_none_or(|author| [author, ledger.owner].contains(&caller));
    if !withdrawal.is_by(caller) || !replaces {
        return Err(Failure::code(Code::ReasonNotAllowed));
    }
    let given = Withdrawal {
        reason: Some(reason.as_str().to_owned()),
        reason_by: Some(caller),
        ..withdrawal.clone()
    };
    let is_known = (&given.reason, given.reason_by) == (&withdrawal.reason, withdrawal.reason_by);
    let mut statements = write_reason(&ledger.id, &asset, &withdrawal, &given);
    let reference = withdrawal.record_ref;
    let withdrawn = WithdrawnAsset {
        ledger,
        asset,
        withdrawal: given,
    };
    if is_known {
        return Ok(Decision::read(withdrawn));
    }
    let event = reason_event(ctx, &withdrawn);
    let parties = parties(order, &reference)?;
    statements.extend(outbox(&reference, &[event], &parties, ctx.now())?);
    Ok(Decision::new("withdrawal", statements, withdrawn).paid_by(storage::LASTING))
}

/// Returns the accounts that created and signed the order in the rows of [`SELECT_ORDER`]. Empty if there is no row.
fn parties(order: Rows, reference: &str) -> Result<BTreeSet<String>, DatabaseError> {
    #[derive(Deserialize)]
    struct Order {
        kind: u8,
        creator_id: Address,
        body: String,
    }
    let Some(order) = order.first::<Order>()? else {
        return Ok(BTreeSet::new());
    };
    let request = Request::from_json(order.kind, &order.body)
        .map_err(|why| DatabaseError::corrupt("records", reference, why))?;
    let parties = request.signatories().into_iter().chain([order.creator_id]);
    Ok(parties.map(|account| account_key(&account)).collect())
}
