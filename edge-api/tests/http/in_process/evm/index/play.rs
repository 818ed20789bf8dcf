//! Random transactions and reorganisations on a chain. Transactions perform requests that a stranger sends, or call contracts directly.

use std::rc::Rc;

use alloy_primitives::hex;
use order_core::chain::{Call, cancel, perform};
use order_core::{Address, Amount, DeploymentRequest, OrderRequest, Request};
use serde_json::{Value, json};

use crate::support::anvil::{Anvil, Arg, call_data};
use crate::support::people::{Person, World};

/// Generates pseudorandom numbers from a seed, so every run gets the same numbers.
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// Returns a number below `limit`.
    pub fn below(&mut self, limit: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % limit
    }
}

pub struct Play {
    pub anvil: Rc<Anvil>,
    pub world: World,
    pub people: Vec<Person>,
    /// The account that sends the transactions for the requests of `people`.
    pub stranger: Address,
    pub ledgers: Vec<Address>,
    pub assets: Vec<(Address, u64)>,
    pub random: Random,
    next_id: u64,
    pub sent: usize,
    pub reorganisations: usize,
}

impl Play {
    pub fn new(anvil: &Rc<Anvil>, world: World, seed: u64) -> Self {
        let people: Vec<Person> = (0..4).map(|_| World::credited(anvil)).collect();
        // No reorganisation of a test reaches back to the blocks that credit the tokens.
        anvil.mine_many(9);
        let play = Self {
            anvil: Rc::clone(anvil),
            world,
            people,
            stranger: Person::new().id(),
            ledgers: Vec::new(),
            assets: Vec::new(),
            random: Random::new(seed),
            next_id: 1,
            sent: 0,
            reorganisations: 0,
        };
        play.fund();
        play
    }

    /// Gives all accounts ether, so they can pay for gas.
    fn fund(&self) {
        let people = self.people.iter().map(Person::id);
        for account in people.chain([self.stranger]) {
            self.anvil.fund(account, 10_u128.pow(22));
        }
    }

    fn pick<'a, T>(random: &mut Random, list: &'a [T]) -> &'a T {
        &list[random.below(list.len())]
    }

    fn person(&mut self) -> Person {
        Self::pick(&mut self.random, &self.people).clone()
    }

    /// Sends a transaction with this call, and mines no block. Returns the transaction's hash.
    pub fn send_call(&mut self, from: Address, call: &Call) -> Value {
        self.send_data(from, call.to, &hex::encode_prefixed(&call.data))
    }

    fn send_data(&mut self, from: Address, to: Address, data: &str) -> Value {
        self.sent += 1;
        let transaction = json!({ "from": from, "to": to, "gas": "0x600000", "data": data });
        self.anvil.rpc("eth_sendTransaction", json!([transaction]))
    }

    pub fn direct(&mut self, from: Address, to: Address, function: &str, args: &[Arg<'_>]) {
        self.send_data(from, to, &call_data(function, args));
    }

    pub fn deployment(&mut self, owner: &Person, capabilities: &[u8]) -> Request {
        let body = self.world.deployment(owner, capabilities);
        let now = self.world.host.now();
        Request::Deployment(Box::new(DeploymentRequest::parse(&body, now).unwrap()))
    }

    /// Returns an order that all people have signed.
    pub fn order(&mut self, actions: Value) -> Request {
        let signers: Vec<&Person> = self.people.iter().collect();
        let mut body = self.world.order(&signers, actions);
        self.world.sign(&mut body, &signers);
        let now = self.world.host.now();
        Request::Order(Box::new(OrderRequest::parse(&body, now).unwrap()))
    }

    pub fn perform(&mut self, request: &Request) -> Value {
        let call = perform(request, &self.world.gateways).unwrap();
        self.send_call(self.stranger, &call)
    }

    /// Deploys a ledger with a transaction of the stranger, and mines a block. Returns the ledger's address.
    pub fn new_ledger(&mut self) -> Address {
        let owner = self.people[0].clone();
        let request = self.deployment(&owner, &[1, 2, 3, 4]);
        let hash = self.perform(&request);
        self.anvil.mine();
        let receipt = self.anvil.rpc("eth_getTransactionReceipt", json!([hash]));
        assert_eq!(receipt["status"], "0x1", "{receipt}");
        let deploy = self.world.gateways.deploy;
        let logs = receipt["logs"].as_array().unwrap();
        let log = logs
            .iter()
            .find(|log| log["address"].as_str().unwrap().parse() == Ok(deploy))
            .unwrap();
        let data = hex::decode(log["data"].as_str().unwrap()).unwrap();
        let ledger = Address::from_bytes(data[12..32].try_into().unwrap()).unwrap();
        self.ledgers.push(ledger);
        ledger
    }

    fn imprint(&mut self) -> String {
        format!("{:064x}", self.random.below(1_000_000) + 1)
    }

    pub fn creation(&mut self, ledger: Address) -> Value {
        let receiver = self.person().id();
        let id = self.next_id;
        self.next_id += 1;
        self.assets.push((ledger, id));
        json!({
            "kind": 1, "ledgerId": ledger, "assetId": id.to_string(), "assetImprint": self.imprint(),
            "senderId": self.people[0].id(), "receiverId": receiver,
        })
    }

    pub fn owner_of(&self, (ledger, id): (Address, u64)) -> Option<Address> {
        let answer = self
            .anvil
            .read(ledger, "ownerOf(uint256)", &[Arg::Number(id.into())])?;
        Address::from_bytes(answer.get(12..32)?.try_into().unwrap())
    }

    /// Sends a random transaction, which may revert. Mines a block only for a new ledger.
    pub fn step(&mut self) {
        if self.ledgers.is_empty() || (self.ledgers.len() < 5 && self.random.below(20) == 0) {
            self.new_ledger();
            return;
        }
        let ledger = *Self::pick(&mut self.random, &self.ledgers);
        let owner = self.people[0].id();
        let (one, other) = (self.person(), self.person());
        let known = match self.assets.len() {
            0 => None,
            _ => Some(*Self::pick(&mut self.random, &self.assets)),
        };
        let holder = known.and_then(|asset| Some((asset, self.owner_of(asset)?)));
        let proxies = self.world.gateways.proxies.clone();
        let operator = [
            proxies.safe_transfer_asset,
            proxies.destroy_asset,
            other.id(),
        ][self.random.below(3)];
        match (self.random.below(19), holder) {
            (0..=3, _) | (_, None) => {
                let count = 1 + self.random.below(3);
                let actions = (0..count).map(|_| self.creation(ledger)).collect();
                let request = self.order(actions);
                self.perform(&request);
            }
            (4 | 5, Some(((ledger, id), holder))) => {
                let transfer = json!({ "kind": 2, "ledgerId": ledger, "assetId": id.to_string(),
                    "senderId": holder, "receiverId": other.id() });
                let request = self.order(json!([transfer]));
                self.perform(&request);
            }
            (6 | 7, Some(((ledger, id), _))) => {
                let update = json!({ "kind": 4, "ledgerId": ledger, "assetId": id.to_string(),
                    "senderId": owner, "assetImprint": self.imprint() });
                let request = self.order(json!([update]));
                self.perform(&request);
            }
            (8, _) => {
                let lists = [json!([]), json!([16]), json!([1, 2]), json!([512, 1024])];
                let abilities = lists[self.random.below(4)].clone();
                let set = json!({ "kind": 5, "ledgerId": ledger, "senderId": owner,
                    "receiverId": other.id(), "abilities": abilities });
                let request = self.order(json!([set]));
                self.perform(&request);
            }
            (9, Some(((ledger, id), holder))) => {
                let destroy = json!({ "kind": 6, "ledgerId": ledger, "assetId": id.to_string(), "senderId": holder });
                let request = self.order(json!([destroy]));
                self.perform(&request);
            }
            (10, Some(((ledger, id), holder))) => {
                let args = [
                    Arg::Account(holder),
                    Arg::Account(other.id()),
                    Arg::Number(id.into()),
                ];
                self.direct(
                    holder,
                    ledger,
                    "transferFrom(address,address,uint256)",
                    &args,
                );
            }
            (11, Some(((ledger, id), holder))) => {
                let args = [Arg::Account(other.id()), Arg::Number(id.into())];
                self.direct(holder, ledger, "approve(address,uint256)", &args);
            }
            (12, _) => {
                let args = [Arg::Account(operator), Arg::Flag(self.random.below(3) > 0)];
                self.direct(one.id(), ledger, "setApprovalForAll(address,bool)", &args);
            }
            (13, _) => {
                // Contracts store all 256 bits, even those that are no abilities.
                let mut bits = [0; 32];
                bits[0] = 0x80;
                bits[31] = [0, 3, 16][self.random.below(3)];
                let args = [
                    Arg::Account(other.id()),
                    Arg::Amount(Amount::from_be_bytes(bits)),
                ];
                self.direct(owner, ledger, "grantAbilities(address,uint256)", &args);
            }
            (14, _) => {
                let args = [Arg::Account(other.id()), Arg::Number(19)];
                self.direct(owner, ledger, "revokeAbilities(address,uint256)", &args);
            }
            (15, _) => {
                let args = [Arg::Text("https://other.example/"), Arg::Text(".txt")];
                self.direct(owner, ledger, "setUri(string,string)", &args);
            }
            (16, Some(((ledger, id), holder))) => {
                let (from, function) = match self.random.below(2) {
                    0 => (holder, "destroy(uint256)"),
                    _ => (owner, "revoke(uint256)"),
                };
                self.direct(from, ledger, function, &[Arg::Number(id.into())]);
            }
            (17, Some(((ledger, id), _))) => {
                let imprint = 1 + self.random.below(1_000_000);
                let args = [Arg::Number(id.into()), Arg::Number(imprint as u128)];
                let function = "updateTokenURIIntegrityDigest(uint256,bytes32)";
                self.direct(owner, ledger, function, &args);
            }
            (_, Some(((ledger, id), _))) => {
                // This reverts if the asset still exists. If a pending transaction destroys the asset first, the id is created again.
                let args = [
                    Arg::Account(other.id()),
                    Arg::Number(id.into()),
                    Arg::Number(7),
                ];
                self.direct(owner, ledger, "create(address,uint256,bytes32)", &args);
            }
        }
    }

    /// Sends a transaction that cancels a request, and mines no block.
    pub fn cancel(&mut self, request: &Request) {
        let call = cancel(request, &self.world.gateways).unwrap();
        self.send_call(self.people[0].id(), &call);
    }

    /// Replaces up to `most` of the last blocks. Their transactions are dropped, or later blocks contain them.
    pub fn reorganise(&mut self, most: usize) {
        self.reorganisations += 1;
        let depth = 1 + self.random.below(most);
        self.anvil.rpc("anvil_reorg", json!([depth, []]));
        if self.random.below(2) == 0 {
            self.anvil.rpc("anvil_dropAllTransactions", json!([]));
        }
        self.fund();
        self.forget_gone();
    }

    /// Forgets the ledgers that are no longer on the chain, and their assets.
    fn forget_gone(&mut self) {
        let anvil = Rc::clone(&self.anvil);
        let code = |ledger: &Address| anvil.rpc("eth_getCode", json!([ledger, "latest"]));
        self.ledgers.retain(|ledger| code(ledger) != "0x");
        let ledgers = self.ledgers.clone();
        self.assets.retain(|(ledger, _)| ledgers.contains(ledger));
    }
}
