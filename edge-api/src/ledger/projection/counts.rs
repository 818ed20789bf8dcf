//! Counts the certificates of registers by month and status, from sums that the ledger's changes maintain.

use order_core::Address;
use serde::Deserialize;

use crate::api::{CertificateCounts, MonthCounts, Ref};
use crate::db::rows::json;
use crate::db::{List, Page};
use crate::ports::{Database, DatabaseError};
use crate::text::account_key;

/// Maximum number of months of a register in an answer. The columns read one row more, with the number before the oldest month.
const MONTHS_MAX: usize = 120;

const COLUMNS: &str = "a.ledger_ref, a.ledger_id, l.issued_count, (SELECT json_group_array(json_array(m.month, m.issued_before)) \
     FROM (SELECT month, issued_before FROM ledger_months WHERE ledger_id = a.ledger_id ORDER BY month DESC LIMIT 120) m) AS months, \
     (SELECT json_group_array(json_array(e.month, e.replaced, e.withdrawn)) \
     FROM (SELECT month, replaced, withdrawn FROM ledger_endings WHERE ledger_id = a.ledger_id ORDER BY month DESC LIMIT 120) e) AS endings";

/// A query for the counts of an account's registers.
pub(crate) struct CountsLookup {
    pub(crate) account: Address,
    /// References of registers.
    pub(crate) ledgers: Option<Vec<String>>,
    pub(crate) page: Page,
}

#[derive(Deserialize)]
struct Row {
    ledger_ref: String,
    ledger_id: Address,
    issued_count: u64,
    #[serde(deserialize_with = "json")]
    months: Vec<(String, u64)>,
    #[serde(deserialize_with = "json")]
    endings: Vec<(String, i64, i64)>,
}

impl Row {
    fn counts(mut self) -> CertificateCounts {
        self.months.sort_unstable_by(|one, other| other.cmp(one));
        // The number of assets before the month that follows.
        let mut end = self.issued_count;
        let mut months = Vec::new();
        for (month, before) in self.months.into_iter().take(MONTHS_MAX) {
            let issued = end.saturating_sub(before);
            end = before;
            let ending = self.endings.iter().find(|(of, ..)| *of == month);
            let number = |number: i64| u64::try_from(number).unwrap_or_default();
            let (replaced, withdrawn) = ending.map_or((0, 0), |(_, replaced, withdrawn)| {
                (number(*replaced), number(*withdrawn))
            });
            months.push(MonthCounts {
                month,
                issued,
                in_force: issued.saturating_sub(replaced).saturating_sub(withdrawn),
                replaced,
                withdrawn,
            });
        }
        CertificateCounts {
            ledger_ref: Ref(self.ledger_ref),
            ledger_id: self.ledger_id,
            months,
        }
    }
}

/// Returns the counts of a page of the registers on which an account has an ability, and the number of these registers.
pub(crate) async fn certificate_counts(
    db: &dyn Database,
    lookup: &CountsLookup,
) -> Result<(Vec<CertificateCounts>, u32), DatabaseError> {
    let rows = "abilities a CROSS JOIN ledgers l ON l.id = a.ledger_id";
    let list = List::new(COLUMNS, rows, &["a.ledger_ref"])
        .only("a.account_id = ?", account_key(&lookup.account))
        .among(
            "a.ledger_ref IN (SELECT value FROM json_each(?))",
            lookup.ledgers.clone(),
        );
    let (rows, total): (Vec<Row>, u32) = list.fetch(db, &lookup.page).await?;
    Ok((rows.into_iter().map(Row::counts).collect(), total))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_months_number_is_the_difference_to_the_next_month() {
        let row = Row {
            ledger_ref: "r".to_owned(),
            ledger_id: Address::from_bytes([1; 20]).unwrap(),
            issued_count: 12,
            months: vec![("2026-09".to_owned(), 2), ("2026-11".to_owned(), 7)],
            endings: vec![("2026-09".to_owned(), 1, 2), ("2026-08".to_owned(), 9, 9)],
        };
        let month = |month: &str, [issued, in_force, replaced, withdrawn]: [u64; 4]| MonthCounts {
            month: month.to_owned(),
            issued,
            in_force,
            replaced,
            withdrawn,
        };
        assert_eq!(
            row.counts().months,
            [
                month("2026-11", [5, 5, 0, 0]),
                month("2026-09", [5, 2, 1, 2])
            ]
        );
    }
}
