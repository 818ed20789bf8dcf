//! Limits on requests to receivers. Challenges go to receivers that have not agreed to get requests. Most quotas of challenges
//! are hourly. If other accounts use up the quota of a host, the host's owner can therefore register the host in the next hour.
//! Events go to receivers that have agreed to get events. The quotas of events are daily.

use const_format::concatcp;
use order_core::Address;
use serde::Deserialize;

use super::Webhook;
use super::config::Candidate;
use super::events::Event;
use super::store::{select_webhook, webhook_from};
use crate::api::delivery_state;
use crate::db::funded;
use crate::db::quota::{Period, Quota, quota_used};
use crate::ports::{Database, DatabaseError, Statement, exactly};
use crate::text::account_key;

/// Maximum unanswered challenges of an account per day: about a dozen changes of address, each with at most four
/// attempts.
const CHALLENGES_OF_ACCOUNT: u64 = 50;
/// Maximum unanswered challenges per hour to one host, caused by all unfunded accounts together.
const UNFUNDED_TO_HOST: u64 = 20;
/// Maximum unanswered challenges per hour to one host, caused by the unfunded accounts of a client network. One registration
/// causes at most four challenges.
const CLIENT_TO_HOST: u64 = 4;
/// Maximum unanswered challenges per hour to all hosts, caused by the unfunded accounts of a client network.
const OF_CLIENT: u64 = 20;
/// Maximum unanswered challenges per hour to all hosts, caused by all unfunded accounts. Subdomains cost nothing, so one
/// server can have many host names. This quota limits the requests to such a server to one challenge every 3.6 seconds on
/// average.
const OF_UNFUNDED: u64 = 1_000;
/// Maximum unanswered challenges per hour to one host, caused by one funded account.
const FUNDED_TO_HOST: u64 = 10;
/// Maximum unanswered challenges per hour to one host, caused by all funded accounts together.
const ALL_FUNDED_TO_HOST: u64 = 200;
/// Maximum events of an account per day, enough for four events for each of 2,500 orders. Events about assets have the
/// same limit and are counted separately, because anybody may issue assets to an account.
pub(super) const EVENTS_OF_ACCOUNT: u32 = 10_000;
/// Maximum events per day of all unfunded accounts together. Such accounts can create any number of orders that fail, and the
/// row of an event takes 0.7 kB for 90 days. Events about assets have the same limit and are counted separately.
pub(super) const EVENTS_OF_UNFUNDED: u32 = 20_000;
/// Maximum events per day to the receivers of a host. Events about assets have the same limit and are counted separately, so asset
/// events for other accounts at a shared host cannot stop an account's events about its own requests.
pub(super) const EVENTS_TO_HOST: u32 = 50_000;

/// Returns the quotas for a challenge. Funded accounts have separate quotas, so unfunded accounts cannot prevent funded
/// accounts from registering a host.
///
/// Quotas count host names, not domains, because the names below a domain such as `co.uk` belong to many people. A list of such
/// domains does not fit into the Worker. The owner of a domain can therefore point many names at one server. The quotas for
/// all hosts limit the requests to that server.
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

/// Returns a statement that counts the deliveries that the same transaction wrote for the events.
pub(super) fn count_events(
    events: &[Event],
    ordering_key: &str,
    now: u64,
) -> Result<Statement, DatabaseError> {
    let references: Vec<&str> = events.iter().map(|event| event.id.as_str()).collect();
    // The subquery counts the events about records and about assets for each account. The first three keys `k` are for events about
    // records. A search in the text of the list finds a reference without reading rows.
    Ok(Statement::new(concatcp!(
        "INSERT INTO quotas (key, period, used, expires_at) \
         SELECT iif(k.key < 3, 'events:', 'asset-events:') || \
         CASE k.key % 3 WHEN 0 THEN w.account_id WHEN 1 THEN 'host:' || w.host ELSE 'unfunded' END, \
         ?3, iif(k.key < 3, n.events - n.of_assets, n.of_assets), ?4 \
         FROM (SELECT account_id, count(*) AS events, sum(body ->> 'asset' IS NOT NULL) AS of_assets FROM webhook_deliveries \
         WHERE ordering_key = ?1 AND state = ",
        delivery_state!(Waiting),
        " AND instr(?2, ref) GROUP BY account_id) n CROSS JOIN webhooks w ON w.account_id = n.account_id \
         CROSS JOIN json_each('[0,0,0,0,0,0]') k WHERE iif(k.key < 3, n.events - n.of_assets, n.of_assets) \
         AND (k.key % 3 < 2 OR NOT ",
        funded!("w.account_id"),
        ") ON CONFLICT (key, period) DO UPDATE SET used = used + excluded.used"
    ))
    .bind(ordering_key)
    .bind_json(&references)?
    .bind(Period::Day.number(now))
    .bind(Period::Day.end(now))
    .storing_exactly(0))
}

#[derive(Default, Deserialize)]
struct Counts {
    of_account: Option<u32>,
    to_host: Option<u32>,
    of_unfunded: Option<u32>,
    assets_of_account: Option<u32>,
    assets_to_host: Option<u32>,
    assets_of_unfunded: Option<u32>,
}

/// Returns the webhook of an account, or `None`. If a limit stops today's events and the state has no other reason, the limit
/// is the reason.
pub(crate) async fn webhook_today(
    db: &dyn Database,
    account: &Address,
    now: u64,
) -> Result<Option<Webhook>, DatabaseError> {
    /// Today's events of all unfunded accounts, if the account is one of them.
    macro_rules! of_unfunded {
        ($key:literal) => {
            const_format::concatcp!(
                "(SELECT used FROM quotas WHERE key = ",
                $key,
                " AND period = ?2 AND NOT ",
                funded!(),
                ")"
            )
        };
    }
    /// Today's events to the receiver's host.
    macro_rules! to_host {
        ($group:literal) => {
            const_format::concatcp!(
                "(SELECT c.used FROM webhooks w CROSS JOIN quotas c ON c.key = '",
                $group,
                "host:' || w.host AND c.period = ?2 WHERE w.account_id = ?1)"
            )
        };
    }
    let account = account_key(account);
    let counts = Statement::new(concatcp!(
        "SELECT ",
        quota_used!("'events:' || ?1", "?2"),
        " AS of_account, ",
        quota_used!("'asset-events:' || ?1", "?2"),
        " AS assets_of_account, ",
        to_host!("events:"),
        " AS to_host, ",
        to_host!("asset-events:"),
        " AS assets_to_host, ",
        of_unfunded!("'events:unfunded'"),
        " AS of_unfunded, ",
        of_unfunded!("'asset-events:unfunded'"),
        " AS assets_of_unfunded"
    ))
    .bind(account.as_str())
    .bind(Period::Day.number(now));
    let [webhook, counts] = exactly(db.batch(vec![select_webhook(&account), counts]).await?)?;
    let Some(mut webhook) = webhook_from(webhook)? else {
        return Ok(None);
    };
    let counts: Counts = counts.first()?.unwrap_or_default();
    let limits = [
        (counts.of_account, EVENTS_OF_ACCOUNT, "for an account"),
        (counts.to_host, EVENTS_TO_HOST, "to the receiver's host"),
        (
            counts.of_unfunded,
            EVENTS_OF_UNFUNDED,
            "for all accounts without tokens or abilities",
        ),
        (
            counts.assets_of_account,
            EVENTS_OF_ACCOUNT,
            "about assets for an account",
        ),
        (
            counts.assets_to_host,
            EVENTS_TO_HOST,
            "about assets to the receiver's host",
        ),
        (
            counts.assets_of_unfunded,
            EVENTS_OF_UNFUNDED,
            "about assets for all accounts without tokens or abilities",
        ),
    ];
    let reached = limits
        .into_iter()
        .find(|(count, limit, _)| count.is_some_and(|count| count >= *limit));
    if let Some((_, limit, whose)) = reached {
        webhook.state_reason.get_or_insert_with(|| {
            format!("the daily limit of {limit} events {whose} is reached: further events until midnight UTC are not sent")
        });
    }
    Ok(Some(webhook))
}
