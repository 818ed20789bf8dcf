//! The relayer: no order is lost or performed twice, whatever happens to processes, providers and blocks.

mod alerts;
mod approvals;
mod cancellations;
mod chaos;
mod crashes;
mod elsewhere;
mod load;
mod money;
mod private;
mod providers;
mod replaced;
mod restored;
mod rules;
mod together;
mod waste;

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;

use edge_api::ports::{Database, Statement};
use order_core::chain::{Call, perform};
use order_core::{Address, OrderRequest, Request};
use serde_json::{Value, json};

use crate::support::anvil::{Anvil, Provider, quantity};
use crate::support::native::{Service, block_on};
use crate::support::people::{Person, World};

/// Returns the first topic of the log `Perform(bytes32)`, which reports that an order was performed.
fn performed_topic() -> String {
    let topic = alloy_primitives::keccak256("Perform(bytes32)");
    alloy_primitives::hex::encode_prefixed(topic)
}

/// A service on a chain whose blocks the test mines, and the owner of an asset ledger there.
struct Scene {
    anvil: Rc<Anvil>,
    service: Rc<RefCell<Service>>,
    providers: [Rc<Provider>; 2],
    world: World,
    owner: Person,
    ledger: Value,
    assets: Cell<u64>,
}

impl Scene {
    fn new(vars: &[(&str, &str)]) -> Self {
        Self::prepared(vars, |database| database, |_, _| {})
    }

    /// Creates a scene with a wrapped database port, and prepares the service before its first request.
    fn prepared(
        vars: &[(&str, &str)],
        wrap: impl FnOnce(Rc<dyn Database>) -> Rc<dyn Database>,
        prepare: impl FnOnce(&Service, &Rc<Anvil>),
    ) -> Self {
        let anvil = Anvil::start();
        let (service, providers) = Service::on_anvil_with(vars, &anvil, wrap);
        prepare(&service, &anvil);
        let service = Rc::new(RefCell::new(service));
        let world = World::on(Box::new(Rc::clone(&service)));
        let owner = World::credited(&anvil);
        let ledger = world.ledger(&owner, &[1]);
        let scene = Self {
            anvil,
            service,
            providers,
            world,
            owner,
            ledger,
            assets: Cell::new(1),
        };
        // This closes the nonce slot of the deployment.
        scene.blocks(1);
        scene
    }

    /// Returns an order that creates a new asset of the owner.
    fn creation(&self) -> Value {
        let asset = self.assets.get();
        self.assets.set(asset + 1);
        self.world
            .creation(&self.owner, &self.ledger, &asset.to_string(), &self.owner)
    }

    /// Stores a request, and returns its reference.
    #[track_caller]
    fn post(&self, path: &str, body: &Value) -> String {
        let made = self.world.call(self.owner.post(path, body)).data();
        made["ref"].as_str().expect("a reference").to_owned()
    }

    /// Stores an order that creates a new asset. Returns its reference.
    #[track_caller]
    fn order(&self) -> String {
        self.post("/orders", &self.creation())
    }

    fn orders<const N: usize>(&self) -> [String; N] {
        [(); N].map(|()| self.order())
    }

    /// Lets the service do all work that is due. Mines no block.
    fn work(&self) {
        self.service.borrow().work();
    }

    /// Lets the service do all work that is due, and ignores its failure.
    fn try_work(&self) {
        let _failed = self.service.borrow().try_work();
    }

    /// Mines blocks, and lets the service work after each of them.
    fn blocks(&self, count: usize) {
        for _ in 0..count {
            self.anvil.mine();
            self.work();
        }
    }

    /// Mines blocks until all these records have this status. Panics after 60 blocks.
    #[track_caller]
    fn until<'a>(&self, status: u64, orders: impl IntoIterator<Item = &'a String> + Clone) {
        for _ in 0..60 {
            if orders
                .clone()
                .into_iter()
                .all(|order| self.status(order) == status)
            {
                return;
            }
            self.blocks(1);
        }
        let paths: Vec<_> = orders.into_iter().map(|order| self.path(order)).collect();
        panic!("{paths:?} {:#?}", self.warnings());
    }

    fn rows(&self, sql: &'static str, reference: &str) -> Vec<Value> {
        let database = Rc::clone(&self.service.borrow().database);
        let statement = Statement::new(sql).bind(reference);
        block_on(database.query(statement)).expect(sql).list
    }

    fn execute(&self, sql: &str) {
        self.service.borrow().database.execute(sql).expect(sql);
    }

    fn record(&self, reference: &str) -> Value {
        self.rows("SELECT * FROM records WHERE ref = ?1", reference)[0].clone()
    }

    fn status(&self, reference: &str) -> u64 {
        self.record(reference)["status"].as_u64().expect("a status")
    }

    /// Returns what the owner's requests have cost.
    fn cost(&self) -> u128 {
        let days = self.world.call(self.owner.get("/stats/costs")).data();
        let days = days.as_array().expect("days").iter();
        let amount = |day: &Value| day["amount"].as_str().expect("an amount").parse::<u128>();
        days.map(|day| amount(day).expect("a number")).sum()
    }

    /// Returns the statuses to which a record has changed, in the order of the changes.
    fn path(&self, reference: &str) -> Vec<u64> {
        self.lines("record.changed")
            .iter()
            .filter(|line| line["ref"] == reference)
            .map(|line| line["status"].as_u64().expect("a status"))
            .collect()
    }

    /// Returns the log lines of an event.
    fn lines(&self, event: &str) -> Vec<Value> {
        let lines = self.service.borrow().log.lines();
        let lines = lines.into_iter().map(|(_, line)| line);
        lines.filter(|line| line["event"] == event).collect()
    }

    /// Counts the relayer's log lines by event, except `relayer.signed`.
    fn warnings(&self) -> BTreeMap<String, usize> {
        let mut events = BTreeMap::new();
        for (_, line) in self.service.borrow().log.lines() {
            let event = line["event"].as_str().unwrap_or_default();
            if event.starts_with("relayer.") && event != "relayer.signed" {
                *events.entry(event.to_owned()).or_default() += 1;
            }
        }
        events
    }

    /// Returns the relayer's next nonce: the number of its transactions in blocks.
    fn nonce(&self) -> u64 {
        let params = json!([self.anvil.relayer(), "latest"]);
        quantity(&self.anvil.rpc("eth_getTransactionCount", params))
    }

    /// Returns the transactions that were signed for a record, sorted by nonce and price.
    fn signed(&self, reference: &str) -> Vec<Value> {
        self.rows(
            "SELECT t.* FROM relay_slots s JOIN relay_txs t ON t.relayer = s.relayer AND t.nonce = s.nonce WHERE s.ref = ?1 \
             ORDER BY t.nonce, length(t.max_fee), t.max_fee",
            reference,
        )
    }

    /// Gives the service another relayer's key. The new relayer has ether.
    fn change_key(&self) {
        let key = format!("0x{}", "17".repeat(32));
        self.service
            .borrow_mut()
            .change_setting("RELAYER_KEY", &key);
        self.anvil.fund(Person::known(0x17).id(), 10_u128.pow(20));
    }

    /// Returns the relayer's row in the database.
    fn relayer(&self) -> Value {
        self.rows("SELECT * FROM relayers WHERE ?1 = ''", "")[0].clone()
    }

    /// Returns the number of logs on the chain that report that an order was performed.
    fn performances(&self, reference: &str) -> usize {
        let filter = json!({
            "address": self.anvil.contract("actions"),
            "topics": [performed_topic(), self.record(reference)["hash"]],
            "fromBlock": "0x0",
        });
        let logs = self.anvil.rpc("eth_getLogs", json!([filter]));
        logs.as_array().expect("logs").len()
    }

    /// Asserts that each of these orders is final and was performed once.
    #[track_caller]
    fn performed_once<'a>(&self, orders: impl IntoIterator<Item = &'a String>) {
        for order in orders {
            assert_eq!(self.status(order), 7, "{:?}", self.path(order));
            assert_eq!(self.performances(order), 1);
        }
    }

    /// Returns the contract call that performs an order.
    fn call(&self, body: &Value) -> Call {
        let order = OrderRequest::parse(body, self.world.host.now()).expect("an order");
        perform(&Request::Order(Box::new(order)), &self.world.gateways).expect("a signed order")
    }

    /// Sends a contract call of any account to the node, at a price that puts it first in the next block. Returns the transaction's hash.
    fn send_first(&self, from: Address, call: &Call) -> String {
        self.anvil.fund(from, 10_u128.pow(20));
        let data = alloy_primitives::hex::encode_prefixed(&call.data);
        let transaction = json!({
            "from": from, "to": call.to, "data": data, "gas": "0x200000",
            "maxFeePerGas": "0x1000000000", "maxPriorityFeePerGas": "0x1000000000",
        });
        let hash = self.anvil.rpc("eth_sendTransaction", json!([transaction]));
        hash.as_str().expect("a hash").to_owned()
    }

    /// Removes the transactions of a record from the node's pool.
    fn drop_from_pool(&self, reference: &str) {
        for tx in self.signed(reference) {
            self.anvil
                .rpc("anvil_dropTransaction", json!([tx["tx_hash"]]));
        }
    }

    /// Uses the relayer's next nonce for a transaction that this service did not sign. Has no effect if the node has a more expensive transaction
    /// with this nonce.
    fn use_key_elsewhere(&self) {
        let relayer = self.anvil.relayer();
        let transaction = json!({
            "from": relayer, "to": self.anvil.owner(), "gas": "0x5208", "nonce": format!("{:#x}", self.nonce()),
            "maxFeePerGas": "0x1000000000", "maxPriorityFeePerGas": "0x1000000000",
        });
        let _dearer = self
            .anvil
            .try_rpc("eth_sendTransaction", json!([transaction]));
    }
}

/// Accepts the service's transactions and never broadcasts them. Forwards all other calls.
fn swallow(calls: Value, ask: &dyn Fn(Value) -> Value) -> Value {
    let is_send = |call: &Value| call["method"] == "eth_sendRawTransaction";
    let (sent, other): (Vec<_>, Vec<_>) = calls
        .as_array()
        .expect("calls")
        .iter()
        .cloned()
        .partition(is_send);
    let mut answers = match other.is_empty() {
        true => Vec::new(),
        false => ask(Value::Array(other))
            .as_array()
            .expect("answers")
            .clone(),
    };
    answers.extend(sent.iter().map(|call| {
        let raw = call["params"][0].as_str().expect("bytes");
        let raw = alloy_primitives::hex::decode(raw).expect("bytes");
        json!({ "jsonrpc": "2.0", "id": call["id"], "result": alloy_primitives::hex::encode_prefixed(alloy_primitives::keccak256(raw)) })
    }));
    Value::Array(answers)
}

/// Returns a provider's behaviour: it swallows transactions and lies. `change` receives each call and the result to change.
fn lying(
    change: impl Fn(&Value, &mut Value) + 'static,
) -> impl Fn(Value, &dyn Fn(Value) -> Value) -> Option<Value> {
    move |calls, ask| {
        let mut answers = swallow(calls.clone(), ask);
        for answer in answers.as_array_mut().expect("answers") {
            let call = calls.as_array().expect("calls").iter();
            let call = call.clone().find(|call| call["id"] == answer["id"]);
            change(call.expect("a call"), &mut answer["result"]);
        }
        Some(answers)
    }
}
