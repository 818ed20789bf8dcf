//! Limits on requests to receivers. A receiver has not agreed to challenges. They are counted per hour, so a host that
//! others have used up can soon be registered again. A receiver has agreed to events, which are counted per day.

use order_core::Address;
use serde::{Deserialize, Serialize};

use super::Webhook;
use super::config::Candidate;
use super::store::{select_webhook, webhook_from};
use crate::db::funded;
use crate::db::quota::{Period, Quota, quota_used};
use crate::ports::{Database, DatabaseError, Statement, exactly};
use crate::text::account_key;

/// Maximum challenges of an account per day: some dozen changes of address, each with at most four attempts.
const CHALLENGES_OF_ACCOUNT: u64 = 50;
/// Maximum unanswered challenges per hour to one host, caused by all unfunded accounts together.
const UNFUNDED_TO_HOST: u64 = 20;
/// The share of a client network in [`UNFUNDED_TO_HOST`]: one registration causes at most four.
const CLIENT_TO_HOST: u64 = 4;
/// Maximum unanswered challenges per hour to all hosts, caused by the unfunded accounts of a client network.
const OF_CLIENT: u64 = 20;
/// Maximum unanswered challenges per hour to all hosts, caused by all unfunded accounts. Names below a domain cost
/// nothing, so this also bounds the requests to a server with many names: a challenge every 3.6 seconds.
const OF_UNFUNDED: u64 = 1_000;
/// Maximum unanswered challenges per hour to one host, caused by one funded account.
const FUNDED_TO_HOST: u64 = 10;
/// Maximum unanswered challenges per hour to one host, caused by all funded accounts together.
const ALL_FUNDED_TO_HOST: u64 = 200;
/// Maximum events of an account per day: four for each of 2,500 orders.
pub(super) const EVENTS_OF_ACCOUNT: u32 = 10_000;
/// Maximum events per day of all unfunded accounts together. They can create any number of orders that fail. A row
/// takes 0.7 kB, for 90 days.
pub(super) const EVENTS_OF_UNFUNDED: u32 = 20_000;
/// Maximum events per day to the receivers of a host.
pub(super) const EVENTS_TO_HOST: u32 = 50_000;

/// Returns the quotas for a challenge. Funded accounts are counted separately, so unfunded ones cannot prevent them
/// from registering a host.
///
/// There is no quota for a domain. Its names may share a server or, as below `co.uk`, belong to many people, and a list
/// of such domains does not fit into the Worker. The owner of a domain can also let any number of its names resolve to
/// any address.
pub(super) fn of_challenge(
    account: &str,
    candidate: &Candidate,
    is_funded: bool,
    now: u64,
) -> Vec<Quota> {
    let host = &candidate.host;
    let hourly = |key: String, limit| Quota::new(key, Period::Hour, now, limit, 1);
    let daily = format!("challenges:{account}");
    let mut quotas = vec![Quota::new(
        daily,
        Period::Day,
        now,
        CHALLENGES_OF_ACCOUNT,
        1,
    )];
    if is_funded {
        quotas.extend([
            hourly(format!("challenges:{account}:{host}"), FUNDED_TO_HOST),
            hourly(format!("challenges:funded:{host}"), ALL_FUNDED_TO_HOST),
        ]);
        return quotas;
    }
    quotas.extend([
        hourly(format!("challenges:host:{host}"), UNFUNDED_TO_HOST),
        hourly("challenges:unfunded".to_owned(), OF_UNFUNDED),
    ]);
    if let Some(client) = &candidate.client {
        quotas.extend([
            hourly(format!("challenges:client:{client}"), OF_CLIENT),
            hourly(format!("challenges:client:{client}:{host}"), CLIENT_TO_HOST),
        ]);
    }
    quotas
}

/// Returns a statement that counts the events written for accounts in the same transaction.
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

/// Returns the webhook of an account. If a limit stops today's events, the state's reason says so.
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
