//! Converts logs to events.

use alloy_primitives::B256;
use order_core::chain::{DeployEvent, LedgerEvent, OrderEvent, TokenMove};
use order_core::{Address, Amount, NotValid};
use serde_json::json;

use super::super::memory::Evm;
use super::super::rpc::unavailable;
use super::index_head::IndexHead;
use super::logs::{Found, Segment};
use crate::context::Context;
use crate::ledger::LedgerError;
use crate::ports::Level;
use crate::text::hash_key;

/// A log that changes the index.
pub(super) struct Event {
    /// The index of the block in the segment.
    pub(super) block: usize,
    pub(super) tx: B256,
    pub(super) what: What,
}

pub(super) enum What {
    /// A request was performed. `ledger` is the ledger that a deployment created, and `None` for an order.
    Performed {
        claim: B256,
        ledger: Option<Address>,
    },
    /// A request was canceled.
    Canceled { claim: B256, is_deployment: bool },
    /// Tokens moved. `None` is the zero address: the tokens were created or destroyed.
    Paid {
        from: Option<Address>,
        to: Option<Address>,
        value: Amount,
    },
    /// Something changed on a ledger.
    Changed(Address, LedgerEvent),
    /// The event is ignored.
    Nothing,
}

/// Reads the events of a segment. Malformed logs and changes of the gateways' configuration are only reported in the service's log.
pub(super) fn read(
    evm: &Evm,
    ctx: &Context<'_>,
    index_head: &IndexHead,
    segment: &Segment,
) -> Result<Vec<Event>, LedgerError> {
    let mut events = Vec::with_capacity(segment.logs.len());
    for log in &segment.logs {
        let block = segment
            .blocks
            .binary_search_by_key(&log.block, |block| block.number)
            .map_err(|_| unavailable("a log belongs to no block of its segment"))?;
        let what = match meaning(evm, log) {
            Ok(Meaning::Event(what)) => what,
            Ok(Meaning::Nothing) => continue,
            // The check of the settings has seen the result of older changes.
            Ok(Meaning::Configured) if log.block <= index_head.checked_block => continue,
            Ok(Meaning::Configured) => {
                let level = match segment.is_settled {
                    true => Level::Warn,
                    false => Level::Error,
                };
                ctx.log(level, line("chain.gateway-changed", log));
                continue;
            }
            Err(_) => {
                ctx.log(Level::Error, line("chain.log-malformed", log));
                continue;
            }
        };
        events.push(Event {
            block,
            tx: log.tx,
            what,
        });
    }
    Ok(events)
}

fn line(event: &str, log: &Found) -> serde_json::Value {
    json!({
        "event": event,
        "contract": log.address,
        "block": log.block,
        "tx": hash_key(&log.tx),
        "topic": log.topics.first().map(hash_key),
    })
}

enum Meaning {
    Event(What),
    /// The configuration of a gateway changed.
    Configured,
    Nothing,
}

fn meaning(evm: &Evm, log: &Found) -> Result<Meaning, NotValid> {
    let event = log.as_log();
    if log.address == evm.chain.actions {
        return Ok(match OrderEvent::read(&event)? {
            Some(OrderEvent::Performed(claim)) => Meaning::Event(What::Performed {
                claim,
                ledger: None,
            }),
            Some(OrderEvent::Canceled(claim)) => Meaning::Event(What::Canceled {
                claim,
                is_deployment: false,
            }),
            Some(OrderEvent::Configured) => Meaning::Configured,
            None => Meaning::Nothing,
        });
    }
    if log.address == evm.chain.deploy {
        return Ok(match DeployEvent::read(&event)? {
            Some(DeployEvent::Performed { claim, ledger, .. }) => Meaning::Event(What::Performed {
                claim,
                ledger: Some(ledger),
            }),
            Some(DeployEvent::Canceled(claim)) => Meaning::Event(What::Canceled {
                claim,
                is_deployment: true,
            }),
            Some(DeployEvent::Configured) => Meaning::Configured,
            None => Meaning::Nothing,
        });
    }
    if log.address == evm.chain.token {
        return Ok(match TokenMove::read(&event)? {
            Some(TokenMove { from, to, value }) => Meaning::Event(What::Paid { from, to, value }),
            None => Meaning::Nothing,
        });
    }
    Ok(match LedgerEvent::read(&event)? {
        Some(event) => Meaning::Event(What::Changed(log.address, event)),
        None => Meaning::Nothing,
    })
}
