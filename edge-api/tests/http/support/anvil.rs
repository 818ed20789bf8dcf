//! A real node of an EVM chain with the original contracts, and the JSON-RPC providers through which a service reaches the
//! node.

use std::cell::{Cell, RefCell};
use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::rc::Rc;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use alloy_primitives::{hex, keccak256};
use edge_api::native::{FakeClock, FakeHttp};
use edge_api::ports::{Clock, FetchError, Fetched};
use order_core::{Address, Amount};
use serde_json::{Value, json};

/// A running node. It ends with this process, because the node's standard input then closes.
struct Process {
    child: Child,
    /// The number of blocks that tests have mined on this node.
    blocks: Cell<usize>,
    url: String,
    /// The line that `tests/chain/host.mjs` printed.
    facts: Value,
    /// The id of the snapshot from which the next test starts.
    snapshot: Value,
}

impl Drop for Process {
    fn drop(&mut self) {
        let _already_gone = self.child.kill();
        let _reaped = self.child.wait();
    }
}

/// The setting `CONFIRMATIONS` of `tests/chain/host.mjs`.
const CONFIRMATIONS: usize = 3;

/// The nodes that no test uses at the moment. A new node takes a second, and restoring a snapshot takes milliseconds.
static FREE: Mutex<Vec<Process>> = Mutex::new(Vec::new());

/// The number of blocks after which no other test uses a node. A node keeps the state of only 500 blocks. These include blocks that were
/// mined before a snapshot was restored.
const BLOCKS_MAX: usize = 300;

/// A chain that only one test uses. Only [`Anvil::mine`] and the methods that call it mine blocks.
///
/// A block's time is the time of `clock`, but at least one second after the previous block. If the block is later than `clock`, `clock`
/// moves forward to the block's time.
pub struct Anvil {
    process: Option<Process>,
    /// True if a test has replaced blocks of the node. Later snapshots of such a node lack the state of some blocks.
    is_changed: Cell<bool>,
    agent: ureq::Agent,
    /// The clock of the chain and of the service.
    pub clock: Rc<FakeClock>,
}

impl Drop for Anvil {
    fn drop(&mut self) {
        if let Some(process) = self.process.take()
            && !std::thread::panicking()
            && !self.is_changed.get()
            && process.blocks.get() < BLOCKS_MAX
        {
            FREE.lock()
                .unwrap_or_else(PoisonError::into_inner)
                .push(process);
        }
    }
}

/// An argument of a contract's function.
#[derive(Clone, Debug)]
pub enum Arg<'a> {
    Account(Address),
    Number(u128),
    Amount(Amount),
    Flag(bool),
    Text(&'a str),
}

impl Arg<'_> {
    /// Returns the argument's 32-byte word. The word of a string is `offset`, at which the string's data starts.
    fn word(&self, offset: usize) -> [u8; 32] {
        let number = |number: u128| {
            let mut word = [0; 32];
            word[16..].copy_from_slice(&number.to_be_bytes());
            word
        };
        match self {
            Self::Account(account) => {
                let mut word = [0; 32];
                word[12..].copy_from_slice(account.as_bytes());
                word
            }
            Self::Number(value) => number(*value),
            Self::Amount(amount) => amount.to_be_bytes(),
            Self::Flag(flag) => number(u128::from(*flag)),
            Self::Text(_) => number(offset as u128),
        }
    }
}

/// Returns the call data for a function with this signature, for example `approve(address,uint256)`.
pub fn call_data(function: &str, args: &[Arg<'_>]) -> String {
    let mut data = keccak256(function)[..4].to_vec();
    let mut tail = Vec::new();
    for arg in args {
        data.extend(arg.word(args.len() * 32 + tail.len()));
        if let Arg::Text(text) = arg {
            tail.extend(Arg::Number(text.len() as u128).word(0));
            tail.extend(text.bytes());
            tail.resize(tail.len().next_multiple_of(32), 0);
        }
    }
    data.extend(tail);
    hex::encode_prefixed(data)
}

impl Anvil {
    /// Returns a node whose chain is in its initial state. Reuses a node that no test uses, or starts one.
    pub fn start() -> Rc<Self> {
        let free = FREE.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let is_new = free.is_none();
        let agent = ureq::Agent::config_builder()
            .timeout_global(Some(Duration::from_secs(60)))
            .build()
            .into();
        let mut anvil = Self {
            process: Some(free.unwrap_or_else(start_process)),
            is_changed: Cell::new(false),
            agent,
            clock: Rc::new(FakeClock::at(0)),
        };
        if is_new {
            anvil.rpc("anvil_autoImpersonateAccount", json!([true]));
        } else {
            anvil.rpc("anvil_dropAllTransactions", json!([]));
            let snapshot = anvil.process().snapshot.clone();
            assert_eq!(anvil.rpc("evm_revert", json!([snapshot])), true);
        }
        anvil.is_changed.set(false);
        let snapshot = anvil.rpc("evm_snapshot", json!([]));
        anvil.process.as_mut().expect("a process").snapshot = snapshot;
        anvil.rpc("evm_setAutomine", json!([false]));
        anvil.clock = Rc::new(FakeClock::at(anvil.time() * 1_000));
        // A node that restored a snapshot sometimes cannot read the state of the snapshot's block. After these blocks, the last final block is
        // a later one.
        anvil.mine_many(CONFIRMATIONS + 1);
        // A block without transactions lowers the base fee of the next block. Restoring a snapshot does not restore the base fee.
        anvil.set_base_fee(1_000_000_000);
        Rc::new(anvil)
    }

    fn process(&self) -> &Process {
        self.process.as_ref().expect("a process")
    }

    /// Returns a value of the line that `tests/chain/host.mjs` printed, by its JSON pointer.
    fn fact(&self, pointer: &str) -> &Value {
        let facts = &self.process().facts;
        facts.pointer(pointer).expect("a fact about the chain")
    }

    /// Returns the address of a contract by the name in `tests/chain/contracts.mjs`.
    pub fn contract(&self, name: &str) -> Address {
        self.account(&format!("/addresses/{name}"))
    }

    fn account(&self, pointer: &str) -> Address {
        let text = self.fact(pointer).as_str();
        text.expect("a string").parse().expect("an address")
    }

    /// Returns the account that configures the contracts.
    pub fn owner(&self) -> Address {
        self.account("/owner")
    }

    pub fn payment_receiver(&self) -> Address {
        self.account("/paymentReceiver")
    }

    /// Returns the account that sends the service's transactions.
    pub fn relayer(&self) -> Address {
        self.account("/relayer")
    }

    /// Returns the service's settings for this chain, with these providers.
    pub fn vars(&self, providers: &[Rc<Provider>]) -> Vec<(String, String)> {
        let mut vars: Vec<(String, String)> = self
            .fact("/vars")
            .as_object()
            .expect("settings")
            .iter()
            .map(|(name, value)| (name.clone(), value.as_str().expect("a string").to_owned()))
            .filter(|(name, _)| name != "ALLOW_ONE_PROVIDER")
            .collect();
        let urls: Vec<&str> = providers
            .iter()
            .map(|provider| provider.url.as_str())
            .collect();
        for (name, value) in [
            ("ENVIRONMENT", "development"),
            ("DEPLOYERS", "anyone"),
            ("RPC_URLS", &urls.join(",")),
            ("QUORUM", "2"),
            ("BLOCK_SECONDS", "1"),
        ] {
            vars.retain(|(known, _)| known != name);
            vars.push((name.to_owned(), value.to_owned()));
        }
        vars
    }

    /// Sends the body of an HTTP request to the node, and returns the body of its answer.
    pub fn exchange(&self, body: &[u8]) -> Vec<u8> {
        let request = self
            .agent
            .post(&self.process().url)
            .content_type("application/json");
        let mut answer = request.send(body).expect("the node answers");
        let body = answer.body_mut().with_config().limit(64 << 20);
        body.read_to_vec().expect("a body")
    }

    /// Makes a JSON-RPC call. `Err` is the error object in the node's response.
    pub fn try_rpc(&self, method: &str, params: Value) -> Result<Value, Value> {
        if matches!(method, "anvil_reorg" | "evm_revert") {
            self.is_changed.set(true);
        }
        let body = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
        let answer = self.exchange(body.to_string().as_bytes());
        let mut answer: Value = serde_json::from_slice(&answer).expect("JSON");
        match answer.get_mut("error") {
            Some(error) => Err(error.take()),
            None => Ok(answer["result"].take()),
        }
    }

    /// Makes a JSON-RPC call. Panics if the node responds with an error.
    #[track_caller]
    pub fn rpc(&self, method: &str, params: Value) -> Value {
        self.try_rpc(method, params)
            .unwrap_or_else(|error| panic!("{method}: {error}"))
    }

    /// Returns the number of the last block.
    pub fn head(&self) -> u64 {
        quantity(&self.rpc("eth_blockNumber", json!([])))
    }

    /// Returns the time of the last block in seconds since 1970.
    pub fn time(&self) -> u64 {
        let block = self.rpc("eth_getBlockByNumber", json!(["latest", false]));
        quantity(&block["timestamp"])
    }

    /// Mines a block with the pending transactions.
    pub fn mine(&self) {
        let time = (self.clock.now_ms() / 1_000).max(self.time() + 1);
        self.rpc("evm_setNextBlockTimestamp", json!([time]));
        self.rpc("evm_mine", json!([]));
        self.process().blocks.update(|count| count + 1);
        let behind = (time * 1_000).saturating_sub(self.clock.now_ms());
        self.clock.advance(behind);
    }

    /// Mines this number of blocks.
    pub fn mine_many(&self, blocks: usize) {
        (0..blocks).for_each(|_| self.mine());
    }

    /// Mines a block if the clock shows a later second than the last block.
    pub fn follow_clock(&self) {
        if self.clock.now_ms() / 1_000 > self.time() {
            self.mine();
        }
    }

    /// Sets the base fee of the next block, in wei per unit of gas.
    pub fn set_base_fee(&self, wei: u64) {
        let params = json!([format!("{wei:#x}")]);
        self.rpc("anvil_setNextBlockBaseFeePerGas", params);
    }

    /// Sets an account's balance in wei.
    pub fn fund(&self, account: Address, wei: u128) {
        self.rpc("anvil_setBalance", json!([account, format!("{wei:#x}")]));
    }

    /// Sends a transaction from any account to a contract, and mines a block. Returns the receipt, even if the transaction reverted.
    pub fn transact(&self, from: Address, to: Address, function: &str, args: &[Arg<'_>]) -> Value {
        self.fund(from, 10_u128.pow(20));
        let transaction =
            json!({ "from": from, "to": to, "gas": "0xf00000", "data": call_data(function, args) });
        let hash = self.rpc("eth_sendTransaction", json!([transaction]));
        self.mine();
        self.rpc("eth_getTransactionReceipt", json!([hash]))
    }

    /// Like [`Anvil::transact`], but panics if the transaction reverted.
    #[track_caller]
    pub fn send(&self, from: Address, to: Address, function: &str, args: &[Arg<'_>]) -> Value {
        let receipt = self.transact(from, to, function, args);
        assert_eq!(receipt["status"], "0x1", "{function}: {receipt}");
        receipt
    }

    /// Gives an account this number of tokens, in base units. Mines a block.
    pub fn credit(&self, account: Address, tokens: u128) {
        self.send(
            self.owner(),
            self.contract("token"),
            "deposit(uint256,address)",
            &[Arg::Number(tokens), Arg::Account(account)],
        );
    }

    /// Allows an account to receive tokens in orders and deployments. Mines a block.
    pub fn allow(&self, account: Address) {
        self.send(
            self.owner(),
            self.contract("token"),
            "setWhitelistedRecipient(address,bool)",
            &[Arg::Account(account), Arg::Flag(true)],
        );
    }

    /// Calls a contract without a transaction, at the last block. Returns `None` if the node responds with an error, for example
    /// because the call reverted.
    pub fn read(&self, to: Address, function: &str, args: &[Arg<'_>]) -> Option<Vec<u8>> {
        let call = json!({ "to": to, "data": call_data(function, args) });
        let answer = self.try_rpc("eth_call", json!([call, "latest"])).ok()?;
        Some(hex::decode(answer.as_str()?).expect("hexadecimal digits"))
    }
}

/// Starts a node with new contracts.
fn start_process() -> Process {
    let node = std::env::var("ASSAY_NODE").unwrap_or_else(|_| "node".to_owned());
    let script = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../tests/chain/host.mjs");
    let mut child = Command::new(node)
        .arg(script)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("Node starts");
    let mut line = String::new();
    BufReader::new(child.stdout.take().expect("standard output"))
        .read_line(&mut line)
        .expect("a line");
    let facts: Value = serde_json::from_str(&line).unwrap_or_else(|_| {
        panic!("the chain did not start: {:?}", child.wait());
    });
    Process {
        child,
        blocks: Cell::new(0),
        url: facts["url"].as_str().expect("an address").to_owned(),
        facts,
        snapshot: Value::Null,
    }
}

/// Parses a number that JSON-RPC writes as hexadecimal digits.
pub fn quantity(value: &Value) -> u64 {
    let text = value.as_str().expect("a string");
    u64::from_str_radix(text.trim_start_matches("0x"), 16).expect("a number")
}

/// The function that answers HTTP requests to a provider. It gets the JSON-RPC calls of a request, and a function that sends calls to the
/// node. It returns the responses, or `None` to break the connection.
type Behaviour = Box<dyn Fn(Value, &dyn Fn(Value) -> Value) -> Option<Value>>;

/// A JSON-RPC provider. All providers of a test reach the same node.
pub struct Provider {
    /// The URL, with a key that no log may contain.
    pub url: String,
    behaviour: RefCell<Behaviour>,
    requests: Cell<usize>,
    calls: RefCell<Vec<String>>,
}

/// The part of each provider's URL that no log, HTTP response or error may contain.
pub const PROVIDER_KEY: &str = "key-of-a-provider";

impl Provider {
    /// Creates a provider that passes all calls to the node.
    pub fn attach(number: usize, http: &FakeHttp, anvil: &Rc<Anvil>) -> Rc<Self> {
        let provider = Rc::new(Self {
            url: format!("https://{number}.rpc.example/{PROVIDER_KEY}"),
            behaviour: RefCell::new(Box::new(|calls, ask| Some(ask(calls)))),
            requests: Cell::default(),
            calls: RefCell::default(),
        });
        let (served, anvil) = (Rc::clone(&provider), Rc::clone(anvil));
        http.serve(&provider.url, move |fetch| {
            let body = fetch.body.as_ref().expect("calls");
            let calls: Value = serde_json::from_slice(body).expect("JSON");
            served.requests.update(|count| count + 1);
            let methods = calls.as_array().into_iter().flatten();
            let methods = methods.map(|call| call["method"].as_str().expect("a method").to_owned());
            served.calls.borrow_mut().extend(methods);
            let ask = |calls: Value| {
                let answer = anvil.exchange(calls.to_string().as_bytes());
                serde_json::from_slice(&answer).expect("JSON")
            };
            let answers = served.behaviour.borrow()(calls, &ask);
            let answers = answers.ok_or_else(|| FetchError::Failed("reset".to_owned()))?;
            Ok(Fetched {
                status: 200,
                content_type: Some("application/json".to_owned()),
                location: None,
                allow_origin: None,
                body: answers.to_string().into_bytes(),
            })
        });
        provider
    }

    /// Sets the function that answers requests to this provider.
    pub fn behave(
        &self,
        behaviour: impl Fn(Value, &dyn Fn(Value) -> Value) -> Option<Value> + 'static,
    ) {
        *self.behaviour.borrow_mut() = Box::new(behaviour);
    }

    /// Breaks all connections from now on.
    pub fn go_down(&self) {
        self.behave(|_, _| None);
    }

    /// Passes all calls to the node from now on.
    pub fn recover(&self) {
        self.behave(|calls, ask| Some(ask(calls)));
    }

    /// Returns the number of HTTP requests since the last call of this function.
    pub fn take_requests(&self) -> usize {
        self.requests.take()
    }

    /// Returns the JSON-RPC methods that were called since the last call of this function.
    pub fn take_calls(&self) -> Vec<String> {
        self.calls.take()
    }
}
