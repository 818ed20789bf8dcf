//! Limits on requests to receivers. Challenges, which nobody has agreed to, are counted per hour, so that a receiver that others kept
//! busy can be registered soon. Events, which the receiver has agreed to, are counted per day.

use order_core::Address;
use serde::{Deserialize, Serialize};

use super::Webhook;
use super::store::{select_webhook, webhook_from};
use crate::db::funded;
use crate::db::quota::{Period, Quota, quota_used};
use crate::ports::{Database, DatabaseError, Statement, exactly};
use crate::text::account_key;

/// Challenges of an account in a day: some dozen changes of address, each tried four times at most.
const CHALLENGES_OF_ACCOUNT: u64 = 50;
/// Unanswered challenges to a host in an hour, whichever accounts cause them.
const CHALLENGES_TO_HOST: u64 = 20;
/// Unanswered challenges in an hour to all hosts whose names end in the same two labels: they may be one server.
const CHALLENGES_TO_SITE: u64 = 200;
/// Events of an account in a day: four of each of 2,500 orders.
pub(super) const EVENTS_OF_ACCOUNT: u32 = 10_000;
/// Events in a day of all accounts together that have nothing here: they make orders that fail, and are many at will. A
/// row takes 0.7 kB, for 90 days.
pub(super) const EVENTS_OF_UNFUNDED: u32 = 20_000;
/// Events in a day to the receivers of a host.
pub(super) const EVENTS_TO_HOST: u32 = 50_000;

/// Quotas for a challenge to a webhook's receiver.
pub(super) fn of_challenge(account: &str, host: &str, now: u64) -> [Quota; 3] {
    [
        Quota::new(
            format!("challenges:{account}"),
            Period::Day,
            now,
            CHALLENGES_OF_ACCOUNT,
            1,
        ),
        Quota::new(
            format!("challenges:host:{host}"),
            Period::Hour,
            now,
            CHALLENGES_TO_HOST,
            1,
        ),
        Quota::new(
            format!("challenges:site:{}", site(host)),
            Period::Hour,
            now,
            CHALLENGES_TO_SITE,
            1,
        ),
    ]
}

/// The last two labels of a name; a number is a site of its own.
fn site(host: &str) -> &str {
    let is_number = host.starts_with('[')
        || host
            .bytes()
            .all(|byte| byte.is_ascii_digit() || byte == b'.');
    if is_number {
        return host;
    }
    host.rmatch_indices('.')
        .nth(1)
        .and_then(|(dot, _)| host.get(dot.saturating_add(1)..))
        .unwrap_or(host)
}

/// Counts events that were written for accounts by this very transaction.
pub(super) fn count_events(
    events: &impl Serialize,
    accounts: &impl Serialize,
    now: u64,
) -> Result<Statement, DatabaseError> {
    Ok(Statement::new(concat!(
        "INSERT INTO quotas (key, period, used, expires_at) \
         SELECT CASE k.key WHEN 0 THEN 'events:' || w.account_id WHEN 1 THEN 'events:host:' || w.host \
         ELSE 'events:unfunded' END, ?3, 1, ?4 \
         FROM json_each(?2) a CROSS JOIN webhooks w ON w.account_id = a.value CROSS JOIN json_each(?1) e \
         CROSS JOIN webhook_deliveries d ON d.account_id = w.account_id AND d.ref = e.value ->> 'id' \
         CROSS JOIN json_each('[0,0,0]') k WHERE (k.key < 2 OR NOT ",
        funded!("w.account_id"),
        ") ON CONFLICT (key, period) DO UPDATE SET used = used + 1"
    ))
    .bind_json(events)?
    .bind_json(accounts)?
    .bind(Period::Day.number(now))
    .bind(Period::Day.end(now))
    .storing_exactly(0))
}

#[derive(Deserialize)]
struct Counts {
    of_account: Option<u32>,
    to_host: Option<u32>,
    of_unfunded: Option<u32>,
}

/// The webhook of an account; why events of today are not sent, where a limit is reached, is the reason of its state.
pub(crate) async fn webhook_today(
    db: &dyn Database,
    account: &Address,
    now: u64,
) -> Result<Option<Webhook>, DatabaseError> {
    let account = account_key(account);
    let counts = Statement::new(concat!(
        "SELECT ",
        quota_used!("'events:' || ?1", "?2"),
        " AS of_account, \
         (SELECT c.used FROM webhooks w CROSS JOIN quotas c ON c.key = 'events:host:' || w.host AND c.period = ?2 \
         WHERE w.account_id = ?1) AS to_host, \
         (SELECT used FROM quotas WHERE key = 'events:unfunded' AND period = ?2 AND NOT ",
        funded!(),
        ") AS of_unfunded"
    ))
    .bind(account.as_str())
    .bind(Period::Day.number(now));
    let [webhook, counts] = exactly(db.batch(vec![select_webhook(&account), counts]).await?)?;
    let Some(mut webhook) = webhook_from(webhook)? else {
        return Ok(None);
    };
    let counts: Option<Counts> = counts.first()?;
    let reached = |count: Option<u32>, limit: u32| count.is_some_and(|count| count >= limit);
    let limit = match counts {
        Some(counts) if reached(counts.of_account, EVENTS_OF_ACCOUNT) => {
            Some(("of an account", EVENTS_OF_ACCOUNT))
        }
        Some(counts) if reached(counts.to_host, EVENTS_TO_HOST) => {
            Some(("to the receiver's host", EVENTS_TO_HOST))
        }
        Some(counts) if reached(counts.of_unfunded, EVENTS_OF_UNFUNDED) => Some((
            "of accounts without tokens or abilities",
            EVENTS_OF_UNFUNDED,
        )),
        _ => None,
    };
    if let Some((whose, limit)) = limit {
        webhook.state_reason.get_or_insert_with(|| {
            format!("the limit of {limit} events a day {whose} is reached: what happens until midnight UTC is not sent")
        });
    }
    Ok(Some(webhook))
}

#[cfg(test)]
mod tests {
    use super::site;

    #[test]
    fn a_site_is_two_labels_or_a_number() {
        for (host, of) in [
            ("hooks.assay.example", "assay.example"),
            ("a.b.c.assay.example", "assay.example"),
            ("assay.example", "assay.example"),
            ("localhost", "localhost"),
            ("127.0.0.1", "127.0.0.1"),
            ("[::1]", "[::1]"),
        ] {
            assert_eq!(site(host), of);
        }
    }
}
