//! Compares the data that no log has with the answers of a quorum, before the blocks become final. These data are the imprints of new assets,
//! and the texts of new ledgers: name, symbol, prefix and postfix.
//!
//! Blocks near the head are indexed with the answers of one provider, which can lie. The calls for the comparison are part of the HTTP request
//! about the logs and the claims of newly final blocks. They read the state after the last final block.
//!
//! An imprint that is replaced before its block becomes final is not compared. The log of the change has the new imprint.

use std::collections::{BTreeMap, BTreeSet};

use order_core::chain::{Call, View, views};
use order_core::{Address, AssetId, Imprint};
use serde::Deserialize;
use serde_json::json;

use super::super::memory::Evm;
use super::super::rpc::Reply;
use super::confirm::{Compared, Indexed};
use crate::context::Context;
use crate::db::rows::hex64;
use crate::ledger::LedgerError;
use crate::ports::{Level, Statement, exactly};

/// An indexed value, and the view that answers it.
enum Value {
    Imprint(View<Imprint>, Imprint),
    /// A text of a ledger. A text that is not UTF-8, or that is too long for this service, is indexed as empty.
    Text(View<Option<String>>, String),
}

/// A value that was indexed with the answer of one provider.
pub(super) struct Unlogged {
    block: u64,
    ledger: Address,
    asset: Option<AssetId>,
    value: Value,
}

impl Unlogged {
    pub(super) fn call(&self) -> &Call {
        match &self.value {
            Value::Imprint(view, _) => &view.call,
            Value::Text(view, _) => &view.call,
        }
    }

    /// Returns true if the contract's answer is the indexed value. `None` is a revert, for example because the asset does not exist.
    fn is(&self, answer: Option<&[u8]>) -> bool {
        let Some(answer) = answer else {
            return false;
        };
        match &self.value {
            Value::Imprint(view, imprint) => view.read(answer).is_ok_and(|found| found == *imprint),
            Value::Text(view, text) => view
                .read(answer)
                .is_ok_and(|found| found.unwrap_or_default() == *text),
        }
    }
}

#[derive(Deserialize)]
struct NewAsset {
    block: u64,
    ledger_id: Address,
    #[serde(deserialize_with = "hex64")]
    id: AssetId,
    imprint: Imprint,
}

#[derive(Deserialize)]
struct NewLedger {
    block: u64,
    id: Address,
    name: String,
    symbol: String,
    uri_prefix: String,
    uri_postfix: String,
}

/// Returns the values of these blocks. Imprints are those after the block `last`, because later blocks may have changed them. Texts are
/// those that the index has now.
pub(super) async fn read(
    ctx: &Context<'_>,
    blocks: &[Indexed],
    last: u64,
) -> Result<Vec<Unlogged>, LedgerError> {
    let (Some(first), Some(end)) = (blocks.first(), blocks.last()) else {
        return Ok(Vec::new());
    };
    // A block that creates a row keeps NULL for it in `chain_undo`. The first row of a later block has the values before that block.
    let assets = Statement::new(
        "SELECT n.block, n.key ->> 0 AS ledger_id, n.key ->> 1 AS id, iif(l.key IS NULL, a.imprint, l.image ->> 'imprint') AS imprint \
         FROM (SELECT key, min(block) AS block FROM chain_undo WHERE block >= ?1 AND block <= ?2 AND name = 'assets' AND image IS NULL \
         GROUP BY key) n \
         LEFT JOIN (SELECT key, image, min(block) FROM chain_undo WHERE block > ?3 AND name = 'assets' GROUP BY key) l ON l.key = n.key \
         LEFT JOIN assets a ON a.ledger_id = n.key ->> 0 AND a.id = n.key ->> 1 \
         WHERE iif(l.key IS NULL, a.imprint, l.image ->> 'imprint') IS NOT NULL",
    )
    .bind(first.number)
    .bind(end.number)
    .bind(last);
    let ledgers = Statement::new(
        "SELECT n.block, l.id, l.name, l.symbol, l.uri_prefix, l.uri_postfix FROM chain_undo n JOIN ledgers l ON l.id = n.key ->> 0 \
         WHERE n.block >= ?1 AND n.block <= ?2 AND n.name = 'ledgers' AND n.image IS NULL",
    )
    .bind(first.number)
    .bind(end.number);
    let [assets, ledgers] = exactly(ctx.db().batch(vec![assets, ledgers]).await?)?;
    let asset = |new: NewAsset| Unlogged {
        block: new.block,
        ledger: new.ledger_id,
        asset: Some(new.id),
        value: Value::Imprint(views::imprint(new.ledger_id, &new.id), new.imprint),
    };
    let mut values: Vec<Unlogged> = assets.all()?.into_iter().map(asset).collect();
    for new in ledgers.all::<NewLedger>()? {
        let texts = [
            (views::name(new.id), new.name),
            (views::symbol(new.id), new.symbol),
            (views::uri_prefix(new.id), new.uri_prefix),
            (views::uri_postfix(new.id), new.uri_postfix),
        ];
        values.extend(texts.map(|(view, text)| Unlogged {
            block: new.block,
            ledger: new.id,
            asset: None,
            value: Value::Text(view, text),
        }));
    }
    Ok(values)
}

/// Compares the values of blocks up to `confirmed` with the answers of providers. Each list of answers comes with the provider's index. The
/// answers to the values' calls begin at the index `from`. A provider that disagrees with the quorum is asked last for a while.
pub(super) fn compare(
    evm: &Evm,
    ctx: &Context<'_>,
    values: &[Unlogged],
    confirmed: u64,
    (answers, from): (&[(usize, Vec<Reply>)], usize),
) -> Compared {
    let quorum = evm.chain.quorum;
    let mut differ: BTreeSet<usize> = BTreeSet::new();
    let mut untrue: Option<&Unlogged> = None;
    let mut open: Option<u64> = None;
    for (place, value) in values.iter().enumerate() {
        if value.block > confirmed {
            continue;
        }
        // The providers by their answer. A provider that refuses the call is ignored.
        let mut said: BTreeMap<Option<Vec<u8>>, Vec<usize>> = BTreeMap::new();
        for (provider, replies) in answers {
            let reply = replies.get(from.saturating_add(place)).cloned();
            if let Some(Ok(answer)) = reply.map(Reply::bytes) {
                said.entry(answer).or_default().push(*provider);
            }
        }
        let mut agreed = said.iter().filter(|(_, by)| by.len() >= quorum);
        let (Some((answer, _)), None) = (agreed.next(), agreed.next()) else {
            open = Some(open.map_or(value.block, |block| block.min(value.block)));
            continue;
        };
        let others = said.iter().filter(|(other, _)| *other != answer);
        differ.extend(others.flat_map(|(_, by)| by.iter().copied()));
        if !value.is(answer.as_deref()) && untrue.is_none_or(|untrue| value.block < untrue.block) {
            untrue = Some(value);
        }
    }
    let rpc = evm.rpc(ctx);
    for provider in &differ {
        rpc.doubt(*provider, "a quorum has other data");
    }
    match (untrue, open) {
        (Some(untrue), open) if open.is_none_or(|open| untrue.block <= open) => {
            let line = json!({
                "event": "chain.data-untrue",
                "block": untrue.block,
                "ledger": untrue.ledger,
                "asset": untrue.asset.map(|id| id.to_string()),
            });
            ctx.log(Level::Error, line);
            Compared::Other(untrue.block)
        }
        (_, Some(open)) => {
            let why = "the providers disagree about an imprint or a text of this block, or too few answer";
            Compared::Open(open, why.to_owned())
        }
        _ => Compared::Same,
    }
}
