//! The state file of a batch: append-only NDJSON. docs/batch.md specifies it; `@assay/client` reads and writes the same lines.

use order_core::{Address, AssetId};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

use crate::failure::Failure;
use crate::journal::Lines;

/// The version of the file format.
const VERSION: u32 = 1;

/// A line of the file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "camelCase", deny_unknown_fields)]
pub(crate) enum Line {
    /// The first line: values that must not change between runs.
    Batch {
        version: u32,
        service: String,
        account: Address,
        settings: Value,
    },
    /// A deposit is about to be sent under this idempotency key.
    Deposit { id: String, cents: u64 },
    /// A deployment is about to be sent.
    Deployment { id: String, body: Value },
    /// The batch's ledger.
    Ledger { ledger: Address },
    /// The asset id of a row, generated once.
    Row { key: String, asset: AssetId },
    /// An order is about to be sent. `rows` are the keys of its certificates, in the order of its actions.
    Order {
        id: String,
        rows: Vec<String>,
        body: Value,
    },
    /// The order is final: its rows are issued.
    Final { id: String },
    /// The order or deployment can never take effect, so another order or deployment may replace it.
    Failed { id: String, message: String },
}

/// An order that was sent, or may have been sent.
#[derive(Clone, Debug)]
pub(crate) struct Sent {
    pub(crate) id: String,
    pub(crate) rows: Vec<String>,
    pub(crate) body: Value,
}

/// The content of a state file.
#[derive(Debug, Default)]
pub(crate) struct State {
    pub(crate) batch: Option<(String, Address, Value)>,
    pub(crate) deposits: Vec<(String, u64)>,
    pub(crate) deployment: Option<(String, Value)>,
    pub(crate) ledger: Option<Address>,
    pub(crate) assets: BTreeMap<String, AssetId>,
    /// Orders whose outcome is not known yet, by id.
    pub(crate) open: BTreeMap<String, Sent>,
    /// Orders that are final.
    pub(crate) done: Vec<Sent>,
}

impl State {
    /// Returns the keys of all rows that are issued.
    pub(crate) fn issued(&self) -> BTreeSet<&str> {
        self.done
            .iter()
            .flat_map(|order| order.rows.iter().map(String::as_str))
            .collect()
    }

    /// Returns the imprint (64 digits) of each row that was issued or is in an open order.
    pub(crate) fn imprints(&self) -> BTreeMap<&str, &str> {
        let orders = self.done.iter().chain(self.open.values());
        orders
            .flat_map(|order| {
                let actions = order
                    .body
                    .pointer("/order/actions")
                    .and_then(Value::as_array);
                order
                    .rows
                    .iter()
                    .map(String::as_str)
                    .zip(actions.into_iter().flatten())
            })
            .filter_map(|(key, action)| Some((key, action.get("assetImprint")?.as_str()?)))
            .collect()
    }
}

impl Lines for State {
    type Line = Line;

    fn apply(&mut self, line: Line) -> Result<(), String> {
        if self.batch.is_none() != matches!(line, Line::Batch { .. }) {
            return Err(
                "the first line must have the kind `batch`, and no other line may have it"
                    .to_owned(),
            );
        }
        match line {
            Line::Batch { version, .. } if version != VERSION => {
                return Err(format!(
                    "the version is {version}; this program knows version {VERSION}"
                ));
            }
            Line::Batch {
                service,
                account,
                settings,
                ..
            } => self.batch = Some((service, account, settings)),
            Line::Deposit { id, cents } => self.deposits.push((id, cents)),
            Line::Deployment { id, body } => self.deployment = Some((id, body)),
            Line::Ledger { ledger } if self.ledger.is_none() => self.ledger = Some(ledger),
            Line::Ledger { .. } => return Err("the ledger is named twice".to_owned()),
            Line::Row { key, asset } => {
                if self.assets.insert(key, asset).is_some() {
                    return Err("a row has two asset ids".to_owned());
                }
            }
            Line::Order { id, rows, body } => {
                if rows.iter().any(|key| !self.assets.contains_key(key)) {
                    return Err("an order has a row without an asset id".to_owned());
                }
                let sent = Sent {
                    id: id.clone(),
                    rows,
                    body,
                };
                self.open.insert(id, sent);
            }
            Line::Final { id } => match self.open.remove(&id) {
                Some(order) => self.done.push(order),
                None => return Err(format!("no open order has the id `{id}`")),
            },
            Line::Failed { id, .. } => {
                if self.deployment.take_if(|(known, _)| *known == id).is_none()
                    && self.open.remove(&id).is_none()
                {
                    return Err(format!("no open order or deployment has the id `{id}`"));
                }
            }
        }
        Ok(())
    }
}

/// Returns the failure for a state without a ledger or without the asset id of a row. It cannot occur after both are stored.
pub(crate) fn no_asset() -> Failure {
    Failure::new(
        "state-unreadable",
        "the state file lacks the batch's ledger or the asset of a row",
    )
}

#[cfg(test)]
mod tests;
