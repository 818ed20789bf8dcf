//! Computes the rows that the index should have, from all logs of the chain and from the contracts' answers.

use std::collections::{BTreeMap, BTreeSet};

use alloy_primitives::hex;
use edge_api::native::Sqlite;
use edge_api::ports::{Database, Statement};
use order_core::Address;
use order_core::Gateways;
use serde_json::{Value, json};

use crate::support::anvil::{Anvil, Arg, call_data, quantity};
use crate::support::native::block_on;

/// The rows of each table. Each row is a JSON list.
pub type Tables = BTreeMap<&'static str, BTreeSet<String>>;

/// The compared columns. References are left out because they are random, and `uri_prefix` and `uri_postfix` because they change without a log.
const COLUMNS: &[(&str, &str)] = &[
    (
        "ledgers",
        "id, name, symbol, schema_id, capabilities, owner_id, asset_count, created_at",
    ),
    (
        "assets",
        "ledger_id, id, owner_id, imprint, created_at, updated_at",
    ),
    ("abilities", "ledger_id, account_id, abilities"),
    (
        "withdrawals",
        "ledger_id, asset_id, issued_at, withdrawn_at, owner_id",
    ),
    (
        "past_imprints",
        "ledger_id, asset_id, imprint, ended_at, withdrawn",
    ),
    (
        "chain_claim_logs",
        "hash, canceled, is_deployment, block, tx_hash, ledger_id",
    ),
];

/// Returns the rows of a query.
pub fn rows(database: &Sqlite, sql: &str) -> Vec<Value> {
    let statement = Statement::new(Box::leak(sql.to_owned().into_boxed_str()));
    block_on(database.query(statement)).unwrap().list
}

/// Returns the compared columns of the service's database.
pub fn indexed(database: &Sqlite) -> Tables {
    COLUMNS
        .iter()
        .map(|(table, columns)| {
            let all = rows(
                database,
                &format!("SELECT json_array({columns}) AS row FROM {table}"),
            );
            let row = |row: &Value| row["row"].as_str().unwrap().to_owned();
            (*table, all.iter().map(row).collect())
        })
        .collect()
}

/// A contract's log on the chain, with the time of its block in milliseconds.
struct Log {
    address: Address,
    topics: Vec<String>,
    data: Vec<u8>,
    block: u64,
    time: u64,
    tx: String,
}

fn account(word: &str) -> String {
    format!("0x{}", &word[word.len() - 40..])
}

fn logs(anvil: &Anvil) -> Vec<Log> {
    let all = anvil.rpc(
        "eth_getLogs",
        json!([{ "fromBlock": "0x0", "toBlock": "latest" }]),
    );
    let mut times = BTreeMap::new();
    let read = |log: &Value| {
        let block = quantity(&log["blockNumber"]);
        let time = *times.entry(block).or_insert_with(|| {
            let header = anvil.rpc("eth_getBlockByNumber", json!([log["blockNumber"], false]));
            quantity(&header["timestamp"]) * 1_000
        });
        Log {
            address: log["address"].as_str().unwrap().parse().unwrap(),
            topics: log["topics"]
                .as_array()
                .unwrap()
                .iter()
                .map(|topic| topic.as_str().unwrap().to_owned())
                .collect(),
            data: hex::decode(log["data"].as_str().unwrap()).unwrap(),
            block,
            time,
            tx: log["transactionHash"].as_str().unwrap().to_owned(),
        }
    };
    all.as_array().unwrap().iter().map(read).collect()
}

fn topic(signature: &str) -> String {
    hex::encode_prefixed(alloy_primitives::keccak256(signature))
}

/// The state of an asset after the logs read so far.
struct Held {
    owner: String,
    imprint: String,
    created: u64,
    updated: u64,
}

/// Returns the rows that the index should have. `accounts` are all accounts that may have abilities.
pub fn truth(anvil: &Anvil, gateways: &Gateways, accounts: &[Address]) -> Tables {
    let all = logs(anvil);
    let (claims, ledgers) = claims(&all, gateways);
    let mut tables = Tables::new();
    tables.insert("chain_claim_logs", claims);
    tables.extend(assets(anvil, &all, &ledgers));
    let texts = |rows: Vec<Value>| rows.iter().map(Value::to_string).collect();
    let word = |ledger: Address, function: &str, args: &[Arg<'_>]| {
        let answer = anvil.read(ledger, function, args).unwrap();
        u128::from_be_bytes(answer[16..32].try_into().unwrap())
    };
    let (mut rows, mut abilities) = (Vec::new(), Vec::new());
    for (ledger, (maker, time)) in &ledgers {
        let id = key(ledger);
        let text = |function| {
            let answer = anvil.read(*ledger, function, &[]).unwrap();
            let length = usize::from(answer[63]);
            String::from_utf8(answer[64..64 + length].to_vec()).unwrap()
        };
        let supply = word(*ledger, "totalSupply()", &[]);
        let schema = "0x3f4a0870cd6039e6c987b067b0d28de54efea17449175d7a8cd6ec10ab23cc5d";
        rows.push(json!([
            id,
            text("name()"),
            text("symbol()"),
            schema,
            "[1,2,3,4]",
            maker,
            u64::try_from(supply).unwrap(),
            time
        ]));
        for account in accounts {
            let args = [Arg::Account(*account)];
            let bits = word(*ledger, "addressToAbility(address)", &args) & 2047;
            if bits > 0 {
                abilities.push(json!([id, key(account), u64::try_from(bits).unwrap()]));
            }
        }
    }
    tables.insert("ledgers", texts(rows));
    tables.insert("abilities", texts(abilities));
    tables
}

fn key(account: &Address) -> String {
    hex::encode_prefixed(account.as_bytes())
}

/// The maker of each ledger, and the time of the ledger's creation in milliseconds.
type Ledgers = BTreeMap<Address, (String, u64)>;

fn claims(all: &[Log], gateways: &Gateways) -> (BTreeSet<String>, Ledgers) {
    let [deployed, performed, deployment_canceled, canceled] = [
        "Perform(address,address,address,bytes32)",
        "Perform(bytes32)",
        "Cancel(address,address,bytes32)",
        "Cancel(bytes32)",
    ]
    .map(topic);
    let (mut claims, mut ledgers) = (BTreeSet::new(), BTreeMap::new());
    let mut add = |log: &Log, claim: &str, kind: [u8; 2], ledger: Option<String>| {
        let [is_canceled, is_deployment] = kind;
        let row = json!([claim, is_canceled, is_deployment, log.block, log.tx, ledger]);
        claims.insert(row.to_string());
    };
    for log in all {
        let first = log.topics[0].as_str();
        if log.address == gateways.deploy && first == deployed {
            let ledger = Address::from_bytes(log.data[12..32].try_into().unwrap()).unwrap();
            ledgers.insert(ledger, (account(&log.topics[1]), log.time));
            let claim = hex::encode_prefixed(&log.data[32..64]);
            add(log, &claim, [0, 1], Some(key(&ledger)));
        } else if log.address == gateways.deploy && first == deployment_canceled {
            add(log, &hex::encode_prefixed(&log.data), [1, 1], None);
        } else if log.address == gateways.actions && first == performed {
            add(log, &log.topics[1], [0, 0], None);
        } else if log.address == gateways.actions && first == canceled {
            add(log, &log.topics[1], [1, 0], None);
        }
    }
    (claims, ledgers)
}

/// Returns the rows of assets, withdrawals and earlier imprints.
fn assets(anvil: &Anvil, all: &[Log], ledgers: &Ledgers) -> Tables {
    let transfer = topic("Transfer(address,address,uint256)");
    let update = topic("TokenURIIntegrityDigestUpdate(uint256,bytes32)");
    let zero = format!("0x{}", "0".repeat(40));
    let mut assets: BTreeMap<(String, String), Held> = BTreeMap::new();
    // The index keeps only the last withdrawal of each asset id.
    let mut withdrawals: BTreeMap<(String, String), String> = BTreeMap::new();
    let mut past = BTreeSet::new();
    for log in all {
        let first = log.topics[0].as_str();
        if !ledgers.contains_key(&log.address) || (first != transfer && first != update) {
            continue;
        }
        let id = log.topics[if first == transfer { 3 } else { 1 }][2..].to_owned();
        let asset = (key(&log.address), id.clone());
        let (ledger, id) = asset.clone();
        if first == update {
            let new = hex::encode(&log.data);
            if let Some(held) = assets.get_mut(&asset)
                && held.imprint != new
            {
                past.insert(json!([ledger, id, held.imprint, log.time, 0]).to_string());
                held.imprint = new;
                held.updated = log.time;
            }
            continue;
        }
        let (from, to) = (account(&log.topics[1]), account(&log.topics[2]));
        if from == zero {
            // No log has the imprint, so it is read from the contract. An asset that is destroyed in the same block has none.
            if let Some(imprint) = imprint(anvil, log, &id) {
                let held = Held {
                    owner: to,
                    imprint,
                    created: log.time,
                    updated: log.time,
                };
                assets.insert(asset, held);
            }
        } else if to == zero {
            if let Some(held) = assets.remove(&asset) {
                past.insert(json!([ledger, id, held.imprint, log.time, 1]).to_string());
                let row = json!([ledger, id, held.created, log.time, held.owner]);
                withdrawals.insert(asset, row.to_string());
            }
        } else if let Some(held) = assets.get_mut(&asset)
            && held.owner != to
        {
            held.owner = to;
            held.updated = log.time;
        }
    }
    for ((ledger, id), held) in &assets {
        check(anvil, ledger, id, held);
    }
    let row = |((ledger, id), held): (&(String, String), &Held)| {
        json!([
            ledger,
            id,
            held.owner,
            held.imprint,
            held.created,
            held.updated
        ])
        .to_string()
    };
    Tables::from([
        ("assets", assets.iter().map(row).collect()),
        ("withdrawals", withdrawals.into_values().collect()),
        ("past_imprints", past),
    ])
}

/// Asserts that the owner and the imprint of an asset equal the contract's answers.
fn check(anvil: &Anvil, ledger: &str, id: &str, held: &Held) {
    let ledger = ledger.parse().unwrap();
    let id = Arg::Amount(order_core::Amount::from_hex64(id).unwrap());
    let read = |function| {
        anvil
            .read(ledger, function, std::slice::from_ref(&id))
            .unwrap()
    };
    let owner = Address::from_bytes(read("ownerOf(uint256)")[12..32].try_into().unwrap());
    assert_eq!(key(&owner.unwrap()), held.owner);
    let imprint = read("tokenURIIntegrity(uint256)");
    assert_eq!(hex::encode(&imprint[96..128]), held.imprint);
}

/// Reads an asset's imprint at the end of a log's block. Returns `None` if the asset does not exist there.
fn imprint(anvil: &Anvil, log: &Log, id: &str) -> Option<String> {
    let id = Arg::Amount(order_core::Amount::from_hex64(id).unwrap());
    let data = call_data("tokenURIIntegrity(uint256)", &[id]);
    let call = json!({ "to": log.address, "data": data });
    let answer = anvil.try_rpc("eth_call", json!([call, format!("{:#x}", log.block)]));
    let answer = hex::decode(answer.ok()?.as_str()?).unwrap();
    Some(hex::encode(&answer[96..128]))
}

/// Asserts that the rows are the same. The panic message has the rows that differ.
#[track_caller]
pub fn same(found: &Tables, expected: &Tables) {
    for (table, expected) in expected {
        let found = &found[table];
        let missing: Vec<_> = expected.difference(found).collect();
        let wrong: Vec<_> = found.difference(expected).collect();
        assert!(
            missing.is_empty() && wrong.is_empty(),
            "{table}: missing {missing:#?}, wrong {wrong:#?}"
        );
    }
}
