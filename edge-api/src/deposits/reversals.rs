//! Refunds and disputes, which return money to the payer. Events about them may arrive repeatedly and out of order. The
//! stored state of each refund and dispute moves in one direction only. The returned sum depends only on the stored states.

use serde::Deserialize;

use super::deposit::Deposit;
use crate::db::rows::flag;
use crate::ports::{DatabaseError, Rows, Statement};

/// The state of a dispute. It decides whether the payer's bank has the money.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum DisputeStatus {
    /// The bank has asked a question. No money moved.
    Inquiry,
    /// The money went back to the payer's bank.
    Open,
    /// The payer keeps the money.
    Lost,
    /// The money returned to this service.
    Won,
}

impl DisputeStatus {
    fn as_str(self) -> &'static str {
        match self {
            Self::Inquiry => "inquiry",
            Self::Open => "open",
            Self::Lost => "lost",
            Self::Won => "won",
        }
    }

    /// Returns true if the payer or the payer's bank has the money.
    fn holds(self) -> bool {
        matches!(self, Self::Open | Self::Lost)
    }

    /// Returns true if `next` replaces this state. An earlier state never replaces a later one, and the final states `Lost` and
    /// `Won` are never replaced, because events arrive in any order.
    fn gives_way_to(self, next: Self) -> bool {
        self < next && self < Self::Lost
    }
}

/// A dispute about a payment or a part of it.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub(super) struct Dispute {
    pub(super) id: String,
    /// EUR cents.
    #[serde(rename = "amount")]
    pub(super) cents: u64,
    #[serde(rename = "standing")]
    pub(super) status: DisputeStatus,
}

/// A refund of a payment or a part of it. A failed refund returned no money, even if an earlier event reported success.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub(super) struct Refund {
    pub(super) id: String,
    /// EUR cents.
    #[serde(rename = "amount")]
    pub(super) cents: u64,
    /// True if the refund failed or was canceled. This is final: such a refund never succeeds.
    #[serde(deserialize_with = "flag")]
    pub(super) failed: bool,
}

/// The known disputes and refunds of one payment.
#[derive(Clone, Debug, Default)]
pub(super) struct Reversals {
    disputes: Vec<Dispute>,
    refunds: Vec<Refund>,
}

impl Reversals {
    /// Applies an event about a dispute. Returns true if the event changed the stored state.
    pub(super) fn dispute(&mut self, said: &Dispute) -> bool {
        let known = self.disputes.iter_mut().find(|one| one.id == said.id);
        match known {
            None => self.disputes.push(said.clone()),
            Some(known) if known.status.gives_way_to(said.status) => known.clone_from(said),
            Some(_) => return false,
        }
        true
    }

    /// Applies an event about a refund. Returns true if the event changed the stored state.
    pub(super) fn refund(&mut self, said: &Refund) -> bool {
        let known = self.refunds.iter_mut().find(|one| one.id == said.id);
        match known {
            None => self.refunds.push(said.clone()),
            Some(known) if said.failed && !known.failed => known.clone_from(said),
            Some(_) => return false,
        }
        true
    }

    /// Returns the cents that went back to the payer. `charged` is the largest refunded total that a charge event reported. This
    /// total may include refunds without their own event and refunds that failed later.
    pub(super) fn returned_cents(&self, charged: u64) -> u64 {
        let sum = |failed: bool| {
            let of_kind = self.refunds.iter().filter(|refund| refund.failed == failed);
            of_kind.fold(0_u64, |sum, refund| sum.saturating_add(refund.cents))
        };
        let refunded = sum(false).max(charged.saturating_sub(sum(true)));
        let disputed = self.disputes.iter().filter(|one| one.status.holds());
        disputed.fold(refunded, |sum, one| sum.saturating_add(one.cents))
    }

    /// Reads the rows of [`select_disputes`] and [`select_refunds`].
    pub(super) fn from_rows(disputes: Rows, refunds: Rows) -> Result<Self, DatabaseError> {
        Ok(Self {
            disputes: disputes.all()?,
            refunds: refunds.all()?,
        })
    }
}

/// Returns the query for the disputes of a payment.
pub(super) fn select_disputes(intent: &str) -> Statement {
    Statement::new(
        "SELECT id, amount, standing FROM disputes \
         WHERE deposit_ref = (SELECT ref FROM deposits WHERE intent_id = ?1)",
    )
    .bind(intent)
}

/// Returns the query for the refunds of a payment.
pub(super) fn select_refunds(intent: &str) -> Statement {
    Statement::new(
        "SELECT id, amount, failed FROM refunds \
         WHERE deposit_ref = (SELECT ref FROM deposits WHERE intent_id = ?1)",
    )
    .bind(intent)
}

impl Dispute {
    /// Returns the statement that inserts or replaces the dispute.
    pub(super) fn put(&self, deposit: &Deposit, now: u64) -> Statement {
        let sql = "INSERT INTO disputes (id, deposit_ref, amount, updated_at, standing) VALUES (?1, ?2, ?3, ?4, ?5) \
                   ON CONFLICT (id) DO UPDATE SET deposit_ref = excluded.deposit_ref, amount = excluded.amount, \
                   updated_at = excluded.updated_at, standing = excluded.standing";
        put(sql, deposit, &self.id, self.cents, now).bind(self.status.as_str())
    }
}

impl Refund {
    /// Returns the statement that inserts or replaces the refund.
    pub(super) fn put(&self, deposit: &Deposit, now: u64) -> Statement {
        let sql = "INSERT INTO refunds (id, deposit_ref, amount, updated_at, failed) VALUES (?1, ?2, ?3, ?4, ?5) \
                   ON CONFLICT (id) DO UPDATE SET deposit_ref = excluded.deposit_ref, amount = excluded.amount, \
                   updated_at = excluded.updated_at, failed = excluded.failed";
        put(sql, deposit, &self.id, self.cents, now).bind(self.failed)
    }
}

/// Binds the columns that the tables of disputes and refunds share.
fn put(sql: &'static str, deposit: &Deposit, id: &str, cents: u64, now: u64) -> Statement {
    Statement::new(sql)
        .bind(id)
        .bind(deposit.reference.as_str())
        .bind(cents)
        .bind(now)
}
