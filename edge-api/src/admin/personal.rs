//! The export and the erasure of an account's personal data. Orders, deployments, approvals, assets and amounts do not count
//! as personal data, because other accounts rely on them.

use order_core::Address;
use serde::Deserialize;

use crate::accounts;
use crate::admissions;
use crate::api::{ErasedData, PersonalData, PersonalItem};
use crate::books;
use crate::context::Context;
use crate::db::Decision;
use crate::ports::{DatabaseError, Statement};
use crate::sessions;
use crate::text::account_key;
use crate::webhooks;

/// Maximum items of one kind on a page of the export.
const PAGE: u32 = 100;
/// Maximum rows of each table that one call erases.
const ERASED_AT_ONCE: u32 = 1_000;

/// The kinds of data in the order of the export. Each statement returns the columns `key` and `data` of account `?1`: at
/// most `?3` rows, whose keys follow the key `?2`. Keys are non-empty strings.
const PARTS: [(&str, &str); 12] = [
    (
        "information",
        "SELECT id AS key, coalesce(information, '{}') AS data FROM accounts WHERE id = ?1 AND id > ?2 LIMIT ?3",
    ),
    (
        "admission",
        "SELECT ref AS key, json_object('organisation', organisation, 'contact', contact, 'text', text, 'createdAt', created_at) AS data \
         FROM admissions WHERE account_id = ?1 AND ref > ?2 LIMIT ?3",
    ),
    (
        "domain",
        "SELECT 'ledger:' || ledger_id AS key, json_object('domain', domain, 'ledgerId', nullif(ledger_id, ''), 'setAt', set_at) AS data \
         FROM issuer_domains WHERE account_id = ?1 AND 'ledger:' || ledger_id > ?2 ORDER BY ledger_id LIMIT ?3",
    ),
    (
        "webhook",
        "SELECT account_id AS key, json_object('url', url) AS data FROM webhooks WHERE account_id = ?1 AND account_id > ?2 LIMIT ?3",
    ),
    (
        "unconfirmedWebhook",
        "SELECT account_id AS key, json_object('url', url) AS data FROM webhook_challenges \
         WHERE account_id = ?1 AND account_id > ?2 LIMIT ?3",
    ),
    (
        "session",
        "SELECT ref AS key, json_object('createdAt', created_at, 'usedAt', used_at, 'expiresAt', expires_at) AS data FROM sessions \
         WHERE account_id = ?1 AND ref > ?2 ORDER BY ref LIMIT ?3",
    ),
    (
        "key",
        "SELECT ref AS key, json_object('name', name, 'scopes', json(scopes), 'createdAt', created_at, 'usedAt', used_at, \
         'expiresAt', expires_at) AS data FROM api_keys WHERE account_id = ?1 AND ref > ?2 ORDER BY ref LIMIT ?3",
    ),
    (
        "bookKey",
        "SELECT account_id AS key, json_object('key', key, 'updatedAt', updated_at) AS data FROM book_keys \
         WHERE account_id = ?1 AND account_id > ?2 LIMIT ?3",
    ),
    (
        "activity",
        "SELECT ref AS key, json_object('kind', kind, 'ledgerId', ledger_id, 'detail', detail, 'at', at) AS data FROM account_events \
         WHERE account_id = ?1 AND ref > ?2 ORDER BY ref LIMIT ?3",
    ),
    (
        "deposit",
        "SELECT ref AS key, json_object('amount', amount, 'status', status, 'createdAt', created_at) AS data FROM deposits \
         WHERE account_id = ?1 AND ref > ?2 ORDER BY ref LIMIT ?3",
    ),
    (
        "request",
        "SELECT ref AS key, json_object('method', method, 'url', url, 'status', status, 'createdAt', created_at) AS data \
         FROM requests WHERE account_id = ?1 AND ref > ?2 ORDER BY ref LIMIT ?3",
    ),
    (
        "event",
        "SELECT ref AS key, json_object('event', json(body), 'createdAt', created_at) AS data FROM webhook_deliveries \
         WHERE account_id = ?1 AND ref > ?2 ORDER BY ref LIMIT ?3",
    ),
];

/// Returns the page of an account's data that follows the cursor `after`, or the first page if there is no cursor. Returns
/// `None` if `after` is not a cursor.
pub(crate) async fn export(
    ctx: &Context<'_>,
    account: &Address,
    after: Option<&str>,
) -> Result<Option<PersonalData>, DatabaseError> {
    #[derive(Deserialize)]
    struct Row {
        key: String,
        data: String,
    }
    let (first, mut key) = match after.map(|cursor| cursor.split_once('.')) {
        None => (PARTS[0].0, ""),
        Some(Some(cursor)) => cursor,
        Some(None) => return Ok(None),
    };
    let Some(start) = PARTS.iter().position(|(kind, _)| *kind == first) else {
        return Ok(None);
    };
    let mut items = Vec::new();
    for (kind, sql) in PARTS.iter().skip(start) {
        let statement = Statement::new(sql)
            .bind(account_key(account))
            .bind(key)
            .bind(PAGE);
        let rows: Vec<Row> = ctx.db().query(statement).await?.all()?;
        let is_full = rows.len() >= usize::try_from(PAGE).unwrap_or(usize::MAX);
        let next = rows
            .last()
            .filter(|_| is_full)
            .map(|row| format!("{kind}.{}", row.key));
        items.extend(rows.into_iter().map(|row| PersonalItem {
            kind: (*kind).to_owned(),
            data: row.data,
        }));
        if next.is_some() {
            return Ok(Some(PersonalData { items, next }));
        }
        key = "";
    }
    Ok(Some(PersonalData { items, next: None }))
}

/// Counts the logged requests and the webhook events of account `?1`, at most `?2` of each.
const COUNT_LOGS: &str = "SELECT (SELECT count(*) FROM (SELECT 1 FROM requests WHERE account_id = ?1 LIMIT ?2)) \
     + (SELECT count(*) FROM (SELECT 1 FROM webhook_deliveries WHERE account_id = ?1 LIMIT ?2)) AS total";
/// Delete the logged requests and the webhook events of account `?1`, at most `?2` of each.
const ERASE_LOGS: [&str; 2] = [
    "DELETE FROM requests WHERE ref IN (SELECT ref FROM requests WHERE account_id = ?1 ORDER BY ref LIMIT ?2)",
    "DELETE FROM webhook_deliveries WHERE id IN (SELECT id FROM webhook_deliveries WHERE account_id = ?1 ORDER BY ref LIMIT ?2)",
];

/// Erases an account's information, request for admission, webhook, sessions, API keys, logged requests and webhook events. One call erases at
/// most [`ERASED_AT_ONCE`] logged requests and as many webhook events. If more may be left,
/// `is_complete` of the answer is false.
pub(crate) async fn erase(
    ctx: &Context<'_>,
    account: &Address,
) -> Result<Decision<ErasedData>, DatabaseError> {
    let key = account_key(account);
    let chunk = |sql| Statement::new(sql).bind(key.as_str()).bind(ERASED_AT_ONCE);
    let found: u32 = ctx.db().query(chunk(COUNT_LOGS)).await?.total()?;
    let mut statements = vec![accounts::erase_information(account)];
    statements.extend(admissions::erase(account));
    statements.push(accounts::erase_events(account));
    statements.push(books::erase_key(account));
    statements.extend(webhooks::remove(ctx, account).statements);
    statements.extend(sessions::remove_all(&key));
    statements.extend(ERASE_LOGS.map(chunk));
    let erased = ErasedData {
        account_id: *account,
        is_complete: found < ERASED_AT_ONCE,
    };
    Ok(Decision::new("admin", statements, erased))
}
