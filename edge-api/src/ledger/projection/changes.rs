//! The SQL that writes the changes of a request: one statement for each table and kind of change.

use std::collections::{BTreeMap, BTreeSet};

use order_core::{Change, LedgerData};
use serde_json::{Value, json};

use super::author::{Author, Authored};
use super::tables::{
    ABILITIES, ALLOWANCES, ASSETS, BALANCES, OPERATORS, abilities_row, allowance_row, asset_row,
    balance_row, operator_row, over,
};
use crate::ledger::DeployedLedger;
use crate::ports::{DatabaseError, Statement};
use crate::text::{account_key, month_of};

/// Changes grouped by table and kind of write.
#[derive(Default)]
struct Writes {
    created: Vec<Value>,
    changed: Vec<Value>,
    destroyed: Vec<Value>,
    /// Assets that got another imprint, as keys.
    replaced: Vec<Value>,
    transferred: Vec<Value>,
    /// Changes of abilities by orders.
    regranted: Vec<Value>,
    granted: Vec<Value>,
    revoked: Vec<Value>,
    appointed: Vec<Value>,
    dismissed: Vec<Value>,
    balances: Vec<Value>,
    allowances: Vec<Value>,
}

/// Returns statements that write the changes. `deployed` has the new ledger's reference, if the changes create a ledger.
pub(crate) fn write(
    changes: &[Authored<'_>],
    deployed: Option<&DeployedLedger>,
    now: u64,
) -> Result<Vec<Statement>, DatabaseError> {
    let mut statements = Vec::new();
    let mut writes = Writes::default();
    for (change, author) in changes {
        match change {
            Change::LedgerCreated { ledger, data } => {
                let deployed = deployed.ok_or_else(|| {
                    DatabaseError::Bug("a new ledger has no reference".to_owned())
                })?;
                statements.push(create_ledger(
                    &account_key(ledger),
                    &deployed.ledger_ref,
                    data,
                    now,
                )?);
            }
            other => writes.add(other, author),
        }
    }
    statements.extend(writes.statements(now));
    Ok(statements)
}

fn create_ledger(
    id: &str,
    reference: &str,
    data: &LedgerData,
    now: u64,
) -> Result<Statement, DatabaseError> {
    Statement::new(
        "INSERT INTO ledgers (id, ref, name, symbol, uri_prefix, uri_postfix, schema_id, capabilities, owner_id, created_at) \
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)",
    )
    .bind(id)
    .bind(reference)
    .bind(data.name.as_str())
    .bind(data.symbol.as_str())
    .bind(data.uri_prefix.as_str())
    .bind(data.uri_postfix.as_str())
    .bind(data.schema_id.to_string())
    .bind_json(&data.capabilities)
    .map(|statement| statement.bind(account_key(&data.owner_id)).bind(now))
}

impl Writes {
    fn add(&mut self, change: &Change, author: &Author) {
        match change {
            // Handled by `write`, because a new ledger has a separate statement.
            Change::LedgerCreated { .. } => {}
            Change::Asset {
                ledger,
                id,
                old,
                new,
            } => {
                let key = (*ledger, *id);
                let row = |asset| asset_row(&key, Some(asset));
                match (old, new) {
                    (None, Some(asset)) => {
                        self.created.push(with(row(asset), author.short_columns()));
                    }
                    (Some(old), Some(asset)) => {
                        self.changed.push(row(asset));
                        if old.imprint != asset.imprint {
                            self.replaced.push(asset_row(&key, None));
                        }
                        if old.owner != asset.owner {
                            let owners = [&old.owner, &asset.owner].map(account_key);
                            let key = json!([account_key(ledger), id.to_hex64()]);
                            let row = with(with(key, owners.map(Value::from)), author.columns());
                            self.transferred.push(row);
                        }
                    }
                    (Some(asset), None) => self.destroyed.push(row(asset)),
                    (None, None) => {}
                }
            }
            Change::Abilities {
                ledger,
                account,
                old,
                new,
            } => {
                // The abilities of a new ledger have no author.
                if author.reference.is_some() {
                    let key = json!([account_key(ledger), account_key(account)]);
                    let sums = [old, new].map(|abilities| json!(abilities.bits()));
                    self.regranted.push(with(with(key, sums), author.columns()));
                }
                let row = abilities_row(&(*ledger, *account), Some(*new));
                if new.is_empty() {
                    self.revoked.push(row)
                } else {
                    self.granted.push(row)
                }
            }
            Change::Operator {
                ledger,
                owner,
                operator,
                new,
                ..
            } => {
                let row = operator_row(&(*ledger, *owner, *operator), *new);
                if *new {
                    self.appointed.push(row)
                } else {
                    self.dismissed.push(row)
                }
            }
            Change::Balance { account, new, .. } => {
                self.balances.push(balance_row(account, Some(*new)));
            }
            Change::Allowance {
                owner,
                spender,
                new,
                ..
            } => {
                let row = allowance_row(&(*owner, *spender), Some(*new));
                self.allowances.push(row);
            }
        }
    }

    fn statements(self, now: u64) -> Vec<Statement> {
        let mut statements = Vec::new();
        let mut push = |rows: Vec<Value>, statement: &dyn Fn(Vec<Value>) -> Statement| {
            if !rows.is_empty() {
                statements.push(statement(rows));
            }
        };
        let [more, fewer] =
            [('+', &self.created), ('-', &self.destroyed)].map(|(sign, rows)| (sign, rows.clone()));
        // Reads `issued_count` before the new assets are counted.
        push(more.1.clone(), &|rows| begin_month(&rows, now));
        push(self.created, &|rows| {
            let more = [
                ("created_at", "?2"),
                ("updated_at", "?2"),
                ("created_ref", "k.value ->> 4"),
                ("created_by", "k.value ->> 5"),
            ];
            ASSETS.insert(rows, &more).bind(now)
        });
        push(self.changed, &|rows| {
            ASSETS.update(rows, "updated_at = ?2").bind(now)
        });
        push(self.replaced, &|rows| replace(rows, now));
        push(self.transferred, &|rows| transfer(rows, now));
        push(self.destroyed, &|rows| ASSETS.delete(rows));
        for (sign, rows) in [more, fewer] {
            push(rows, &|rows| count_assets(sign, &rows));
        }
        push(self.granted, &|rows| {
            let reference = "(SELECT ref FROM ledgers WHERE id = k.value ->> 0)";
            ABILITIES.upsert(rows, &[("ledger_ref", reference)])
        });
        push(self.revoked, &|rows| ABILITIES.delete(rows));
        push(self.regranted, &|rows| regrant(rows, now));
        push(self.appointed, &|rows| OPERATORS.insert(rows, &[]));
        push(self.dismissed, &|rows| OPERATORS.delete(rows));
        push(self.balances, &|rows| BALANCES.upsert(rows, &[]));
        push(self.allowances, &|rows| ALLOWANCES.upsert(rows, &[]));
        statements
    }
}

/// Appends values to a row.
fn with(row: Value, more: [Value; 2]) -> Value {
    let mut row = row;
    if let Some(columns) = row.as_array_mut() {
        columns.extend(more);
    }
    row
}

/// Returns a statement that stores the month of new assets for each of their ledgers, unless the ledger got others in this month before.
fn begin_month(assets: &[Value], now: u64) -> Statement {
    let ledgers: BTreeSet<&str> = assets
        .iter()
        .filter_map(|row| row.get(0).and_then(Value::as_str))
        .collect();
    let ledgers = ledgers.into_iter().map(Value::from).collect();
    let sql = "INSERT OR IGNORE INTO ledger_months (ledger_id, month, issued_before) \
        SELECT l.id, ?2, l.issued_count FROM json_each(?1) k CROSS JOIN ledgers l ON l.id = k.value";
    over(sql.to_owned(), ledgers).bind(month_of(now))
}

/// Returns a statement that stores the time at which assets got another imprint.
fn replace(assets: Vec<Value>, now: u64) -> Statement {
    let is_row = ASSETS.is_row();
    let sql =
        format!("UPDATE assets AS t SET replaced_at = ?2 FROM json_each(?1) k WHERE {is_row}");
    over(sql, assets).bind(now)
}

/// Returns a statement that stores transfers. If an asset moves to the same account twice in a block, the last transfer is kept.
fn transfer(rows: Vec<Value>, now: u64) -> Statement {
    let sql = "INSERT INTO asset_transfers (ledger_id, asset_id, moved_at, from_id, to_id, record_ref, moved_by) \
        SELECT value ->> 0, value ->> 1, ?2, value ->> 2, value ->> 3, value ->> 4, value ->> 5 FROM json_each(?1) WHERE true \
        ON CONFLICT (ledger_id, asset_id, moved_at, to_id) DO UPDATE SET from_id = excluded.from_id, \
        record_ref = excluded.record_ref, moved_by = excluded.moved_by";
    over(sql.to_owned(), rows).bind(now)
}

/// Returns a statement that stores changes of abilities. If the abilities of an account change twice in a block, the last change is kept.
fn regrant(rows: Vec<Value>, now: u64) -> Statement {
    let sql = "INSERT INTO ability_changes (ledger_id, changed_at, account_id, old_abilities, new_abilities, record_ref, changed_by) \
        SELECT value ->> 0, ?2, value ->> 1, value ->> 2, value ->> 3, value ->> 4, value ->> 5 FROM json_each(?1) WHERE true \
        ON CONFLICT (ledger_id, changed_at, account_id) DO UPDATE SET new_abilities = excluded.new_abilities, \
        record_ref = excluded.record_ref, changed_by = excluded.changed_by";
    over(sql.to_owned(), rows).bind(now)
}

/// Returns a statement that adds the number of assets (`+`) to the count of their ledger, or subtracts it (`-`).
fn count_assets(sign: char, assets: &[Value]) -> Statement {
    let mut counts: BTreeMap<&str, u64> = BTreeMap::new();
    for ledger in assets.iter().filter_map(|row| row.get(0)?.as_str()) {
        let count = counts.entry(ledger).or_default();
        *count = count.saturating_add(1);
    }
    let counts = counts.into_iter().map(|(ledger, n)| json!([ledger, n]));
    let issued = match sign {
        '+' => ", issued_count = issued_count + k.value ->> 1",
        _ => "",
    };
    let sql = format!(
        "UPDATE ledgers SET asset_count = asset_count {sign} k.value ->> 1{issued} FROM json_each(?1) k WHERE ledgers.id = k.value ->> 0"
    );
    over(sql, counts.collect())
}
