//! The payment in a deployment or an approval.

use serde::{Deserialize, Serialize};

use crate::error::Code;
use crate::fields::{Field, Reader};
use crate::types::{Address, Amount};

/// A transfer of tokens: the `tokenTransferData` of deployments and approvals.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(
    feature = "schema",
    schemars(
        rename = "TokenTransferInput",
        description = "The payment: platform tokens to the payment receiver."
    )
)]
#[serde(rename_all = "camelCase")]
pub struct TokenTransfer {
    /// The platform token.
    pub ledger_id: Address,
    /// The account that receives the tokens.
    pub receiver_id: Address,
    /// The amount that the receiver gets.
    pub value: Amount,
}

/// The error codes for a wrong transfer.
pub(crate) struct TransferCodes {
    pub(crate) missing: Code,
    pub(crate) ledger_missing: Code,
    pub(crate) ledger_not_valid: Code,
    pub(crate) receiver_missing: Code,
    pub(crate) receiver_not_valid: Code,
    pub(crate) value: Code,
}

impl TokenTransfer {
    /// Reads the transfer at a field. Returns `None` if it has added an error.
    pub(crate) fn read(
        reader: &mut Reader,
        at: &Field<'_>,
        codes: &TransferCodes,
    ) -> Option<TokenTransfer> {
        reader.object(at, codes.missing)?;
        let ledger_id = reader.value(
            &at.get("ledgerId"),
            &[codes.ledger_missing],
            codes.ledger_not_valid,
        );
        let receiver_id = reader.value(
            &at.get("receiverId"),
            &[codes.receiver_missing],
            codes.receiver_not_valid,
        );
        let value = reader.value(&at.get("value"), &[codes.value], codes.value);
        Some(TokenTransfer {
            ledger_id: ledger_id?,
            receiver_id: receiver_id?,
            value: value?,
        })
    }
}
