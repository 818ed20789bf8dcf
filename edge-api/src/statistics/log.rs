//! Writes the log of HTTP requests to the service. A request is logged after its answer. Only requests of accounts with a row in the
//! database are logged, because even random bytes as a signature recover to some address.
//!
//! An isolate collects the lines of its requests for a short time, and writes them in one batch. If the isolate ends before that, its
//! collected lines are lost.

use std::cell::RefCell;

use http::{Method, StatusCode};
use order_core::Address;
use serde_json::{Value, json};

use crate::answers::{Tally, Unsaved};
use crate::db::storage::{LogShare, pay_log};
use crate::failure::Problem;
use crate::network::Client;
use crate::ports::{Database, DatabaseError, Ports, Statement};
use crate::single_flight::SingleFlight;
use crate::text::{account_key, day_of, shortened};

/// Maximum stored bytes of a path, a URL and a host. A row takes at most 2 KB, usually 300 bytes.
const PATH_MAX: usize = 200;
const URL_MAX: usize = 500;
const HOST_MAX: usize = 100;
/// Maximum stored bytes of an error's path. Messages are not stored, because codes identify them.
const ERROR_PATH_MAX: usize = 40;
/// Maximum requests of an account that are logged per day. Further requests are only counted.
const LOGGED_A_DAY: u32 = 50_000;

/// Milliseconds for which an isolate collects lines.
const COLLECT_MS: u64 = 250;
/// Number of lines that are written at once, before the time is over.
const LINES_MAX: usize = 100;
/// Milliseconds after which the request that waits to write the lines counts as dead. Another request then writes them.
const DEAD_AFTER_MS: u64 = 4 * COLLECT_MS;

/// Bytes of a row's header, index entries and numbers, for quotas.
const LINE_BYTES: usize = 200;

/// An answered request, without its headers: the Authorization header would let a reader of the log impersonate the
/// caller.
pub(crate) struct Logged<'a> {
    /// The envelope's id.
    pub(crate) reference: &'a str,
    pub(crate) account: Address,
    pub(crate) method: &'a Method,
    /// The origin under which the service was called: scheme, host and port.
    pub(crate) origin: &'a str,
    pub(crate) path: &'a str,
    pub(crate) query: &'a str,
    pub(crate) status: StatusCode,
    pub(crate) errors: Vec<Problem>,
    pub(crate) duration_ms: u64,
    pub(crate) created_at: u64,
}

impl Logged<'_> {
    /// Returns the line that logs the request of a client.
    pub(crate) fn line(&self, client: Option<&Client>) -> Line {
        let Self {
            method,
            origin,
            path,
            query,
            ..
        } = self;
        let host = origin.split_once("://").map_or("", |(_, host)| host);
        let mut url = format!("{origin}{path}");
        if !query.is_empty() {
            url.push('?');
            url.push_str(query);
        }
        let errors: Vec<Value> = self
            .errors
            .iter()
            .map(|error| {
                let path = shortened(&error.path, ERROR_PATH_MAX);
                json!({ "code": error.code.number(), "path": path })
            })
            .collect();
        let account = account_key(&self.account);
        let (status, created_at) = (self.status.as_u16(), self.created_at);
        let texts = [
            self.reference,
            account.as_str(),
            method.as_str(),
            &shortened(host, HOST_MAX),
            &shortened(path, PATH_MAX),
            &shortened(&url, URL_MAX),
            &Value::from(errors).to_string(),
        ];
        let lengths = texts.iter().map(|text| text.len());
        let bytes = lengths.fold(LINE_BYTES, usize::saturating_add);
        let mut row = texts.map(Value::from).to_vec();
        row.extend([
            Value::from(status),
            Value::from(self.duration_ms),
            Value::from(created_at),
        ]);
        Line {
            account,
            client: client.cloned(),
            is_mutation: !matches!(**method, Method::GET | Method::HEAD),
            is_failure: status >= 400,
            created_at,
            bytes: u64::try_from(bytes).unwrap_or(u64::MAX),
            row,
        }
    }
}

/// A line of the log.
#[derive(Clone, Debug)]
pub(crate) struct Line {
    account: String,
    client: Option<Client>,
    is_mutation: bool,
    is_failure: bool,
    created_at: u64,
    /// The stored bytes, for quotas.
    bytes: u64,
    /// The columns: reference, account, method, host, path, URL, errors, status, duration and time.
    row: Vec<Value>,
}

/// The lines that an isolate has collected.
#[derive(Debug)]
pub(crate) struct RequestLog {
    collected: RefCell<Vec<Line>>,
    /// The request that waits to write the collected lines.
    writing: SingleFlight,
}

impl Default for RequestLog {
    fn default() -> Self {
        Self {
            collected: RefCell::default(),
            writing: SingleFlight::new(DEAD_AFTER_MS),
        }
    }
}

impl RequestLog {
    /// Adds a line, and writes the collected lines. Does not write if another request waits to write them and there are few
    /// lines.
    ///
    /// # Errors
    /// Errors of the database. The lines are then lost. Lines beyond a daily quota are no error.
    pub(crate) async fn add(
        &self,
        ports: &Ports,
        unsaved: &Unsaved,
        line: Line,
    ) -> Result<(), DatabaseError> {
        let is_full = {
            let mut collected = self.collected.borrow_mut();
            collected.push(line);
            collected.len() >= LINES_MAX
        };
        if !is_full {
            let now = ports.clock.now_ms();
            let Some(permit) = self.writing.begin("", now) else {
                return Ok(());
            };
            ports.clock.sleep(COLLECT_MS).await;
            drop(permit);
        }
        let lines = self.collected.take();
        if lines.is_empty() {
            return Ok(());
        }
        let now = ports.clock.now_ms();
        let mut answers = unsaved.take_due(now).map(|tally| Answers { tally, now });
        let written = write(ports.database.as_ref(), &lines, &mut answers).await;
        Answers::give_back(answers, unsaved);
        written
    }
}

/// Writes the isolate's counts of answers without lines.
///
/// # Errors
/// Errors of the database. A later write then stores the counts.
pub(crate) async fn write_answers(ports: &Ports, unsaved: &Unsaved) -> Result<(), DatabaseError> {
    let now = ports.clock.now_ms();
    let answers = Answers {
        tally: unsaved.take(now),
        now,
    };
    let written = ports.database.query(answers.statement()).await;
    if written.is_err() {
        Answers::give_back(Some(answers), unsaved);
    }
    written.map(drop)
}

/// Counts of answers that are stored with the next batch.
struct Answers {
    tally: Tally,
    now: u64,
}

impl Answers {
    fn give_back(answers: Option<Self>, unsaved: &Unsaved) {
        if let Some(Self { tally, .. }) = answers {
            unsaved.give_back(&tally);
        }
    }

    fn statement(&self) -> Statement {
        self.tally.keep(self.now)
    }
}

/// The lines of an account whose requests come from one network. They count against the same quotas.
type Group<'a> = Vec<&'a Line>;

/// Groups lines. A search in a list is fast enough for [`LINES_MAX`] lines, and takes less code than a map.
fn groups(lines: &[Line]) -> Vec<Group<'_>> {
    let mut groups: Vec<Group<'_>> = Vec::new();
    for line in lines {
        let is_own = |group: &&mut Group<'_>| {
            group
                .first()
                .is_some_and(|first| first.account == line.account && first.client == line.client)
        };
        match groups.iter_mut().find(is_own) {
            Some(group) => group.push(line),
            None => groups.push(vec![line]),
        }
    }
    groups
}

/// Writes lines in one batch. If a quota is used up, writes the lines of each group in a batch of its own, so that only the
/// lines beyond a quota are left out.
async fn write(
    database: &dyn Database,
    lines: &[Line],
    answers: &mut Option<Answers>,
) -> Result<(), DatabaseError> {
    let groups = groups(lines);
    if write_groups(database, &groups, answers).await? || groups.len() == 1 {
        return Ok(());
    }
    let mut result = Ok(());
    for group in groups {
        result = result.and(write_groups(database, &[group], answers).await.map(drop));
    }
    result
}

/// Writes groups of lines in one batch, with the counts of answers if they are not written yet. Returns false if a quota is used up, and writes
/// nothing.
async fn write_groups(
    database: &dyn Database,
    groups: &[Group<'_>],
    answers: &mut Option<Answers>,
) -> Result<bool, DatabaseError> {
    let mut statements = statements(groups)?;
    statements.extend(answers.as_ref().map(Answers::statement));
    match database.batch(statements).await {
        Ok(_) => {
            *answers = None;
            Ok(true)
        }
        Err(DatabaseError::SharedQuota | DatabaseError::AccountQuota) => Ok(false),
        Err(error) => Err(error),
    }
}

/// The number of an account's requests in a day.
#[derive(Clone, Copy)]
struct Sums<'a> {
    account: &'a str,
    day: u64,
    requests: u32,
    mutations: u32,
    failures: u32,
}

/// Returns statements that count the requests and log them, if their accounts have rows. Above [`LOGGED_A_DAY`] they only
/// count.
fn statements(groups: &[Group<'_>]) -> Result<Vec<Statement>, DatabaseError> {
    let mut shares = Vec::new();
    let mut sums: Vec<Sums<'_>> = Vec::new();
    let mut rows: Vec<Value> = Vec::new();
    // The last line comes first, so that the sum so far is the number of lines from a line on.
    for group in groups.iter().rev() {
        let bytes = group.iter().map(|line| line.bytes);
        let bytes = bytes.fold(0, u64::saturating_add);
        shares.extend(group.first().map(|line| LogShare {
            account: &line.account,
            client: line.client.as_ref(),
            now: line.created_at,
            bytes,
        }));
        for line in group.iter().rev() {
            let day = day_of(line.created_at);
            let place = sums
                .iter()
                .position(|sum| sum.day == day && sum.account == line.account);
            let mut sum = match place {
                Some(place) => sums.swap_remove(place),
                None => Sums {
                    account: &line.account,
                    day,
                    requests: 0,
                    mutations: 0,
                    failures: 0,
                },
            };
            sum.requests = sum.requests.saturating_add(1);
            sum.mutations = sum.mutations.saturating_add(line.is_mutation.into());
            sum.failures = sum.failures.saturating_add(line.is_failure.into());
            sums.push(sum);
            let mut row = line.row.clone();
            row.extend([Value::from(day), Value::from(sum.requests)]);
            rows.push(row.into());
        }
    }
    // Runs after `count`, which has counted the requests of all accounts with a row.
    let log = Statement::new(
        "INSERT INTO requests (ref, account_id, method, host, path, url, errors, status, duration_ms, created_at) \
         SELECT l.value ->> 0, t.account_id, l.value ->> 2, l.value ->> 3, l.value ->> 4, l.value ->> 5, l.value ->> 6, l.value ->> 7, \
         l.value ->> 8, l.value ->> 9 FROM json_each(?1) l CROSS JOIN traffic t ON t.account_id = l.value ->> 1 \
         AND t.day = l.value ->> 10 WHERE t.requests - (l.value ->> 11) < ?2",
    )
    .bind_json(&rows)?
    .bind(LOGGED_A_DAY);
    let sums: Vec<Value> = sums
        .into_iter()
        .map(|sum| {
            json!([
                sum.account,
                sum.day,
                sum.requests,
                sum.mutations,
                sum.failures
            ])
        })
        .collect();
    let count = Statement::new(
        "INSERT INTO traffic (account_id, day, requests, queries, mutations, failures) \
         SELECT a.id, s.value ->> 1, s.value ->> 2, s.value ->> 2 - s.value ->> 3, s.value ->> 3, s.value ->> 4 \
         FROM json_each(?1) s CROSS JOIN accounts a ON a.id = s.value ->> 0 WHERE true \
         ON CONFLICT (account_id, day) DO UPDATE SET requests = requests + excluded.requests, queries = queries + excluded.queries, \
         mutations = mutations + excluded.mutations, failures = failures + excluded.failures",
    )
    .bind_json(&sums)?;
    let [quota, guard] = pay_log(&shares)?;
    Ok(vec![quota, guard, count, log])
}
