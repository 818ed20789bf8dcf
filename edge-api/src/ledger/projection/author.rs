//! The order behind a change of an asset or of abilities, and the account that signed the change's action.

use order_core::{Action, Address, Change, Request};
use serde_json::{Value, json};

use crate::text::account_key;

/// The author of a change. Everything is `None` if this service does not have the order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Author {
    /// The order's reference.
    pub(crate) reference: Option<String>,
    /// The account that created the order.
    pub(crate) creator: Option<Address>,
    /// The account that signed the action.
    pub(crate) signer: Option<Address>,
}

impl Author {
    /// Returns the author of a change that the request makes. `None` if no action of the request makes such a change.
    pub(in crate::ledger) fn of(
        change: &Change,
        reference: &str,
        creator: Address,
        request: &Request,
    ) -> Option<Self> {
        let Request::Order(order) = request else {
            return None;
        };
        let order = &order.order;
        // The last action that fits decides about the value after the order.
        let action = order
            .actions
            .iter()
            .rev()
            .find(|action| makes(action, change))?;
        Some(Self {
            reference: Some(reference.to_owned()),
            creator: Some(creator),
            signer: action.sender_id().or(order.wildcard()),
        })
    }

    /// Returns the author of each change of a request.
    pub(in crate::ledger) fn of_each(
        changes: &[Change],
        reference: &str,
        creator: Address,
        request: &Request,
    ) -> Vec<Self> {
        let author = |change| Self::of(change, reference, creator, request).unwrap_or_default();
        changes.iter().map(author).collect()
    }

    /// Returns the reference and the signer, as columns.
    pub(super) fn columns(&self) -> [Value; 2] {
        let signer = self.signer.as_ref().map(account_key);
        [json!(self.reference), json!(signer)]
    }

    /// Like [`Author::columns`], without a signer that is the order's creator, because a row of `records` has the creator.
    pub(super) fn short_columns(&self) -> [Value; 2] {
        let other = self.signer.filter(|signer| Some(*signer) != self.creator);
        [
            json!(self.reference),
            json!(other.as_ref().map(account_key)),
        ]
    }
}

/// A change and its author.
pub(crate) type Authored<'a> = (&'a Change, &'a Author);

/// Returns changes whose order is not known, or that belong to no order.
pub(crate) fn unauthored(changes: &[Change]) -> Vec<Authored<'_>> {
    static UNKNOWN: Author = Author {
        reference: None,
        creator: None,
        signer: None,
    };
    changes.iter().map(|change| (change, &UNKNOWN)).collect()
}

/// Returns true if the action makes a change of this kind to this row.
fn makes(action: &Action, change: &Change) -> bool {
    match (action, change) {
        (
            Action::SetAbilities {
                ledger_id,
                receiver_id,
                ..
            },
            Change::Abilities {
                ledger, account, ..
            },
        ) => ledger_id == ledger && receiver_id.is_none_or(|receiver| receiver == *account),
        (
            Action::CreateAsset {
                ledger_id,
                asset_id,
                ..
            },
            // The row may exist before, because another action of the order can destroy the asset first.
            Change::Asset {
                ledger,
                id,
                new: Some(_),
                ..
            },
        )
        | (
            Action::DestroyAsset {
                ledger_id,
                asset_id,
                ..
            }
            | Action::RevokeAsset {
                ledger_id,
                asset_id,
                ..
            },
            Change::Asset {
                ledger,
                id,
                new: None,
                ..
            },
        ) => (ledger_id, asset_id) == (ledger, id),
        (
            Action::TransferAsset {
                ledger_id,
                asset_id,
                ..
            },
            Change::Asset {
                ledger,
                id,
                old: Some(old),
                new: Some(new),
            },
        ) => (ledger_id, asset_id) == (ledger, id) && old.owner != new.owner,
        (
            Action::UpdateAsset {
                ledger_id,
                asset_id,
                ..
            },
            Change::Asset {
                ledger,
                id,
                old: Some(old),
                new: Some(new),
            },
        ) => (ledger_id, asset_id) == (ledger, id) && old.imprint != new.imprint,
        _ => false,
    }
}
