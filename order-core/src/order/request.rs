//! The body of POST /orders.

use alloc::collections::BTreeSet;
use alloc::format;
use alloc::vec::Vec;

use alloy_primitives::B256;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{Action, ActionKind, Order, SignerClaim};
use crate::claim::ClaimText;
use crate::error::{Code, FieldError};
use crate::fields::{Field, Reader};
use crate::gateways::Gateways;
use crate::types::{Abilities, Address, AssetId, Expiration, Priority};

/// The maximum number of signers that an order may list.
pub const MAX_SIGNERS: usize = 32;
/// The maximum number of actions of an order.
pub const MAX_ACTIONS: usize = 100;

/// A request to POST /orders. Source: `docs/interface.md`, "Actions order".
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct OrderRequest {
    /// True if the order is performed as soon as it is fully signed.
    pub automated_perform: bool,
    /// True if an account that the order does not list may take the place of empty senders and receivers.
    pub wildcard_signer: bool,
    /// The priority.
    pub priority: Priority,
    /// The order itself.
    pub order: Order,
}

impl OrderRequest {
    /// Reads a body. `now_ms` is the current UNIX time in milliseconds.
    ///
    /// # Errors
    ///
    /// All errors of all fields, in the order of the fields. Claims are not verified: see [`Order::verify_claims`].
    pub fn parse(body: &Value, now_ms: u64) -> Result<OrderRequest, Vec<FieldError>> {
        let mut reader = Reader::default();
        let body = Field::body(body);
        let mut flag = |name| {
            let flag = reader.flag(&body.get(name))?;
            Some(flag.unwrap_or(true))
        };
        let automated_perform = flag("automatedPerform");
        let wildcard_signer = flag("wildcardSigner");
        let priority = reader.number(&body.get("priority"), Code::OrderPriorityMissing);
        let order = body.get("order");
        let order = reader
            .object(&order, Code::OrderMissing)
            // If `wildcardSigner` cannot be read, fields that depend on it are not reported as errors.
            .and_then(|()| {
                read_order(&mut reader, &order, wildcard_signer.unwrap_or(true), now_ms)
            });
        let request = (|| {
            Some(OrderRequest {
                automated_perform: automated_perform?,
                wildcard_signer: wildcard_signer?,
                priority: priority?,
                order: order?,
            })
        })();
        reader.finish(request)
    }

    /// Returns the hash that the order's claims sign.
    ///
    /// # Errors
    ///
    /// 422060 if a sender is not a signer. 422057 if a missing party cannot be the wildcard. A request that [`OrderRequest::parse`] has
    /// read has neither error.
    pub fn hash(&self, gateways: &Gateways) -> Result<B256, FieldError> {
        self.order.hash(gateways, self.wildcard_signer)
    }

    /// Returns true if all listed signers have signed, and the wildcard's account too if the order has a wildcard.
    #[must_use]
    pub fn is_fully_signed(&self) -> bool {
        let has_claim = |signer: &SignerClaim| signer.claim.is_some();
        let order = &self.order;
        order.signers.iter().all(has_claim)
            && (!self.wildcard_signer || order.wildcard_claim.as_ref().is_some_and(has_claim))
    }
}

fn read_order(
    reader: &mut Reader,
    order: &Field<'_>,
    wildcard_signer: bool,
    now_ms: u64,
) -> Option<Order> {
    let signers = read_signers(reader, &order.get("signers"), wildcard_signer);
    let listed: Option<Vec<Address>> = signers
        .as_ref()
        .map(|signers| signers.iter().map(|signer| signer.account_id).collect());
    let wildcard_claim = read_wildcard(
        reader,
        &order.get("wildcardClaim"),
        wildcard_signer,
        listed.as_deref(),
    );
    let parties = Parties {
        wildcard_signer,
        listed,
    };
    let actions = read_actions(reader, &order.get("actions"), &parties);
    let seed = reader.number(&order.get("seed"), Code::OrderSeedMissing);
    let field = order.get("expiration");
    let expiration: Option<Expiration> = reader.number(&field, Code::OrderExpirationMissing);
    if expiration.is_some_and(|expiration| expiration.is_past(Order::EXPIRY, now_ms)) {
        reader.push(FieldError::with_message(
            Code::FieldNotValid,
            &*field.path,
            "the order has already expired",
        ));
    }
    Some(Order {
        signers: signers?,
        wildcard_claim: wildcard_claim?,
        actions: actions?,
        seed: seed?,
        expiration: expiration?,
    })
}

/// Reads the list of signers. It may be absent if the wildcard is the only signer.
fn read_signers(
    reader: &mut Reader,
    field: &Field<'_>,
    wildcard_signer: bool,
) -> Option<Vec<SignerClaim>> {
    if field.is_empty() || field.list().is_some_and(<[Value]>::is_empty) {
        if wildcard_signer {
            return Some(Vec::new());
        }
        reader.push(FieldError::new(Code::OrderMakerMissing, &*field.path));
        return None;
    }
    let Some(list) = field.list().filter(|list| list.len() <= MAX_SIGNERS) else {
        let expected = format!("a list of at most {MAX_SIGNERS} signers");
        reader.push(field.wrong(Code::FieldNotValid, &expected));
        return None;
    };
    let before = reader.count();
    let mut seen = BTreeSet::new();
    let mut signers = Vec::new();
    for entry in field.elements(list) {
        let at = entry.get("accountId");
        let Some(account_id) = reader
            .object(&entry, Code::FieldNotValid)
            .and_then(|()| reader.value(&at, &[Code::FieldNotValid], Code::FieldNotValid))
        else {
            continue;
        };
        if !seen.insert(account_id) {
            reader.push(FieldError::with_message(
                Code::FieldNotValid,
                at.path,
                format!("the signer `{account_id}` is listed twice"),
            ));
        }
        signers.push(SignerClaim {
            account_id,
            claim: entry.get("claim").text().and_then(ClaimText::new),
        });
    }
    (reader.count() == before).then_some(signers)
}

/// Reads the wildcard's claim. The inner `None` means that the order has no such claim.
fn read_wildcard(
    reader: &mut Reader,
    field: &Field<'_>,
    wildcard_signer: bool,
    listed: Option<&[Address]>,
) -> Option<Option<SignerClaim>> {
    let (account, claim) = (field.get("accountId"), field.get("claim"));
    let text = claim.text().and_then(ClaimText::new);
    if account.text().is_none() && text.is_none() {
        return Some(None);
    }
    if !wildcard_signer {
        reader.push(FieldError::with_message(
            Code::FieldNotValid,
            &*field.path,
            "an order without a wildcard signer must not have a `wildcardClaim`",
        ));
        return None;
    }
    let account_id = reader.value(&account, &[Code::FieldNotValid], Code::FieldNotValid);
    if text.is_none() {
        reader.push(FieldError::with_message(
            Code::FieldNotValid,
            claim.path,
            "a `wildcardClaim` needs a claim: list an account that will sign later as a signer, \
             or leave out `wildcardClaim`",
        ));
    }
    let (account_id, claim) = (account_id?, text?);
    if listed.is_some_and(|listed| listed.contains(&account_id)) {
        reader.push(FieldError::with_message(
            Code::FieldNotValid,
            account.path,
            format!("the listed signer `{account_id}` cannot also be the wildcard signer"),
        ));
        return None;
    }
    Some(Some(SignerClaim {
        account_id,
        claim: Some(claim),
    }))
}

/// The accounts that may be a sender or a receiver.
struct Parties {
    wildcard_signer: bool,
    /// `None` if the list of signers is wrong. In this case, senders are not compared with the list.
    listed: Option<Vec<Address>>,
}

fn read_actions(reader: &mut Reader, field: &Field<'_>, parties: &Parties) -> Option<Vec<Action>> {
    let fits = |list: &&[Value]| (1..=MAX_ACTIONS).contains(&list.len());
    let Some(list) = field.list().filter(fits) else {
        let expected = format!("a list of 1 to {MAX_ACTIONS} actions");
        reader.push(field.wrong(Code::FieldNotValid, &expected));
        return None;
    };
    let before = reader.count();
    let actions: Vec<Action> = field
        .elements(list)
        .filter_map(|action| read_action(reader, &action, parties))
        .collect();
    (reader.count() == before).then_some(actions)
}

fn read_action(reader: &mut Reader, at: &Field<'_>, parties: &Parties) -> Option<Action> {
    reader.object(at, Code::FieldNotValid)?;
    let kind = reader.number(&at.get("kind"), Code::FieldNotValid)?;
    // All fields are read before a missing field ends the function, so every error is found.
    match kind {
        ActionKind::CreateAsset => {
            let ledger_id = reader.value(
                &at.get("ledgerId"),
                &[Code::ActionLedgerMissing, Code::AssetLedgerMissing],
                Code::ActionLedgerNotValid,
            );
            let asset_id = reader.value(
                &at.get("assetId"),
                &[Code::ActionAssetIdMissing, Code::AssetIdMissing],
                Code::ActionAssetIdMissing,
            );
            let asset_imprint = reader.value(
                &at.get("assetImprint"),
                &[Code::ActionImprintMissing, Code::AssetImprintMissing],
                Code::ActionImprintNotValid,
            );
            let (sender_id, receiver_id) = read_both(reader, at, parties)?;
            Some(Action::CreateAsset {
                ledger_id: ledger_id?,
                asset_id: asset_id?,
                asset_imprint: asset_imprint?,
                receiver_id,
                sender_id,
            })
        }
        ActionKind::TransferAsset => {
            let ledger_id = read_ledger(reader, at);
            let asset_id = read_asset_id(reader, at);
            let (sender_id, receiver_id) = read_both(reader, at, parties)?;
            Some(Action::TransferAsset {
                ledger_id: ledger_id?,
                asset_id: asset_id?,
                receiver_id,
                sender_id,
            })
        }
        ActionKind::TransferValue => {
            let ledger_id = read_ledger(reader, at);
            let value = reader.value(
                &at.get("value"),
                &[Code::ActionValueMissing],
                Code::ActionValueNotValid,
            );
            let (sender_id, receiver_id) = read_both(reader, at, parties)?;
            Some(Action::TransferValue {
                ledger_id: ledger_id?,
                value: value?,
                receiver_id,
                sender_id,
            })
        }
        ActionKind::UpdateAsset => {
            let ledger_id = read_ledger(reader, at);
            let asset_id = read_asset_id(reader, at);
            let asset_imprint = reader.value(
                &at.get("assetImprint"),
                &[Code::ActionImprintMissing],
                Code::ActionImprintNotValid,
            );
            let sender_id = read_sender_alone(reader, at, parties)?;
            Some(Action::UpdateAsset {
                ledger_id: ledger_id?,
                asset_id: asset_id?,
                asset_imprint: asset_imprint?,
                sender_id,
            })
        }
        ActionKind::SetAbilities => {
            let ledger_id = read_ledger(reader, at);
            let abilities = reader.numbers(
                &at.get("abilities"),
                Abilities::from_list,
                Code::FieldNotValid,
                Code::FieldNotValid,
            );
            let (sender_id, receiver_id) = read_both(reader, at, parties)?;
            Some(Action::SetAbilities {
                ledger_id: ledger_id?,
                abilities: abilities?,
                receiver_id,
                sender_id,
            })
        }
        ActionKind::DestroyAsset => {
            let ledger_id = read_ledger(reader, at);
            let asset_id = read_asset_id(reader, at);
            let sender_id = read_sender_alone(reader, at, parties)?;
            Some(Action::DestroyAsset {
                ledger_id: ledger_id?,
                asset_id: asset_id?,
                sender_id,
            })
        }
        ActionKind::RevokeAsset => {
            let ledger_id = read_ledger(reader, at);
            let asset_id = read_asset_id(reader, at);
            let sender_id = read_sender_alone(reader, at, parties)?;
            Some(Action::RevokeAsset {
                ledger_id: ledger_id?,
                asset_id: asset_id?,
                sender_id,
            })
        }
    }
}

fn read_ledger(reader: &mut Reader, at: &Field<'_>) -> Option<Address> {
    reader.value(
        &at.get("ledgerId"),
        &[Code::ActionLedgerMissing],
        Code::ActionLedgerNotValid,
    )
}

fn read_asset_id(reader: &mut Reader, at: &Field<'_>) -> Option<AssetId> {
    reader.value(
        &at.get("assetId"),
        &[Code::ActionAssetIdMissing],
        Code::ActionAssetIdMissing,
    )
}

/// Reads an optional sender. It must be a listed signer, because the hash contains the signer's index.
fn read_sender(
    reader: &mut Reader,
    field: &Field<'_>,
    parties: &Parties,
) -> Option<Option<Address>> {
    let sender = reader.optional(field, Code::ActionSenderNotValid)?;
    match (sender, &parties.listed) {
        (Some(address), Some(listed)) if !listed.contains(&address) => {
            reader.push(FieldError::with_message(
                Code::ActionSenderNotValid,
                &*field.path,
                format!("the sender `{address}` is not a signer of the order"),
            ));
            None
        }
        _ => Some(sender),
    }
}

/// Reads sender and receiver. At most one of them can be the wildcard.
fn read_both(
    reader: &mut Reader,
    at: &Field<'_>,
    parties: &Parties,
) -> Option<(Option<Address>, Option<Address>)> {
    let (sender_at, receiver_at) = (at.get("senderId"), at.get("receiverId"));
    let receiver = reader.optional(&receiver_at, Code::ActionReceiverNotValid);
    let sender = read_sender(reader, &sender_at, parties);
    let before = reader.count();
    let mut missing = |field: &Field<'_>| {
        reader.push(FieldError::new(Code::ActionPartyMissing, &*field.path));
    };
    if parties.wildcard_signer {
        if (sender, receiver) == (Some(None), Some(None)) {
            missing(at);
        }
    } else {
        for (party, field) in [(receiver, &receiver_at), (sender, &sender_at)] {
            if party == Some(None) {
                missing(field);
            }
        }
    }
    (reader.count() == before).then_some((sender?, receiver?))
}

/// Reads the sender of a kind that has no receiver.
fn read_sender_alone(
    reader: &mut Reader,
    at: &Field<'_>,
    parties: &Parties,
) -> Option<Option<Address>> {
    let field = at.get("senderId");
    let sender = read_sender(reader, &field, parties)?;
    if sender.is_none() && !parties.wildcard_signer {
        reader.push(FieldError::new(Code::ActionPartyMissing, field.path));
        return None;
    }
    Some(sender)
}
