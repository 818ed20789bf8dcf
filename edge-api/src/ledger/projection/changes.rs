//! The SQL that writes the changes of a request: one statement for each table and kind of change.

use order_core::{Change, LedgerData};
use serde_json::Value;

use super::tables::{
    ABILITIES, ALLOWANCES, ASSETS, BALANCES, OPERATORS, abilities_row, allowance_row, asset_row,
    balance_row, operator_row, over,
};
use crate::ledger::DeployedLedger;
use crate::ports::{DatabaseError, Statement};
use crate::text::account_key;

/// Changes grouped by table and kind of write.
#[derive(Default)]
struct Writes {
    created: Vec<Value>,
    changed: Vec<Value>,
    destroyed: Vec<Value>,
    granted: Vec<Value>,
    revoked: Vec<Value>,
    appointed: Vec<Value>,
    dismissed: Vec<Value>,
    balances: Vec<Value>,
    allowances: Vec<Value>,
}

/// Returns statements that write the changes. `deployed` has the new ledger's reference, if the changes create a ledger.
pub(crate) fn write(
    changes: &[Change],
    deployed: Option<&DeployedLedger>,
    now: u64,
) -> Result<Vec<Statement>, DatabaseError> {
    let mut statements = Vec::new();
    let mut writes = Writes::default();
    for change in changes {
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
            other => writes.add(other),
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
    fn add(&mut self, change: &Change) {
        match change {
            // Handled by `write`, because a new ledger has a separate statement.
            Change::LedgerCreated { .. } => {}
            Change::Asset {
                ledger,
                id,
                old,
                new,
            } => {
                let row = |asset| asset_row(&(*ledger, *id), Some(asset));
                match (old, new) {
                    (None, Some(asset)) => self.created.push(row(asset)),
                    (Some(_), Some(asset)) => self.changed.push(row(asset)),
                    (Some(asset), None) => self.destroyed.push(row(asset)),
                    (None, None) => {}
                }
            }
            Change::Abilities {
                ledger,
                account,
                new,
                ..
            } => {
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
        push(self.created, &|rows| {
            let times = [("created_at", "?2"), ("updated_at", "?2")];
            ASSETS.insert(rows, &times).bind(now)
        });
        push(self.changed, &|rows| {
            ASSETS.update(rows, "updated_at = ?2").bind(now)
        });
        push(self.destroyed, &|rows| ASSETS.delete(rows));
        for (sign, rows) in [more, fewer] {
            push(rows, &|rows| count_assets(sign, rows));
        }
        push(self.granted, &|rows| {
            let reference = "(SELECT ref FROM ledgers WHERE id = k.value ->> 0)";
            ABILITIES.upsert(rows, &[("ledger_ref", reference)])
        });
        push(self.revoked, &|rows| ABILITIES.delete(rows));
        push(self.appointed, &|rows| OPERATORS.insert(rows, &[]));
        push(self.dismissed, &|rows| OPERATORS.delete(rows));
        push(self.balances, &|rows| BALANCES.upsert(rows, &[]));
        push(self.allowances, &|rows| ALLOWANCES.upsert(rows, &[]));
        statements
    }
}

/// Returns a statement that adds the number of assets (`+`) to the count of their ledger, or subtracts it (`-`).
fn count_assets(sign: char, assets: Vec<Value>) -> Statement {
    let sql = format!(
        "UPDATE ledgers SET asset_count = asset_count {sign} k.n \
         FROM (SELECT value ->> 0 AS ledger_id, count(*) AS n FROM json_each(?1) GROUP BY 1) k \
         WHERE ledgers.id = k.ledger_id"
    );
    over(sql, assets)
}
