//! The states that a change of a record passes through, and the events that report these states.

use alloc::vec::Vec;

use crate::request::RequestKind;
use crate::types::{NotValid, Status, numbered, serde_as_number};

numbered! {
    /// The kind of an event (`docs/interface.md`, "Events").
    EventKind, "an event kind from 0 to 5":
    /// An order or approval changed.
    OrderChanged = 0,
    /// An order or approval failed or was suspended.
    OrderError = 1,
    /// A deployment changed.
    DeploymentChanged = 2,
    /// A deployment failed or was suspended.
    DeploymentError = 3,
    /// An asset was issued, replaced or withdrawn, or its withdrawal got a reason.
    AssetChanged = 4,
    /// A domain that confirmed the account fails, ended its confirmation or confirms the account again.
    DomainChanged = 5,
}

/// Returns the states that a change passes through, ending with the new state. On the embedded ledger, one transaction may pass through
/// several states. On a chain, a record reaches these states one after another. The events have the same order on both kinds of ledger.
#[must_use]
pub fn passed(old: Option<Status>, new: Status) -> Vec<Status> {
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

/// Returns the events that a request causes in these states. Each state causes a change event. Failure and Suspended also cause an error
/// event.
#[must_use]
pub fn events(kind: RequestKind, states: &[Status]) -> Vec<(EventKind, Status)> {
    let (changed, error) = match kind {
        // The interface specification counts approvals as orders.
        RequestKind::Order | RequestKind::Approval => {
            (EventKind::OrderChanged, EventKind::OrderError)
        }
        RequestKind::Deployment => (EventKind::DeploymentChanged, EventKind::DeploymentError),
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_passes_through_the_states_between_old_and_new() {
        use Status::{
            Canceled, Failure, Finalized, Initialized, Pending, Processing, Success, Suspended,
        };
        for (old, new, states) in [
            (None, Initialized, &[Initialized][..]),
            (None, Pending, &[Pending]),
            // The order waits for further signatures.
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
            // On a chain, another transaction took the record's place, or another account performed or canceled the request.
            (Some(Processing), Pending, &[Pending]),
            (Some(Processing), Canceled, &[Canceled]),
            (Some(Initialized), Finalized, &[Success, Finalized]),
            (Some(Failure), Success, &[Success]),
        ] {
            assert_eq!(passed(old, new), states, "{old:?} {new:?}");
        }
    }

    #[test]
    fn failures_and_suspensions_also_cause_error_events() {
        let kinds = |kind, states: &[Status]| -> Vec<(u8, u64)> {
            events(kind, states)
                .into_iter()
                .map(|(event, status)| (event as u8, u64::from(status.number())))
                .collect()
        };
        let states = [Status::Processing, Status::Failure];
        assert_eq!(kinds(RequestKind::Order, &states), [(0, 2), (0, 4), (1, 4)]);
        assert_eq!(
            kinds(RequestKind::Approval, &states),
            [(0, 2), (0, 4), (1, 4)]
        );
        assert_eq!(
            kinds(RequestKind::Deployment, &states),
            [(2, 2), (2, 4), (3, 4)]
        );
        assert_eq!(
            kinds(RequestKind::Deployment, &[Status::Suspended]),
            [(2, 5), (3, 5)]
        );
        assert_eq!(kinds(RequestKind::Order, &[Status::Canceled]), [(0, 6)]);
        assert_eq!(
            kinds(RequestKind::Deployment, &[Status::Finalized]),
            [(2, 7)]
        );
    }
}
