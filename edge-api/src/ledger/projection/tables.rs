//! The tables of the values that the rules need: their columns, and the SQL that reads, guards and writes them. A
//! statement takes its rows as one JSON parameter, so the number of statements does not grow with the number of actions.

use order_core::{
    Abilities, Address, Amount, Asset, AssetId, Capabilities, Imprint, LedgerFacts, ReadSet,
    Snapshot,
};
use serde::Deserialize;
use serde_json::{Value, json};

use super::holders::abilities;
use crate::db::rows::{hex64, json};
use crate::ports::{DatabaseError, Rows, Statement, exactly};
use crate::text::account_key;

/// A table. Its methods return SQL or statements, and take rows as JSON arrays: the columns of the key, then the columns of the
/// value. Methods that use only the key ignore the value.
pub(in crate::ledger) struct Table {
    pub(in crate::ledger) name: &'static str,
    pub(in crate::ledger) key: &'static [&'static str],
    /// The columns that the rules need.
    pub(in crate::ledger) value: &'static [&'static str],
    /// The other columns.
    pub(in crate::ledger) other: &'static [&'static str],
}

pub(in crate::ledger) const LEDGERS: Table = Table {
    name: "ledgers",
    key: &["id"],
    value: &["capabilities"],
    other: &[
        "ref",
        "name",
        "symbol",
        "uri_prefix",
        "uri_postfix",
        "schema_id",
        "owner_id",
        "asset_count",
        "created_at",
        "issued_count",
    ],
};

pub(in crate::ledger) const ASSETS: Table = Table {
    name: "assets",
    key: &["ledger_id", "id"],
    value: &["owner_id", "imprint"],
    other: &[
        "created_at",
        "updated_at",
        "created_ref",
        "created_by",
        "replaced_at",
    ],
};

pub(in crate::ledger) const ABILITIES: Table = Table {
    name: "abilities",
    key: &["ledger_id", "account_id"],
    value: &["abilities"],
    other: &["ledger_ref"],
};

pub(super) const OPERATORS: Table = Table {
    name: "operators",
    key: &["ledger_id", "owner_id", "operator_id"],
    value: &[],
    other: &[],
};

pub(in crate::ledger) const BALANCES: Table = Table {
    name: "balances",
    key: &["account_id"],
    value: &["amount"],
    other: &[],
};

pub(super) const ALLOWANCES: Table = Table {
    name: "allowances",
    key: &["owner_id", "spender_id"],
    value: &["amount"],
    other: &[],
};

const BLOCKS: Table = Table {
    name: "blocks",
    key: &["address"],
    value: &[],
    other: &[],
};

/// Returns the key of a row of [`LEDGERS`].
fn ledger_row(ledger: &Address) -> Value {
    json!([account_key(ledger)])
}

/// Returns a row of [`BLOCKS`]. `exists` is true if an administrator has blocked the address.
fn block_row(address: &Address, exists: bool) -> Value {
    json!([account_key(address), u8::from(exists)])
}

/// Returns a row of [`ASSETS`].
pub(super) fn asset_row((ledger, id): &(Address, AssetId), asset: Option<&Asset>) -> Value {
    json!([
        account_key(ledger),
        id.to_hex64(),
        asset.map(|asset| account_key(&asset.owner)),
        asset.map(|asset| asset.imprint.to_string()),
    ])
}

/// Returns a row of [`ABILITIES`].
pub(super) fn abilities_row(
    (ledger, account): &(Address, Address),
    abilities: Option<Abilities>,
) -> Value {
    let bits = abilities.map(Abilities::bits);
    json!([account_key(ledger), account_key(account), bits])
}

/// Returns a row of [`OPERATORS`]. `exists` is true if the operator may act for the owner.
pub(super) fn operator_row(
    (ledger, owner, operator): &(Address, Address, Address),
    exists: bool,
) -> Value {
    let [ledger, owner, operator] = [ledger, owner, operator].map(account_key);
    json!([ledger, owner, operator, u8::from(exists)])
}

/// Returns a row of [`BALANCES`].
pub(super) fn balance_row(account: &Address, amount: Option<Amount>) -> Value {
    json!([account_key(account), amount.map(|amount| amount.to_hex64())])
}

/// Returns a row of [`ALLOWANCES`].
pub(super) fn allowance_row(
    (owner, spender): &(Address, Address),
    amount: Option<Amount>,
) -> Value {
    let amount = amount.map(|amount| amount.to_hex64());
    json!([account_key(owner), account_key(spender), amount])
}

/// Returns a statement whose `?1` is a list of rows.
pub(in crate::ledger) fn over(sql: String, rows: Vec<Value>) -> Statement {
    Statement::built(sql.into(), vec![Value::from(rows).to_string().into()])
}

/// A column, and the SQL of its value in a row `k` of the list.
pub(in crate::ledger) type Term = (&'static str, String);

/// Formats each term with `write` and joins the results.
pub(in crate::ledger) fn joined(
    terms: &[Term],
    separator: &str,
    write: &dyn Fn(&str, &str) -> String,
) -> String {
    let written: Vec<String> = terms
        .iter()
        .map(|(column, value)| write(column, value))
        .collect();
    written.join(separator)
}

impl Table {
    /// Returns the terms of the key and of the value.
    pub(in crate::ledger) fn terms(&self) -> (Vec<Term>, Vec<Term>) {
        let columns = self.key.iter().chain(self.value).enumerate();
        let mut key: Vec<Term> = columns
            .map(|(number, column)| (*column, format!("k.value ->> {number}")))
            .collect();
        let value = key.split_off(self.key.len());
        (key, value)
    }

    /// Returns the condition that `t`, a row of the table, has the key of `k`, a row of the list.
    pub(in crate::ledger) fn is_row(&self) -> String {
        joined(&self.terms().0, " AND ", &|column, value| {
            format!("t.{column} = {value}")
        })
    }

    /// Reads the rows with these keys.
    fn read(&self, keys: Vec<Value>) -> Statement {
        let (key, value) = self.terms();
        let columns = joined(&[key, value].concat(), ", ", &|column, _| {
            format!("t.{column}")
        });
        let is_row = self.is_row();
        let name = self.name;
        over(
            format!("SELECT {columns} FROM json_each(?1) k JOIN {name} t ON {is_row}"),
            keys,
        )
    }

    /// Aborts the batch unless every row is stored as given. A value of null means that the row is absent. For a table
    /// without a value, 1 after the key means that the row exists, and 0 that it does not.
    fn guard(&self, rows: Vec<Value>) -> Statement {
        let (key, value) = self.terms();
        let is_row = self.is_row();
        let differs = match (value.as_slice(), self.key) {
            ([], [first, ..]) => format!("(t.{first} IS NOT NULL) <> k.value ->> {}", key.len()),
            _ => joined(&value, " OR ", &|column, value| {
                format!("t.{column} IS NOT {value}")
            }),
        };
        let name = self.name;
        over(
            format!(
                "INSERT INTO guards SELECT 0 FROM json_each(?1) k LEFT JOIN {name} t ON {is_row} WHERE {differs}"
            ),
            rows,
        )
    }

    /// Inserts the rows. `more` are further columns, with the SQL of their values.
    pub(super) fn insert(&self, rows: Vec<Value>, more: &[(&'static str, &str)]) -> Statement {
        over(self.insertion(more), rows)
    }

    /// Inserts the rows, or replaces the values of those that exist.
    pub(super) fn upsert(&self, rows: Vec<Value>, more: &[(&'static str, &str)]) -> Statement {
        let key = self.key.join(", ");
        let value = joined(&self.terms().1, ", ", &|column, _| {
            format!("{column} = excluded.{column}")
        });
        // Without WHERE, SQLite would read `ON` as part of a join.
        let insert = self.insertion(more);
        over(
            format!("{insert} WHERE true ON CONFLICT ({key}) DO UPDATE SET {value}"),
            rows,
        )
    }

    fn insertion(&self, more: &[(&'static str, &str)]) -> String {
        let (mut terms, value) = self.terms();
        let more = more
            .iter()
            .map(|(column, sql)| (*column, (*sql).to_owned()));
        terms.extend(value.into_iter().chain(more));
        let columns = joined(&terms, ", ", &|column, _| column.to_owned());
        let values = joined(&terms, ", ", &|_, value| value.to_owned());
        let name = self.name;
        format!("INSERT INTO {name} ({columns}) SELECT {values} FROM json_each(?1) k")
    }

    /// Replaces the values of the rows. `more` sets further columns.
    pub(super) fn update(&self, rows: Vec<Value>, more: &str) -> Statement {
        let (_, value) = self.terms();
        let set = joined(&value, ", ", &|column, value| format!("{column} = {value}"));
        let is_row = self.is_row();
        let name = self.name;
        over(
            format!("UPDATE {name} AS t SET {set}, {more} FROM json_each(?1) k WHERE {is_row}"),
            rows,
        )
    }

    /// Deletes the rows with these keys.
    pub(super) fn delete(&self, keys: Vec<Value>) -> Statement {
        let key = self.key.join(", ");
        let values = joined(&self.terms().0, ", ", &|_, value| value.to_owned());
        let name = self.name;
        over(
            format!("DELETE FROM {name} WHERE ({key}) IN (SELECT {values} FROM json_each(?1) k)"),
            keys,
        )
    }
}

/// Returns statements that read the values of all keys, one statement for each table.
pub(crate) fn reads(keys: &ReadSet) -> Vec<Statement> {
    let assets = keys.assets.iter().map(|key| asset_row(key, None));
    let abilities = keys.abilities.iter().map(|key| abilities_row(key, None));
    let operators = keys.operators.iter().map(|key| operator_row(key, true));
    let balances = keys.balances.iter().map(|key| balance_row(key, None));
    let allowances = keys.allowances.iter().map(|key| allowance_row(key, None));
    vec![
        select_ledgers(keys),
        ASSETS.read(assets.collect()),
        ABILITIES.read(abilities.collect()),
        OPERATORS.read(operators.collect()),
        BALANCES.read(balances.collect()),
        ALLOWANCES.read(allowances.collect()),
        select_blocks(keys),
    ]
}

/// Returns statements that read the values for which a chain is not asked. Facts about ledgers never change, and no chain has the
/// blocked addresses. [`stored_snapshot`] reads the results.
pub(in crate::ledger) fn stored_reads(keys: &ReadSet) -> Vec<Statement> {
    vec![select_ledgers(keys), select_blocks(keys)]
}

/// Returns the snapshot from the rows of [`stored_reads`].
pub(in crate::ledger) fn stored_snapshot(rows: Vec<Rows>) -> Result<Snapshot, DatabaseError> {
    let [ledgers, blocks] = exactly(rows)?;
    let mut snapshot = ledgers_from_rows(ledgers)?;
    add_blocks(&mut snapshot, blocks)?;
    Ok(snapshot)
}

fn select_blocks(keys: &ReadSet) -> Statement {
    BLOCKS.read(
        keys.blockable
            .iter()
            .map(|key| block_row(key, true))
            .collect(),
    )
}

fn add_blocks(snapshot: &mut Snapshot, rows: Rows) -> Result<(), DatabaseError> {
    let block = |row: BlockRow| row.address;
    snapshot.blocked.extend(rows.all()?.into_iter().map(block));
    Ok(())
}

/// Selects the existing ledgers among the keys. [`ledgers_from_rows`] reads the result.
pub(crate) fn select_ledgers(keys: &ReadSet) -> Statement {
    LEDGERS.read(keys.ledgers.iter().map(ledger_row).collect())
}

/// Returns a snapshot that contains only ledgers.
pub(crate) fn ledgers_from_rows(rows: Rows) -> Result<Snapshot, DatabaseError> {
    let mut snapshot = Snapshot::default();
    let ledger = |row: LedgerRow| {
        let capabilities = row.capabilities;
        (row.id, LedgerFacts { capabilities })
    };
    snapshot.ledgers.extend(rows.all()?.into_iter().map(ledger));
    Ok(snapshot)
}

/// Returns the snapshot from the rows of [`reads`].
pub(crate) fn snapshot(rows: Vec<Rows>) -> Result<Snapshot, DatabaseError> {
    let [
        ledgers,
        assets,
        abilities,
        operators,
        balances,
        allowances,
        blocks,
    ] = exactly(rows)?;
    let asset = |row: AssetRow| {
        let asset = Asset {
            owner: row.owner_id,
            imprint: row.imprint,
            // The embedded ledger has no approvals of single assets.
            approved: None,
        };
        ((row.ledger_id, row.id), asset)
    };
    let ability = |row: AbilitiesRow| ((row.ledger_id, row.account_id), row.abilities);
    let operator = |row: OperatorRow| (row.ledger_id, row.owner_id, row.operator_id);
    let balance = |row: BalanceRow| (row.account_id, row.amount);
    let allowance = |row: AllowanceRow| ((row.owner_id, row.spender_id), row.amount);
    // `collect` would add the code of a sort for each key type: 8 kB gzipped in total.
    let mut snapshot = ledgers_from_rows(ledgers)?;
    snapshot.assets.extend(assets.all()?.into_iter().map(asset));
    snapshot
        .abilities
        .extend(abilities.all()?.into_iter().map(ability));
    snapshot
        .operators
        .extend(operators.all()?.into_iter().map(operator));
    snapshot
        .balances
        .extend(balances.all()?.into_iter().map(balance));
    snapshot
        .allowances
        .extend(allowances.all()?.into_iter().map(allowance));
    add_blocks(&mut snapshot, blocks)?;
    Ok(snapshot)
}

#[derive(Deserialize)]
struct LedgerRow {
    id: Address,
    #[serde(deserialize_with = "json")]
    capabilities: Capabilities,
}
#[derive(Deserialize)]
struct AssetRow {
    ledger_id: Address,
    #[serde(deserialize_with = "hex64")]
    id: AssetId,
    owner_id: Address,
    imprint: Imprint,
}
#[derive(Deserialize)]
struct AbilitiesRow {
    ledger_id: Address,
    account_id: Address,
    #[serde(deserialize_with = "abilities")]
    abilities: Abilities,
}
#[derive(Deserialize)]
struct OperatorRow {
    ledger_id: Address,
    owner_id: Address,
    operator_id: Address,
}
#[derive(Deserialize)]
struct BalanceRow {
    account_id: Address,
    #[serde(deserialize_with = "hex64")]
    amount: Amount,
}
#[derive(Deserialize)]
struct AllowanceRow {
    owner_id: Address,
    spender_id: Address,
    #[serde(deserialize_with = "hex64")]
    amount: Amount,
}
#[derive(Deserialize)]
struct BlockRow {
    address: Address,
}

/// Returns statements that abort the batch unless every key still has the value of the snapshot. Ledgers need no guard:
/// their facts never change, and requests that need an absent ledger are refused earlier.
pub(in crate::ledger) fn guards(keys: &ReadSet, snapshot: &Snapshot) -> Vec<Statement> {
    let assets = keys.assets.iter();
    let assets = assets.map(|key| asset_row(key, snapshot.assets.get(key)));
    let abilities = keys.abilities.iter();
    let abilities = abilities.map(|key| abilities_row(key, snapshot.abilities.get(key).copied()));
    let operators = keys.operators.iter();
    let operators = operators.map(|key| operator_row(key, snapshot.operators.contains(key)));
    let balances = keys.balances.iter();
    let balances = balances.map(|key| balance_row(key, snapshot.balances.get(key).copied()));
    let allowances = keys.allowances.iter();
    let allowances =
        allowances.map(|key| allowance_row(key, snapshot.allowances.get(key).copied()));
    let blocks = keys.blockable.iter();
    let blocks = blocks.map(|key| block_row(key, snapshot.blocked.contains(key)));
    let guarded: [(&Table, Vec<Value>); 6] = [
        (&ASSETS, assets.collect()),
        (&ABILITIES, abilities.collect()),
        (&OPERATORS, operators.collect()),
        (&BALANCES, balances.collect()),
        (&ALLOWANCES, allowances.collect()),
        (&BLOCKS, blocks.collect()),
    ];
    guarded
        .into_iter()
        .filter(|(_, rows)| !rows.is_empty())
        .map(|(table, rows)| table.guard(rows))
        .collect()
}
