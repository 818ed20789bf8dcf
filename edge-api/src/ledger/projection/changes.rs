//! SQL that writes the changes of the rules, one statement for each kind of change to a table.

use order_core::{Asset, Change, LedgerData};
use serde_json::{Value, json};

use super::tables::over;
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

/// Statements that make the changes. `deployed` names the new ledger's reference.
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
            // A new ledger has text columns, so it has a statement of its own.
            Change::LedgerCreated { .. } => {}
            Change::Asset {
                ledger,
                id,
                old,
                new,
            } => {
                let row = |asset: &Asset| {
                    json!([
                        account_key(ledger),
                        id.to_hex64(),
                        account_key(&asset.owner),
                        asset.imprint.to_string()
                    ])
                };
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
                let row = json!([account_key(ledger), account_key(account), new.bits()]);
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
                let row = json!([
                    account_key(ledger),
                    account_key(owner),
                    account_key(operator)
                ]);
                if *new {
                    self.appointed.push(row)
                } else {
                    self.dismissed.push(row)
                }
            }
            Change::Balance { account, new, .. } => self
                .balances
                .push(json!([account_key(account), new.to_hex64()])),
            Change::Allowance {
                owner,
                spender,
                new,
                ..
            } => {
                self.allowances.push(json!([
                    account_key(owner),
                    account_key(spender),
                    new.to_hex64()
                ]));
            }
        }
    }

    fn statements(self, now: u64) -> Vec<Statement> {
        let mut statements = Vec::new();
        let mut push = |sql: &'static str, list: &[Value], with_time: bool| {
            if !list.is_empty() {
                let statement = over(sql, list.to_vec());
                statements.push(if with_time {
                    statement.bind(now)
                } else {
                    statement
                });
            }
        };
        push(
            "INSERT INTO assets (ledger_id, id, owner_id, imprint, created_at, updated_at) \
             SELECT value ->> 0, value ->> 1, value ->> 2, value ->> 3, ?2, ?2 FROM json_each(?1)",
            &self.created,
            true,
        );
        push(
            "UPDATE assets SET owner_id = k.value ->> 2, imprint = k.value ->> 3, updated_at = ?2 \
             FROM json_each(?1) k WHERE ledger_id = k.value ->> 0 AND assets.id = k.value ->> 1",
            &self.changed,
            true,
        );
        push(
            "DELETE FROM assets WHERE (ledger_id, id) IN (SELECT value ->> 0, value ->> 1 FROM json_each(?1))",
            &self.destroyed,
            false,
        );
        for (sql, list) in [
            (
                "UPDATE ledgers SET asset_count = asset_count + k.n \
                 FROM (SELECT value ->> 0 AS ledger_id, count(*) AS n FROM json_each(?1) GROUP BY 1) k \
                 WHERE ledgers.id = k.ledger_id",
                &self.created,
            ),
            (
                "UPDATE ledgers SET asset_count = asset_count - k.n \
                 FROM (SELECT value ->> 0 AS ledger_id, count(*) AS n FROM json_each(?1) GROUP BY 1) k \
                 WHERE ledgers.id = k.ledger_id",
                &self.destroyed,
            ),
        ] {
            push(sql, list, false);
        }
        push(
            "INSERT INTO abilities (ledger_id, account_id, abilities, ledger_ref) \
             SELECT k.value ->> 0, k.value ->> 1, k.value ->> 2, l.ref \
             FROM json_each(?1) k JOIN ledgers l ON l.id = k.value ->> 0 WHERE true \
             ON CONFLICT (ledger_id, account_id) DO UPDATE SET abilities = excluded.abilities",
            &self.granted,
            false,
        );
        push(
            "DELETE FROM abilities WHERE (ledger_id, account_id) IN \
             (SELECT value ->> 0, value ->> 1 FROM json_each(?1))",
            &self.revoked,
            false,
        );
        push(
            "INSERT INTO operators (ledger_id, owner_id, operator_id) \
             SELECT value ->> 0, value ->> 1, value ->> 2 FROM json_each(?1)",
            &self.appointed,
            false,
        );
        push(
            "DELETE FROM operators WHERE (ledger_id, owner_id, operator_id) IN \
             (SELECT value ->> 0, value ->> 1, value ->> 2 FROM json_each(?1))",
            &self.dismissed,
            false,
        );
        push(
            "INSERT INTO balances (account_id, amount) SELECT value ->> 0, value ->> 1 FROM json_each(?1) WHERE true \
             ON CONFLICT (account_id) DO UPDATE SET amount = excluded.amount",
            &self.balances,
            false,
        );
        push(
            "INSERT INTO allowances (owner_id, spender_id, amount) \
             SELECT value ->> 0, value ->> 1, value ->> 2 FROM json_each(?1) WHERE true \
             ON CONFLICT (owner_id, spender_id) DO UPDATE SET amount = excluded.amount",
            &self.allowances,
            false,
        );
        statements
    }
}
