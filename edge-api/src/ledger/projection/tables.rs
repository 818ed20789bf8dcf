//! SQL that reads and guards the values that the rules need. A statement takes its keys as one JSON parameter, so an order of a
//! hundred actions needs as many statements as an order of one.

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

/// A statement whose `?1` is a list.
pub(super) fn over(sql: &'static str, list: Vec<Value>) -> Statement {
    Statement::new(sql).bind(Value::from(list).to_string())
}

/// The values of all keys, one statement a table.
pub(in crate::ledger) fn reads(keys: &ReadSet) -> Vec<Statement> {
    vec![
        over(
            "SELECT l.id, l.capabilities FROM json_each(?1) k JOIN ledgers l ON l.id = k.value",
            keys.ledgers
                .iter()
                .map(|ledger| json!(account_key(ledger)))
                .collect(),
        ),
        over(
            "SELECT a.ledger_id, a.id, a.owner_id, a.imprint FROM json_each(?1) k \
             JOIN assets a ON a.ledger_id = k.value ->> 0 AND a.id = k.value ->> 1",
            keys.assets
                .iter()
                .map(|(ledger, id)| json!([account_key(ledger), id.to_hex64()]))
                .collect(),
        ),
        over(
            "SELECT a.ledger_id, a.account_id, a.abilities FROM json_each(?1) k \
             JOIN abilities a ON a.ledger_id = k.value ->> 0 AND a.account_id = k.value ->> 1",
            keys.abilities
                .iter()
                .map(|(ledger, account)| json!([account_key(ledger), account_key(account)]))
                .collect(),
        ),
        over(
            "SELECT o.ledger_id, o.owner_id, o.operator_id FROM json_each(?1) k JOIN operators o \
             ON o.ledger_id = k.value ->> 0 AND o.owner_id = k.value ->> 1 AND o.operator_id = k.value ->> 2",
            keys.operators
                .iter()
                .map(|(ledger, owner, operator)| {
                    json!([
                        account_key(ledger),
                        account_key(owner),
                        account_key(operator)
                    ])
                })
                .collect(),
        ),
        over(
            "SELECT b.account_id, b.amount FROM json_each(?1) k JOIN balances b ON b.account_id = k.value",
            keys.balances
                .iter()
                .map(|account| json!(account_key(account)))
                .collect(),
        ),
        over(
            "SELECT a.owner_id, a.spender_id, a.amount FROM json_each(?1) k \
             JOIN allowances a ON a.owner_id = k.value ->> 0 AND a.spender_id = k.value ->> 1",
            keys.allowances
                .iter()
                .map(|(owner, spender)| json!([account_key(owner), account_key(spender)]))
                .collect(),
        ),
    ]
}

/// The snapshot in the answers to [`reads`].
pub(in crate::ledger) fn snapshot(rows: Vec<Rows>) -> Result<Snapshot, DatabaseError> {
    let [ledgers, assets, abilities, operators, balances, allowances] = exactly(rows)?;
    let ledger = |row: LedgerRow| {
        let capabilities = row.capabilities;
        (row.id, LedgerFacts { capabilities })
    };
    let asset = |row: AssetRow| {
        let asset = Asset {
            owner: row.owner_id,
            imprint: row.imprint,
            // Orders approve operators alone.
            approved: None,
        };
        ((row.ledger_id, row.id), asset)
    };
    let ability = |row: AbilitiesRow| ((row.ledger_id, row.account_id), row.abilities);
    let operator = |row: OperatorRow| (row.ledger_id, row.owner_id, row.operator_id);
    let balance = |row: BalanceRow| (row.account_id, row.amount);
    let allowance = |row: AllowanceRow| ((row.owner_id, row.spender_id), row.amount);
    // `collect` would compile a sort for each key type: 8 kB gzipped in all.
    let mut snapshot = Snapshot::default();
    snapshot
        .ledgers
        .extend(ledgers.all()?.into_iter().map(ledger));
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

/// Statements that abort the batch unless every key still has the value of the snapshot. Facts of a ledger never change, and
/// requests that need an absent ledger are refused earlier, so ledgers need no guard.
pub(in crate::ledger) fn guards(keys: &ReadSet, snapshot: &Snapshot) -> Vec<Statement> {
    let guard = |sql: &'static str, list: Vec<Value>| (!list.is_empty()).then(|| over(sql, list));
    let assets = keys.assets.iter().map(|key| {
        let asset = snapshot.assets.get(key);
        json!([
            account_key(&key.0),
            key.1.to_hex64(),
            asset.map(|asset| account_key(&asset.owner)),
            asset.map(|asset| asset.imprint.to_string())
        ])
    });
    let abilities = keys.abilities.iter().map(|key| {
        let bits = snapshot
            .abilities
            .get(key)
            .map_or(0, |abilities| abilities.bits());
        json!([account_key(&key.0), account_key(&key.1), bits])
    });
    let operators = keys.operators.iter().map(|key| {
        let (ledger, owner, operator) = key;
        let holds = u8::from(snapshot.operators.contains(key));
        json!([
            account_key(ledger),
            account_key(owner),
            account_key(operator),
            holds
        ])
    });
    let balances = keys.balances.iter().map(|key| {
        let amount = snapshot.balances.get(key).copied().unwrap_or_default();
        json!([account_key(key), amount.to_hex64()])
    });
    let allowances = keys.allowances.iter().map(|key| {
        let amount = snapshot.allowances.get(key).copied().unwrap_or_default();
        json!([account_key(&key.0), account_key(&key.1), amount.to_hex64()])
    });
    [
        guard(
            "INSERT INTO guards SELECT 0 FROM json_each(?1) k LEFT JOIN assets a \
             ON a.ledger_id = k.value ->> 0 AND a.id = k.value ->> 1 \
             WHERE a.owner_id IS NOT k.value ->> 2 OR a.imprint IS NOT k.value ->> 3",
            assets.collect(),
        ),
        guard(
            "INSERT INTO guards SELECT 0 FROM json_each(?1) k LEFT JOIN abilities a \
             ON a.ledger_id = k.value ->> 0 AND a.account_id = k.value ->> 1 \
             WHERE coalesce(a.abilities, 0) <> k.value ->> 2",
            abilities.collect(),
        ),
        guard(
            "INSERT INTO guards SELECT 0 FROM json_each(?1) k LEFT JOIN operators o \
             ON o.ledger_id = k.value ->> 0 AND o.owner_id = k.value ->> 1 AND o.operator_id = k.value ->> 2 \
             WHERE (o.ledger_id IS NOT NULL) <> k.value ->> 3",
            operators.collect(),
        ),
        guard(
            "INSERT INTO guards SELECT 0 FROM json_each(?1) k LEFT JOIN balances b ON b.account_id = k.value ->> 0 \
             WHERE coalesce(b.amount, printf('%064d', 0)) <> k.value ->> 1",
            balances.collect(),
        ),
        guard(
            "INSERT INTO guards SELECT 0 FROM json_each(?1) k LEFT JOIN allowances a \
             ON a.owner_id = k.value ->> 0 AND a.spender_id = k.value ->> 1 \
             WHERE coalesce(a.amount, printf('%064d', 0)) <> k.value ->> 2",
            allowances.collect(),
        ),
    ]
    .into_iter()
    .flatten()
    .collect()
}
