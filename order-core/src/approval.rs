//! Approvals: orders by which an account lets another account act on its behalf.

use alloc::boxed::Box;
use alloc::vec::Vec;

use alloy_primitives::B256;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use serde_json::Value;

use crate::claim::ClaimText;
use crate::draft::{Draft, Unsigned};
use crate::error::{Code, FieldError};
use crate::fields::{Field, Reader};
use crate::json;

use crate::transfer::{TokenTransfer, TransferCodes};
use crate::types::{Address, Amount, Expiration, Expiry, NotValid, Priority, Seed};
use crate::types::{numbered, serde_as_number};

/// A request to POST /approvals. Source: `docs/interface.md`, "Approval order".
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ApprovalRequest {
    /// The priority.
    pub priority: Priority,
    /// The claim of the account that approves.
    pub claim: ClaimText,
    /// The approval itself.
    pub approval: Approval,
}

/// An approval of one of two kinds.
///
/// Serializes as the `approval` of requests and answers. `kind` is 7 or 8.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Approval {
    /// Kind 7: lets an operator act on all assets of an account on a ledger, or revokes this right.
    Operator(OperatorApproval),
    /// Kind 8: lets a spender use tokens of an account.
    Value(ValueApproval),
}

numbered! {
    /// The kind of an approval. Source: `docs/interface.md`, "Approval order".
    ApprovalKind, "an approval's kind, 7 or 8":
    /// An operator for assets.
    Operator = 7,
    /// A spender of tokens.
    Value = 8,
}

impl ApprovalKind {
    /// Returns the rule by which the approval's expiration is compared with the time.
    #[must_use]
    pub const fn expiry(self) -> Expiry {
        match self {
            ApprovalKind::Operator => Expiry::Inclusive,
            ApprovalKind::Value => Expiry::Exclusive,
        }
    }
}

/// The interface specification's `AssetApproveOrder`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(
    feature = "schema",
    schemars(
        rename = "AssetApproval",
        description = "Lets an operator act on all assets of an owner on a ledger, or revokes this right.",
        transform = of_kind::<7>
    )
)]
#[serde(rename_all = "camelCase")]
pub struct OperatorApproval {
    /// The asset ledger.
    pub ledger_id: Address,
    /// The account that approves, signs and pays.
    pub owner: Address,
    /// The account that may act on the owner's assets.
    pub operator: Address,
    /// True approves, false revokes.
    pub is_operator: bool,
    /// The payment.
    pub token_transfer_data: TokenTransfer,
    /// The salt of the approval's hash.
    pub seed: Seed,
    /// The last second in which the approval is valid.
    pub expiration: Expiration,
}

/// The interface specification's `DappValueApproveOrder`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(
    feature = "schema",
    schemars(description = "Lets a spender spend platform tokens of an approver.", transform = of_kind::<8>)
)]
#[serde(rename_all = "camelCase")]
pub struct ValueApproval {
    /// The platform token.
    pub ledger_id: Address,
    /// The account that approves, signs and pays.
    pub approver: Address,
    /// The account that may spend the approver's tokens.
    pub spender: Address,
    /// The total amount that the spender may use. It replaces the previous amount.
    pub value: Amount,
    /// The payment receiver.
    pub fee_recipient: Address,
    /// The payment.
    pub fee_value: Amount,
    /// The salt of the approval's hash.
    pub seed: Seed,
    /// The first second in which the approval is no longer valid.
    pub expiration: Expiration,
}

impl Approval {
    /// The approval's kind.
    #[must_use]
    pub fn kind(&self) -> ApprovalKind {
        match self {
            Approval::Operator(_) => ApprovalKind::Operator,
            Approval::Value(_) => ApprovalKind::Value,
        }
    }

    /// Returns the account that must sign: the owner or the approver.
    #[must_use]
    pub fn signer(&self) -> Address {
        match self {
            Approval::Operator(approval) => approval.owner,
            Approval::Value(approval) => approval.approver,
        }
    }

    /// Returns the asset ledger (kind 7) or the token (kind 8).
    #[must_use]
    pub fn ledger_id(&self) -> Address {
        match self {
            Approval::Operator(approval) => approval.ledger_id,
            Approval::Value(approval) => approval.ledger_id,
        }
    }

    /// The salt of the approval's hash.
    #[must_use]
    pub fn seed(&self) -> Seed {
        match self {
            Approval::Operator(approval) => approval.seed,
            Approval::Value(approval) => approval.seed,
        }
    }

    /// Returns the expiration. [`ApprovalKind::expiry`] says how to compare it with the time.
    #[must_use]
    pub fn expiration(&self) -> Expiration {
        match self {
            Approval::Operator(approval) => approval.expiration,
            Approval::Value(approval) => approval.expiration,
        }
    }

    /// Returns the first moment at which the approval is no longer valid, in milliseconds of UNIX time.
    #[must_use]
    pub fn ends_at(&self) -> u64 {
        self.expiration().ends_at(self.kind().expiry())
    }
}

impl Serialize for Approval {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct WithKind<'a, T> {
            kind: ApprovalKind,
            #[serde(flatten)]
            approval: &'a T,
        }

        let kind = self.kind();
        match self {
            Approval::Operator(approval) => WithKind { kind, approval }.serialize(serializer),
            Approval::Value(approval) => WithKind { kind, approval }.serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for Approval {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let value = Value::deserialize(deserializer)?;
        let kind = value.get("kind").cloned().unwrap_or_default();
        json::from_value(kind)
            .and_then(|kind| match kind {
                ApprovalKind::Operator => json::from_value(value).map(Approval::Operator),
                ApprovalKind::Value => json::from_value(value).map(Approval::Value),
            })
            .map_err(de::Error::custom)
    }
}

impl ApprovalRequest {
    /// Reads the body of a signed approval. `now_ms` is the current UNIX time in milliseconds.
    ///
    /// # Errors
    ///
    /// All errors of all fields. The claim is not verified: see [`ApprovalRequest::verify_claim`].
    pub fn parse(body: &Value, now_ms: u64) -> Result<ApprovalRequest, Vec<FieldError>> {
        ApprovalRequest::read(body, now_ms)?.into_signed()
    }

    /// Reads a body that may lack its claim. `now_ms` is the current UNIX time in milliseconds. The approval is the member
    /// `approval` or `approve`.
    ///
    /// # Errors
    ///
    /// All errors of all fields. A body in which only the claim is missing is not an error: the result is an unsigned draft.
    pub fn read(body: &Value, now_ms: u64) -> Result<Draft<ApprovalRequest>, Vec<FieldError>> {
        let mut reader = Reader::default();
        let body = Field::body(body);
        let priority = reader.number(&body.get("priority"), Code::ApprovePriorityMissing);
        let claim = reader.claim(&body.get("claim"), Code::ApproveClaimMissing);
        // The interface specification has `approval`, the original client sends `approve`.
        let (approval, approve) = (body.get("approval"), body.get("approve"));
        let approval = if approval.is_empty() && !approve.is_empty() {
            approve
        } else {
            approval
        };
        let approval = reader
            .object(&approval, Code::ApproveMissing)
            .and_then(
                |()| match reader.number(&approval.get("kind"), Code::ApproveMissing)? {
                    ApprovalKind::Operator => {
                        read_operator(&mut reader, &approval, now_ms).map(Approval::Operator)
                    }
                    ApprovalKind::Value => {
                        read_value(&mut reader, &approval, now_ms).map(Approval::Value)
                    }
                },
            );
        let unsigned = |approval| Unsigned::Approval(Box::new(approval));
        Draft::of(reader, claim, approval, unsigned, |claim, approval| {
            Some(ApprovalRequest {
                priority: priority?,
                claim,
                approval,
            })
        })
    }

    /// Checks that the approving account signed `hash`.
    ///
    /// # Errors
    ///
    /// 422123 if the claim is not the approving account's signature of `hash`.
    pub fn verify_claim(&self, hash: &B256) -> Result<(), FieldError> {
        let signer = self.approval.signer();
        self.claim
            .check(hash, signer, Code::ApproveClaimNotValid, "claim")
    }
}

fn read_operator(reader: &mut Reader, at: &Field<'_>, now_ms: u64) -> Option<OperatorApproval> {
    let ledger_id = reader.value(
        &at.get("ledgerId"),
        &[Code::ApproveLedgerMissing],
        Code::ApproveLedgerNotValid,
    );
    let owner = reader.value(
        &at.get("owner"),
        &[Code::ApproveOwnerMissing],
        Code::ApproveOwnerNotValid,
    );
    let operator = reader.value(
        &at.get("operator"),
        &[Code::ApproveOperatorMissing],
        Code::ApproveOperatorNotValid,
    );
    let field = at.get("isOperator");
    let is_operator = field.boolean();
    if is_operator.is_none() {
        reader.push(field.wrong(Code::ApproveIsOperatorMissing, "true or false"));
    }
    let codes = TransferCodes {
        missing: Code::ApproveTransferMissing,
        ledger_missing: Code::ApproveTokenMissing,
        ledger_not_valid: Code::ApproveTokenNotValid,
        receiver_missing: Code::ApproveReceiverMissing,
        receiver_not_valid: Code::ApproveReceiverMissing,
        value: Code::ApproveTransferValueMissing,
    };
    let token_transfer_data = TokenTransfer::read(reader, &at.get("tokenTransferData"), &codes);
    let seed = reader.number(&at.get("seed"), Code::ApproveSeedMissing);
    let expiration = reader.lasting(
        &at.get("expiration"),
        Code::ApproveExpirationMissing,
        Code::ApproveCreationFailed,
        ApprovalKind::Operator.expiry(),
        now_ms,
    );
    Some(OperatorApproval {
        ledger_id: ledger_id?,
        owner: owner?,
        operator: operator?,
        is_operator: is_operator?,
        token_transfer_data: token_transfer_data?,
        seed: seed?,
        expiration: expiration?,
    })
}

fn read_value(reader: &mut Reader, at: &Field<'_>, now_ms: u64) -> Option<ValueApproval> {
    let ledger_id = reader.value(
        &at.get("ledgerId"),
        &[Code::ValueApproveLedgerMissing],
        Code::ValueApproveLedgerNotValid,
    );
    let approver = reader.value(
        &at.get("approver"),
        &[Code::ValueApproveApproverMissing],
        Code::ValueApproveApproverNotValid,
    );
    let spender = reader.value(
        &at.get("spender"),
        &[Code::ValueApproveSpenderMissing],
        Code::ValueApproveSpenderNotValid,
    );
    let value = reader.value(
        &at.get("value"),
        &[Code::ValueApproveValueMissing],
        Code::ValueApproveValueMissing,
    );
    let fee_recipient = reader.value(
        &at.get("feeRecipient"),
        &[Code::ValueApproveFeeRecipientMissing],
        Code::ValueApproveFeeRecipientNotValid,
    );
    let fee_value = reader.value(
        &at.get("feeValue"),
        &[Code::ValueApproveFeeValueMissing],
        Code::ValueApproveFeeValueMissing,
    );
    let seed = reader.number(&at.get("seed"), Code::ValueApproveSeedMissing);
    let expiration = reader.lasting(
        &at.get("expiration"),
        Code::ValueApproveExpirationMissing,
        Code::ApproveCreationFailed,
        ApprovalKind::Value.expiry(),
        now_ms,
    );
    Some(ValueApproval {
        ledger_id: ledger_id?,
        approver: approver?,
        spender: spender?,
        value: value?,
        fee_recipient: fee_recipient?,
        fee_value: fee_value?,
        seed: seed?,
        expiration: expiration?,
    })
}

/// Adds the constant `kind`, which distinguishes the approvals.
#[cfg(feature = "schema")]
fn of_kind<const KIND: u8>(schema: &mut schemars::Schema) {
    use serde_json::Value;

    let kind = schemars::json_schema!({ "type": "integer", "const": KIND });
    if let Some(Value::Object(properties)) = schema.get_mut("properties") {
        properties.insert("kind".into(), kind.to_value());
    }
    if let Some(Value::Array(required)) = schema.get_mut("required") {
        required.insert(0, "kind".into());
    }
}

#[cfg(test)]
mod tests;
