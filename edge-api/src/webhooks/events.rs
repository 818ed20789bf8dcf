//! Which events a change of a record makes, and who is told.

use std::collections::BTreeSet;

use order_core::Status;
use serde::Serialize;
use serde_json::json;

use super::config::EventKind;
use super::store;
use crate::api::{Ref, WebhookEvent};
use crate::app::Call;
use crate::ports::{DatabaseError, Job, Statement};
use crate::records::{Kind, Record};
use crate::text::account_key;

/// An event as it is written for everybody who gets it.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Event {
    pub(crate) id: String,
    pub(super) kind: u8,
    /// What is sent, to the byte.
    pub(super) body: String,
}

/// The states that a change goes through, the new one last. The embedded ledger is irreversible at once: what a chain
/// shows one after another happens in one transaction, and is told in the same order.
fn passed(old: Option<Status>, new: Status) -> Vec<Status> {
    use Status::{Failure, Finalized, Initialized, Pending, Processing, Success, Suspended};
    let mut states = Vec::with_capacity(3);
    let performed = matches!(new, Success | Finalized | Failure | Suspended | Initialized);
    if performed && matches!(old, Some(Pending | Suspended)) {
        states.push(Processing);
    }
    if new == Finalized && old != Some(Success) {
        states.push(Success);
    }
    states.push(new);
    states
}

/// The events of those states: each is a change, and some are errors beside.
fn told(kind: Kind, states: &[Status]) -> Vec<(EventKind, Status)> {
    let (changed, error) = match kind {
        // Approvals are orders too in the interface specification's words.
        Kind::Order | Kind::Approval => (EventKind::OrderChanged, EventKind::OrderError),
        Kind::Deployment => (EventKind::DeploymentChanged, EventKind::DeploymentError),
    };
    let mut events = Vec::new();
    for status in states {
        events.push((changed, *status));
        if matches!(status, Status::Failure | Status::Suspended) {
            events.push((error, *status));
        }
    }
    events
}

/// Statements that write the events of a change, to run in the transaction that makes it; `old` is none for a record
/// that is new. Recipients are the creator and the accounts that have signed, where they registered the kind.
pub(crate) fn outbox(
    call: &Call<'_>,
    old: Option<&Record>,
    new: &Record,
) -> Result<Vec<Statement>, DatabaseError> {
    // Who lost its place in the order hears of that too.
    let accounts: BTreeSet<String> = old
        .into_iter()
        .chain([new])
        .flat_map(|record| record.work.signatories())
        .chain([new.creator])
        .map(|account| account_key(&account))
        .collect();
    let kind = new.work.kind();
    let states = passed(old.map(|record| record.status), new.status);
    let events: Vec<Event> = told(kind, &states)
        .into_iter()
        .map(|(event, status)| {
            event_of(call, event as u8, |about| WebhookEvent {
                request_ref: Some(Ref(new.reference.clone())),
                request_kind: Some(kind as u8),
                status: Some(status),
                ..about
            })
        })
        .collect();
    // Most records are nobody's webhook; the hint is sent only if a delivery waits.
    call.send_when_committed(Job::Deliver {
        stream: new.reference.clone(),
    });
    store::enqueue(&new.reference, &events, &accounts, call.now())
}

/// The event by which an account finds out whether its receiver works.
pub(super) fn test_event(call: &Call<'_>, kind: u8) -> Event {
    event_of(call, kind, |about| WebhookEvent {
        test: Some(true),
        ..about
    })
}

/// A new event of a kind; `about` adds its subject.
fn event_of(call: &Call<'_>, kind: u8, about: impl FnOnce(WebhookEvent) -> WebhookEvent) -> Event {
    let id = call.new_reference();
    let event = about(WebhookEvent {
        kind: Some(kind),
        event: Some(kind),
        ..WebhookEvent::about_nothing(&id, call.now())
    });
    Event {
        id,
        kind,
        body: json!(event).to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_goes_through_every_state_of_the_machine() {
        use Status::{
            Canceled, Failure, Finalized, Initialized, Pending, Processing, Success, Suspended,
        };
        for (old, new, states) in [
            (None, Initialized, &[Initialized][..]),
            (None, Pending, &[Pending]),
            // A signature that others are waited for.
            (Some(Initialized), Initialized, &[Initialized]),
            (Some(Initialized), Pending, &[Pending]),
            (Some(Initialized), Canceled, &[Canceled]),
            (Some(Pending), Finalized, &[Processing, Success, Finalized]),
            (Some(Processing), Finalized, &[Success, Finalized]),
            (Some(Success), Finalized, &[Finalized]),
            (Some(Processing), Success, &[Success]),
            (Some(Pending), Failure, &[Processing, Failure]),
            (Some(Processing), Failure, &[Failure]),
            (Some(Pending), Suspended, &[Processing, Suspended]),
            (Some(Suspended), Suspended, &[Processing, Suspended]),
            (Some(Suspended), Failure, &[Processing, Failure]),
            (
                Some(Suspended),
                Finalized,
                &[Processing, Success, Finalized],
            ),
            // The wildcard's claim was dropped.
            (Some(Pending), Initialized, &[Processing, Initialized]),
            (Some(Pending), Processing, &[Processing]),
        ] {
            assert_eq!(passed(old, new), states, "{old:?} {new:?}");
        }
    }

    #[test]
    fn failures_and_suspensions_are_told_as_errors_too() {
        let kinds = |kind, states: &[Status]| -> Vec<(u8, u64)> {
            told(kind, states)
                .into_iter()
                .map(|(event, status)| (event as u8, u64::from(status.number())))
                .collect()
        };
        let states = [Status::Processing, Status::Failure];
        assert_eq!(kinds(Kind::Order, &states), [(0, 2), (0, 4), (1, 4)]);
        assert_eq!(kinds(Kind::Approval, &states), [(0, 2), (0, 4), (1, 4)]);
        assert_eq!(kinds(Kind::Deployment, &states), [(2, 2), (2, 4), (3, 4)]);
        assert_eq!(
            kinds(Kind::Deployment, &[Status::Suspended]),
            [(2, 5), (3, 5)]
        );
        assert_eq!(kinds(Kind::Order, &[Status::Canceled]), [(0, 6)]);
        assert_eq!(kinds(Kind::Deployment, &[Status::Finalized]), [(2, 7)]);
    }
}
