//! The reasons with which contracts refuse a call, and the service's error codes for them.

use alloc::borrow::ToOwned;
use alloc::format;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;

use alloy_sol_types::SolError;

use crate::approval::Approval;
use crate::error::{Code, FieldError};
use crate::order::Action;
use crate::request::Request;

/// Maximum bytes of a reason. The original contracts send reasons of six digits, but the contract of a receiver may send any text.
const REASON_BYTES: usize = 256;

/// The data of a reverted call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Revert {
    /// A reason as text, cut off after 256 bytes.
    Reason(String),
    /// No data. For example, the contract ran out of gas, lacks the function, or reverted without a reason.
    Silent,
    /// Data of another form.
    Other,
}

/// The meaning of a revert for a request.
///
/// A contract that receives an asset can revert with any reason, so a reason is only a hint. Read the gateway's state before you mark a
/// record as performed or canceled.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Meaning {
    /// The ledger's rules forbid the request. The cause is one of these errors: a revert does not name the action,
    /// so each action that fits the reason has an error here.
    Refused(Vec<FieldError>),
    /// The request has expired.
    Expired(FieldError),
    /// The request was performed before.
    Performed,
    /// The request was canceled on the chain.
    Canceled,
}

impl Revert {
    /// Reads the data of a revert.
    #[must_use]
    #[expect(
        clippy::disallowed_methods,
        reason = "the contract of a receiver can encode a reason in an unusual form"
    )]
    pub fn read(data: &[u8]) -> Revert {
        if data.is_empty() {
            return Revert::Silent;
        }
        alloy_sol_types::Revert::abi_decode(data).map_or(Revert::Other, |revert| {
            let reason = revert.reason.as_bytes();
            let reason = reason.get(..REASON_BYTES).unwrap_or(reason);
            Revert::Reason(String::from_utf8_lossy(reason).into_owned())
        })
    }

    /// Returns the meaning of the revert of the call that performs `request`.
    #[must_use]
    pub fn meaning(&self, request: &Request) -> Meaning {
        let reason = match self {
            Revert::Reason(reason) => reason.as_str(),
            Revert::Silent | Revert::Other => "",
        };
        match reason {
            "015007" | "009006" | "007007" | "010008" => return Meaning::Performed,
            "015006" | "009005" | "007009" | "010011" => return Meaning::Canceled,
            "015004" | "009003" | "007008" | "010009" => {
                return Meaning::Expired(request.expired());
            }
            _ => {}
        }
        let errors = errors(reason, request);
        Meaning::Refused(if errors.is_empty() {
            vec![self.unknown(request)]
        } else {
            errors
        })
    }

    /// Returns the error for an unknown reason.
    fn unknown(&self, request: &Request) -> FieldError {
        let (code, path) = match request {
            Request::Order(_) => (Code::FieldNotValid, "order"),
            Request::Deployment(_) => (Code::DeployCreationFailed, "deploy"),
            Request::Approval(_) => (Code::ApproveCreationFailed, "approval"),
        };
        let message = match self {
            Revert::Reason(reason) => format!("the ledger's contract refuses `{path}`: {reason}"),
            Revert::Silent | Revert::Other => {
                format!("the ledger's contract refuses `{path}` without a reason")
            }
        };
        FieldError::with_message(code, path, message)
    }
}

/// Returns the possible errors for a reason. The reason is empty if the data of the revert has none.
fn errors(reason: &str, request: &Request) -> Vec<FieldError> {
    let places: Vec<(Code, String)> = match request {
        Request::Order(request) => {
            let actions = request.order.actions.iter().enumerate();
            let signature =
                (reason == "015005").then(|| (Code::SignatureNotValid, "order.signers".to_owned()));
            actions
                .filter_map(|(index, action)| {
                    let (code, field) = action_error(reason, action)?;
                    Some((code, format!("order.actions[{index}].{field}")))
                })
                .chain(signature)
                .collect()
        }
        Request::Deployment(_) => one(match reason {
            "009002" => (Code::DeployTakerNotValid, "deploy.takerId"),
            "009004" => (Code::SignatureNotValid, "claim"),
            "010001" => (
                Code::DeployBalanceInsufficient,
                "deploy.tokenTransferData.value",
            ),
            "010002" => (Code::DeployNotApproved, "deploy.makerId"),
            "010003" => (
                Code::TokenReceiverNotAllowed,
                "deploy.tokenTransferData.receiverId",
            ),
            _ => return Vec::new(),
        }),
        Request::Approval(request) => one(match (&request.approval, reason) {
            (Approval::Operator(_), "007005") | (Approval::Value(_), "010007") => {
                (Code::ApproveClaimNotValid, "claim")
            }
            (Approval::Operator(_), "010001") => (
                Code::ApproveBalanceInsufficient,
                "approval.tokenTransferData.value",
            ),
            (Approval::Operator(_), "010002") => (Code::ApproveLedgerNotApproved, "approval.owner"),
            (Approval::Operator(_), "010003") => (
                Code::TokenReceiverNotAllowed,
                "approval.tokenTransferData.receiverId",
            ),
            (Approval::Value(_), "010001") => {
                (Code::ValueApproveBalanceInsufficient, "approval.feeValue")
            }
            _ => return Vec::new(),
        }),
    };
    places
        .into_iter()
        .map(|(code, path)| FieldError::new(code, path))
        .collect()
}

fn one((code, path): (Code, &str)) -> Vec<(Code, String)> {
    vec![(code, path.to_owned())]
}

/// Returns the code and the field of an action for a reason, if the action can cause this reason.
fn action_error(reason: &str, action: &Action) -> Option<(Code, &'static str)> {
    Some(match (action, reason) {
        (Action::CreateAsset { .. }, "015009") => (Code::CreateNotAllowed, "senderId"),
        (Action::CreateAsset { .. }, "017001") => (Code::CreateProxyNotAble, "ledgerId"),
        (Action::CreateAsset { .. }, "006006") => (Code::AssetIdNotUnique, "assetId"),
        (Action::TransferAsset { .. }, "006002") => (Code::TransferNotOwner, "senderId"),
        (Action::TransferAsset { .. }, "006004") => (Code::TransferNotApproved, "senderId"),
        (Action::TransferAsset { .. }, "007002") => (Code::TransfersStopped, "ledgerId"),
        // A receiver that lacks the function, or that refuses the asset, can revert without a reason.
        (Action::TransferAsset { .. }, "006005" | "") => (Code::ReceiverNotCapable, "receiverId"),
        (Action::TransferValue { .. }, "010001" | "001001") => {
            (Code::ValueBalanceInsufficient, "value")
        }
        (Action::TransferValue { .. }, "010002" | "001002") => (Code::ValueNotApproved, "senderId"),
        (Action::TransferValue { .. }, "010003") => (Code::TokenReceiverNotAllowed, "receiverId"),
        (Action::UpdateAsset { .. }, "015010") => (Code::UpdateNotAllowed, "senderId"),
        (Action::UpdateAsset { .. }, "017001") => (Code::UpdateProxyNotAble, "ledgerId"),
        (Action::UpdateAsset { .. }, "007001") => (Code::UpdateNotCapable, "ledgerId"),
        (Action::UpdateAsset { .. }, "007003") => (Code::AssetNotFound, "assetId"),
        (Action::SetAbilities { .. }, "015011") => (Code::ManageNotAllowed, "senderId"),
        (Action::SetAbilities { .. }, "017001") => (Code::ManageProxyNotAble, "ledgerId"),
        (Action::DestroyAsset { .. }, "015012" | "006002") => (Code::DestroyNotOwner, "senderId"),
        (Action::DestroyAsset { .. }, "007004") => (Code::DestroyNotApproved, "senderId"),
        (Action::DestroyAsset { .. }, "007001") => (Code::DestroyNotCapable, "ledgerId"),
        _ => return None,
    })
}
