//! The data of new ledgers. The gateway's log has only the ledger's address and the deployment's hash.
//!
//! The schema and the owner are in the input of the transaction. The ledger's contract answers the capabilities and the texts: name, symbol,
//! prefix and postfix. For final blocks, a quorum must agree on all of this. For later blocks, one provider answers, and `unlogged.rs` compares
//! the texts before the blocks become final.

use alloy_primitives::{B256, keccak256};
use order_core::chain::{Call, DeployInput, View, find_deployment, views};
use order_core::{Address, Capabilities, Capability, LedgerData};
use serde_json::{Value, json};

use super::super::memory::Evm;
use super::super::rpc::{Ask, At, Reply, data, unavailable};
use super::super::views::Source;
use super::events::{Event, What};
use super::logs::Segment;
use crate::context::{Context, reference_of};
use crate::ledger::{DeployedLedger, LedgerError};
use crate::ports::{Level, Statement};
use crate::text::hash_key;

/// A ledger that a block of the segment created.
pub(super) struct Deployed {
    /// The index of the event.
    pub(super) event: usize,
    pub(super) data: LedgerData,
    pub(super) ledger: DeployedLedger,
}

/// A deployment that was performed.
struct Performed {
    event: usize,
    block: B256,
    /// The block's time, in milliseconds since 1970.
    time: u64,
    tx: B256,
    claim: B256,
    ledger: Address,
}

impl Performed {
    /// Returns the ledger's reference. The reference depends only on the chain, so a rebuilt database lists ledgers in the same order. `place`
    /// is the number of ledgers before this one in the block.
    fn reference(&self, place: usize) -> String {
        let place = u16::try_from(place).unwrap_or(u16::MAX).to_be_bytes();
        let digest = keccak256(self.ledger.as_bytes());
        let mut unique = [0; 10];
        for (byte, value) in unique.iter_mut().zip(place.iter().chain(digest.iter())) {
            *byte = *value;
        }
        reference_of(self.time, &unique)
    }
}

/// Reads the data of the new ledgers, in the order of the events. Leaves out a ledger whose data cannot be found.
pub(super) async fn read(
    evm: &Evm,
    ctx: &Context<'_>,
    segment: &Segment,
    events: &[Event],
) -> Result<Vec<Deployed>, LedgerError> {
    let performed: Vec<Performed> = events
        .iter()
        .enumerate()
        .filter_map(|(place, event)| match event.what {
            What::Performed {
                claim,
                ledger: Some(ledger),
            } => {
                let block = segment.blocks.get(event.block)?;
                Some(Performed {
                    event: place,
                    block: block.hash,
                    time: block.time,
                    tx: event.tx,
                    claim,
                    ledger,
                })
            }
            _ => None,
        })
        .collect();
    if performed.is_empty() {
        return Ok(Vec::new());
    }
    let known = known_references(ctx, &performed).await?;
    let all: Vec<Ask> = performed.iter().flat_map(calls).collect();
    let replies = match segment.source() {
        Source::First => evm
            .rpc(ctx)
            .ask(&all)
            .await?
            .into_iter()
            .map(input)
            .collect(),
        Source::Quorum => evm.rpc(ctx).ask_quorum(&all, input).await?,
    };
    let mut replies = replies.into_iter();
    let mut found = Vec::with_capacity(performed.len());
    let (mut last, mut before) = (B256::ZERO, 0_usize);
    for performed in performed {
        before = if let Some(part) = &segment.part {
            let created = part.created.iter();
            created
                .take_while(|ledger| **ledger != performed.ledger)
                .count()
        } else if performed.block == last {
            before.saturating_add(1)
        } else {
            0
        };
        last = performed.block;
        let mut data = data_of(evm, &performed, &mut replies)?;
        if data.is_none() {
            // A single provider must not be able to hide a ledger.
            let agreed = evm.rpc(ctx).agree_on(&calls(&performed), input).await;
            let agreed: Option<Vec<Reply>> = agreed.into_iter().collect();
            let differ =
                || unavailable("the providers disagree about a new ledger, or too few answer");
            let mut replies = agreed.ok_or_else(differ)?.into_iter();
            data = data_of(evm, &performed, &mut replies)?;
        }
        let Some(data) = data else {
            let line = json!({
                "event": "chain.ledger-unreadable",
                "ledger": performed.ledger,
                "tx": hash_key(&performed.tx),
            });
            ctx.log(Level::Error, line);
            continue;
        };
        let key = hash_key(&performed.claim);
        let known = known.iter().find(|row| row.hash == key);
        found.push(Deployed {
            event: performed.event,
            data,
            ledger: DeployedLedger {
                ledger_ref: known
                    .map_or_else(|| performed.reference(before), |row| row.reference.clone()),
                ledger_id: performed.ledger,
            },
        });
    }
    Ok(found)
}

#[derive(serde::Deserialize)]
struct Known {
    hash: String,
    #[serde(rename = "ref")]
    reference: String,
}

/// Reads the references that ledgers had before a reorganisation removed them.
async fn known_references(
    ctx: &Context<'_>,
    performed: &[Performed],
) -> Result<Vec<Known>, LedgerError> {
    let hashes: Vec<String> = performed
        .iter()
        .map(|performed| hash_key(&performed.claim))
        .collect();
    let select = Statement::new(
        "SELECT hash, ref FROM chain_refs WHERE hash IN (SELECT value FROM json_each(?1))",
    );
    Ok(ctx.db().query(select.bind_json(&hashes)?).await?.all()?)
}

/// Returns only the input of a transaction, because providers add different fields to a transaction. Returns other answers unchanged.
fn input(reply: Reply) -> Reply {
    match reply {
        Reply::Value(Value::Object(mut tx)) => Reply::Value(tx.remove("input").unwrap_or_default()),
        other => other,
    }
}

/// Reads the data of a ledger from the answers to [`calls`]. `None` if the transaction's input or the ledger does not fit the deployment.
fn data_of(
    evm: &Evm,
    performed: &Performed,
    replies: &mut impl Iterator<Item = Reply>,
) -> Result<Option<LedgerData>, LedgerError> {
    let input = replies.next().map(Reply::value).transpose()?;
    let input = data(&input.unwrap_or_default())?;
    let shown = Shown::read(performed, replies)?;
    let input = find_deployment(evm.chain.deploy, &performed.claim, &input);
    Ok(shown
        .zip(input)
        .and_then(|(shown, input)| shown.with(input)))
}

/// Returns the calls whose answers have the data of a ledger: the query for its transaction, and the views for [`Shown::read`].
fn calls(performed: &Performed) -> Vec<Ask> {
    let Performed { block, ledger, .. } = *performed;
    let view = |call: &Call| Ask::view(call, At::Block(block));
    let mut calls = vec![Ask::new(
        "eth_getTransactionByHash",
        json!([hash_key(&performed.tx)]),
    )];
    calls.extend(texts(ledger).map(|text| view(&text.call)));
    calls.extend(
        Capability::ALL
            .iter()
            .map(|capability| view(&supports(ledger, *capability).call)),
    );
    calls
}

fn texts(ledger: Address) -> [View<Option<String>>; 4] {
    [
        views::name(ledger),
        views::symbol(ledger),
        views::uri_prefix(ledger),
        views::uri_postfix(ledger),
    ]
}

fn supports(ledger: Address, capability: Capability) -> View<bool> {
    views::supports(ledger, capability.interface_id())
}

/// The data that a ledger's contract answers about itself. A text is `None` if it is not UTF-8, or longer than this service allows.
struct Shown {
    texts: [Option<String>; 4],
    capabilities: Vec<Capability>,
}

impl Shown {
    /// Reads the answers of the views in [`calls`]. `None` if the contract does not answer like a ledger, or with a text that is too long to be
    /// read. Its ledger must not stop the index.
    fn read(
        performed: &Performed,
        replies: &mut impl Iterator<Item = Reply>,
    ) -> Result<Option<Self>, LedgerError> {
        let count = texts(performed.ledger)
            .len()
            .saturating_add(Capability::ALL.len());
        let answers = replies.take(count).map(Reply::bytes);
        let answers: Vec<Option<Vec<u8>>> = answers.collect::<Result<_, _>>()?;
        let mut answers = answers.into_iter().map(Option::unwrap_or_default);
        let mut next = || answers.next().unwrap_or_default();
        let mut all: [Option<String>; 4] = Default::default();
        for (text, view) in all.iter_mut().zip(texts(performed.ledger)) {
            let Ok(found) = view.read(&next()) else {
                return Ok(None);
            };
            *text = found;
        }
        let mut capabilities = Vec::new();
        for capability in Capability::ALL.iter().copied() {
            match supports(performed.ledger, capability).read(&next()) {
                Ok(true) => capabilities.push(capability),
                Ok(false) => {}
                Err(_) => return Ok(None),
            }
        }
        Ok(Some(Self {
            texts: all,
            capabilities,
        }))
    }

    /// Adds the data that only the deployment has. `None` if the deployment does not belong to this ledger, or if it names no owner.
    fn with(self, input: DeployInput) -> Option<LedgerData> {
        let [name, symbol, uri_prefix, uri_postfix] = self.texts;
        // Deployments whose name and symbol are divided differently can have the same hash.
        let is_same = (&name, &symbol) == (&input.name, &input.symbol)
            && same(&input.capabilities, &self.capabilities);
        Some(LedgerData {
            name: name.unwrap_or_default(),
            symbol: symbol.unwrap_or_default(),
            uri_prefix: uri_prefix.unwrap_or_default(),
            uri_postfix: uri_postfix.unwrap_or_default(),
            schema_id: input.schema_id,
            capabilities: input.capabilities,
            owner_id: input.owner.filter(|_| is_same)?,
        })
    }
}

/// Returns true if both lists have the same capabilities. Only the capabilities of a deployment have an order.
fn same(ordered: &Capabilities, shown: &[Capability]) -> bool {
    ordered.iter().count() == shown.len() && ordered.iter().all(|one| shown.contains(&one))
}
