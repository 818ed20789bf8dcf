//! JSON-RPC of the chain's providers: batches, fallback to the next provider, and quorums.
//!
//! The addresses of providers contain keys. Logs and errors therefore name a provider by its number in the setting: 1, 2, ….

use std::cell::Cell;
use std::rc::Rc;

use alloy_primitives::{B256, hex};
use futures_util::future::join_all;
use order_core::chain::{Call, Fee, View};
use order_core::{Address, NotValid};
use serde::Deserialize;
use serde_json::{Value, json};

use super::answer::{Halt, Logged, Scanner};
use crate::budget::Budget;
use crate::config::{Chain, Secret};
use crate::context::Context;
use crate::db::rows::flag;
use crate::ledger::LedgerError;
use crate::ports::{ByteBudget, DatabaseError, Fetch, FetchError, Level};
use crate::text::{hash_key, shortened};

/// The timeout of a batch in milliseconds.
const TIMEOUT_MS: u64 = 10_000;
/// The timeout of small batches for which a client or a probe may wait.
const QUICK_TIMEOUT_MS: u64 = 3_000;
/// Maximum bytes of an answer on the wire. Its logs are read as they arrive, so it needs less memory.
const ANSWER_BYTES: usize = 32 << 20;
/// Like [`ANSWER_BYTES`], for the receipt of a single transaction. The largest blocks of chains have less gas than so many logs need.
const RECEIPT_BYTES: usize = 512 << 20;
/// Maximum estimated bytes that an answer keeps in memory without its logs, however many calls it answers.
const KEPT_BYTES: usize = 8 << 20;
/// Maximum estimated bytes of the logs of an answer. About 10,000 logs of the original contracts have this size.
const LOG_BYTES: usize = 4 << 20;
/// Maximum bytes of all answers that an isolate is reading at the same time.
pub(super) const READING_BYTES: usize = 32 << 20;
/// Maximum number of calls in one HTTP request. Providers allow 100 to 1,000.
const BATCH_MAX: usize = 100;
/// Milliseconds for which a provider is asked last after it failed, or after it gave an untrue or outdated answer.
const REST_MS: u64 = 30_000;

/// A JSON-RPC call.
#[derive(Clone, Debug)]
pub(super) struct Ask {
    method: &'static str,
    params: Value,
    /// The number of views that the call reads.
    views: usize,
}

/// The block whose state a call reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum At {
    /// The last block that the provider knows.
    Latest,
    /// The block with this hash (EIP-1898). A provider that does not have the block in its chain answers with an error.
    Block(B256),
    /// The block with this number.
    Number(u64),
}

impl At {
    pub(super) fn param(self) -> Value {
        match self {
            Self::Latest => json!("latest"),
            Self::Number(number) => quantity(number),
            Self::Block(hash) => json!({ "blockHash": hash_key(&hash), "requireCanonical": true }),
        }
    }
}

impl Ask {
    pub(super) fn new(method: &'static str, params: Value) -> Self {
        Self {
            method,
            params,
            views: 1,
        }
    }

    /// Sets the number of views that the call reads.
    pub(super) fn views(self, views: usize) -> Self {
        Self { views, ..self }
    }

    fn is_for_logs(&self) -> bool {
        self.method == "eth_getLogs"
    }

    /// Returns the maximum estimated bytes of the answer, without logs and without a block's transactions.
    fn most(&self) -> usize {
        match self.method {
            // The longest texts of ledgers have about 20 kB, and each byte is two hexadecimal digits.
            "eth_call" => self.views.saturating_mul(64 << 10),
            // The code of a contract, and the input of a transaction. Nodes do not spread transactions of more than 128 kB.
            "eth_getCode" | "eth_getTransactionByHash" => 512 << 10,
            _ => 16 << 10,
        }
    }

    /// Calls a contract without a transaction.
    pub(super) fn view(call: &Call, at: At) -> Self {
        let call = json!({ "to": call.to, "data": hex::encode_prefixed(&call.data) });
        Self::new("eth_call", json!([call, at.param()]))
    }

    /// Repeats the call of a transaction on the state of a block, without a transaction.
    pub(super) fn replay(call: &Call, from: Address, gas: u64, at: At) -> Self {
        let data = hex::encode_prefixed(&call.data);
        let call = json!({ "from": from, "to": call.to, "gas": quantity(gas), "data": data });
        Self::new("eth_call", json!([call, at.param()]))
    }

    /// Reads the number of transactions that an account has sent.
    pub(super) fn nonce(account: Address, at: At) -> Self {
        Self::new("eth_getTransactionCount", json!([account, at.param()]))
    }

    /// Reads the code of a contract.
    pub(super) fn code(account: Address) -> Self {
        Self::new("eth_getCode", json!([account, "latest"]))
    }

    /// Reads the receipt of a transaction. The answer is null if no block has the transaction.
    pub(super) fn receipt(tx_hash: &str) -> Self {
        Self::new("eth_getTransactionReceipt", json!([tx_hash]))
    }

    /// Simulates a transaction. The answer is the gas that it needs. With a fee, contracts see the price of gas as in a block. The account
    /// `from` must then have enough ether.
    pub(super) fn estimate(call: &Call, from: Address, fee: Option<Fee>) -> Self {
        let wei = |wei: u128| json!(format!("{wei:#x}"));
        let data = hex::encode_prefixed(&call.data);
        let mut call = json!({ "from": from, "to": call.to, "data": data });
        let fields = match fee {
            None => Vec::new(),
            Some(Fee::Legacy { gas_price }) => vec![("gasPrice", wei(gas_price))],
            Some(Fee::Dynamic { max_fee, tip }) => vec![
                ("maxFeePerGas", wei(max_fee)),
                ("maxPriorityFeePerGas", wei(tip)),
            ],
        };
        for (name, value) in fields {
            if let Some(call) = call.as_object_mut() {
                call.insert(name.to_owned(), value);
            }
        }
        Self::new("eth_estimateGas", json!([call, "latest"]))
    }
}

/// A provider's answer to one call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Reply {
    /// The result.
    Value(Value),
    /// The logs that a query found.
    Logs(Vec<Logged>),
    /// The contract reverted with this data. The data is empty if there is no reason.
    Reverted(Vec<u8>),
    /// The provider refused the call, with this message. Another provider may answer the call.
    Refused(String),
}

impl Reply {
    /// Returns the result.
    ///
    /// # Errors
    /// If the call reverted or was refused.
    pub(super) fn value(self) -> Result<Value, LedgerError> {
        match self {
            Self::Value(value) => Ok(value),
            Self::Logs(_) => Err(unavailable("a provider answered logs instead of a value")),
            Self::Reverted(_) => Err(unavailable("a call reverted that never reverts")),
            Self::Refused(why) => Err(unavailable(&why)),
        }
    }

    /// Returns the logs of a query.
    ///
    /// # Errors
    /// If the answer is no list of logs.
    pub(super) fn logs(self) -> Result<Vec<Logged>, LedgerError> {
        match self {
            Self::Logs(logs) => Ok(logs),
            other => {
                other.value()?;
                Err(unavailable("the logs are not a list"))
            }
        }
    }

    /// Returns the bytes of the result of [`Ask::view`], or `None` if the contract reverted.
    pub(super) fn bytes(self) -> Result<Option<Vec<u8>>, LedgerError> {
        match self {
            Self::Reverted(_) => Ok(None),
            other => data(&other.value()?).map(Some),
        }
    }
}

/// The answers of a batch. The caller takes them in the order of the calls.
pub(super) struct Replies(std::vec::IntoIter<Reply>);

impl From<Vec<Reply>> for Replies {
    fn from(replies: Vec<Reply>) -> Self {
        Self(replies.into_iter())
    }
}

impl Replies {
    /// Returns the next answer.
    ///
    /// # Errors
    /// If no answer is left.
    pub(super) fn next(&mut self) -> Result<Reply, LedgerError> {
        let missing = || unavailable("a provider left out an answer");
        self.0.next().ok_or_else(missing)
    }

    /// Takes the next answer as the contract's answer to a view. `None` if the call reverted, or if there is no contract.
    ///
    /// # Errors
    /// If the provider refused the call, or if the answer has another shape.
    pub(super) fn of<T>(&mut self, view: &View<T>) -> Result<Option<T>, LedgerError> {
        match self.next()?.bytes()? {
            None => Ok(None),
            Some(answer) if answer.is_empty() => Ok(None),
            Some(answer) => {
                let malformed = |error: NotValid| unavailable(&error.to_string());
                view.read(&answer).map(Some).map_err(malformed)
            }
        }
    }
}

/// Returns the error for providers that do not answer, that disagree, or whose answers cannot be used.
pub(super) fn unavailable(why: &str) -> LedgerError {
    LedgerError::Unavailable(why.to_owned())
}

/// Reads `0x` and hex digits.
pub(super) fn data(value: &Value) -> Result<Vec<u8>, LedgerError> {
    let bytes = value.as_str().and_then(|text| hex::decode(text).ok());
    bytes.ok_or_else(|| unavailable("a provider's answer is not hexadecimal"))
}

/// Reads a hash.
pub(super) fn hash(value: &Value) -> Result<B256, LedgerError> {
    hash_of(value.as_str().unwrap_or_default())
}

/// Reads the text of a hash.
pub(super) fn hash_of(text: &str) -> Result<B256, LedgerError> {
    let hash = text.parse().ok();
    hash.ok_or_else(|| unavailable("a provider's answer is not a hash"))
}

/// Reads a number: `0x` and at most 32 hex digits.
pub(super) fn number(value: &Value) -> Result<u128, LedgerError> {
    number_of(value.as_str().unwrap_or_default())
}

fn number_of(text: &str) -> Result<u128, LedgerError> {
    let digits = text.strip_prefix("0x");
    let number = digits.and_then(|digits| u128::from_str_radix(digits, 16).ok());
    number.ok_or_else(|| unavailable("a provider's answer is not a number"))
}

/// Reads a number of 64 bits.
pub(super) fn number64(value: &Value) -> Result<u64, LedgerError> {
    number64_of(value.as_str().unwrap_or_default())
}

/// Reads the text of a number of 64 bits.
pub(super) fn number64_of(text: &str) -> Result<u64, LedgerError> {
    u64::try_from(number_of(text)?).map_err(|_| unavailable("a provider's number is too large"))
}

/// Formats a number as providers expect it.
pub(super) fn quantity(number: u64) -> Value {
    json!(format!("{number:#x}"))
}

/// The recent faults of each provider, as an isolate remembers them.
#[derive(Debug, Default)]
pub(super) struct Health([Provider; 8]);

/// Times in milliseconds since 1970; 0 for never.
#[derive(Debug, Default)]
struct Provider {
    /// The time at which the provider last failed to answer. An answer resets it to 0.
    failed_at: Cell<u64>,
    /// The time at which the provider last gave an untrue or outdated answer.
    doubted_at: Cell<u64>,
}

impl Health {
    fn answered(&self, provider: usize, failed_at: u64) {
        if let Some(provider) = self.0.get(provider) {
            provider.failed_at.set(failed_at);
        }
    }

    fn doubted(&self, provider: usize, now: u64) {
        if let Some(provider) = self.0.get(provider) {
            provider.doubted_at.set(now);
        }
    }

    /// Returns true if the provider is asked last.
    fn is_resting(&self, provider: usize, now: u64) -> bool {
        let recent = |at: &Cell<u64>| at.get() > 0 && now.saturating_sub(at.get()) < REST_MS;
        let provider = self.0.get(provider);
        provider.is_some_and(|known| recent(&known.failed_at) || recent(&known.doubted_at))
    }
}

/// The addresses to which transactions are sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reach {
    /// The addresses in `RPC_SEND_URLS`, which keep transactions private.
    Private,
    /// The addresses in `RPC_SEND_URLS`. If it is empty, the provider that is asked first.
    First,
    /// The addresses in `RPC_SEND_URLS`, and each provider that seems to lack the transaction.
    Everywhere,
}

/// A signed transaction to send.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct Outgoing {
    pub(super) nonce: u64,
    raw: String,
    /// True if other transactions have the same nonce. The number of transactions that a provider has then does not show whether it
    /// has this one.
    #[serde(deserialize_with = "flag")]
    is_replacement: bool,
}

/// The reason why a provider's answer cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Failure {
    /// The answer is larger than its calls need, or has too many logs.
    TooLarge,
    /// The isolate reads too many other answers.
    Busy,
    /// The provider did not answer, or its answer is malformed.
    Other(String),
}

impl Failure {
    /// Returns a sentence for the log.
    pub(super) fn why(&self) -> &str {
        match self {
            Self::TooLarge => "the answer is too large",
            Self::Busy => "the isolate reads too many answers at the same time",
            Self::Other(why) => why,
        }
    }

    fn other(why: &str) -> Self {
        Self::Other(why.to_owned())
    }
}

impl From<Halt> for Failure {
    fn from(halt: Halt) -> Self {
        match halt {
            Halt::TooLarge => Self::TooLarge,
            Halt::Malformed => Self::other("the answer is malformed"),
        }
    }
}

/// Receives the index of an answer in the batch, and a record of it. Returns the number of bytes that it keeps of the record.
pub(super) type Take<'a> = &'a mut dyn FnMut(usize, &[u8]) -> Result<usize, Halt>;

/// The providers, for one request, message or scheduled run.
#[derive(Clone, Copy)]
pub(super) struct Rpc<'a> {
    ctx: &'a Context<'a>,
    chain: &'a Chain,
    health: &'a Health,
    /// The bytes of all answers that the isolate is reading.
    reading: &'a Rc<Budget>,
    timeout_ms: u64,
}

impl<'a> Rpc<'a> {
    pub(super) fn new(
        ctx: &'a Context<'a>,
        chain: &'a Chain,
        health: &'a Health,
        reading: &'a Rc<Budget>,
    ) -> Self {
        Self {
            ctx,
            chain,
            health,
            reading,
            timeout_ms: TIMEOUT_MS,
        }
    }

    /// Shortens the timeout of the calls.
    pub(super) fn quick(self) -> Self {
        Self {
            timeout_ms: QUICK_TIMEOUT_MS,
            ..self
        }
    }

    /// Sends a call to each of these addresses at the same time. `None` for an address that does not answer.
    pub(super) async fn each(&self, urls: &[Secret], call: &Ask) -> Vec<Option<Reply>> {
        let calls = std::slice::from_ref(call);
        let answers = join_all(urls.iter().map(|url| self.exchange(url, calls))).await;
        let one = |answer: Result<Vec<Reply>, Failure>| answer.ok()?.pop();
        answers.into_iter().map(one).collect()
    }

    /// Returns the answers of calls, in their order. A batch goes to one provider after another, until a provider answers it and refuses
    /// none of its calls. If there is no such provider, returns the answers of the last provider that answered.
    ///
    /// # Errors
    /// If no provider answers a batch.
    pub(super) async fn ask(&self, calls: &[Ask]) -> Result<Vec<Reply>, LedgerError> {
        let mut replies = Vec::with_capacity(calls.len());
        for batch in calls.chunks(BATCH_MAX) {
            let mut last = unavailable("no provider is configured");
            let mut answer = None;
            for provider in self.in_order() {
                match self.batch(provider, batch).await {
                    Ok(found) => {
                        let is_whole =
                            !found.iter().any(|reply| matches!(reply, Reply::Refused(_)));
                        answer = Some(found);
                        if is_whole {
                            break;
                        }
                    }
                    Err(why) => last = unavailable(&self.named(provider, &why)),
                }
            }
            replies.extend(answer.ok_or(last)?);
        }
        Ok(replies)
    }

    /// Returns the answers on which a quorum agrees: as many providers as the quorum, asked in order, have the same answers to all calls.
    /// Compares only a part of each answer, and returns this part.
    ///
    /// # Errors
    /// If no quorum agrees. A provider that refuses a call does not count.
    pub(super) async fn ask_quorum(
        &self,
        calls: &[Ask],
        part: fn(Reply) -> Reply,
    ) -> Result<Vec<Reply>, LedgerError> {
        let mut answers: Vec<(Vec<Reply>, usize)> = Vec::new();
        for provider in self.in_order() {
            let Ok(replies) = self.whole(provider, calls).await else {
                continue;
            };
            if replies
                .iter()
                .any(|reply| matches!(reply, Reply::Refused(_)))
            {
                continue;
            }
            let replies: Vec<Reply> = replies.into_iter().map(part).collect();
            let count = match answers.iter_mut().find(|(known, _)| *known == replies) {
                Some((_, count)) => {
                    *count = count.saturating_add(1);
                    *count
                }
                None => {
                    answers.push((replies.clone(), 1));
                    1
                }
            };
            if count >= self.chain.quorum {
                return Ok(replies);
            }
        }
        Err(unavailable(match answers.len() {
            0 | 1 => "too few providers answer",
            _ => "the providers give different answers",
        }))
    }

    /// Returns the answer of one call.
    ///
    /// # Errors
    /// As [`Rpc::ask`].
    pub(super) async fn one(&self, call: Ask) -> Result<Reply, LedgerError> {
        let mut replies = self.ask(&[call]).await?;
        replies
            .pop()
            .ok_or_else(|| unavailable("a provider left out an answer"))
    }

    /// Asks all providers. Returns a call's answer if all of its answers are equal, and if at least as many providers as the quorum
    /// answer. Otherwise returns `None` for the call, and the caller must not decide anything. Ignores providers that refuse the call.
    pub(super) async fn agree(&self, calls: &[Ask]) -> Vec<Option<Reply>> {
        self.agree_on(calls, |reply| reply).await
    }

    /// Like [`Rpc::agree`], but compares only a part of each answer. Returns this part.
    pub(super) async fn agree_on(
        &self,
        calls: &[Ask],
        part: fn(Reply) -> Reply,
    ) -> Vec<Option<Reply>> {
        let all = self.everyone(calls).await;
        let parts = |replies: Vec<Reply>| replies.into_iter().map(part).collect();
        let answered: Vec<Vec<Reply>> = all.into_iter().flatten().map(parts).collect();
        let agreed = |index: usize| {
            let mut replies = answered
                .iter()
                .filter_map(|replies| replies.get(index))
                .filter(|reply| !matches!(reply, Reply::Refused(_)));
            let first = replies.next()?;
            let mut count = 1_usize;
            for reply in replies {
                if reply != first {
                    return None;
                }
                count = count.saturating_add(1);
            }
            (count >= self.chain.quorum).then(|| first.clone())
        };
        (0..calls.len()).map(agreed).collect()
    }

    /// Asks all providers. Returns the answers of each, or `None` for a provider that does not answer.
    pub(super) async fn everyone(&self, calls: &[Ask]) -> Vec<Option<Vec<Reply>>> {
        let providers = 0..self.chain.providers.len();
        let answers = join_all(providers.map(|provider| self.whole(provider, calls))).await;
        answers.into_iter().map(Result::ok).collect()
    }

    /// Moves the provider that is asked first to the end of the order for a while, although it answers. Returns false if there is no
    /// other provider, or if all providers have a recent fault.
    pub(super) fn prefer_other(&self, why: &str) -> bool {
        let now = self.ctx.ports().clock.now_ms();
        let order = self.in_order();
        let first = order.first().filter(|_| order.len() > 1);
        let Some(first) = first.filter(|first| !self.health.is_resting(**first, now)) else {
            return false;
        };
        self.doubt(*first, why);
        true
    }

    /// Moves a provider to the end of the order for a while, although it answers.
    pub(super) fn doubt(&self, provider: usize, why: &str) {
        let now = self.ctx.ports().clock.now_ms();
        if !self.health.is_resting(provider, now) {
            let line = json!({ "event": "rpc.not-preferred", "provider": provider.saturating_add(1), "why": why });
            self.ctx.log(Level::Warn, line);
        }
        self.health.doubted(provider, now);
    }

    /// Returns a provider's answers to any number of calls.
    ///
    /// # Errors
    /// If the provider fails to answer a batch.
    pub(super) async fn whole(
        &self,
        provider: usize,
        calls: &[Ask],
    ) -> Result<Vec<Reply>, Failure> {
        let mut replies = Vec::with_capacity(calls.len());
        for batch in calls.chunks(BATCH_MAX) {
            replies.extend(self.batch(provider, batch).await?);
        }
        Ok(replies)
    }

    /// Sends signed transactions, in one batch to each address. The answers decide nothing: only the chain shows whether a transaction was
    /// performed.
    pub(super) async fn send(&self, txs: &[Outgoing], reach: Reach) {
        let providers = &self.chain.providers;
        let senders = self.chain.senders.as_slice();
        let mut sends: Vec<(&Secret, Vec<&Outgoing>)> = Vec::new();
        let all = || txs.iter().collect::<Vec<_>>();
        sends.extend(senders.iter().map(|url| (url, all())));
        match reach {
            Reach::Private => {}
            Reach::First if !senders.is_empty() => {}
            Reach::First => {
                let first = self.in_order().first().copied().unwrap_or_default();
                sends.extend(providers.get(first).map(|url| (url, all())));
            }
            Reach::Everywhere => {
                let counts = self.pending_counts().await;
                for (url, count) in providers.iter().zip(counts) {
                    let is_missing = |tx: &&Outgoing| tx.is_replacement || tx.nonce >= count;
                    sends.push((url, txs.iter().filter(is_missing).collect()));
                }
            }
        }
        let call = |tx: &&Outgoing| Ask::new("eth_sendRawTransaction", json!([tx.raw]));
        let sent = sends.into_iter().map(async |(url, txs)| {
            let calls: Vec<Ask> = txs.iter().map(call).collect();
            // Refusals are expected for a transaction that was sent before: `already known`, `nonce too low`.
            self.exchange(url, &calls).await.err()
        });
        for (index, why) in join_all(sent).await.into_iter().enumerate() {
            if let Some(why) = why {
                let line = json!({ "event": "relayer.not-sent", "sender": index.saturating_add(1), "why": why.why() });
                self.ctx.log(Level::Warn, line);
            }
        }
    }

    /// Returns the number of the relayer's transactions that each provider has, in blocks or waiting for one. 0 for a provider that does not
    /// answer.
    async fn pending_counts(&self) -> Vec<u64> {
        let relayer = self.chain.relayer.key().address();
        let call = Ask::new("eth_getTransactionCount", json!([relayer, "pending"]));
        let count = |replies: Option<Vec<Reply>>| {
            let value = replies?.pop()?.value().ok()?;
            number64(&value).ok()
        };
        let replies = self.everyone(&[call]).await;
        let counts = replies.into_iter().map(count);
        counts.map(Option::unwrap_or_default).collect()
    }

    /// Returns the indexes of the providers in the order in which they are asked: first the providers without a recent fault, then the
    /// others. Both groups have the order of the setting.
    pub(super) fn in_order(&self) -> Vec<usize> {
        let now = self.ctx.ports().clock.now_ms();
        let mut order: Vec<usize> = (0..self.chain.providers.len()).collect();
        order.sort_by_key(|provider| self.health.is_resting(*provider, now));
        order
    }

    /// Sends a batch to a provider, and remembers whether it answered.
    async fn batch(&self, provider: usize, calls: &[Ask]) -> Result<Vec<Reply>, Failure> {
        let answer = match self.chain.providers.get(provider) {
            Some(url) => self.exchange(url, calls).await,
            None => Err(Failure::other("there is no such provider")),
        };
        self.remember(provider, answer)
    }

    /// Sends at most [`BATCH_MAX`] calls to a provider in one HTTP request. `take` receives the records of the answer: the logs of receipts,
    /// and the transactions of a block.
    pub(super) async fn records(
        &self,
        provider: usize,
        calls: &[Ask],
        take: Take<'_>,
    ) -> Result<Vec<Reply>, Failure> {
        let limit = match calls {
            [_] => RECEIPT_BYTES,
            _ => ANSWER_BYTES,
        };
        let answer = match self.chain.providers.get(provider) {
            Some(url) => self.read(url, calls, limit, take).await,
            None => Err(Failure::other("there is no such provider")),
        };
        let replies = answer.map(|answer| answer.into_iter().map(|(_, reply)| reply).collect());
        self.remember(provider, replies)
    }

    /// Remembers and logs whether a provider answered. An answer that is too large is no reason to ask the provider last, because a contract
    /// can be the cause.
    fn remember(
        &self,
        provider: usize,
        answer: Result<Vec<Reply>, Failure>,
    ) -> Result<Vec<Reply>, Failure> {
        match &answer {
            Ok(_) | Err(Failure::TooLarge) => self.health.answered(provider, 0),
            Err(Failure::Busy) => {}
            Err(Failure::Other(_)) => {
                let now = self.ctx.ports().clock.now_ms();
                self.health.answered(provider, now);
            }
        }
        if let Err(why) = &answer {
            let why = self.named(provider, why);
            self.ctx
                .log(Level::Warn, json!({ "event": "rpc.failed", "why": why }));
        }
        answer
    }

    /// Returns a sentence for the log.
    fn named(&self, provider: usize, why: &Failure) -> String {
        format!("provider {}: {}", provider.saturating_add(1), why.why())
    }

    /// Sends a batch as one HTTP request.
    async fn exchange(&self, url: &Secret, calls: &[Ask]) -> Result<Vec<Reply>, Failure> {
        if calls.is_empty() {
            return Ok(Vec::new());
        }
        let has_logs = calls.iter().any(Ask::is_for_logs);
        let mut logs: Vec<Vec<Logged>> = Vec::new();
        let mut bytes = 0_usize;
        let mut take = |answer: usize, record: &[u8]| {
            if !has_logs {
                return Ok(0);
            }
            let Some(log) = Logged::read(record).map_err(|_| Halt::Malformed)? else {
                return Ok(0);
            };
            let more = log.bytes();
            bytes = bytes.saturating_add(more);
            if bytes > LOG_BYTES {
                return Err(Halt::TooLarge);
            }
            while logs.len() <= answer {
                logs.push(Vec::new());
            }
            if let Some(logs) = logs.get_mut(answer) {
                logs.push(log);
            }
            Ok(more)
        };
        let replies = self.read(url, calls, ANSWER_BYTES, &mut take).await?;
        let with_logs = |(call, (answer, reply)): (&Ask, (usize, Reply))| match reply {
            Reply::Value(Value::Array(_)) if call.is_for_logs() => {
                Reply::Logs(logs.get_mut(answer).map(std::mem::take).unwrap_or_default())
            }
            other => other,
        };
        Ok(calls.iter().zip(replies).map(with_logs).collect())
    }

    /// Sends a batch as one HTTP request, and reads the answer as it arrives. Returns the replies in the order of the calls, each with its index
    /// in the answer.
    async fn read(
        &self,
        url: &Secret,
        calls: &[Ask],
        limit: usize,
        take: Take<'_>,
    ) -> Result<Vec<(usize, Reply)>, Failure> {
        let body = calls.iter().enumerate().map(|(id, call)| {
            json!({ "jsonrpc": "2.0", "id": id, "method": call.method, "params": call.params })
        });
        let request = Fetch {
            url: url.expose().to_owned(),
            headers: vec![("content-type".to_owned(), "application/json".to_owned())],
            body: Some(Value::from_iter(body).to_string().into_bytes()),
            limit,
            timeout_ms: self.timeout_ms,
            budget: None,
        };
        let most = calls.iter().map(Ask::most);
        let text_max = most.clone().max().unwrap_or_default().min(KEPT_BYTES >> 1);
        let most = most.fold(16 << 10, usize::saturating_add).min(KEPT_BYTES);
        // The only list of small answers whose elements are needed.
        let keeps_records = calls.iter().any(|call| call.method == "eth_feeHistory");
        let mut scanner = Scanner::new(most, text_max, keeps_records);
        let share = self.reading.share(self.ctx.ports().clock.now_ms());
        let mut stopped: Option<Failure> = None;
        let mut read = |status: u16, part: &[u8]| {
            if status != 200 {
                return true;
            }
            let before = scanner.kept();
            let mut taken = 0_usize;
            let mut each = |answer: usize, record: &[u8]| {
                taken = taken.saturating_add(take(answer, record)?);
                Ok(())
            };
            let result = scanner.push(part, &mut each).map_err(Failure::from);
            let more = scanner.kept().saturating_sub(before).saturating_add(taken);
            let result = match result {
                Ok(()) if !share.take(more) => Err(Failure::Busy),
                other => other,
            };
            stopped = result.err();
            stopped.is_none()
        };
        let answer = self.ctx.ports().http.stream(request, &mut read).await;
        if let Some(why) = stopped {
            return Err(why);
        }
        let answer = answer.map_err(|error| match error {
            FetchError::TooLarge => Failure::TooLarge,
            // The runtime's message about a failed connection may contain the address.
            _ => Failure::other("it gave no usable answer in time"),
        })?;
        if answer.status != 200 {
            return Err(Failure::Other(format!("status {}", answer.status)));
        }
        let answer = scanner.finish()?;
        let answer: Value = serde_json::from_slice(&answer)
            .map_err(|_| Failure::other("the answer is not JSON"))?;
        let Value::Array(list) = answer else {
            return Err(Failure::other("the answer is not a list"));
        };
        let mut replies: Vec<Option<(usize, Reply)>> = vec![None; calls.len()];
        for (index, item) in list.into_iter().enumerate() {
            let id = item.get("id").and_then(Value::as_u64);
            let place = id.and_then(|id| replies.get_mut(usize::try_from(id).ok()?));
            let place = place.ok_or_else(|| Failure::other("an answer has an unknown id"))?;
            *place = Some((index, reply(item)?));
        }
        let whole: Option<Vec<(usize, Reply)>> = replies.into_iter().collect();
        whole.ok_or_else(|| Failure::other("an answer is missing"))
    }
}

/// Reads an item of a batch's answer.
fn reply(mut item: Value) -> Result<Reply, Failure> {
    let Some(error) = item.get("error").filter(|error| !error.is_null()) else {
        let result = item.get_mut("result").map(Value::take);
        let missing = || Failure::other("an answer has no result");
        return result.map(Reply::Value).ok_or_else(missing);
    };
    let message = error
        .get("message")
        .and_then(Value::as_str)
        .unwrap_or_default();
    // Providers put the data of a revert in different places.
    let places = [
        error.get("data"),
        error.pointer("/data/data"),
        error.pointer("/data/result"),
    ];
    let data = places
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .find_map(|text| hex::decode(text.strip_prefix("Reverted ").unwrap_or(text)).ok());
    // 3 is the code of a revert (execution-apis). Older nodes use -32000 or -32015 with a message.
    let is_revert =
        error.get("code").and_then(Value::as_i64) == Some(3) || message.contains("revert");
    Ok(match data {
        Some(data) if is_revert || !data.is_empty() => Reply::Reverted(data),
        None if is_revert => Reply::Reverted(Vec::new()),
        _ => Reply::Refused(shortened(message, 200).into_owned()),
    })
}

impl From<serde_json::Error> for LedgerError {
    fn from(error: serde_json::Error) -> Self {
        Self::Database(DatabaseError::Bug(error.to_string()))
    }
}
