//! Lists the events of an account and of the ledgers that it manages, merged by time.
//!
//! Issues, replacements and withdrawals are rows of the ledger's tables, so they are not stored a second time. Each source has an index in the order of
//! the list. A page takes at most a page of rows of each source and ledger, and merges them. A filter by the acting account has no index: a
//! page then reads a window of at most [`SCAN_LIMIT`] rows of each source, and the next page continues after it.

use order_core::{Abilities, Address, AssetId};
use serde::Deserialize;
use serde_json::Value;

use crate::api::{Activity, ActivityKind, Ref, Timestamp};
use crate::db::{Page, Period, Sort, Values};
use crate::ports::{Database, DatabaseError, INTEGER_MAX, Statement};
use crate::text::account_key;

/// Maximum number of ledgers of one list: the first ones by reference that the account manages, among its first 1,000 ledgers.
pub(crate) const LEDGERS_MAX: u32 = 50;
/// Maximum number of rows of a source that a page reads for a filter without an index, in all ledgers together.
const SCAN_LIMIT: u32 = 10_000;
/// Maximum number of rows of a source that the total counts.
const COUNTED_MAX: u32 = 1_000;

/// A query for the activity that an account may see.
pub(crate) struct ActivityLookup {
    pub(crate) account: Address,
    pub(crate) kinds: Option<Vec<ActivityKind>>,
    /// The key of the acting account. An empty key matches nothing.
    pub(crate) by: Option<String>,
    /// References of ledgers. Events without a ledger are then left out.
    pub(crate) ledgers: Option<Vec<String>>,
    pub(crate) period: Period,
    pub(crate) page: Page,
}

/// A table with events.
struct Source {
    /// Orders the events of one time. The sources of a rank have different subjects.
    rank: u8,
    /// The kinds of its events.
    kinds: &'static [ActivityKind],
    table: &'static str,
    /// The column that names the ledger or, for the account's own events, the account.
    group: &'static str,
    time: &'static str,
    subject: &'static str,
    /// The columns that find a row within its group.
    key: &'static str,
    /// A condition for the rows, which starts with ` AND `.
    condition: &'static str,
    /// SQL of the kind's number, the acting account, the order and the detail.
    values: [&'static str; 4],
}

const ISSUED: Source = Source {
    rank: 0,
    kinds: &[ActivityKind::Issued],
    table: "assets",
    group: "b.ledger_id",
    time: "b.created_at",
    subject: "b.id",
    key: "b.id",
    condition: "",
    values: [
        "0",
        "ifnull(b.created_by, (SELECT r.creator_id FROM records r WHERE r.ref = b.created_ref))",
        "b.created_ref",
        "NULL",
    ],
};
const ISSUED_AND_WITHDRAWN: Source = Source {
    table: "withdrawals",
    time: "b.issued_at",
    subject: "b.asset_id",
    key: "b.asset_id",
    condition: " AND b.is_reissued = 0 AND b.issued_at IS NOT NULL",
    ..ISSUED
};
const WITHDRAWN: Source = Source {
    rank: 1,
    kinds: &[ActivityKind::Withdrawn],
    time: "b.withdrawn_at",
    condition: "",
    values: [
        "1",
        "ifnull(b.withdrawn_by, (SELECT r.creator_id FROM records r WHERE r.ref = b.record_ref))",
        "nullif(b.record_ref, '')",
        "b.reason",
    ],
    ..ISSUED_AND_WITHDRAWN
};
/// An asset keeps its last earlier imprints only, so the list has its last replacements.
const REPLACED: Source = Source {
    rank: 4,
    kinds: &[ActivityKind::Replaced],
    table: "past_imprints",
    group: "b.ledger_id",
    time: "b.ended_at",
    subject: "b.asset_id",
    key: "(b.asset_id, b.ended_at, b.imprint)",
    condition: " AND b.withdrawn = 0",
    values: [
        "7",
        "ifnull(b.ended_by, (SELECT r.creator_id FROM records r WHERE r.ref = b.record_ref))",
        "b.record_ref",
        "NULL",
    ],
};
const ABILITIES: Source = Source {
    rank: 2,
    kinds: &[ActivityKind::AbilitiesSet],
    table: "ability_changes",
    group: "b.ledger_id",
    time: "b.changed_at",
    subject: "b.account_id",
    key: "(b.changed_at, b.account_id)",
    condition: "",
    values: [
        "2",
        "ifnull(b.changed_by, (SELECT r.creator_id FROM records r WHERE r.ref = b.record_ref))",
        "b.record_ref",
        "CAST(b.new_abilities AS TEXT)",
    ],
};
const OF_LEDGERS: Source = Source {
    rank: 3,
    kinds: &[
        ActivityKind::DomainSet,
        ActivityKind::DomainRemoved,
        ActivityKind::KeyCreated,
        ActivityKind::KeyRevoked,
    ],
    table: "account_events",
    group: "b.ledger_id",
    time: "b.at",
    subject: "b.ref",
    key: "b.ref",
    condition: " AND b.ledger_id IS NOT NULL",
    values: ["b.kind", "b.account_id", "NULL", "b.detail"],
};
/// The account's own events that belong to no ledger in the list.
const OF_ACCOUNT: Source = Source {
    group: "b.account_id",
    condition: "",
    ..OF_LEDGERS
};

/// The position of an event: its time, the rank of its source, its subject, and its ledger or an empty text.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
struct Position {
    at: u64,
    rank: u8,
    subject: String,
    ledger: String,
}

impl Position {
    fn text(&self) -> String {
        let Self {
            at,
            rank,
            subject,
            ledger,
        } = self;
        format!("{at:013}_{rank}_{subject}_{ledger}")
    }

    /// Reads a position. A text without a valid time counts as time 0, before the first event.
    fn read(text: &str) -> Self {
        let mut parts = text.splitn(4, '_');
        let mut next = || parts.next().unwrap_or_default();
        let at = next().parse().ok().filter(|at| *at <= INTEGER_MAX);
        Self {
            at: at.unwrap_or(0),
            rank: next().parse().unwrap_or(0),
            subject: next().to_owned(),
            ledger: next().to_owned(),
        }
    }
}

/// An event of any source.
#[derive(Debug, Deserialize)]
pub(crate) struct Event {
    at: u64,
    rank: u8,
    kind: u8,
    /// The digits of an asset's id, the key of an account, or the reference of an event.
    subject: String,
    /// The key of the ledger, or an empty text.
    ledger: String,
    ledger_ref: Option<String>,
    signer: Option<Address>,
    record_ref: Option<String>,
    detail: Option<String>,
}

impl Event {
    fn position(&self) -> Position {
        Position {
            at: self.at,
            rank: self.rank,
            subject: self.subject.clone(),
            ledger: self.ledger.clone(),
        }
    }

    /// Returns the event's sort key.
    pub(crate) fn cursor_key(&self) -> String {
        self.position().text()
    }

    /// Returns the event as an answer shows it. `None` if its row has an unknown kind.
    pub(crate) fn view(&self) -> Option<Activity> {
        let kind = ActivityKind::ALL
            .into_iter()
            .find(|kind| kind.number() == self.kind)?;
        let mut view = Activity {
            kind,
            at: Timestamp(self.at),
            by: self.signer,
            ledger_ref: self.ledger_ref.clone().map(Ref),
            ledger_id: self.ledger.parse().ok(),
            asset_id: None,
            account_id: None,
            abilities: None,
            reason: None,
            domain: None,
            key_name: None,
            order_ref: self.record_ref.clone().map(Ref),
        };
        let detail = self.detail.clone();
        match kind {
            ActivityKind::Issued | ActivityKind::Replaced => {
                view.asset_id = AssetId::from_hex64(&self.subject).ok();
            }
            ActivityKind::Withdrawn => {
                view.asset_id = AssetId::from_hex64(&self.subject).ok();
                view.reason = detail;
            }
            ActivityKind::AbilitiesSet => {
                view.account_id = self.subject.parse().ok();
                let bits = detail.and_then(|text| text.parse().ok());
                view.abilities = bits.and_then(|bits| Abilities::from_bits(bits).ok());
            }
            ActivityKind::DomainSet | ActivityKind::DomainRemoved => view.domain = detail,
            ActivityKind::KeyCreated | ActivityKind::KeyRevoked => view.key_name = detail,
        }
        Some(view)
    }
}

/// The answer to an [`ActivityLookup`].
pub(crate) struct FoundActivity {
    /// The page's events, and the first event of the next page if there is one.
    pub(crate) events: Vec<Event>,
    pub(crate) total: u32,
    /// True if `total` counts all events.
    pub(crate) counted_all: bool,
    /// The end of the window that a filter read, if events follow it.
    pub(crate) end: Option<String>,
}

/// Returns a page of activity.
pub(crate) async fn activity(
    db: &dyn Database,
    lookup: &ActivityLookup,
) -> Result<FoundActivity, DatabaseError> {
    let page = &lookup.page;
    let cursor = page.after.as_deref().map(Position::read);
    let sources = lookup.sources();
    let mut statements = Vec::new();
    for source in &sources {
        statements.push(lookup.select(source, cursor.as_ref()));
        statements.push(lookup.count(source));
        if lookup.is_scanned(source) {
            statements.push(lookup.window_end(source, cursor.as_ref()));
        }
    }
    let mut answers = db.batch(statements).await?.into_iter();
    let mut next = || answers.next().unwrap_or_default();
    let is_before = |one: &Position, other: &Position| match page.sort {
        Sort::Ascending => one < other,
        Sort::Descending => one > other,
    };
    let (mut events, mut total, mut counted_all) = (Vec::new(), 0_u32, true);
    let mut end: Option<Position> = None;
    for source in &sources {
        events.extend(next().all::<Event>()?);
        let counted = next().total()?;
        total = total.saturating_add(counted.min(COUNTED_MAX));
        let is_scanned = lookup.is_scanned(source);
        counted_all &= counted <= COUNTED_MAX && !is_scanned;
        if is_scanned
            && let Some(stop) = next().first::<Position>()?
            && end.as_ref().is_none_or(|end| is_before(&stop, end))
        {
            end = Some(stop);
        }
    }
    events.sort_by_key(Event::position);
    if page.sort == Sort::Descending {
        events.reverse();
    }
    if let Some(end) = &end {
        // Another source can have unread rows before an event that follows the end of its window.
        events.retain(|event| !is_before(end, &event.position()));
    }
    let skip = usize::try_from(page.skip).unwrap_or(usize::MAX);
    let fetch = usize::try_from(page.fetch()).unwrap_or(usize::MAX);
    Ok(FoundActivity {
        events: events.into_iter().skip(skip).take(fetch).collect(),
        total,
        counted_all,
        end: end.map(|end| end.text()),
    })
}

impl ActivityLookup {
    /// Returns the sources that the query reads.
    fn sources(&self) -> Vec<Source> {
        let all = [
            ISSUED,
            ISSUED_AND_WITHDRAWN,
            WITHDRAWN,
            REPLACED,
            ABILITIES,
            OF_LEDGERS,
            OF_ACCOUNT,
        ];
        let is_read = |source: &Source| {
            let of_account = source.group == OF_ACCOUNT.group;
            let has_kind = |kind| self.kinds.as_ref().is_none_or(|kinds| kinds.contains(kind));
            source.kinds.iter().any(has_kind) && !(of_account && self.ledgers.is_some())
        };
        all.into_iter().filter(is_read).collect()
    }

    /// Returns true if a page reads a window of the source's rows, because a filter has no index.
    fn is_scanned(&self, source: &Source) -> bool {
        let has_all =
            |kinds: &Vec<ActivityKind>| source.kinds.iter().all(|kind| kinds.contains(kind));
        self.by.is_some() || !self.kinds.as_ref().is_none_or(has_all)
    }

    /// Returns SQL for the groups `k` of a source: the managed ledgers, or the account.
    fn groups(&self, sql: &mut Values, source: &Source) -> String {
        let account = sql.bind(account_key(&self.account));
        if source.group == OF_ACCOUNT.group {
            return format!("(SELECT {account} AS id)");
        }
        let named = match &self.ledgers {
            None => String::new(),
            Some(ledgers) => {
                let list = sql.bind(Value::from(ledgers.clone()).to_string());
                format!(" AND ledger_ref IN (SELECT value FROM json_each({list}))")
            }
        };
        let manage = Abilities::MANAGE.bits() | Abilities::ALLOW_MANAGE.bits();
        format!(
            "(SELECT id FROM (SELECT ledger_id AS id, abilities FROM abilities WHERE account_id = {account}{named} \
             ORDER BY ledger_ref LIMIT 1000) WHERE abilities & {manage} <> 0 LIMIT {LEDGERS_MAX})"
        )
    }

    /// Returns the conditions for rows `b` of a group `k` that an index supports.
    fn indexed(&self, sql: &mut Values, source: &Source, cursor: Option<&Position>) -> String {
        let Source {
            group,
            time,
            subject,
            condition,
            ..
        } = source;
        let mut text = format!("{group} = k.id{condition}");
        let (first, end) = self.period.milliseconds();
        if self.period.from.is_some() {
            let first = sql.bind(first.min(INTEGER_MAX));
            text += &format!(" AND {time} >= {first}");
        }
        if self.period.to.is_some() {
            let end = sql.bind(end.min(INTEGER_MAX));
            text += &format!(" AND {time} < {end}");
        }
        if let Some(cursor) = cursor {
            let (strictly, or_equal) = match self.page.sort {
                Sort::Ascending => (">", ">="),
                Sort::Descending => ("<", "<="),
            };
            let at = sql.bind(cursor.at);
            // Events of the cursor's time follow it if their rank does.
            let follows = match self.page.sort {
                Sort::Ascending => source.rank > cursor.rank,
                Sort::Descending => source.rank < cursor.rank,
            };
            text += &if source.rank == cursor.rank {
                let [subject_of, ledger_of] =
                    [&cursor.subject, &cursor.ledger].map(|text| sql.bind(text.as_str()));
                format!(
                    " AND ({time}, {subject}, ifnull(b.ledger_id, '')) {strictly} ({at}, {subject_of}, {ledger_of})"
                )
            } else if follows {
                format!(" AND {time} {or_equal} {at}")
            } else {
                format!(" AND {time} {strictly} {at}")
            };
        }
        text
    }

    /// Returns the conditions for rows `b` that no index supports. Each starts with ` AND `.
    fn unindexed(&self, sql: &mut Values, source: &Source) -> String {
        let mut text = String::new();
        if let Some(by) = &self.by {
            let by = sql.bind(by.as_str());
            let [_, signer, ..] = source.values;
            text += &format!(" AND {signer} = {by}");
        }
        if source.rank == OF_LEDGERS.rank {
            if let Some(kinds) = &self.kinds {
                let kinds = kinds.iter().map(|kind| kind.number());
                let kinds = sql.bind(Value::from_iter(kinds).to_string());
                text += &format!(" AND b.kind IN (SELECT value FROM json_each({kinds}))");
            }
            if source.group == OF_LEDGERS.group && self.ledgers.is_none() {
                // The account's own events are in the other source.
                let own = sql.bind(account_key(&self.account));
                text += &format!(" AND b.account_id <> {own}");
            }
        }
        text
    }

    fn order(&self, source: &Source) -> String {
        let Source { time, subject, .. } = source;
        match self.page.sort {
            Sort::Ascending => format!("ORDER BY {time}, {subject}"),
            Sort::Descending => format!("ORDER BY {time} DESC, {subject} DESC"),
        }
    }

    /// Returns SQL for the number of rows that a page reads in one group.
    fn window(&self, sql: &mut Values, source: &Source) -> String {
        let groups = self.groups(sql, source);
        format!("(SELECT {SCAN_LIMIT} / max(1, count(*)) FROM {groups})")
    }

    /// Returns SQL after `FROM`: the rows `b` of a source. Reads at most `most` rows of each group.
    fn rows(
        &self,
        sql: &mut Values,
        source: &Source,
        cursor: Option<&Position>,
        most: &str,
    ) -> String {
        let Source {
            table, group, key, ..
        } = source;
        let groups = self.groups(sql, source);
        let indexed = self.indexed(sql, source, cursor);
        let unindexed = self.unindexed(sql, source);
        let order = self.order(source);
        let inner = key.trim_matches(['(', ')']);
        format!(
            "{groups} k CROSS JOIN {table} b ON {group} = k.id AND {key} IN \
             (SELECT {inner} FROM {table} b WHERE {indexed} {order} LIMIT {most}){unindexed}"
        )
    }

    fn select(&self, source: &Source, cursor: Option<&Position>) -> Statement {
        let mut sql = Values::default();
        let fetch = sql.bind(self.page.fetch().saturating_add(self.page.skip));
        let most = if self.is_scanned(source) {
            self.window(&mut sql, source)
        } else {
            fetch.clone()
        };
        let rows = self.rows(&mut sql, source, cursor, &most);
        let Source {
            rank,
            time,
            subject,
            values: [kind, signer, record, detail],
            ..
        } = source;
        let order = match self.page.sort {
            Sort::Ascending => "ORDER BY at, subject, ledger",
            Sort::Descending => "ORDER BY at DESC, subject DESC, ledger DESC",
        };
        sql.statement(format!(
            "SELECT +{time} AS at, {rank} AS rank, {kind} AS kind, +{subject} AS subject, ifnull(b.ledger_id, '') AS ledger, \
             (SELECT l.ref FROM ledgers l WHERE l.id = b.ledger_id) AS ledger_ref, {signer} AS signer, {record} AS record_ref, \
             {detail} AS detail FROM {rows} {order} LIMIT {fetch}"
        ))
    }

    /// Returns the statement that counts the events of a source, up to one above [`COUNTED_MAX`].
    fn count(&self, source: &Source) -> Statement {
        let mut sql = Values::default();
        let most = sql.bind(COUNTED_MAX.saturating_add(1));
        let read = if self.is_scanned(source) {
            self.window(&mut sql, source)
        } else {
            most.clone()
        };
        let rows = self.rows(&mut sql, source, None, &read);
        sql.statement(format!(
            "SELECT count(*) AS total FROM (SELECT 1 FROM {rows} LIMIT {most})"
        ))
    }

    /// Returns the statement that selects the end of the source's window: the first position, in the order of the list, after which a group
    /// has rows that were not read. Selects nothing if all rows were read.
    fn window_end(&self, source: &Source, cursor: Option<&Position>) -> Statement {
        let mut sql = Values::default();
        let window = self.window(&mut sql, source);
        let groups = self.groups(&mut sql, source);
        let indexed = self.indexed(&mut sql, source, cursor);
        let Source {
            rank,
            table,
            group,
            time,
            subject,
            key,
            ..
        } = source;
        let (order, inner) = (self.order(source), key.trim_matches(['(', ')']));
        let outer = match self.page.sort {
            Sort::Ascending => "ORDER BY at, subject, ledger",
            Sort::Descending => "ORDER BY at DESC, subject DESC, ledger DESC",
        };
        sql.statement(format!(
            "SELECT +{time} AS at, {rank} AS rank, +{subject} AS subject, ifnull(b.ledger_id, '') AS ledger \
             FROM {groups} k CROSS JOIN {table} b ON {group} = k.id AND {key} IN \
             (SELECT {inner} FROM {table} b WHERE {indexed} {order} LIMIT 1 OFFSET {window} - 1) {outer} LIMIT 1"
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_keep_their_text() {
        let position = Position {
            at: 1_700_000_000_000,
            rank: 2,
            subject: format!("0x{}", "2".repeat(40)),
            ledger: format!("0x{}", "1".repeat(40)),
        };
        assert_eq!(Position::read(&position.text()), position);
        for text in ["", "_", "x_1_2_3", "99999999999999999999_1_a_b"] {
            assert_eq!(Position::read(text).at, 0, "{text}");
        }
    }
}
