//! Applies requests to a ledger in memory, for `tests/chain`, which performs the same requests on the original contracts.
//!
//! Reads a JSON object from each line of standard input and writes an answer as one line. `do` names the operation.
#![allow(
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "the example stops if its input is wrong, and the test fails"
)]

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, BufRead, Write};

use order_core::chain::{
    self, Call, DeployEvent, Fee, LedgerEvent, Log, Meaning, OrderEvent, Revert, TokenMove,
    Transaction,
};
use order_core::{
    Abilities, Address, Amount, ApprovalRequest, Asset, AssetId, B256, Change, DeploymentRequest,
    Draft, FieldError, Gateways, LedgerFacts, OrderRequest, PrivateKey, Proxies, Request, Snapshot,
    apply_credit,
};
use serde_json::{Value, json};

/// The time at which requests are read. Their expirations are far in the future.
const NOW_MS: u64 = 1_700_000_000_000;

struct World {
    gateways: Gateways,
    state: Snapshot,
    /// The owners of assets, and the balances of accounts, as the logs of the contracts report them.
    owners: BTreeMap<(Address, AssetId), Address>,
    balances: BTreeMap<Address, Amount>,
    checked: Option<Request>,
}

fn main() {
    let mut world = None;
    let mut out = io::stdout().lock();
    for line in io::stdin().lock().lines() {
        let input: Value = serde_json::from_str(&line.unwrap()).unwrap();
        let answer = if input["do"] == "start" {
            world = Some(World::new(&input));
            json!({})
        } else {
            world.as_mut().unwrap().answer(&input)
        };
        writeln!(out, "{answer}").unwrap();
    }
}

fn address(value: &Value) -> Address {
    text(value).parse().unwrap()
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap()
}

fn bytes(value: &Value) -> Vec<u8> {
    alloy_primitives::hex::decode(text(value)).unwrap()
}

fn hex(bytes: impl AsRef<[u8]>) -> String {
    alloy_primitives::hex::encode_prefixed(bytes)
}

fn places(errors: &[FieldError]) -> Value {
    let place = |error: &FieldError| json!([error.code.number(), error.path]);
    errors.iter().map(place).collect()
}

impl World {
    fn new(input: &Value) -> World {
        let at = |name: &str| address(&input[name]);
        let gateways = Gateways {
            actions: at("actions"),
            deploy: at("deploy"),
            token: at("token"),
            payment_receiver: at("paymentReceiver"),
            proxies: Proxies {
                create_asset: at("createAsset"),
                transfer_value: at("transferValue"),
                transfer_asset: at("transferAsset"),
                safe_transfer_asset: at("safeTransferAsset"),
                update_asset: at("updateAsset"),
                manage_abilities: at("manageAbilities"),
                destroy_asset: at("destroyAsset"),
            },
            unsafe_recipients: Vec::new(),
        };
        let recipients = input["recipients"].as_array().unwrap();
        let state = Snapshot {
            recipients: Some(recipients.iter().map(address).collect()),
            ..Snapshot::default()
        };
        World {
            gateways,
            state,
            owners: BTreeMap::new(),
            balances: BTreeMap::new(),
            checked: None,
        }
    }

    fn answer(&mut self, input: &Value) -> Value {
        match text(&input["do"]) {
            "credit" => {
                let (account, amount) = (address(&input["account"]), text(&input["amount"]));
                let amount = amount.parse().unwrap();
                let changes = apply_credit(account, amount, &self.gateways, &self.state);
                self.write(changes.unwrap());
                json!({})
            }
            "approveAsset" => {
                let key = (
                    address(&input["ledger"]),
                    text(&input["id"]).parse().unwrap(),
                );
                self.state.assets.get_mut(&key).unwrap().approved =
                    Some(address(&input["approved"]));
                json!({})
            }
            "hash" => json!({ "hash": hex(self.hash(input)) }),
            "check" => self.check(input),
            "refusal" => self.refusal(input),
            "commit" => self.commit(input),
            "logs" => self.read_logs(input),
            "sign" => sign(input),
            "state" => self.state_as_json(),
            other => panic!("{other}"),
        }
    }

    /// Returns the hash of a request that is not signed yet.
    fn hash(&self, input: &Value) -> B256 {
        let (body, gateways) = (&input["body"], &self.gateways);
        match text(&input["kind"]) {
            "order" => {
                let request = order(body);
                request.hash(gateways).unwrap()
            }
            "deployment" => match DeploymentRequest::read(body, NOW_MS).unwrap() {
                Draft::Unsigned(content) => content.hash(gateways),
                Draft::Signed(request) => request.deploy.hash(gateways),
            },
            _ => match ApprovalRequest::read(body, NOW_MS).unwrap() {
                Draft::Unsigned(content) => content.hash(gateways),
                Draft::Signed(request) => request.approval.hash(),
            },
        }
    }

    /// Returns the calls that perform and cancel a signed request, and the errors with which the rules refuse the request.
    fn check(&mut self, input: &Value) -> Value {
        let body = &input["body"];
        let request = match text(&input["kind"]) {
            "order" => Request::Order(Box::new(order(body))),
            "deployment" => {
                Request::Deployment(Box::new(DeploymentRequest::parse(body, NOW_MS).unwrap()))
            }
            _ => Request::Approval(Box::new(ApprovalRequest::parse(body, NOW_MS).unwrap())),
        };
        // The address of a new ledger is not known yet.
        let result = request.apply(&self.gateways, &self.state, None);
        let Call { to, data } = chain::perform(&request, &self.gateways).unwrap();
        let cancel = chain::cancel(&request, &self.gateways).unwrap();
        let expires_at = request.expires_at();
        self.checked = Some(request);
        json!({
            "expiresAt": expires_at,
            "errors": result.err().as_deref().map(places),
            "call": { "to": to, "data": hex(data) },
            "cancel": { "to": cancel.to, "data": hex(cancel.data) },
        })
    }

    /// Returns the errors that can cause a revert of the checked request.
    fn refusal(&self, input: &Value) -> Value {
        let revert = Revert::read(&bytes(&input["data"]));
        match revert.meaning(self.checked.as_ref().unwrap()) {
            Meaning::Refused(errors) => json!({ "errors": places(&errors) }),
            other => json!({ "other": format!("{other:?}") }),
        }
    }

    /// Writes the changes of the checked request. Returns the changes with their new values.
    fn commit(&mut self, input: &Value) -> Value {
        let request = self.checked.take().unwrap();
        let ledger = input["ledger"]
            .as_str()
            .map(|ledger| ledger.parse().unwrap());
        let changes = request.apply(&self.gateways, &self.state, ledger).unwrap();
        let listed: Vec<Value> = changes.iter().filter_map(as_json).collect();
        self.write(changes);
        json!({ "changes": listed })
    }

    fn write(&mut self, changes: Vec<Change>) {
        let state = &mut self.state;
        for change in changes {
            match change {
                Change::LedgerCreated { ledger, data } => {
                    let capabilities = data.capabilities;
                    state.ledgers.insert(ledger, LedgerFacts { capabilities });
                }
                Change::Asset {
                    ledger, id, new, ..
                } => {
                    match new {
                        Some(asset) => state.assets.insert((ledger, id), asset),
                        None => state.assets.remove(&(ledger, id)),
                    };
                }
                Change::Abilities {
                    ledger,
                    account,
                    new,
                    ..
                } => {
                    state.abilities.insert((ledger, account), new);
                }
                Change::Operator {
                    ledger,
                    owner,
                    operator,
                    new,
                    ..
                } => {
                    if new {
                        state.operators.insert((ledger, owner, operator));
                    } else {
                        state.operators.remove(&(ledger, owner, operator));
                    }
                }
                Change::Balance { account, new, .. } => {
                    state.balances.insert(account, new);
                }
                Change::Allowance {
                    owner,
                    spender,
                    new,
                    ..
                } => {
                    state.allowances.insert((owner, spender), new);
                }
            }
        }
    }

    /// Reads the logs of a transaction. Returns the hashes of performed and canceled requests, and the new ledger.
    fn read_logs(&mut self, input: &Value) -> Value {
        let mut performed = Vec::new();
        let mut canceled = Vec::new();
        let mut created = None;
        for entry in input["logs"].as_array().unwrap() {
            let contract = address(&entry["address"]);
            let topics = entry["topics"].as_array().unwrap();
            let topics: Vec<B256> = topics
                .iter()
                .map(|topic| text(topic).parse().unwrap())
                .collect();
            let data = bytes(&entry["data"]);
            let log = Log {
                topics: &topics,
                data: &data,
            };
            if contract == self.gateways.actions {
                match OrderEvent::read(&log).unwrap().unwrap() {
                    OrderEvent::Performed(hash) => performed.push(hex(hash)),
                    OrderEvent::Canceled(hash) => canceled.push(hex(hash)),
                    OrderEvent::Configured => panic!("the gateway was configured"),
                }
            } else if contract == self.gateways.deploy {
                match DeployEvent::read(&log).unwrap().unwrap() {
                    DeployEvent::Performed { claim, ledger, .. } => {
                        performed.push(hex(claim));
                        created = Some(ledger);
                    }
                    DeployEvent::Canceled(claim) => canceled.push(hex(claim)),
                    DeployEvent::Configured => panic!("the gateway was configured"),
                }
            } else if contract == self.gateways.token {
                if let Some(TokenMove { from, to, value }) = TokenMove::read(&log).unwrap() {
                    for (account, is_receiver) in [(from, false), (to, true)] {
                        let Some(account) = account else { continue };
                        let balance = self.balances.entry(account).or_default();
                        let moved = if is_receiver {
                            balance.checked_add(value)
                        } else {
                            balance.checked_sub(value)
                        };
                        *balance = moved.unwrap();
                    }
                }
            } else {
                match LedgerEvent::read(&log).unwrap() {
                    Some(
                        LedgerEvent::Created { id, owner }
                        | LedgerEvent::Moved { id, to: owner, .. },
                    ) => {
                        self.owners.insert((contract, id), owner);
                    }
                    Some(LedgerEvent::Destroyed { id, .. }) => {
                        self.owners.remove(&(contract, id));
                    }
                    _ => {}
                }
            }
        }
        json!({ "performed": performed, "canceled": canceled, "created": created })
    }

    /// Returns all assets, abilities, operators, balances and allowances. Fails if the logs reported other owners or balances.
    fn state_as_json(&self) -> Value {
        let Snapshot {
            assets,
            abilities,
            operators,
            balances,
            allowances,
            ..
        } = &self.state;
        let owners: BTreeMap<_, _> = assets
            .iter()
            .map(|(key, asset)| (*key, asset.owner))
            .collect();
        assert_eq!(owners, self.owners);
        let nonzero = |balances: &BTreeMap<Address, Amount>| -> BTreeSet<(Address, Amount)> {
            let pairs = balances.iter().map(|(account, amount)| (*account, *amount));
            pairs.filter(|(_, amount)| !amount.is_zero()).collect()
        };
        assert_eq!(nonzero(balances), nonzero(&self.balances));
        let assets = assets
            .iter()
            .map(|((ledger, id), asset)| asset_as_json(*ledger, *id, Some(asset)));
        let abilities = abilities
            .iter()
            .map(|((ledger, account), set)| abilities_as_json(*ledger, *account, *set));
        let operators = operators
            .iter()
            .map(|(ledger, owner, operator)| json!(["operator", ledger, owner, operator, true]));
        let balances = balances
            .iter()
            .map(|(account, amount)| json!(["balance", account, amount]));
        let allowances = allowances
            .iter()
            .map(|((owner, spender), amount)| json!(["allowance", owner, spender, amount]));
        let all = assets
            .chain(abilities)
            .chain(operators)
            .chain(balances)
            .chain(allowances);
        json!({ "changes": all.collect::<Vec<_>>() })
    }
}

fn order(body: &Value) -> OrderRequest {
    OrderRequest::parse(body, NOW_MS).unwrap()
}

fn asset_as_json(ledger: Address, id: AssetId, asset: Option<&Asset>) -> Value {
    let values = asset.map(|asset| json!([asset.owner, asset.imprint, asset.approved]));
    json!(["asset", ledger, id, values])
}

fn abilities_as_json(ledger: Address, account: Address, abilities: Abilities) -> Value {
    json!(["abilities", ledger, account, abilities.bits()])
}

fn as_json(change: &Change) -> Option<Value> {
    Some(match change {
        Change::LedgerCreated { .. } => return None,
        Change::Asset {
            ledger, id, new, ..
        } => asset_as_json(*ledger, *id, new.as_ref()),
        Change::Abilities {
            ledger,
            account,
            new,
            ..
        } => abilities_as_json(*ledger, *account, *new),
        Change::Operator {
            ledger,
            owner,
            operator,
            new,
            ..
        } => {
            json!(["operator", ledger, owner, operator, new])
        }
        Change::Balance { account, new, .. } => json!(["balance", account, new]),
        Change::Allowance {
            owner,
            spender,
            new,
            ..
        } => json!(["allowance", owner, spender, new]),
    })
}

/// Signs a transaction.
fn sign(input: &Value) -> Value {
    let key: PrivateKey = text(&input["key"]).parse().unwrap();
    let transaction = Transaction {
        chain_id: input["chainId"].as_u64().unwrap(),
        nonce: input["nonce"].as_u64().unwrap(),
        gas: input["gas"].as_u64().unwrap(),
        fee: if input["legacy"] == true {
            Fee::Legacy {
                gas_price: 10_000_000_000,
            }
        } else {
            Fee::Dynamic {
                max_fee: 10_000_000_000,
                tip: 1_000_000_000,
            }
        },
        value: 0,
        call: Call {
            to: address(&input["to"]),
            data: bytes(&input["data"]),
        },
    };
    let signed = transaction.sign(&key);
    json!({ "raw": hex(signed.raw), "hash": hex(signed.hash) })
}
