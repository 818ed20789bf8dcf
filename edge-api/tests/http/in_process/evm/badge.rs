//! Badges of assets on a chain. An asset is valid only if the last block agrees with the index.

use std::sync::Arc;

use order_core::Amount;
use serde_json::{Value, json};

use super::scene::Scene;
use crate::badge::certificate::Certificate;
use crate::support::anvil::{Arg, Provider};
use crate::support::outside::{self, Handler};
use crate::support::{Call, with};

/// Disables the caching of verdicts.
const SETTINGS: &[(&str, &str)] = &[("BADGE_CACHE_SECONDS", "0")];

/// A ledger for certificates, and a server that hosts their documents.
struct Certificates {
    scene: Scene,
    certificate: Certificate,
}

impl Certificates {
    fn new() -> Self {
        let mut scene = Scene::new(SETTINGS);
        let certificate = Certificate::new();
        let served = [
            &certificate.schema,
            &certificate.evidence,
            &certificate.metadata,
        ];
        let [schema, evidence, metadata] = served.map(|document| document.to_json());
        let handler: Handler = Arc::new(move |received| {
            let text = match received.target.as_str() {
                "/schema.json" => &schema,
                "/evidence.json" => &evidence,
                _ => &metadata,
            };
            Some((200, text.clone()))
        });
        outside::attach(&scene.service.borrow(), handler);
        let body = scene.world.deployment(&scene.owner, &[1, 2, 4]);
        let data = |name: &str| format!("/deploy/assetLedgerData/{name}");
        let prefix = json!(format!("{}/", outside::BASE));
        let body = with(&body, &data("uriPrefix"), Some(prefix));
        let schema_id = json!(certificate.schema_id());
        let mut body = with(&body, &data("schemaId"), Some(schema_id));
        scene.world.sign_deployment(&mut body, &scene.owner);
        scene.ledger = scene.world.deployed(&scene.owner, &body);
        Self { scene, certificate }
    }

    /// Sends an order that creates an asset. A later block may contain it.
    fn order(&self, id: &str) {
        let Scene {
            world,
            owner,
            ledger,
            ..
        } = &self.scene;
        let mut body = world.creation(owner, ledger, id, owner);
        body["order"]["actions"][0]["assetImprint"] = json!(self.certificate.imprint);
        world.sign(&mut body, &[owner]);
        world.call(owner.post("/orders", &body)).data();
    }

    /// Creates an asset with a transaction of the owner, without an order.
    fn create(&self, id: u128) {
        let imprint = Amount::from_hex64(&self.certificate.imprint).unwrap();
        let owner = self.scene.owner.id();
        let args = [Arg::Account(owner), Arg::Number(id), Arg::Amount(imprint)];
        let contract = self.scene.contract();
        self.scene
            .anvil
            .send(owner, contract, "create(address,uint256,bytes32)", &args);
    }

    fn target(&self, path: &str, id: &str) -> Call {
        let ledger = self.scene.ledger["id"].as_str().unwrap();
        Call::get(format!("{path}?ledgerId={ledger}&assetId={id}"))
    }

    fn report(&self, id: &str) -> Value {
        self.scene.world.call(self.target("/badge.json", id)).data()
    }

    /// Returns the validity in the image's header, and the codes of the report's headline and status.
    fn shown(&self, id: &str) -> (String, String, String) {
        let image = self.target("/badge", id).header("accept", "image/*");
        let image = self.scene.world.call(image);
        let report = self.report(id);
        let text = |value: &Value| value.as_str().unwrap().to_owned();
        (
            image.header("x-asset-validity").unwrap().to_owned(),
            text(&report["headline"]["code"]),
            text(&report["status"]["kind"]),
        )
    }

    #[track_caller]
    fn shows(&self, id: &str, validity: &str, headline: &str, status: &str) {
        let (of_image, code, kind) = self.shown(id);
        assert_eq!(
            (of_image.as_str(), code.as_str(), kind.as_str()),
            (validity, headline, status)
        );
    }
}

#[test]
fn an_asset_that_a_reorganisation_removed_is_not_valid() {
    let certificates = Certificates::new();
    let scene = &certificates.scene;
    certificates.shows("1", "unknown", "never-issued", "neverIssued");
    let snapshot = scene.anvil.rpc("evm_snapshot", json!([]));
    certificates.order("1");
    scene.service.borrow().work();
    scene.anvil.mine();
    scene.service.borrow().work();
    certificates.shows("1", "valid", "issuer-not-confirmed", "inForce");
    // The chain returns to an earlier block, so its last block is older than the last indexed block.
    assert_eq!(scene.anvil.rpc("evm_revert", json!([snapshot])), true);
    scene.anvil.rpc("anvil_dropAllTransactions", json!([]));
    // An earlier reading of the asset lasts until the next block.
    scene.service.borrow().clock.advance(1_000);
    certificates.shows("1", "unknown", "not-checked", "inForce");
    assert_eq!(
        certificates.report("1")["errors"][0]["reason"],
        "ledger-behind"
    );
    scene.anvil.mine_many(2);
    certificates.shows("1", "unknown", "never-issued", "neverIssued");
    // The relayer sends the order again.
    scene.world.host.settle();
    certificates.shows("1", "valid", "issuer-not-confirmed", "inForce");
}

#[test]
fn a_withdrawal_is_visible_before_it_is_indexed() {
    let certificates = Certificates::new();
    let scene = &certificates.scene;
    certificates.order("1");
    scene.world.host.settle();
    certificates.shows("1", "valid", "issuer-not-confirmed", "inForce");
    let issued = certificates.report("1")["asset"]["createdAt"].clone();
    scene.anvil.send(
        scene.owner.id(),
        scene.contract(),
        "destroy(uint256)",
        &[Arg::Number(1)],
    );
    certificates.shows("1", "withdrawn", "withdrawn", "withdrawn");
    let asset = certificates.report("1")["asset"].clone();
    assert_eq!(asset["createdAt"], issued);
    scene.service.borrow().work();
    certificates.shows("1", "withdrawn", "withdrawn", "withdrawn");
    assert_eq!(certificates.report("1")["asset"], asset);
    // An indexed withdrawal is shown even if no provider answers.
    scene.lose_providers();
    certificates.shows("1", "withdrawn", "withdrawn", "withdrawn");
}

#[test]
fn an_asset_is_not_checked_until_its_change_is_indexed() {
    let certificates = Certificates::new();
    let scene = &certificates.scene;
    certificates.create(1);
    certificates.shows("1", "unknown", "not-checked", "inForce");
    scene.service.borrow().work();
    certificates.shows("1", "valid", "issuer-not-confirmed", "inForce");
    let update = [Arg::Number(1), Arg::Number(7)];
    let function = "updateTokenURIIntegrityDigest(uint256,bytes32)";
    scene
        .anvil
        .send(scene.owner.id(), scene.contract(), function, &update);
    certificates.shows("1", "unknown", "not-checked", "inForce");
    scene.service.borrow().work();
    certificates.shows("1", "replaced", "replaced", "replaced");
}

#[test]
fn no_asset_is_valid_while_the_chain_does_not_answer() {
    let certificates = Certificates::new();
    let scene = &certificates.scene;
    certificates.order("1");
    scene.world.host.settle();
    scene.lose_providers();
    certificates.shows("1", "unknown", "not-checked", "inForce");
    let error = certificates.report("1")["errors"][0].clone();
    assert_eq!(
        (&error["code"], &error["reason"]),
        (&json!(400_017), &json!("ledger-unavailable"))
    );
    // The index alone cannot prove that an asset was never issued.
    let answer = scene.world.call(certificates.target("/badge.json", "2"));
    answer.fails(400, &[400_017]);
    let image = certificates
        .target("/badge", "2")
        .header("accept", "image/*");
    let image = scene.world.call(image);
    assert_eq!(image.header("x-asset-validity"), Some("unknown"));
    scene.providers[1].recover();
    certificates.shows("1", "valid", "issuer-not-confirmed", "inForce");
    certificates.shows("2", "unknown", "never-issued", "neverIssued");
}

/// Makes a provider answer that all assets have this imprint.
fn forge(provider: &Provider, imprint: &str) {
    /// The selector of `tokenURIIntegrity(uint256)`. The imprint is the fourth word of the returned data.
    const SELECTOR: &str = "0x49846680";
    let imprint = imprint.to_owned();
    provider.behave(move |calls, ask| {
        let mut answers = ask(calls.clone());
        for answer in answers.as_array_mut()? {
            let call = calls.as_array()?.iter();
            let call = call.clone().find(|call| call["id"] == answer["id"])?;
            let data = call["params"][0]["data"].as_str().unwrap_or_default();
            if let Some(text) = answer["result"].as_str()
                && data.starts_with(SELECTOR)
            {
                let forged = format!("{}{imprint}{}", &text[..194], &text[258..]);
                answer["result"] = json!(forged);
            }
        }
        Some(answers)
    });
}

#[test]
fn one_lying_provider_cannot_make_a_forged_document_valid() {
    let certificates = Certificates::new();
    let scene = &certificates.scene;
    for liar in [0, 1] {
        // The asset's imprint differs from the document's.
        let id = format!("{}", liar + 1);
        let args = [
            Arg::Account(scene.owner.id()),
            Arg::Number(liar + 1),
            Arg::Number(7),
        ];
        scene.anvil.send(
            scene.owner.id(),
            scene.contract(),
            "create(address,uint256,bytes32)",
            &args,
        );
        let provider = &scene.providers[usize::try_from(liar).unwrap()];
        forge(provider, &certificates.certificate.imprint);
        scene.service.borrow().work();
        let (validity, ..) = certificates.shown(&id);
        assert_ne!(validity, "valid");
        provider.recover();
    }
    // If no provider lies, an asset with the document's imprint is valid, even while one provider is down.
    certificates.create(9);
    scene.service.borrow().work();
    certificates.shows("9", "valid", "issuer-not-confirmed", "inForce");
    scene.providers[0].go_down();
    certificates.shows("9", "valid", "issuer-not-confirmed", "inForce");
}

#[test]
fn the_metadata_address_is_read_from_the_last_block() {
    let certificates = Certificates::new();
    let scene = &certificates.scene;
    certificates.order("1");
    scene.world.host.settle();
    let uri = [Arg::Text("https://gone.example/"), Arg::Text("")];
    scene.anvil.send(
        scene.owner.id(),
        scene.contract(),
        "setUri(string,string)",
        &uri,
    );
    certificates.shows("1", "unknown", "not-checked", "inForce");
    let report = certificates.report("1");
    assert_eq!(report["asset"]["uri"], "https://gone.example/1");
    let uri = [Arg::Text(""), Arg::Text("")];
    scene.anvil.send(
        scene.owner.id(),
        scene.contract(),
        "setUri(string,string)",
        &uri,
    );
    assert_eq!(certificates.report("1")["errors"][0]["reason"], "no-uri");
}

#[test]
fn requests_for_an_asset_share_one_reading_of_a_block() {
    let certificates = Certificates::new();
    let scene = &certificates.scene;
    certificates.create(1);
    scene.anvil.mine_many(2);
    scene.service.borrow().work();
    scene.world.host.advance(1_000);
    certificates.shows("1", "valid", "issuer-not-confirmed", "inForce");
    let calls = || -> usize {
        let providers = scene.providers.iter();
        providers.map(|provider| provider.take_calls().len()).sum()
    };
    scene.world.host.advance(1_000);
    calls();
    certificates.report("1");
    let one = calls();
    assert!((1..=8).contains(&one), "{one}");
    for _ in 0..5 {
        certificates.shows("1", "valid", "issuer-not-confirmed", "inForce");
    }
    assert_eq!(calls(), 0);
    // The next block is read again.
    scene.world.host.advance(1_000);
    certificates.report("1");
    assert!((1..=8).contains(&calls()));
}
