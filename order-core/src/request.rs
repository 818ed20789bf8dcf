//! A request of any kind, with the functions that storage and execution need.

use alloc::borrow::ToOwned;
use alloc::boxed::Box;
use alloc::format;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;

use alloy_primitives::B256;

use crate::approval::{ApprovalKind, ApprovalRequest};
use crate::deployment::DeploymentRequest;
use crate::error::{Code, FieldError};
use crate::gateways::{Gateways, ledger_address};
use crate::json;
use crate::ledger::{Change, ReadSet, Snapshot, apply_approval, apply_deployment, apply_order};
use crate::order::OrderRequest;
use crate::payment::Costs;
use crate::types::{Address, Priority};

/// An instance of the service: its id, and the addresses that claims sign. By default, the addresses are derived from the id.
#[derive(Clone, Debug)]
pub struct Instance {
    /// 32 random bytes, unique to the instance.
    pub id: [u8; 32],
    /// The addresses.
    pub gateways: Gateways,
}

/// The kind of a request. Its number is stored and appears in webhook bodies as `requestKind`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum RequestKind {
    /// An actions order.
    Order = 0,
    /// A deployment order.
    Deployment = 1,
    /// An approval order.
    Approval = 2,
}

/// An accepted request, with the claims that were added later.
#[derive(Clone, Debug)]
pub enum Request {
    /// An actions order.
    Order(Box<OrderRequest>),
    /// A deployment order.
    Deployment(Box<DeploymentRequest>),
    /// An approval order.
    Approval(Box<ApprovalRequest>),
}

impl Request {
    /// Returns the kind.
    #[must_use]
    pub fn kind(&self) -> RequestKind {
        match self {
            Self::Order(_) => RequestKind::Order,
            Self::Deployment(_) => RequestKind::Deployment,
            Self::Approval(_) => RequestKind::Approval,
        }
    }

    /// The priority.
    #[must_use]
    pub fn priority(&self) -> Priority {
        match self {
            Self::Order(request) => request.priority,
            Self::Deployment(request) => request.priority,
            Self::Approval(request) => request.priority,
        }
    }

    /// Returns the first moment at which the request is no longer valid, in milliseconds of UNIX time.
    pub fn expires_at(&self) -> u64 {
        match self {
            Self::Order(request) => request.order.ends_at(),
            Self::Deployment(request) => request.deploy.ends_at(),
            Self::Approval(request) => request.approval.ends_at(),
        }
    }

    /// Returns all signers of an order, including signers that have not signed yet. Empty for other kinds.
    pub fn claimants(&self) -> Vec<Address> {
        match self {
            Self::Order(request) => request
                .order
                .claims()
                .map(|signer| signer.account_id)
                .collect(),
            Self::Deployment(_) | Self::Approval(_) => Vec::new(),
        }
    }

    /// Returns the accounts that have signed.
    pub fn signatories(&self) -> Vec<Address> {
        match self {
            Self::Order(request) => request
                .order
                .claims()
                .filter(|signer| signer.claim.is_some())
                .map(|signer| signer.account_id)
                .collect(),
            Self::Deployment(request) => vec![request.deploy.maker_id],
            Self::Approval(request) => vec![request.approval.signer()],
        }
    }

    /// Checks the payment against the configured costs and addresses.
    pub fn check_fields(&self, gateways: &Gateways, costs: &Costs) -> Result<(), FieldError> {
        match self {
            Self::Order(request) => request.order.check_payment(costs, gateways),
            Self::Deployment(request) => request.deploy.check_payment(costs, gateways),
            Self::Approval(request) => request.approval.check_payment(costs, gateways),
        }
    }

    /// Returns the hash that claims sign. Fails if an order has no hash: see [`OrderRequest::hash`](crate::OrderRequest::hash).
    pub fn hash(&self, gateways: &Gateways) -> Result<B256, FieldError> {
        match self {
            Self::Order(request) => request.hash(gateways),
            Self::Deployment(request) => Ok(request.deploy.hash(gateways)),
            Self::Approval(request) => Ok(request.approval.hash()),
        }
    }

    /// Checks that the request's ledgers exist.
    pub fn check_existence(
        &self,
        gateways: &Gateways,
        snapshot: &Snapshot,
    ) -> Result<(), Vec<FieldError>> {
        let unknown = match self {
            Self::Order(request) => request.order.unknown_ledgers(gateways, snapshot),
            Self::Deployment(_) => Vec::new(),
            Self::Approval(request) => request.approval.unknown_ledgers(gateways, snapshot),
        };
        if unknown.is_empty() {
            Ok(())
        } else {
            Err(unknown)
        }
    }

    /// Checks every claim that is present.
    pub fn check_claims(&self, hash: &B256) -> Result<(), Vec<FieldError>> {
        match self {
            Self::Order(request) => request.order.verify_claims(hash),
            Self::Deployment(request) => request.verify_claim(hash).map_err(|error| vec![error]),
            Self::Approval(request) => request.verify_claim(hash).map_err(|error| vec![error]),
        }
    }

    /// Returns true if the request can be performed without a further call.
    pub fn ready(&self) -> bool {
        match self {
            Self::Order(request) => request.automated_perform && request.is_fully_signed(),
            Self::Deployment(_) | Self::Approval(_) => true,
        }
    }

    /// Returns true if two requests with the same hash are equal apart from claims. The function compares the fields that the hash does not
    /// cover. The hash covers an order's actions, so an order whose actions were deleted is still recognised.
    pub fn same_content(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Order(one), Self::Order(two)) => {
                (one.automated_perform, one.wildcard_signer, one.priority)
                    == (two.automated_perform, two.wildcard_signer, two.priority)
            }
            (Self::Deployment(one), Self::Deployment(two)) => {
                one.priority == two.priority && one.deploy == two.deploy
            }
            (Self::Approval(one), Self::Approval(two)) => {
                one.priority == two.priority && one.approval == two.approval
            }
            _ => false,
        }
    }

    /// Returns the keys of the ledger's state that the request's rules read.
    pub fn read_set(&self, instance: &Instance) -> ReadSet {
        let mut keys = match self {
            Self::Order(request) => request
                .order
                .read_set(&instance.gateways, request.order.wildcard()),
            Self::Deployment(request) => request.deploy.read_set(&instance.gateways),
            Self::Approval(request) => request.approval.read_set(),
        };
        keys.blockable.extend(&keys.ledgers);
        keys.blockable.extend(self.signatories());
        keys
    }

    /// Returns an error for each signatory and ledger that the service's operator has blocked.
    fn blocked(&self, snapshot: &Snapshot) -> Vec<FieldError> {
        let signatories = self.signatories();
        snapshot
            .blocked
            .iter()
            .map(|address| {
                let (code, what) = if signatories.contains(address) {
                    (Code::AccountBlocked, "account")
                } else {
                    (Code::LedgerBlocked, "ledger")
                };
                let message =
                    format!("the operator of this service has blocked the {what} `{address}`");
                FieldError::with_message(code, "", message)
            })
            .collect()
    }

    /// Returns the address of the ledger that a deployment creates on the embedded ledger. `None` for requests of other kinds.
    pub fn ledger_to_deploy(&self, instance: &Instance) -> Option<Address> {
        match self {
            Self::Deployment(request) => Some(ledger_address(
                &instance.id,
                &request.deploy.hash(&instance.gateways),
            )),
            Self::Order(_) | Self::Approval(_) => None,
        }
    }

    /// Returns the request's changes to the ledger's state, or an error for every broken rule.
    ///
    /// `new_ledger` is the address of the ledger that a deployment creates. While it is `None`, the changes of a deployment are incomplete
    /// and must not be written. A chain decides the address when it performs the deployment.
    pub fn apply(
        &self,
        gateways: &Gateways,
        snapshot: &Snapshot,
        new_ledger: Option<Address>,
    ) -> Result<Vec<Change>, Vec<FieldError>> {
        let blocked = self.blocked(snapshot);
        if !blocked.is_empty() {
            return Err(blocked);
        }
        match self {
            Self::Order(request) => {
                apply_order(&request.order, request.order.wildcard(), gateways, snapshot)
            }
            Self::Deployment(request) => {
                apply_deployment(&request.deploy, new_ledger, gateways, snapshot)
            }
            Self::Approval(request) => apply_approval(&request.approval, gateways, snapshot),
        }
    }

    /// Call this function for a refused request. Returns true for an order that the rules refuse only because of the account in the wildcard's
    /// place.
    pub fn only_wildcard_fails(&self, instance: &Instance, snapshot: &Snapshot) -> bool {
        match self {
            Self::Order(request) => {
                let wildcard = request.order.wildcard();
                request.order.wildcard_claim.is_some()
                    && snapshot
                        .blocked
                        .iter()
                        .all(|blocked| wildcard == Some(*blocked))
                    && apply_order(&request.order, None, &instance.gateways, snapshot).is_ok()
            }
            Self::Deployment(_) | Self::Approval(_) => false,
        }
    }

    /// Returns the request with the order's wildcard claim removed.
    #[must_use]
    pub fn without_wildcard(mut self) -> Self {
        if let Self::Order(request) = &mut self {
            request.order.wildcard_claim = None;
        }
        self
    }

    /// Returns true if `errors` has only errors about an insufficient balance or allowance for the service fee. Such a request can be retried.
    pub fn only_payment_fails(
        &self,
        errors: &[FieldError],
        costs: &Costs,
        instance: &Instance,
        snapshot: &Snapshot,
    ) -> bool {
        let gateways = &instance.gateways;
        let rest_stands = match self {
            Self::Order(request) => {
                request
                    .order
                    .without_payment(costs, gateways)
                    .is_some_and(|rest| {
                        apply_order(&rest, request.order.wildcard(), gateways, snapshot).is_ok()
                    })
            }
            Self::Deployment(_) => !costs.deploy.is_zero(),
            Self::Approval(request) => !match request.approval.kind() {
                ApprovalKind::Operator => costs.approve_operator,
                ApprovalKind::Value => costs.approve_value,
            }
            .is_zero(),
        };
        let not_covered = [
            Code::ValueBalanceInsufficient,
            Code::ValueNotApproved,
            Code::DeployBalanceInsufficient,
            Code::DeployNotApproved,
            Code::ApproveBalanceInsufficient,
            Code::ApproveLedgerNotApproved,
            Code::ValueApproveBalanceInsufficient,
        ];
        rest_stands && errors.iter().all(|error| not_covered.contains(&error.code))
    }

    /// Returns the content that a canceled record keeps. An order loses its actions and claims. Other requests stay unchanged.
    pub fn without_content(&self) -> Self {
        match self {
            Self::Order(request) => Self::Order(Box::new(OrderRequest {
                order: request.order.without_content(),
                ..OrderRequest::clone(request)
            })),
            other => other.clone(),
        }
    }

    /// Returns the error for a request of this kind that expired before it was performed.
    pub fn expired(&self) -> FieldError {
        let (code, path) = match self {
            Self::Order(_) => (Code::FieldNotValid, "order.expiration"),
            Self::Deployment(_) => (Code::DeployCreationFailed, "deploy.expiration"),
            Self::Approval(_) => (Code::ApproveCreationFailed, "approval.expiration"),
        };
        FieldError {
            code,
            path: path.to_owned(),
            message: "the request expired before it was performed".to_owned(),
        }
    }

    /// Returns the stored form of the request, which is JSON text.
    pub fn to_json(&self) -> Result<String, serde_json::Error> {
        match self {
            Self::Order(request) => serde_json::to_string(request),
            Self::Deployment(request) => serde_json::to_string(request),
            Self::Approval(request) => serde_json::to_string(request),
        }
    }

    /// Reads the stored form of a request. `kind` is the number of a [`RequestKind`].
    pub fn from_json(kind: u8, text: &str) -> Result<Self, String> {
        let work = match kind {
            0 => json::from_text(text).map(Self::Order),
            1 => json::from_text(text).map(Self::Deployment),
            2 => json::from_text(text).map(Self::Approval),
            _ => return Err(format!("there is no request kind {kind}")),
        };
        work.map_err(|error| format!("the stored request cannot be read: {error}"))
    }
}
