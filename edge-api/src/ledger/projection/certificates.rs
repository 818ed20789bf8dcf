//! Lists the certificates of all registers of an account: existing and destroyed assets, merged by their time of issue.
//!
//! An index has the rows of each register in the order of the list. A page takes at most a page of rows from each index and each register,
//! and merges them. Two filters have no index: the creator, and the status `in-force`. With one of them, a page reads a window of
//! at most [`SCAN_LIMIT`] rows of each kind. If the window does not fill the page, the next page continues after it.

use order_core::{Address, AssetId, Imprint};
use serde::Deserialize;
use serde_json::Value;

use crate::api::{Certificate, CertificateStatus, Ref, Timestamp};
use crate::db::rows::hex64;
use crate::db::{Page, Period, Sort, TOTAL_MAX, Values};
use crate::ports::{Database, DatabaseError, INTEGER_MAX, Statement};
use crate::text::account_key;

/// Maximum number of registers of one list. They are the first ones by reference, so the registers of an account that another
/// account added later do not displace them.
pub(crate) const LEDGERS_MAX: u32 = 50;
/// Maximum number of existing assets that a page reads for a filter without an index, in all registers together. The limit
/// of destroyed ones is the same.
const SCAN_LIMIT: u32 = 10_000;

/// A query for the certificates of an account's registers.
pub(crate) struct CertificateLookup {
    pub(crate) account: Address,
    pub(crate) ids: Option<Vec<AssetId>>,
    /// References of registers.
    pub(crate) ledgers: Option<Vec<String>>,
    /// The key of the account that signed the creation. An empty key matches nothing.
    pub(crate) creator: Option<String>,
    /// The key of the owner. An empty key matches nothing.
    pub(crate) owner: Option<String>,
    pub(crate) statuses: Option<Vec<CertificateStatus>>,
    pub(crate) period: Period,
    pub(crate) page: Page,
}

/// The position of a certificate in the list: its time of issue, the digits of its id, and the key of its register.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
pub(crate) struct Position {
    issued_at: u64,
    asset_id: String,
    ledger_id: String,
}

impl Position {
    /// Returns the position as text, for a cursor.
    fn text(&self) -> String {
        format!(
            "{:013}-{}-{}",
            self.issued_at, self.asset_id, self.ledger_id
        )
    }

    /// Reads a position. A text without a valid time counts as time 0, before the first certificate.
    fn read(text: &str) -> Self {
        let mut parts = text.splitn(3, '-');
        let mut next = || parts.next().unwrap_or_default();
        let time = next().parse().ok().filter(|time| *time <= INTEGER_MAX);
        Self {
            issued_at: time.unwrap_or(0),
            asset_id: next().to_owned(),
            ledger_id: next().to_owned(),
        }
    }
}

/// A certificate of a list.
#[derive(Debug, Deserialize)]
pub(crate) struct CertificateRow {
    issued_at: u64,
    asset_id: String,
    ledger_id: String,
    ledger_ref: String,
    uri_prefix: String,
    uri_postfix: String,
    owner_id: Option<Address>,
    imprint: Option<Imprint>,
    updated_at: u64,
    created_by: Option<Address>,
    replaced_at: Option<u64>,
    ended_at: Option<u64>,
    ended_by: Option<Address>,
    reason: Option<String>,
    #[serde(deserialize_with = "hex64", rename = "id")]
    asset: AssetId,
    ledger: Address,
}

impl CertificateRow {
    fn position(&self) -> Position {
        Position {
            issued_at: self.issued_at,
            asset_id: self.asset_id.clone(),
            ledger_id: self.ledger_id.clone(),
        }
    }

    /// Returns the certificate's sort key.
    pub(crate) fn cursor_key(&self) -> String {
        self.position().text()
    }

    /// Returns the certificate as an answer shows it.
    pub(crate) fn view(&self) -> Certificate {
        let status = match (self.ended_at, self.replaced_at) {
            (Some(_), _) => CertificateStatus::Withdrawn,
            (None, Some(_)) => CertificateStatus::Replaced,
            (None, None) => CertificateStatus::InForce,
        };
        Certificate {
            id: self.asset,
            ledger_ref: Ref(self.ledger_ref.clone()),
            ledger_id: self.ledger,
            owner_id: self.owner_id,
            imprint: self.imprint,
            uri: format!("{}{}{}", self.uri_prefix, self.asset, self.uri_postfix),
            created_at: Timestamp(self.issued_at),
            updated_at: Timestamp(self.updated_at),
            created_by: self.created_by,
            status,
            replaced_at: self.replaced_at.map(Timestamp),
            ended_at: self.ended_at.map(Timestamp),
            ended_by: self.ended_by,
            reason: self.reason.clone(),
        }
    }
}

/// The answer to a [`CertificateLookup`].
pub(crate) struct FoundCertificates {
    /// The page's rows, and the first row of the next page if there is one.
    pub(crate) rows: Vec<CertificateRow>,
    /// The number of certificates, up to one above [`TOTAL_MAX`].
    pub(crate) total: u32,
    /// True if the count covers all rows.
    pub(crate) counted_all: bool,
    /// The end of the window that the filters read, if rows follow it.
    pub(crate) end: Option<String>,
}

/// Returns a page of certificates.
pub(crate) async fn certificates(
    db: &dyn Database,
    lookup: &CertificateLookup,
) -> Result<FoundCertificates, DatabaseError> {
    let cursor = lookup.page.after.as_deref().map(Position::read);
    let mut statements = vec![lookup.select_page(cursor.as_ref()), lookup.total()];
    if lookup.is_scanned() {
        statements.push(lookup.window_end(cursor.as_ref()));
        statements.push(lookup.window_end(None));
    }
    let mut answers = db.batch(statements).await?.into_iter();
    let mut next = || answers.next().unwrap_or_default();
    let mut rows: Vec<CertificateRow> = next().all()?;
    let total = next().total()?;
    let end = next().first::<Position>()?;
    let whole_end = next().first::<Position>()?;
    if let Some(end) = &end {
        // Another register can have unread rows before a row that follows the end of its window.
        rows.retain(|row| match lookup.page.sort {
            Sort::Descending => row.position() >= *end,
            Sort::Ascending => row.position() <= *end,
        });
    }
    Ok(FoundCertificates {
        rows,
        total,
        counted_all: whole_end.is_none(),
        end: end.map(|end| end.text()),
    })
}

/// A table with certificates.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    Existing,
    Destroyed,
}

impl Part {
    /// Returns the table, and its columns of the id and of the time of issue.
    fn table(self) -> [&'static str; 3] {
        match self {
            Self::Existing => ["assets", "id", "created_at"],
            Self::Destroyed => ["withdrawals", "asset_id", "issued_at"],
        }
    }
}

impl CertificateLookup {
    fn parts(&self) -> Vec<Part> {
        let has = |status| {
            self.statuses
                .as_ref()
                .is_none_or(|all| all.contains(&status))
        };
        let mut parts = Vec::new();
        if has(CertificateStatus::InForce) || has(CertificateStatus::Replaced) {
            parts.push(Part::Existing);
        }
        if has(CertificateStatus::Withdrawn) {
            parts.push(Part::Destroyed);
        }
        parts
    }

    /// Returns whether existing assets must have another imprint than at first. `None` if both kinds are listed.
    fn is_replaced(&self) -> Option<bool> {
        let statuses = self.statuses.as_ref()?;
        let [in_force, replaced] = [CertificateStatus::InForce, CertificateStatus::Replaced]
            .map(|status| statuses.contains(&status));
        (in_force != replaced).then_some(replaced)
    }

    /// Returns true if the index `assets_replaced` has the rows of the filter.
    fn reads_replaced(&self) -> bool {
        self.is_replaced() == Some(true) && self.owner.is_none() && self.ids.is_none()
    }

    /// Returns true if a page reads a window of rows, because a filter has no index.
    pub(crate) fn is_scanned(&self) -> bool {
        let by_status = self.is_replaced().is_some() && !self.reads_replaced();
        self.ids.is_none() && (self.creator.is_some() || by_status)
    }

    /// Returns SQL for the account's registers `k`.
    fn ledgers(&self, sql: &mut Values) -> String {
        let account = sql.bind(account_key(&self.account));
        let named = match &self.ledgers {
            None => String::new(),
            Some(ledgers) => {
                let list = sql.bind(Value::from(ledgers.clone()).to_string());
                format!(" AND ledger_ref IN (SELECT value FROM json_each({list}))")
            }
        };
        format!(
            "(SELECT ledger_id AS id FROM abilities WHERE account_id = {account}{named} ORDER BY ledger_ref LIMIT {LEDGERS_MAX})"
        )
    }

    /// Returns `+` if the query has ids. SQLite must then find the rows by id, and not by time or owner.
    fn plus(&self) -> &'static str {
        if self.ids.is_some() { "+" } else { "" }
    }

    /// Returns the conditions for rows `b` of a register `k` that an index supports.
    fn indexed(&self, sql: &mut Values, part: Part, cursor: Option<&Position>) -> String {
        let ([_, id, time], plus) = (part.table(), self.plus());
        let mut all = vec!["b.ledger_id = k.id".to_owned()];
        if part == Part::Destroyed {
            let present = format!("{plus}b.is_reissued = 0 AND {plus}b.{time} IS NOT NULL");
            all.push(present);
        } else if self.reads_replaced() {
            all.push("b.replaced_at IS NOT NULL".to_owned());
        }
        if let Some(ids) = &self.ids {
            let ids: Vec<String> = ids.iter().map(AssetId::to_hex64).collect();
            let list = sql.bind(Value::from(ids).to_string());
            all.push(format!("b.{id} IN (SELECT value FROM json_each({list}))"));
        }
        if let Some(owner) = &self.owner {
            let owner = sql.bind(owner.as_str());
            all.push(format!("{plus}b.owner_id = {owner}"));
        }
        let (first, end) = self.period.milliseconds();
        if self.period.from.is_some() {
            let first = sql.bind(first.min(INTEGER_MAX));
            all.push(format!("{plus}b.{time} >= {first}"));
        }
        if self.period.to.is_some() {
            let end = sql.bind(end.min(INTEGER_MAX));
            all.push(format!("{plus}b.{time} < {end}"));
        }
        if let Some(cursor) = cursor {
            let behind = match self.page.sort {
                Sort::Ascending => '>',
                Sort::Descending => '<',
            };
            let values = [
                sql.bind(cursor.issued_at),
                sql.bind(cursor.asset_id.as_str()),
                sql.bind(cursor.ledger_id.as_str()),
            ];
            let values = values.join(", ");
            all.push(format!(
                "({plus}b.{time}, b.{id}, b.ledger_id) {behind} ({values})"
            ));
        }
        all.join(" AND ")
    }

    /// Returns the conditions for rows `b` that no index supports. Each starts with ` AND `.
    fn unindexed(&self, sql: &mut Values, part: Part) -> String {
        let mut text = String::new();
        if let Some(is_replaced) = self.is_replaced()
            && part == Part::Existing
            && !self.reads_replaced()
        {
            let not = if is_replaced { " NOT" } else { "" };
            text += &format!(" AND +b.replaced_at IS{not} NULL");
        }
        if let Some(creator) = &self.creator {
            let creator = sql.bind(creator.as_str());
            text += &format!(
                " AND ifnull(b.created_by, (SELECT r.creator_id FROM records r WHERE r.ref = b.created_ref)) = {creator}"
            );
        }
        text
    }

    fn order(&self, part: Part) -> String {
        let [_, id, time] = part.table();
        match self.page.sort {
            Sort::Ascending => format!("ORDER BY b.{time}, b.{id}"),
            Sort::Descending => format!("ORDER BY b.{time} DESC, b.{id} DESC"),
        }
    }

    /// Returns SQL for the number of rows that one register may read of each kind.
    fn window(ledgers: &str) -> String {
        format!("(SELECT {SCAN_LIMIT} / max(1, count(*)) FROM {ledgers})")
    }

    /// Returns SQL after `FROM`: the rows `b` of a part. Reads at most `most` rows of each register.
    fn rows(&self, sql: &mut Values, part: Part, cursor: Option<&Position>, most: &str) -> String {
        let [table, id, _] = part.table();
        let ledgers = self.ledgers(sql);
        let indexed = self.indexed(sql, part, cursor);
        let unindexed = self.unindexed(sql, part);
        if self.ids.is_some() {
            return format!("{ledgers} k CROSS JOIN {table} b ON {indexed}{unindexed}");
        }
        let order = self.order(part);
        format!(
            "{ledgers} k CROSS JOIN {table} b ON b.ledger_id = k.id AND b.{id} IN \
             (SELECT b.{id} FROM {table} b WHERE {indexed} {order} LIMIT {most}){unindexed}"
        )
    }

    /// Returns the order of merged rows.
    fn merged(&self) -> &'static str {
        match self.page.sort {
            Sort::Ascending => "ORDER BY issued_at, asset_id, ledger_id",
            Sort::Descending => "ORDER BY issued_at DESC, asset_id DESC, ledger_id DESC",
        }
    }

    /// Returns the order of the rows of a page.
    fn of_page(&self) -> &'static str {
        match self.page.sort {
            Sort::Ascending => "ORDER BY p.issued_at, p.asset_id, p.ledger_id",
            Sort::Descending => "ORDER BY p.issued_at DESC, p.asset_id DESC, p.ledger_id DESC",
        }
    }

    /// Returns the statement that selects a page, and one row more if there is a next page.
    fn select_page(&self, cursor: Option<&Position>) -> Statement {
        let mut sql = Values::default();
        let (fetch, skip) = (sql.bind(self.page.fetch()), sql.bind(self.page.skip));
        let most = if self.is_scanned() {
            Self::window(&self.ledgers(&mut sql))
        } else {
            format!("{fetch} + {skip}")
        };
        // Without the `+`, SQLite reads a whole register in the order of an index, to avoid sorting the few rows.
        let mut parts = Vec::new();
        for part in self.parts() {
            let [_, id, time] = part.table();
            let is_destroyed = u8::from(part == Part::Destroyed);
            let rows = self.rows(&mut sql, part, cursor, &most);
            parts.push(format!(
                "SELECT {is_destroyed} AS is_destroyed, b.ledger_id AS ledger_id, +b.{id} AS asset_id, +b.{time} AS issued_at FROM {rows}"
            ));
        }
        let (parts, order) = (parts.join(" UNION ALL "), self.merged());
        sql.statement(format!(
            "SELECT p.issued_at, p.asset_id, p.ledger_id, p.asset_id AS id, p.ledger_id AS ledger, l.ref AS ledger_ref, l.uri_prefix, \
             l.uri_postfix, ifnull(a.owner_id, w.owner_id) AS owner_id, ifnull(a.imprint, (SELECT i.imprint FROM past_imprints i \
             WHERE i.ledger_id = w.ledger_id AND i.asset_id = w.asset_id AND i.ended_at = w.withdrawn_at AND i.withdrawn = 1 \
             ORDER BY i.imprint LIMIT 1)) AS imprint, ifnull(a.updated_at, w.withdrawn_at) AS updated_at, \
             coalesce(a.created_by, w.created_by, c.creator_id) AS created_by, ifnull(a.replaced_at, w.replaced_at) AS replaced_at, \
             w.withdrawn_at AS ended_at, ifnull(w.withdrawn_by, d.creator_id) AS ended_by, w.reason \
             FROM ({parts} {order} LIMIT {fetch} OFFSET {skip}) p CROSS JOIN ledgers l ON l.id = p.ledger_id \
             LEFT JOIN assets a ON p.is_destroyed = 0 AND a.ledger_id = p.ledger_id AND a.id = p.asset_id \
             LEFT JOIN withdrawals w ON p.is_destroyed = 1 AND w.ledger_id = p.ledger_id AND w.asset_id = p.asset_id \
             LEFT JOIN records c ON c.ref = ifnull(a.created_ref, w.created_ref) LEFT JOIN records d ON d.ref = w.record_ref \
             {}",
            self.of_page()
        ))
    }

    /// Returns true if the list has all certificates of its registers.
    fn is_whole(&self) -> bool {
        self.ids.is_none()
            && self.owner.is_none()
            && self.creator.is_none()
            && self.statuses.is_none()
            && self.period.from.is_none()
            && self.period.to.is_none()
    }

    /// Returns the statement that counts the certificates, up to one above [`TOTAL_MAX`]. With a filter that has no index, counts only those in
    /// the first window.
    fn total(&self) -> Statement {
        let mut sql = Values::default();
        let most = TOTAL_MAX.saturating_add(1);
        if self.is_whole() {
            let existing = self.ledgers(&mut sql);
            let destroyed = self.counted(&mut sql, Part::Destroyed);
            return sql.statement(format!(
                "SELECT min({most}, (SELECT ifnull(sum(l.asset_count), 0) FROM {existing} k CROSS JOIN ledgers l ON l.id = k.id)) \
                 + (SELECT count(*) FROM ({destroyed} LIMIT {most})) AS total"
            ));
        }
        let parts: Vec<String> = self
            .parts()
            .into_iter()
            .map(|part| self.counted(&mut sql, part))
            .collect();
        let parts = parts.join(" UNION ALL ");
        sql.statement(format!(
            "SELECT count(*) AS total FROM ({parts} LIMIT {most})"
        ))
    }

    /// Returns SQL that names the index for counting. Without it, SQLite prefers the primary key, and reads the rows of the whole register.
    fn index(&self, part: Part) -> &'static str {
        match part {
            _ if self.ids.is_some() => "",
            Part::Existing if self.reads_replaced() => " INDEXED BY assets_replaced",
            Part::Existing => "",
            Part::Destroyed if self.owner.is_some() => " INDEXED BY withdrawals_by_owner",
            Part::Destroyed => " INDEXED BY withdrawals_by_issue",
        }
    }

    /// Returns SQL that selects a row for each counted certificate.
    fn counted(&self, sql: &mut Values, part: Part) -> String {
        if self.is_scanned() {
            let window = Self::window(&self.ledgers(sql));
            return format!("SELECT 1 FROM {}", self.rows(sql, part, None, &window));
        }
        let [table, ..] = part.table();
        let ledgers = self.ledgers(sql);
        let indexed = self.indexed(sql, part, None);
        let unindexed = self.unindexed(sql, part);
        let index = self.index(part);
        format!("SELECT 1 FROM {ledgers} k CROSS JOIN {table} b{index} ON {indexed}{unindexed}")
    }

    /// Returns the statement that selects the end of the window: the first position, in the order of the list, after which a register has
    /// rows that were not read. Selects nothing if all rows were read.
    fn window_end(&self, cursor: Option<&Position>) -> Statement {
        let mut sql = Values::default();
        let window = Self::window(&self.ledgers(&mut sql));
        let mut parts = Vec::new();
        for part in self.parts() {
            let [table, id, time] = part.table();
            let ledgers = self.ledgers(&mut sql);
            let indexed = self.indexed(&mut sql, part, cursor);
            let order = self.order(part);
            parts.push(format!(
                "SELECT +b.{time} AS issued_at, +b.{id} AS asset_id, b.ledger_id AS ledger_id FROM {ledgers} k CROSS JOIN {table} b \
                 ON b.ledger_id = k.id AND b.{id} = (SELECT b.{id} FROM {table} b WHERE {indexed} {order} LIMIT 1 OFFSET {window} - 1)"
            ));
        }
        let (parts, order) = (parts.join(" UNION ALL "), self.merged());
        sql.statement(format!("{parts} {order} LIMIT 1"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_keep_their_text() {
        let position = Position {
            issued_at: 1_700_000_000_000,
            asset_id: "0".repeat(64),
            ledger_id: format!("0x{}", "1".repeat(40)),
        };
        assert_eq!(Position::read(&position.text()), position);
        for text in ["", "-", "x-1-2", "99999999999999999999-a-b"] {
            assert_eq!(Position::read(text).issued_at, 0, "{text}");
        }
    }
}
