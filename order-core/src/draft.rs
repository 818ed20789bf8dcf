//! A deployment or an approval that may lack its claim.

use alloc::boxed::Box;
use alloc::format;
use alloc::vec;
use alloc::vec::Vec;

use alloy_primitives::B256;

use crate::approval::Approval;
use crate::claim::ClaimText;
use crate::deployment::Deploy;
use crate::error::{Code, FieldError};
use crate::fields::Reader;
use crate::gateways::Gateways;
use crate::types::Address;

/// A body that is valid, except that its claim may be missing.
#[derive(Clone, Debug)]
pub enum Draft<R> {
    /// The complete request.
    Signed(R),
    /// The content without a claim. [`Unsigned::signer`] must sign its hash.
    Unsigned(Unsigned),
}

impl<R> Draft<R> {
    /// Returns the draft for the fields of a body: an unsigned draft if the missing claim is the only error.
    ///
    /// # Errors
    ///
    /// Every error of `reader`.
    pub(crate) fn of<C>(
        reader: Reader,
        claim: Option<ClaimText>,
        content: Option<C>,
        unsigned: fn(C) -> Unsigned,
        signed: impl FnOnce(ClaimText, C) -> Option<R>,
    ) -> Result<Self, Vec<FieldError>> {
        match (claim, content) {
            (None, Some(content)) if reader.count() == 1 => Ok(Self::Unsigned(unsigned(content))),
            (claim, content) => {
                let request = claim
                    .zip(content)
                    .and_then(|(claim, content)| signed(claim, content));
                reader.finish(request.map(Self::Signed))
            }
        }
    }

    /// Returns the signed request.
    ///
    /// # Errors
    ///
    /// 422008 or 422122 if the claim is missing.
    pub fn into_signed(self) -> Result<R, Vec<FieldError>> {
        match self {
            Self::Signed(request) => Ok(request),
            Self::Unsigned(content) => Err(vec![content.claim_missing()]),
        }
    }
}

/// The unsigned content of a deployment or an approval.
#[derive(Clone, Debug)]
pub enum Unsigned {
    /// A deployment, which its maker signs.
    Deployment(Box<Deploy>),
    /// An approval, which its owner or approver signs.
    Approval(Box<Approval>),
}

impl Unsigned {
    /// Returns the account that must sign: the maker, the owner or the approver.
    #[must_use]
    pub fn signer(&self) -> Address {
        match self {
            Self::Deployment(deploy) => deploy.maker_id,
            Self::Approval(approval) => approval.signer(),
        }
    }

    /// Returns the hash to sign.
    #[must_use]
    pub fn hash(&self, gateways: &Gateways) -> B256 {
        match self {
            Self::Deployment(deploy) => deploy.hash(gateways),
            Self::Approval(approval) => approval.hash(),
        }
    }

    /// Returns the error for the missing claim.
    #[must_use]
    pub fn claim_missing(&self) -> FieldError {
        let code = match self {
            Self::Deployment(_) => Code::DeployClaimMissing,
            Self::Approval(_) => Code::ApproveClaimMissing,
        };
        FieldError::with_message(code, "claim", "`claim` is missing: it must be text")
    }

    /// Returns the error for the missing claim. Its message names the hash and the account that must sign it.
    #[must_use]
    pub fn claim_missing_over(&self, hash: &B256) -> FieldError {
        let signer = self.signer();
        let message = format!(
            "`claim` is missing: it must be the signature of the hash `{hash}` by `{signer}`"
        );
        FieldError {
            message,
            ..self.claim_missing()
        }
    }
}
