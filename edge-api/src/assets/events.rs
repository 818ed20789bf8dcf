//! Events about assets whose status changes.

use order_core::{Action, Request};

use super::WithdrawnAsset;
use crate::api::{ChangedAsset, ChangedStatus};
use crate::context::Context;
use crate::webhooks::Event;

/// Returns an event for each asset that a finalized order issued, replaced or withdrew, in the order of the actions. An
/// asset that several actions change has one event, so the number of events is at most [`order_core::MAX_ACTIONS`]. Returns
/// no events for deployments and approvals.
pub(crate) fn order_events(ctx: &Context<'_>, request: &Request) -> Vec<Event> {
    let Request::Order(request) = request else {
        return Vec::new();
    };
    let mut changed: Vec<ChangedAsset> = Vec::new();
    for action in &request.order.actions {
        let Some(change) = change(action) else {
            continue;
        };
        let same = changed
            .iter_mut()
            .find(|other| (other.ledger_id, other.asset_id) == (change.ledger_id, change.asset_id));
        match same {
            None => changed.push(change),
            // The order issued the asset and then updated its imprint. The first imprint was never in force, so the asset counts as
            // issued, not as replaced.
            Some(issued)
                if issued.status == ChangedStatus::InForce
                    && change.status == ChangedStatus::Replaced =>
            {
                issued.imprint = change.imprint;
            }
            Some(earlier) => *earlier = change,
        }
    }
    let changed = changed.into_iter();
    changed.map(|asset| Event::of_asset(ctx, asset)).collect()
}

/// Returns the asset that an action changes, with its new status. `None` if the action changes no status.
fn change(action: &Action) -> Option<ChangedAsset> {
    let (asset_id, status, imprint) = match action {
        Action::CreateAsset {
            asset_id,
            asset_imprint,
            ..
        } => (asset_id, ChangedStatus::InForce, Some(*asset_imprint)),
        Action::UpdateAsset {
            asset_id,
            asset_imprint,
            ..
        } => (asset_id, ChangedStatus::Replaced, Some(*asset_imprint)),
        Action::DestroyAsset { asset_id, .. } | Action::RevokeAsset { asset_id, .. } => {
            (asset_id, ChangedStatus::Withdrawn, None)
        }
        Action::TransferAsset { .. }
        | Action::TransferValue { .. }
        | Action::SetAbilities { .. } => return None,
    };
    Some(ChangedAsset {
        ledger_id: action.ledger_id(),
        asset_id: *asset_id,
        status,
        imprint,
        reason: None,
        reason_by: None,
    })
}

/// Returns the event that announces a reason for a withdrawal.
pub(super) fn reason_event(ctx: &Context<'_>, withdrawn: &WithdrawnAsset) -> Event {
    let WithdrawnAsset {
        ledger,
        asset,
        withdrawal,
    } = withdrawn;
    Event::of_asset(
        ctx,
        ChangedAsset {
            ledger_id: ledger.id,
            asset_id: *asset,
            status: ChangedStatus::Withdrawn,
            imprint: None,
            reason: withdrawal.reason.clone(),
            reason_by: withdrawal.reason_author(ledger),
        },
    )
}
