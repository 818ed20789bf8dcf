//! Accounts with keys, and the requests that they sign.

use std::sync::atomic::{AtomicU64, Ordering};

use order_core::{
    Address, AuthorizationPolicy, ClaimKind, DeploymentRequest, EthSignReading, Gateways,
    OrderRequest, PrivateKey, Proxies,
};
use serde_json::{Value, json};

use super::anvil::Anvil;
use super::{Answer, Call, Host};

/// The default costs of deploying a ledger and of creating an asset, in base units (18 decimals).
pub const DEPLOY_COST: &str = "5000000000000000000";
pub const CREATE_COST: &str = "3000000000000000000";
/// An example of an imprint.
pub const IMPRINT: &str = "d747e6ffd1aa3f83efef2931e3cc22c653ea97a32c1ee7289e4966b6964ecdfb";

/// An account with a new key.
#[derive(Clone)]
pub struct Person {
    key: PrivateKey,
}

impl Person {
    pub fn new() -> Self {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let mut bytes = [7; 32];
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        bytes[..8].copy_from_slice(&count.to_be_bytes());
        // Accounts of different processes must differ, so the key also depends on the time and the process id.
        let now = std::time::SystemTime::now()
            .duration_since(std::time::UNIX_EPOCH)
            .expect("after 1970");
        bytes[8..16].copy_from_slice(&u64::try_from(now.as_nanos()).expect("a time").to_be_bytes());
        bytes[16..20].copy_from_slice(&std::process::id().to_be_bytes());
        Self {
            key: PrivateKey::from_bytes(&bytes).expect("a key"),
        }
    }

    /// Returns an account with the same key in every run. Only for a service that no other test uses.
    pub fn known(byte: u8) -> Self {
        Self {
            key: PrivateKey::from_bytes(&[byte; 32]).expect("a key"),
        }
    }

    pub fn id(&self) -> Address {
        self.key.address()
    }

    /// Returns the value of the Authorization header.
    pub fn authorization(&self) -> String {
        let policy = AuthorizationPolicy::new("assay api", EthSignReading::Text);
        self.key.authorization(ClaimKind::PersonalSign, &policy)
    }

    /// Signs a string as `personal_sign` does.
    pub fn sign_text(&self, text: &str) -> String {
        self.key.sign_text(text)
    }

    pub fn claim(&self, hash: &order_core::B256) -> String {
        self.key.claim(ClaimKind::PersonalSign, hash).to_string()
    }

    pub fn get(&self, target: impl Into<String>) -> Call {
        Call::get(target).header("authorization", &self.authorization())
    }

    pub fn post(&self, target: impl Into<String>, body: &Value) -> Call {
        Call::new("POST", target)
            .header("authorization", &self.authorization())
            .json(body)
    }

    pub fn put(&self, target: impl Into<String>, body: &Value) -> Call {
        Call::new("PUT", target)
            .header("authorization", &self.authorization())
            .json(body)
    }

    pub fn delete(&self, target: impl Into<String>) -> Call {
        Call::new("DELETE", target).header("authorization", &self.authorization())
    }
}

/// A service and its addresses.
pub struct World {
    pub host: Box<dyn Host>,
    pub gateways: Gateways,
}

fn address(value: &Value) -> Address {
    value
        .as_str()
        .expect("an address")
        .parse()
        .expect("an address")
}

impl World {
    pub fn on(host: Box<dyn Host>) -> Self {
        let account = host.call(Person::new().get("/account")).data();
        let (gateway, proxies) = (&account["gateway"], &account["gateway"]["proxies"]);
        let gateways = Gateways {
            actions: address(&gateway["actionsOrderId"]),
            deploy: address(&gateway["assetLedgerDeployOrderId"]),
            token: address(&account["payment"]["tokenAddress"]),
            payment_receiver: address(&account["payment"]["receiverAddress"]),
            proxies: Proxies {
                create_asset: address(&proxies["createAsset"]),
                transfer_value: address(&proxies["transferValue"]),
                transfer_asset: address(&proxies["transferAsset"]),
                safe_transfer_asset: address(&proxies["safeTransferAsset"]),
                update_asset: address(&proxies["updateAsset"]),
                manage_abilities: address(&proxies["manageAbilities"]),
                destroy_asset: address(&proxies["destroyAsset"]),
            },
            unsafe_recipients: vec![],
        };
        Self { host, gateways }
    }

    pub fn new() -> Self {
        Self::on(super::service())
    }

    pub fn call(&self, call: Call) -> Answer {
        self.host.call(call)
    }

    /// Returns an account with about 23,809 tokens.
    pub fn funded(&self) -> Person {
        let person = Person::new();
        self.host.credit(&person, 100_000);
        person
    }

    /// Returns an account with 10,000 tokens on a real chain. Mines a block.
    pub fn credited(anvil: &Anvil) -> Person {
        let person = Person::new();
        anvil.credit(person.id(), 10_000 * 10_u128.pow(18));
        person
    }

    /// Returns an account that has no tokens and may receive tokens.
    pub fn receiver(&self) -> Person {
        let person = Person::new();
        self.host.allow(&person);
        person
    }

    pub fn balance(&self, person: &Person) -> u128 {
        let account = self.call(person.get("/account")).data();
        account["balance"]
            .as_str()
            .expect("a balance")
            .parse()
            .expect("a small balance")
    }

    /// Returns an expiration in milliseconds that is valid for a request made now.
    pub fn soon(&self) -> u64 {
        self.host.now() + 3_600_000
    }

    /// Returns a signed deployment by `owner`.
    pub fn deployment(&self, owner: &Person, capabilities: &[u8]) -> Value {
        let mut body = json!({
            "deploy": {
                "makerId": owner.id(),
                "assetLedgerData": {
                    "name": "Certificates",
                    "symbol": "CRT",
                    "uriPrefix": "https://example.com/assets/",
                    "uriPostfix": ".json",
                    "schemaId": "0x3f4a0870cd6039e6c987b067b0d28de54efea17449175d7a8cd6ec10ab23cc5d",
                    "capabilities": capabilities,
                    "ownerId": owner.id(),
                },
                "tokenTransferData": {
                    "ledgerId": self.gateways.token,
                    "receiverId": self.gateways.payment_receiver,
                    "value": DEPLOY_COST,
                },
                "seed": seed(),
                "expiration": self.soon(),
            },
            "priority": 2,
            "claim": "",
        });
        self.sign_deployment(&mut body, owner);
        body
    }

    /// Puts `owner`'s claim into a deployment.
    pub fn sign_deployment(&self, body: &mut Value, owner: &Person) {
        body["claim"] = json!("0:0x00");
        let request = DeploymentRequest::parse(body, self.host.now()).expect("a whole deployment");
        body["claim"] = json!(owner.claim(&request.deploy.hash(&self.gateways)));
    }

    /// Deploys a new ledger of `owner`.
    pub fn ledger(&self, owner: &Person, capabilities: &[u8]) -> Value {
        self.deployed(owner, &self.deployment(owner, capabilities))
    }

    /// Sends a signed deployment, settles the host so that the deployment is performed, and returns the new ledger.
    pub fn deployed(&self, owner: &Person, body: &Value) -> Value {
        let made = self.call(owner.post("/deployments", body)).data();
        self.host.settle();
        let made = self
            .call(owner.get(format!(
                "/deployments/{}",
                made["ref"].as_str().expect("a reference")
            )))
            .data();
        assert_eq!(made["status"], 7, "{made}");
        self.call(owner.get(format!(
            "/ledgers/{}",
            made["ledgerRef"].as_str().expect("a ledger")
        )))
        .data()
    }

    /// Returns an unsigned order of these actions.
    pub fn order(&self, signers: &[&Person], actions: Value) -> Value {
        let signers: Vec<Value> = signers
            .iter()
            .map(|signer| json!({ "accountId": signer.id(), "claim": "" }))
            .collect();
        json!({
            "priority": 2,
            "automatedPerform": true,
            "wildcardSigner": false,
            "order": { "signers": signers, "actions": actions, "seed": seed(), "expiration": self.soon() },
        })
    }

    /// Returns the hash that an order's signers sign.
    pub fn order_hash(&self, body: &Value) -> order_core::B256 {
        let request = OrderRequest::parse(body, self.host.now()).expect("a whole order");
        request.hash(&self.gateways).expect("a hash")
    }

    /// Puts the claims of these people into an order, as far as the order names them as signers.
    pub fn sign(&self, body: &mut Value, signers: &[&Person]) {
        let hash = self.order_hash(body);
        for signer in body["order"]["signers"].as_array_mut().expect("signers") {
            if let Some(person) = signers
                .iter()
                .find(|person| signer["accountId"] == json!(person.id()))
            {
                signer["claim"] = json!(person.claim(&hash));
            }
        }
    }

    /// Returns the payment that an order needs as its last action.
    pub fn payment(&self, payer: &Person, amount: &str) -> Value {
        json!({
            "kind": 3,
            "ledgerId": self.gateways.token,
            "senderId": payer.id(),
            "receiverId": self.gateways.payment_receiver,
            "value": amount,
        })
    }

    /// Returns an order that creates an asset for `receiver`, signed and paid by the ledger's owner.
    pub fn creation(
        &self,
        owner: &Person,
        ledger: &Value,
        asset: &str,
        receiver: &Person,
    ) -> Value {
        let create = json!({
            "kind": 1,
            "ledgerId": ledger["id"],
            "assetId": asset,
            "assetImprint": IMPRINT,
            "senderId": owner.id(),
            "receiverId": receiver.id(),
        });
        let mut body = self.order(&[owner], json!([create, self.payment(owner, CREATE_COST)]));
        self.sign(&mut body, &[owner]);
        body
    }

    /// Sends an order, settles the host so that the order is performed, and returns the order.
    pub fn performed(&self, person: &Person, body: &Value) -> Value {
        let made = self.call(person.post("/orders", body)).data();
        self.host.settle();
        self.call(person.get(format!(
            "/orders/{}",
            made["ref"].as_str().expect("a reference")
        )))
        .data()
    }

    /// Asks for the performance of a waiting order, and asserts that the order fails with this code.
    pub fn fails_to_perform(&self, person: &Person, waiting: &Value, code: u32) {
        let path = format!("/orders/{}", waiting["ref"].as_str().expect("a reference"));
        self.call(person.put(format!("{path}/perform"), &json!({})))
            .data();
        self.host.settle();
        let failed = self.call(person.get(path)).data();
        assert_eq!(
            (&failed["status"], &failed["error"]["code"]),
            (&json!(4), &json!(code)),
            "{failed}"
        );
    }

    /// Creates an asset of `receiver` on `owner`'s ledger.
    pub fn asset(&self, owner: &Person, ledger: &Value, asset: &str, receiver: &Person) {
        let order = self.performed(owner, &self.creation(owner, ledger, asset, receiver));
        assert_eq!(order["status"], 7, "{order}");
    }

    pub fn owner_of(&self, ledger: &Value, asset: &str) -> Option<Value> {
        let target = format!(
            "/ledgers/{}/assets/{asset}",
            ledger["ref"].as_str().expect("a reference")
        );
        let answer = self.call(Person::new().get(target));
        (answer.status == 200).then(|| answer.data()["ownerId"].clone())
    }
}

/// Returns a seed that no other request uses.
pub fn seed() -> u64 {
    static SEED: AtomicU64 = AtomicU64::new(1);
    SEED.fetch_add(1, Ordering::Relaxed)
}
