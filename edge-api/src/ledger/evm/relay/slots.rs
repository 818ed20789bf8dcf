//! The relayer's rows in the database: its nonces, and the transactions that it signed.

use std::collections::BTreeMap;

use alloy_primitives::{B256, hex};
use const_format::concatcp;
use order_core::Address;
use order_core::chain::{Call, SignedTransaction, Transaction};
use serde::{Deserialize, Deserializer};

use super::fees::{Price, cost};
use crate::context::Context;
use crate::db::rows::{flag, hash};
use crate::ledger::LedgerError;
use crate::ledger::evm::block::HeadState;
use crate::ledger::evm::memory::Evm;
use crate::ledger::evm::rpc::Outgoing;
use crate::ports::{Rows, Statement, exactly};
use crate::text::account_key;

/// Maximum number of slots that one run reads. A later run reads the next slots, after the nonces of these are in blocks.
pub(super) const SLOTS_MAX: u32 = 100;

/// The number of recent transactions whose average gas is the usual gas of a request.
const RECENT: u64 = 20;

/// The number of nonces whose transactions stay stored after they are final, so that an operator can look at them.
const KEPT_NONCES: u64 = 1_000;

/// The relayer's row.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct Relayer {
    pub(super) next_nonce: u64,
    pub(super) mined: u64,
    paused: Option<String>,
    #[serde(deserialize_with = "flag")]
    pub(super) is_low: bool,
}

impl Relayer {
    /// Returns the first row of a relayer. `nonce` is the number of transactions that its account has already sent.
    pub(super) fn new(nonce: u64) -> Self {
        Self {
            next_nonce: nonce,
            mined: nonce,
            paused: None,
            is_low: false,
        }
    }

    pub(super) fn paused(&self) -> Option<Pause> {
        self.paused.as_deref().and_then(Pause::read)
    }
}

/// The reason why nothing new is sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Pause {
    /// Gas costs more than the cap.
    Price,
    /// The balance is too low. The relayer continues once the balance has at least this number of wei.
    Funds(u128),
}

impl Pause {
    /// Returns the reason's name for `/health` and the log.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Price => "price",
            Self::Funds(_) => "funds",
        }
    }

    fn stored(self) -> String {
        match self {
            Self::Price => self.name().to_owned(),
            Self::Funds(needed) => format!("{} {needed}", self.name()),
        }
    }

    fn read(text: &str) -> Option<Self> {
        match text.split_once(' ') {
            None => (text == Self::Price.name()).then_some(Self::Price),
            Some((_, needed)) => needed.parse().ok().map(Self::Funds),
        }
    }
}

/// A signed transaction, without its bytes.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct Tx {
    pub(super) tx_hash: String,
    pub(super) nonce: u64,
    #[serde(deserialize_with = "wei")]
    max_fee: u128,
    #[serde(deserialize_with = "wei")]
    tip: u128,
    pub(super) gas: u64,
    pub(super) at_block: u64,
    #[serde(deserialize_with = "flag")]
    pub(super) is_empty: bool,
}

impl Tx {
    pub(super) fn price(&self) -> Price {
        Price {
            max_fee: self.max_fee,
            tip: self.tip,
        }
    }

    pub(super) fn cost(&self) -> u128 {
        cost(self.gas, self.max_fee)
    }
}

/// Reads an amount of wei that is stored as a decimal string.
fn wei<'de, D: Deserializer<'de>>(column: D) -> Result<u128, D::Error> {
    let text = String::deserialize(column)?;
    text.parse().map_err(serde::de::Error::custom)
}

/// Returns the transaction that nodes prefer to all others of its nonce.
pub(super) fn dearest(txs: &[Tx]) -> Option<&Tx> {
    txs.iter().max_by_key(|tx| (tx.max_fee, tx.tip))
}

/// A nonce of the relayer, and the record whose request it performs. A slot stays open until its nonce is final and its record is no
/// longer Processing.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct Slot {
    /// The account that the nonce belongs to. After the operator has changed the key, this is not the current relayer.
    pub(super) relayer: Address,
    pub(super) nonce: u64,
    #[serde(rename = "ref")]
    pub(super) reference: Option<String>,
    #[serde(deserialize_with = "flag")]
    pub(super) closed: bool,
    /// The time of its creation, in milliseconds since 1970.
    pub(super) since: u64,
    #[serde(deserialize_with = "flag")]
    pub(super) is_private: bool,
    /// The record's columns. `None` if there is no such record.
    pub(super) status: Option<u8>,
    pub(super) priority: Option<u8>,
    pub(super) expires_at: Option<u64>,
    /// The slot's transactions.
    #[serde(skip)]
    pub(super) txs: Vec<Tx>,
}

/// The stored nonces that are in no block yet.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Waiting {
    pub(super) count: u64,
    /// The maximum cost of their transactions, in wei.
    pub(super) cost: u128,
}

impl Waiting {
    fn of(txs: &[Tx]) -> Self {
        let mut costs = BTreeMap::<u64, u128>::new();
        for tx in txs {
            let most = costs.entry(tx.nonce).or_default();
            *most = tx.cost().max(*most);
        }
        Self {
            count: u64::try_from(costs.len()).unwrap_or(u64::MAX),
            cost: costs.into_values().fold(0, u128::saturating_add),
        }
    }
}

/// The stored state that decisions about some records need.
pub(super) struct Stored {
    pub(super) relayer: Option<Relayer>,
    pub(super) waiting: Waiting,
    /// The records, by their references.
    pub(super) records: BTreeMap<String, Sent>,
}

/// The stored state of one record.
#[derive(Debug, Deserialize)]
pub(super) struct Sent {
    #[serde(rename = "ref")]
    reference: String,
    /// The record's hash. It stays when the content of a canceled record is deleted.
    #[serde(deserialize_with = "hash")]
    pub(super) hash: B256,
    /// True if a transaction for the record was ever signed and stored.
    #[serde(deserialize_with = "flag")]
    pub(super) was_sent: bool,
    /// True if an indexed block shows the record's request as performed or canceled.
    #[serde(deserialize_with = "flag")]
    pub(super) is_seen: bool,
    /// The record's open slot.
    #[serde(skip)]
    pub(super) slot: Option<Slot>,
}

fn select_relayer(relayer: &Address) -> Statement {
    Statement::new("SELECT next_nonce, mined, paused, is_low FROM relayers WHERE address = ?1")
        .bind(account_key(relayer))
}

fn select_waiting(relayer: &Address, nonce: u64) -> Statement {
    Statement::new(
        "SELECT tx_hash, nonce, max_fee, tip, gas, at_block, is_empty FROM relay_txs WHERE relayer = ?1 AND nonce >= ?2",
    )
    .bind(account_key(relayer))
    .bind(nonce)
}

fn waiting(rows: Rows) -> Result<Waiting, LedgerError> {
    Ok(Waiting::of(&rows.all()?))
}

/// Reads the state that decisions about these records need. `nonce` is the number of the relayer's transactions in blocks.
pub(super) async fn stored(
    ctx: &Context<'_>,
    relayer: &Address,
    references: &[&str],
    nonce: u64,
) -> Result<Stored, LedgerError> {
    let statements = vec![
        select_relayer(relayer),
        select_waiting(relayer, nonce),
        Statement::new(
            "SELECT r.ref, r.hash, EXISTS (SELECT 1 FROM relay_slots s WHERE s.ref = r.ref) AS was_sent, \
             EXISTS (SELECT 1 FROM chain_claim_logs c WHERE c.hash = r.hash) AS is_seen \
             FROM records r WHERE r.ref IN (SELECT value FROM json_each(?1))",
        )
        .bind_json(&references)?,
        Statement::new(
            "SELECT s.relayer, s.nonce, s.ref, s.closed, s.since, s.is_private, r.status, r.priority, r.expires_at \
             FROM relay_slots s LEFT JOIN records r ON r.ref = s.ref \
             WHERE s.ref IN (SELECT value FROM json_each(?1)) AND s.closed = 0",
        )
        .bind_json(&references)?,
        Statement::new(
            "SELECT s.ref, t.tx_hash, t.nonce, t.max_fee, t.tip, t.gas, t.at_block, t.is_empty FROM relay_slots s \
             JOIN relay_txs t ON t.relayer = s.relayer AND t.nonce = s.nonce \
             WHERE s.ref IN (SELECT value FROM json_each(?1)) AND s.closed = 0",
        )
        .bind_json(&references)?,
    ];
    let [row, sent, records, slots, txs] = exactly(ctx.db().batch(statements).await?)?;
    let mut by_reference = BTreeMap::<String, Vec<Tx>>::new();
    for (reference, tx) in txs.each::<Tx>() {
        by_reference.entry(reference).or_default().push(tx?);
    }
    let mut open = BTreeMap::new();
    for (reference, slot) in slots.each::<Slot>() {
        let txs = by_reference.remove(&reference).unwrap_or_default();
        open.insert(reference, Slot { txs, ..slot? });
    }
    let with_slot = |sent: Sent| {
        let slot = open.remove(&sent.reference);
        (sent.reference.clone(), Sent { slot, ..sent })
    };
    Ok(Stored {
        relayer: row.first()?,
        waiting: waiting(sent)?,
        records: records.all::<Sent>()?.into_iter().map(with_slot).collect(),
    })
}

/// Reads the relayer's row, and the nonces that are in no block yet. `nonce` is the number of the relayer's transactions in blocks.
pub(super) async fn relayer(
    ctx: &Context<'_>,
    relayer: &Address,
    nonce: u64,
) -> Result<(Option<Relayer>, Waiting), LedgerError> {
    let statements = vec![select_relayer(relayer), select_waiting(relayer, nonce)];
    let [row, sent] = exactly(ctx.db().batch(statements).await?)?;
    Ok((row.first()?, waiting(sent)?))
}

/// The relayer's row and its slots, for one run.
pub(super) struct Queue {
    pub(super) relayer: Option<Relayer>,
    /// The slots whose nonces are in no block, the lowest first.
    pub(super) slots: Vec<Slot>,
    pub(super) waiting: Waiting,
    /// True if there are slots to close once the providers agree on the number of final transactions.
    pub(super) has_decided: bool,
    /// The average gas of recent requests. `None` if there is no stored transaction of a recent request.
    pub(super) usual_gas: Option<u64>,
    /// The creation time of the oldest open slot whose nonce is in no block, according to the relayer's row.
    pub(super) oldest: Option<u64>,
}

/// SQL condition: the slot's record is in the state Success, Failure, Canceled or Finalized, or the slot has no record.
const DECIDED: &str = "(ref IS NULL OR NOT EXISTS (SELECT 1 FROM records r WHERE r.ref = relay_slots.ref AND r.status NOT IN (3, 4, 6, 7)))";

/// Reads the relayer's row and its slots.
pub(super) async fn queue(
    ctx: &Context<'_>,
    relayer: &Address,
    head_state: &HeadState,
) -> Result<Queue, LedgerError> {
    #[derive(Deserialize)]
    struct Usual {
        gas: Option<u64>,
    }
    #[derive(Deserialize)]
    struct Oldest {
        since: Option<u64>,
    }
    let key = || account_key(relayer);
    let statements = vec![
        select_relayer(relayer),
        Statement::new(
            "SELECT s.relayer, s.nonce, s.ref, s.closed, s.since, s.is_private, r.status, r.priority, r.expires_at \
             FROM relay_slots s LEFT JOIN records r ON r.ref = s.ref WHERE s.relayer = ?1 AND s.nonce >= ?2 ORDER BY s.nonce LIMIT ?3",
        )
        .bind(key())
        .bind(head_state.nonce)
        .bind(SLOTS_MAX),
        select_waiting(relayer, head_state.nonce),
        Statement::new(concatcp!(
            "SELECT 1 AS one FROM relay_slots WHERE relayer = ?1 AND closed = 0 AND nonce < ?2 AND ",
            DECIDED,
            " LIMIT 1"
        ))
        .bind(key())
        .bind(head_state.settled_nonce),
        Statement::new(
            "SELECT CAST(avg(gas) AS INTEGER) AS gas FROM relay_txs WHERE relayer = ?1 AND is_empty = 0 \
             AND nonce >= (SELECT next_nonce FROM relayers WHERE address = ?1) - ?2",
        )
        .bind(key())
        .bind(RECENT),
        Statement::new(
            "SELECT min(s.since) AS since FROM relayers r CROSS JOIN relay_slots s ON s.relayer = r.address AND s.closed = 0 \
             AND s.nonce >= r.mined WHERE r.address = ?1",
        )
        .bind(key()),
    ];
    let [row, slots, sent, decided, usual, oldest] = exactly(ctx.db().batch(statements).await?)?;
    let sent: Vec<Tx> = sent.all()?;
    let waiting = Waiting::of(&sent);
    let mut by_nonce = BTreeMap::<u64, Vec<Tx>>::new();
    for tx in sent {
        by_nonce.entry(tx.nonce).or_default().push(tx);
    }
    let mut slots: Vec<Slot> = slots.all()?;
    for slot in &mut slots {
        slot.txs = by_nonce.remove(&slot.nonce).unwrap_or_default();
    }
    Ok(Queue {
        relayer: row.first()?,
        slots,
        waiting,
        has_decided: !decided.is_empty(),
        usual_gas: usual.first::<Usual>()?.and_then(|usual| usual.gas),
        oldest: oldest.first::<Oldest>()?.and_then(|oldest| oldest.since),
    })
}

/// Reads transactions including their bytes, the lowest nonce first.
pub(super) async fn outgoing(
    ctx: &Context<'_>,
    hashes: &[&str],
) -> Result<Vec<Outgoing>, LedgerError> {
    if hashes.is_empty() {
        return Ok(Vec::new());
    }
    let select = Statement::new(
        "SELECT t.nonce, t.raw, EXISTS (SELECT 1 FROM relay_txs o WHERE o.relayer = t.relayer AND o.nonce = t.nonce AND o.tx_hash <> t.tx_hash) \
         AS is_replacement FROM relay_txs t WHERE t.tx_hash IN (SELECT value FROM json_each(?1))",
    )
    .bind_json(&hashes)?;
    let mut txs: Vec<Outgoing> = ctx.db().query(select).await?.all()?;
    txs.sort_by_key(|tx| tx.nonce);
    Ok(txs)
}

/// A transaction that is signed and not stored yet.
pub(super) struct Signed {
    nonce: u64,
    price: Price,
    gas: u64,
    is_empty: bool,
    pub(super) tx: SignedTransaction,
}

impl Signed {
    /// Signs a call.
    pub(super) fn new(
        evm: &Evm,
        head_state: &HeadState,
        call: Call,
        nonce: u64,
        gas: u64,
        price: Price,
    ) -> Self {
        let is_empty = call.data.is_empty();
        let transaction = Transaction {
            chain_id: evm.chain.id,
            nonce,
            gas,
            fee: price.fee(head_state),
            value: 0,
            call,
        };
        Self {
            nonce,
            price,
            gas,
            is_empty,
            tx: transaction.sign(evm.chain.relayer.key()),
        }
    }

    /// Returns the maximum cost of the transaction, in wei.
    pub(super) fn cost(&self) -> u128 {
        cost(self.gas, self.price.max_fee)
    }

    /// Returns the transaction's hash as the database stores it.
    pub(super) fn hash(&self) -> String {
        hex::encode_prefixed(self.tx.hash)
    }

    fn insert(&self, relayer: &Address, at_block: u64) -> Statement {
        Statement::new(
            "INSERT INTO relay_txs (tx_hash, relayer, nonce, raw, max_fee, tip, gas, at_block, is_empty) \
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
        )
        .bind(self.hash())
        .bind(account_key(relayer))
        .bind(self.nonce)
        .bind(hex::encode_prefixed(&self.tx.raw))
        .bind(self.price.max_fee.to_string())
        .bind(self.price.tip.to_string())
        .bind(self.gas)
        .bind(at_block)
        .bind(self.is_empty)
    }

    /// Returns statements that take the transaction's nonce for a record. A guard fails if another process has taken the nonce.
    pub(super) fn take_nonce(
        &self,
        evm: &Evm,
        ctx: &Context<'_>,
        head_state: &HeadState,
        reference: &str,
    ) -> Vec<Statement> {
        let relayer = evm.relayer();
        vec![
            ensure(&relayer, self.nonce),
            Statement::new(
                "INSERT INTO guards SELECT 0 WHERE NOT EXISTS (SELECT 1 FROM relayers WHERE address = ?1 AND next_nonce = ?2)",
            )
            .bind(account_key(&relayer))
            .bind(self.nonce),
            Statement::new(
                "UPDATE relayers SET next_nonce = next_nonce + 1, mined = ?2, paused = NULL WHERE address = ?1",
            )
            .bind(account_key(&relayer))
            .bind(head_state.nonce),
            insert_slot(ctx, &relayer, self.nonce, Some(reference), evm.chain.sends_privately),
            self.insert(&relayer, head_state.head.number),
        ]
    }

    /// Returns statements that fill a nonce that has no slot yet. They fail if another process has filled the nonce.
    pub(super) fn fill(
        &self,
        ctx: &Context<'_>,
        relayer: &Address,
        at_block: u64,
    ) -> [Statement; 2] {
        [
            insert_slot(ctx, relayer, self.nonce, None, false),
            self.insert(relayer, at_block),
        ]
    }

    /// Returns statements that add the transaction to its slot, which had `known` transactions when it was read. A guard fails if another
    /// process has added a transaction.
    pub(super) fn replace(&self, relayer: &Address, known: usize, at_block: u64) -> [Statement; 2] {
        let guard = Statement::new(
            "INSERT INTO guards SELECT 0 WHERE (SELECT count(*) FROM relay_txs WHERE relayer = ?1 AND nonce = ?2) <> ?3",
        );
        [
            guard
                .bind(account_key(relayer))
                .bind(self.nonce)
                .bind(u64::try_from(known).unwrap_or(u64::MAX)),
            self.insert(relayer, at_block),
        ]
    }
}

fn insert_slot(
    ctx: &Context<'_>,
    relayer: &Address,
    nonce: u64,
    reference: Option<&str>,
    is_private: bool,
) -> Statement {
    Statement::new(
        "INSERT INTO relay_slots (relayer, nonce, ref, since, is_private) VALUES (?1, ?2, ?3, ?4, ?5)",
    )
    .bind(account_key(relayer))
    .bind(nonce)
    .bind(reference)
    .bind(ctx.now())
    .bind(is_private)
}

/// Returns a statement that creates the relayer's row if it is missing.
pub(super) fn ensure(relayer: &Address, nonce: u64) -> Statement {
    Statement::new(
        "INSERT INTO relayers (address, next_nonce, mined) VALUES (?1, ?2, ?2) ON CONFLICT DO NOTHING",
    )
    .bind(account_key(relayer))
    .bind(nonce)
}

/// Returns a statement that raises the next nonce to `nonce`, the number of transactions that the chain has.
pub(super) fn raise(relayer: &Address, nonce: u64) -> Statement {
    Statement::new("UPDATE relayers SET next_nonce = ?2 WHERE address = ?1 AND next_nonce < ?2")
        .bind(account_key(relayer))
        .bind(nonce)
}

/// Returns a statement that stores why nothing new is sent. `None` clears the reason.
pub(super) fn pause(relayer: &Address, pause: Option<Pause>) -> Statement {
    Statement::new("UPDATE relayers SET paused = ?2 WHERE address = ?1")
        .bind(account_key(relayer))
        .bind(pause.map(Pause::stored))
}

/// Returns a statement that stores whether the balance is low, and how many of the relayer's transactions are in blocks.
pub(super) fn note(relayer: &Address, is_low: bool, mined: u64) -> Statement {
    Statement::new("UPDATE relayers SET is_low = ?2, mined = ?3 WHERE address = ?1")
        .bind(account_key(relayer))
        .bind(is_low)
        .bind(mined)
}

/// Returns a statement that closes a slot.
pub(super) fn close(relayer: &Address, nonce: u64) -> Statement {
    Statement::new("UPDATE relay_slots SET closed = 1 WHERE relayer = ?1 AND nonce = ?2")
        .bind(account_key(relayer))
        .bind(nonce)
}

/// Returns statements that close the slots of decided records whose nonces are final, and delete old transactions. They also forget the gas of
/// these records, except of those that failed. `final_nonce` is the number of the relayer's final transactions.
pub(super) fn close_decided(relayer: &Address, final_nonce: u64) -> [Statement; 3] {
    [
        Statement::new(concatcp!(
            "DELETE FROM relay_gas WHERE failed = 0 AND ref IN (SELECT ref FROM relay_slots WHERE relayer = ?1 AND closed = 0 AND nonce < ?2 AND ",
            DECIDED,
            ")"
        ))
        .bind(account_key(relayer))
        .bind(final_nonce),
        Statement::new(concatcp!(
            "UPDATE relay_slots SET closed = 1 WHERE relayer = ?1 AND closed = 0 AND nonce < ?2 AND ",
            DECIDED
        ))
        .bind(account_key(relayer))
        .bind(final_nonce),
        Statement::new(
            "DELETE FROM relay_txs WHERE relayer = ?1 AND nonce < ?2 \
             AND nonce NOT IN (SELECT nonce FROM relay_slots WHERE relayer = ?1 AND closed = 0 AND nonce < ?2)",
        )
        .bind(account_key(relayer))
        .bind(final_nonce.saturating_sub(KEPT_NONCES)),
    ]
}
