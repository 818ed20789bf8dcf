//! The kinds of actions.

use serde::{Deserialize, Serialize};

use crate::types::{Abilities, Address, Amount, AssetId, Imprint, NotValid};
use crate::types::{numbered, serde_as_number};

numbered! {
    /// The kind of an action. Source: `docs/interface.md`, "Actions order". Kind 7 is an extension (decision 0097).
    ActionKind, "an action's kind from 1 to 7":
    /// Creates an asset.
    CreateAsset = 1,
    /// Gives an asset to another account.
    TransferAsset = 2,
    /// Gives tokens to another account.
    TransferValue = 3,
    /// Replaces an asset's imprint.
    UpdateAsset = 4,
    /// Replaces an account's abilities on a ledger.
    SetAbilities = 5,
    /// Destroys an asset of the sender.
    DestroyAsset = 6,
    /// Destroys an asset of any account. Contracts have no such action.
    RevokeAsset = 7,
}

/// An action of an order.
///
/// A sender or receiver that is `None` is the account that will take the wildcard's place, and serializes as null. The
/// field names are those of the interface specification, and `kind` is the kind's number.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "Fields", try_from = "Fields")]
#[allow(
    missing_docs,
    reason = "the fields are those of the interface specification"
)]
pub enum Action {
    /// Creates an asset.
    CreateAsset {
        ledger_id: Address,
        asset_id: AssetId,
        asset_imprint: Imprint,
        receiver_id: Option<Address>,
        sender_id: Option<Address>,
    },
    /// Gives an asset of the sender to the receiver.
    TransferAsset {
        ledger_id: Address,
        asset_id: AssetId,
        receiver_id: Option<Address>,
        sender_id: Option<Address>,
    },
    /// Gives tokens of the sender to the receiver.
    TransferValue {
        ledger_id: Address,
        value: Amount,
        receiver_id: Option<Address>,
        sender_id: Option<Address>,
    },
    /// Replaces an asset's imprint.
    UpdateAsset {
        ledger_id: Address,
        asset_id: AssetId,
        asset_imprint: Imprint,
        sender_id: Option<Address>,
    },
    /// Replaces the receiver's abilities on the ledger.
    SetAbilities {
        ledger_id: Address,
        abilities: Abilities,
        receiver_id: Option<Address>,
        sender_id: Option<Address>,
    },
    /// Destroys an asset of the sender.
    DestroyAsset {
        ledger_id: Address,
        asset_id: AssetId,
        sender_id: Option<Address>,
    },
    /// Destroys an asset of any account.
    RevokeAsset {
        ledger_id: Address,
        asset_id: AssetId,
        sender_id: Option<Address>,
    },
}

impl Action {
    /// The action's kind.
    #[must_use]
    pub fn kind(&self) -> ActionKind {
        match self {
            Action::CreateAsset { .. } => ActionKind::CreateAsset,
            Action::TransferAsset { .. } => ActionKind::TransferAsset,
            Action::TransferValue { .. } => ActionKind::TransferValue,
            Action::UpdateAsset { .. } => ActionKind::UpdateAsset,
            Action::SetAbilities { .. } => ActionKind::SetAbilities,
            Action::DestroyAsset { .. } => ActionKind::DestroyAsset,
            Action::RevokeAsset { .. } => ActionKind::RevokeAsset,
        }
    }

    /// The ledger that the action is about.
    #[must_use]
    pub fn ledger_id(&self) -> Address {
        match self {
            Action::CreateAsset { ledger_id, .. }
            | Action::TransferAsset { ledger_id, .. }
            | Action::TransferValue { ledger_id, .. }
            | Action::UpdateAsset { ledger_id, .. }
            | Action::SetAbilities { ledger_id, .. }
            | Action::DestroyAsset { ledger_id, .. }
            | Action::RevokeAsset { ledger_id, .. } => *ledger_id,
        }
    }

    /// The sender. `None` if the sender is the wildcard.
    #[must_use]
    pub fn sender_id(&self) -> Option<Address> {
        match self {
            Action::CreateAsset { sender_id, .. }
            | Action::TransferAsset { sender_id, .. }
            | Action::TransferValue { sender_id, .. }
            | Action::UpdateAsset { sender_id, .. }
            | Action::SetAbilities { sender_id, .. }
            | Action::DestroyAsset { sender_id, .. }
            | Action::RevokeAsset { sender_id, .. } => *sender_id,
        }
    }
}

/// The fields of an action of any kind, as requests and answers have them.
#[derive(Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(
    feature = "schema",
    schemars(
        rename = "Action",
        description = "One action of the order. An empty sender or receiver is null.",
        extend("examples" = [example()])
    )
)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Fields {
    kind: ActionKind,
    ledger_id: Address,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(with = "AssetId"))]
    asset_id: Option<AssetId>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(with = "Imprint"))]
    asset_imprint: Option<Imprint>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(with = "Amount"))]
    value: Option<Amount>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(with = "Abilities"))]
    abilities: Option<Abilities>,
    // The outer `None` means that the kind of action has no receiver.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    receiver_id: Option<Option<Address>>,
    #[serde(default)]
    sender_id: Option<Address>,
}

/// An action that creates an asset, for the description of the API.
#[cfg(feature = "schema")]
fn example() -> serde_json::Value {
    serde_json::json!({
        "kind": 1,
        "ledgerId": "0x2b961E3959b79326A8e7F64Ef0d2d825707669b5",
        "assetId": "100",
        "assetImprint": "d747e6ffd1aa3f83efef2931e3cc22c653ea97a32c1ee7289e4966b6964ecdfb",
        "receiverId": "0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC",
        "senderId": "0x70997970C51812dc3A010C7d01b50e0d17dc79C8",
    })
}

impl From<Action> for Fields {
    fn from(action: Action) -> Self {
        let mut fields = Fields {
            kind: action.kind(),
            ledger_id: action.ledger_id(),
            asset_id: None,
            asset_imprint: None,
            value: None,
            abilities: None,
            receiver_id: None,
            sender_id: action.sender_id(),
        };
        match action {
            Action::CreateAsset {
                asset_id,
                asset_imprint,
                receiver_id,
                ..
            } => {
                fields.asset_id = Some(asset_id);
                fields.asset_imprint = Some(asset_imprint);
                fields.receiver_id = Some(receiver_id);
            }
            Action::TransferAsset {
                asset_id,
                receiver_id,
                ..
            } => {
                fields.asset_id = Some(asset_id);
                fields.receiver_id = Some(receiver_id);
            }
            Action::TransferValue {
                value, receiver_id, ..
            } => {
                fields.value = Some(value);
                fields.receiver_id = Some(receiver_id);
            }
            Action::UpdateAsset {
                asset_id,
                asset_imprint,
                ..
            } => {
                fields.asset_id = Some(asset_id);
                fields.asset_imprint = Some(asset_imprint);
            }
            Action::SetAbilities {
                abilities,
                receiver_id,
                ..
            } => {
                fields.abilities = Some(abilities);
                fields.receiver_id = Some(receiver_id);
            }
            Action::DestroyAsset { asset_id, .. } | Action::RevokeAsset { asset_id, .. } => {
                fields.asset_id = Some(asset_id)
            }
        }
        fields
    }
}

impl TryFrom<Fields> for Action {
    type Error = NotValid;

    fn try_from(fields: Fields) -> Result<Self, NotValid> {
        let Fields {
            kind,
            ledger_id,
            sender_id,
            ..
        } = fields;
        let asset_id = fields.asset_id.ok_or(NotValid("an action with an assetId"));
        let asset_imprint = fields
            .asset_imprint
            .ok_or(NotValid("an action with an assetImprint"));
        let receiver_id = fields.receiver_id.flatten();
        Ok(match kind {
            ActionKind::CreateAsset => Action::CreateAsset {
                ledger_id,
                asset_id: asset_id?,
                asset_imprint: asset_imprint?,
                receiver_id,
                sender_id,
            },
            ActionKind::TransferAsset => Action::TransferAsset {
                ledger_id,
                asset_id: asset_id?,
                receiver_id,
                sender_id,
            },
            ActionKind::TransferValue => Action::TransferValue {
                ledger_id,
                value: fields.value.ok_or(NotValid("an action with a value"))?,
                receiver_id,
                sender_id,
            },
            ActionKind::UpdateAsset => Action::UpdateAsset {
                ledger_id,
                asset_id: asset_id?,
                asset_imprint: asset_imprint?,
                sender_id,
            },
            ActionKind::SetAbilities => Action::SetAbilities {
                ledger_id,
                abilities: fields
                    .abilities
                    .ok_or(NotValid("an action with abilities"))?,
                receiver_id,
                sender_id,
            },
            ActionKind::DestroyAsset => Action::DestroyAsset {
                ledger_id,
                asset_id: asset_id?,
                sender_id,
            },
            ActionKind::RevokeAsset => Action::RevokeAsset {
                ledger_id,
                asset_id: asset_id?,
                sender_id,
            },
        })
    }
}
