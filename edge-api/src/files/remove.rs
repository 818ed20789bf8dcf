//! Ends the uses of files that no existing asset needs, at the request of a ledger's owner.

use order_core::Address;

use crate::db::Decision;
use crate::ports::Statement;
use crate::text::account_key;

/// Maximum number of uses that one request ends.
pub(crate) const REMOVED_MAX: u32 = 500;

/// Ends the uses of the files that an account stored for the ledger itself, or for assets that do not exist. The statement
/// ends at most [`REMOVED_MAX`] uses, and returns a row for each of them.
pub(crate) fn remove(ledger: &Address, account: &Address) -> Decision<()> {
    let statement = Statement::new(
        "DELETE FROM file_uses WHERE (ledger_id, asset_id, slot) IN (SELECT u.ledger_id, u.asset_id, u.slot FROM file_uses u \
         WHERE u.ledger_id = ?1 AND u.account_id = ?2 AND (u.asset_id = '' OR u.check_at IS NOT NULL) \
         AND NOT EXISTS (SELECT 1 FROM assets a WHERE a.ledger_id = u.ledger_id AND a.id = u.asset_id) LIMIT ?3) \
         RETURNING slot",
    )
    .bind(account_key(ledger))
    .bind(account_key(account))
    .bind(REMOVED_MAX);
    Decision::new("file-removal", vec![statement], ())
}
