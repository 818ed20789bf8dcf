//! SQL that stores and changes records, with their parties, their events and the bytes that count against quotas.

use std::collections::BTreeSet;

use const_format::concatcp;
use order_core::{EventKind, Status, events, passed};
use serde_json::{Value, json};

use super::store::corrupt;
use super::{Record, Role};
use crate::api::{Ref, WebhookEvent};
use crate::assets::order_events;
use crate::context::Context;
use crate::db::{Decision, funded};
use crate::ports::{DatabaseError, Job, Statement};
use crate::text::account_key;
use crate::webhooks::{Event, outbox};

/// Bytes that a record counts in addition to its body, because its row and hash are stored forever. This limits how many
/// rows unfunded accounts can leave behind within their daily quota.
const KEPT_BYTES: u64 = 4_096;

/// Measured bytes of a party's row and its entries in two indexes.
const PARTY_BYTES: u64 = 300;

/// Milliseconds after which an open order is canceled: 30 days. An order that a funded account other than its creator
/// has signed stays open until it expires.
const OPEN_MS: u64 = 2_592_000_000;

/// SQL condition: at least one account in the JSON list is funded. The signature of an unfunded account does not keep an
/// order open, because anybody can create unfunded accounts for free.
macro_rules! vouched {
    ($accounts:literal) => {
        const_format::concatcp!(
            "EXISTS (SELECT 1 FROM json_each(",
            $accounts,
            ") k WHERE ",
            funded!("k.value"),
            ")"
        )
    };
}

/// Returns the record's signers other than its creator.
fn others(record: &Record) -> Vec<String> {
    let signed = record.request.signatories().into_iter();
    signed
        .filter(|account| *account != record.creator)
        .map(|account| account_key(&account))
        .collect()
}

/// Returns a statement that adds the current bytes of an open order's body to its creator's total.
fn add_open_bytes(reference: &str) -> Statement {
    Statement::new(
        "INSERT INTO open_orders (creator_id, bytes) SELECT creator_id, length(body) FROM records WHERE ref = ?1 \
         ON CONFLICT (creator_id) DO UPDATE SET bytes = open_orders.bytes + excluded.bytes",
    )
    .bind(reference)
}

/// Returns a statement that subtracts the current bytes of an open order's body from its creator's total.
fn remove_open_bytes(reference: &str) -> Statement {
    Statement::new(
        "UPDATE open_orders SET bytes = max(0, open_orders.bytes - r.bytes) \
         FROM (SELECT creator_id, length(body) AS bytes FROM records WHERE ref = ?1) r \
         WHERE open_orders.creator_id = r.creator_id",
    )
    .bind(reference)
}

/// Returns the number of bytes of a performed record, which are stored forever.
pub(super) fn lasting_bytes(record: &Record) -> Result<u64, DatabaseError> {
    let body = record
        .request
        .to_json()
        .map_err(|error| corrupt(&record.reference, error))?;
    let parties = length(record.parties().len()).saturating_mul(PARTY_BYTES);
    Ok(length(body.len())
        .saturating_add(KEPT_BYTES)
        .saturating_add(parties))
}

fn length(count: usize) -> u64 {
    u64::try_from(count).unwrap_or(u64::MAX)
}

/// Returns the decision to store a new record, with its parties, its creator's account and its events. The statements in `ledger`
/// change the ledger, and run before the events are written.
pub(super) fn insertion(
    ctx: &Context<'_>,
    record: Record,
    ledger: Vec<Statement>,
) -> Result<Decision<Record>, DatabaseError> {
    let fail = |error: serde_json::Error| corrupt(&record.reference, error);
    let body = record.request.to_json().map_err(fail)?;
    let deployed = deployed(&record).map_err(fail)?;
    let mut statements = vec![
        Statement::new(concatcp!(
            "INSERT INTO records (ref, kind, hash, creator_id, status, priority, expires_at, body, created_at, updated_at, \
             queued, result, due_at) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?9, ?13, ?14, CASE WHEN ?5 <> 0 THEN ?12 WHEN ",
            vouched!("?10"),
            " THEN ?7 ELSE min(?7, ?9 + ?11) END)"
        ))
        .bind(record.reference.as_str())
        .bind(record.request.kind() as u8)
        .bind(record.hash.as_str())
        .bind(account_key(&record.creator))
        .bind(record.status.number())
        .bind(record.priority.number())
        .bind(record.expires_at)
        .bind(body)
        .bind(record.created_at)
        .bind_json(&others(&record))?
        .bind(OPEN_MS)
        .bind(record.due_at)
        .bind(record.was_queued)
        .bind(deployed)
        .storing(KEPT_BYTES),
        crate::accounts::ensure(&record.creator, record.created_at),
    ];
    statements.extend(parties(None, &record)?);
    if record.status == Status::Initialized {
        statements.push(add_open_bytes(&record.reference));
    }
    statements.extend(ledger);
    statements.extend(event_statements(ctx, None, &record)?);
    Ok(with_hint("create", statements, record))
}

/// Returns a decision with a queue message that performs the record if it is pending.
fn with_hint(step: &'static str, statements: Vec<Statement>, record: Record) -> Decision<Record> {
    let perform = (record.status == Status::Pending).then(|| Job::Perform {
        reference: record.reference.clone(),
    });
    let decision = Decision::new(step, statements, record);
    perform.into_iter().fold(decision, Decision::hint)
}

/// Returns the result of performing a record as the database stores it.
fn deployed(record: &Record) -> Result<Option<String>, serde_json::Error> {
    record
        .deployed
        .as_ref()
        .map(serde_json::to_string)
        .transpose()
}

/// Returns true if the change queues the record. Its bytes are then stored forever.
pub(super) fn is_queued(old: Option<&Record>, new: &Record) -> bool {
    new.was_queued && !old.is_some_and(|old| old.was_queued)
}

/// Returns the states that a change passes through. A record that is performed in the transaction that queues it also passes
/// through Pending.
fn states(old: Option<&Record>, new: &Record) -> Vec<Status> {
    let status = old.map(|record| record.status);
    if is_queued(old, new) && new.status == Status::Finalized {
        let mut states = passed(status, Status::Pending);
        states.extend(passed(Some(Status::Pending), new.status));
        return states;
    }
    passed(status, new.status)
}

/// Returns statements that write the events of a change, to run in the transaction of the change. `old` is `None` for a
/// new record. Recipients are the creator and the accounts that have signed. Events about assets also go to the ledger's
/// owner and the asset's holder, and are sent once the order is final.
fn event_statements(
    ctx: &Context<'_>,
    old: Option<&Record>,
    new: &Record,
) -> Result<Vec<Statement>, DatabaseError> {
    // An account that has lost the wildcard's place also receives the event.
    let records = old.into_iter().chain([new]);
    let signatories = records.flat_map(|record| record.request.signatories());
    let mut accounts = BTreeSet::new();
    accounts.extend(
        signatories
            .chain([new.creator])
            .map(|account| account_key(&account)),
    );
    let kind = new.request.kind();
    let states = states(old, new);
    let event = |(event, status): (EventKind, Status)| {
        Event::new(ctx, event, |about| WebhookEvent {
            request_ref: Some(Ref(new.reference.clone())),
            request_kind: Some(kind as u8),
            status: Some(status),
            ..about
        })
    };
    let mut events: Vec<Event> = events(kind, &states).into_iter().map(event).collect();
    if new.status == Status::Finalized {
        events.extend(order_events(ctx, &new.request));
    }
    outbox(&new.reference, &events, &accounts, ctx.now())
}

/// Returns the decision to replace `old` with `new`, with its parties and the events of the change. The statements in
/// `ledger` change the ledger, and run before the events are written. The commit fails with [`DatabaseError::Guard`] if the
/// record has changed since it was read.
pub(super) fn replacement(
    ctx: &Context<'_>,
    step: &'static str,
    old: &Record,
    new: Record,
    ledger: Vec<Statement>,
) -> Result<Decision<Record>, DatabaseError> {
    let fail = |error: serde_json::Error| corrupt(&old.reference, error);
    let deployed = deployed(&new).map_err(fail)?;
    let mut statements = vec![
        Statement::new(
            "INSERT INTO guards SELECT 0 WHERE NOT EXISTS (SELECT 1 FROM records WHERE ref = ?1 AND version = ?2)",
        )
        .bind(old.reference.as_str())
        .bind(old.version)
        .storing_exactly(0),
    ];
    if old.status == Status::Initialized {
        statements.push(remove_open_bytes(&old.reference).storing_exactly(0));
    }
    let body = new.request.to_json().map_err(fail)?;
    let old_body = old.request.to_json().map_err(fail)?;
    let added = length(body.len()).saturating_sub(length(old_body.len()));
    statements.push(
        Statement::new(concatcp!(
            "UPDATE records SET status = ?2, body = ?3, result = ?4, error_code = ?5, error_message = ?6, tx_hash = ?7, \
             attempts = ?8, updated_at = ?10, version = version + 1, faults = 0, aside_until = NULL, queued = ?12, \
             due_at = CASE WHEN ?2 <> 0 THEN ?9 WHEN ",
            vouched!("?11"),
            " THEN expires_at WHEN status = 0 THEN due_at ELSE min(expires_at, created_at + ?13) END WHERE ref = ?1"
        ))
        .bind(old.reference.as_str())
        .bind(new.status.number())
        .bind(body)
        .bind(deployed)
        .bind(new.error.as_ref().map(|error| error.code))
        .bind(new.error.as_ref().map(|error| error.message.as_str()))
        .bind(new.tx_hash.as_deref())
        .bind(new.attempts)
        .bind(new.due_at)
        .bind(new.updated_at)
        .bind_json(&others(&new))?
        .bind(new.was_queued)
        .bind(OPEN_MS)
        .storing_exactly(added),
    );
    if new.status == Status::Initialized {
        statements.push(add_open_bytes(&new.reference).storing_exactly(0));
    }
    statements.extend(parties(Some(old), &new)?);
    statements.extend(ledger);
    statements.extend(event_statements(ctx, Some(old), &new)?);
    Ok(with_hint(step, statements, new))
}

/// Returns a statement that postpones the next work on a record. It has no effect if the record has changed.
pub(super) fn due_at(record: &Record, until: u64) -> Statement {
    Statement::new("UPDATE records SET due_at = ?3 WHERE ref = ?1 AND version = ?2")
        .bind(record.reference.as_str())
        .bind(record.version)
        .bind(until)
}

/// Returns statements that store the parties that may list the record, with their roles and the record's status. Returns
/// no statements if nothing has changed.
fn parties(old: Option<&Record>, new: &Record) -> Result<Vec<Statement>, DatabaseError> {
    let before = old.map(Record::parties).unwrap_or_default();
    let staying = match (new.status, old) {
        // A canceled record has no claims, and invited accounts have nothing left to sign.
        (Status::Canceled, Some(old)) => {
            let mut staying = old.parties();
            if let Some(Role::Invited) = new.canceled_by.and_then(|by| staying.get(&by)) {
                staying.extend(new.canceled_by.map(|by| (by, Role::Signer)));
            }
            staying.retain(|_, role| *role != Role::Invited);
            staying
        }
        _ => new.parties(),
    };
    if before == staying && old.is_some_and(|old| old.status == new.status) {
        return Ok(Vec::new());
    }
    let rows: Vec<Value> = staying
        .iter()
        .map(|(account, role)| json!([account_key(account), *role as u8]))
        .collect();
    let insert = Statement::new(
        "INSERT INTO record_parties (account_id, kind, ref, status, role) \
         SELECT value ->> 0, ?2, ?3, ?4, value ->> 1 FROM json_each(?1) WHERE true \
         ON CONFLICT (account_id, kind, ref) DO UPDATE SET status = excluded.status, role = excluded.role",
    )
    .bind_json(&rows)?
    .bind(new.request.kind() as u8)
    .bind(new.reference.as_str())
    .bind(new.status.number());
    let added = staying
        .keys()
        .filter(|account| !before.contains_key(account))
        .count();
    let added = length(added).saturating_mul(PARTY_BYTES);
    let mut statements = vec![match old {
        None => insert.storing(added),
        Some(_) => insert.storing_exactly(added),
    }];
    let gone: Vec<String> = before
        .keys()
        .filter(|account| !staying.contains_key(account))
        .map(account_key)
        .collect();
    if !gone.is_empty() {
        statements.push(
            Statement::new(
                "DELETE FROM record_parties WHERE account_id IN (SELECT value FROM json_each(?1)) AND kind = ?2 AND ref = ?3",
            )
            .bind_json(&gone)?
            .bind(new.request.kind() as u8)
            .bind(new.reference.as_str()),
        );
    }
    Ok(statements)
}
