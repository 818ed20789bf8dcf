//! Storing the reason of a withdrawal.

use order_core::{Address, AssetId, Code};

use super::Reason;
use crate::context::Context;
use crate::db::{Decision, storage};
use crate::failure::Failure;
use crate::ledger::projection::{Certified, LedgerRow, Withdrawal, certified, write_reason};

/// A destroyed asset with the reason of its withdrawal.
pub(crate) struct WithdrawnAsset {
    pub(crate) ledger: LedgerRow,
    pub(crate) asset: AssetId,
    pub(crate) withdrawal: Withdrawal,
}

/// Stores why an asset was withdrawn. Its last owner and the creator of the order that destroyed it may give the reason.
/// Only its author and the ledger's owner may replace one, so that a holder cannot overwrite the issuer's words.
///
/// # Errors
/// 400004 and 400005 if there never was such a ledger or asset, 400106 if the asset is not withdrawn, 403002 if the caller
/// may not give the reason.
pub(crate) async fn give_reason(
    ctx: &Context<'_>,
    ledger: &str,
    asset: AssetId,
    caller: Address,
    reason: &Reason,
) -> Result<Decision<WithdrawnAsset>, Failure> {
    let (certified, _) = certified(ctx.db(), ledger, &asset, None).await?;
    let (ledger, withdrawal) = match certified {
        Certified::NoLedger => return Err(Failure::code(Code::LedgerNotFound)),
        Certified::Never(_) => return Err(Failure::code(Code::AssetNotFound)),
        Certified::InForce { .. } => return Err(Failure::code(Code::AssetNotWithdrawn)),
        Certified::Withdrawn {
            ledger, withdrawal, ..
        } => (ledger, withdrawal),
    };
    let withdrew = [withdrawal.owner, withdrawal.creator].contains(&Some(caller));
    let replaces = withdrawal
        .reason_by
        .is_none_or(|author| [author, ledger.owner].contains(&caller));
    if !withdrew || !replaces {
        return Err(Failure::code(Code::ReasonNotAllowed));
    }
    let given = Withdrawal {
        reason: Some(reason.as_str().to_owned()),
        reason_by: Some(caller),
        ..withdrawal.clone()
    };
    let is_known = (&given.reason, given.reason_by) == (&withdrawal.reason, withdrawal.reason_by);
    let statements = match is_known {
        true => Vec::new(),
        false => write_reason(&ledger.id, &asset, &withdrawal, &given),
    };
    let withdrawn = WithdrawnAsset {
        ledger,
        asset,
        withdrawal: given,
    };
    Ok(Decision::new("withdrawal", statements, withdrawn).paid_by(storage::LASTING))
}
