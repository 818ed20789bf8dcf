//! The badge of assets that orders create, change and destroy. These tests run on every host. Tests that need a virtual
//! clock are in `in_process/badge`.

mod aih2;
pub mod certificate;
mod status;
mod verdicts;

use std::cell::Cell;
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};

use self::certificate::Certificate;
use crate::support::native::Service;
use crate::support::outside::{self, Handler, Received, Reply};
use crate::support::people::{Person, World};
use crate::support::{Answer, Call, SETTINGS, in_workerd, own_image, with, workerd};

/// The server's documents by path. The server answers 404 for any other path.
type Documents = Arc<Mutex<Vec<(String, String)>>>;

/// A service, an issuer of certificates, and the server with their documents.
struct Issuer {
    world: World,
    owner: Person,
    /// The server's address.
    base: String,
    documents: Documents,
    ledgers: Cell<usize>,
}

impl Issuer {
    /// Creates an issuer on a service that other tests may use at the same time.
    fn new() -> Self {
        Self::on(workerd::Server::shared)
    }

    /// Creates an issuer on a service whose clock this test may move.
    fn alone() -> Self {
        Self::on(workerd::Server::own)
    }

    fn on(server: fn(&[(&str, &str)]) -> workerd::Server) -> Self {
        let documents: Documents = Arc::default();
        let served = Arc::clone(&documents);
        let handler: Handler = Arc::new(move |received: Received| -> Reply {
            let documents = served.lock().expect("an unpoisoned lock");
            let found = documents.iter().rfind(|(path, _)| *path == received.target);
            Some(found.map_or((404, "{}".to_owned()), |(_, text)| (200, text.clone())))
        });
        let (base, host): (_, Box<dyn crate::support::Host>) = if in_workerd() {
            let base = outside::listen(handler);
            (base, Box::new(server(SETTINGS)))
        } else {
            let service = Service::new(SETTINGS);
            outside::attach(&service, handler);
            (outside::BASE.to_owned(), Box::new(service))
        };
        let world = World::on(host);
        let owner = world.funded();
        Self {
            world,
            owner,
            base,
            documents,
            ledgers: Cell::default(),
        }
    }

    /// Deploys a ledger for assets with the certificate's schema, and serves the schema.
    fn ledger(&self, certificate: &Certificate) -> Issued<'_> {
        self.ledger_of(&certificate.schema_id(), certificate)
    }

    /// Deploys a ledger that names the certificate's schema by this id, and serves the schema.
    fn ledger_of(&self, schema_id: &str, certificate: &Certificate) -> Issued<'_> {
        let folder = format!("/{}", self.ledgers.replace(self.ledgers.get() + 1));
        let data = |name: &str| format!("/deploy/assetLedgerData/{name}");
        let body = self.world.deployment(&self.owner, &[1, 2]);
        let prefix = json!(format!("{}{folder}/", self.base));
        let body = with(&body, &data("uriPrefix"), Some(prefix));
        let mut body = with(&body, &data("schemaId"), Some(json!(schema_id)));
        self.world.sign_deployment(&mut body, &self.owner);
        let call = self.owner.post("/deployments", &body);
        let made = self.world.call(call).data();
        self.world.host.settle();
        let made = format!("/deployments/{}", made["ref"].as_str().expect("a ref"));
        let made = self.world.call(self.owner.get(made)).data();
        let ledger = format!("/ledgers/{}", made["ledgerRef"].as_str().expect("a ledger"));
        let issued = Issued {
            issuer: self,
            ledger: self.world.call(self.owner.get(ledger)).data(),
            folder,
        };
        issued.serve("/schema.json", certificate.schema.to_json());
        issued
    }

    /// Creates asset 1 of a new ledger, and serves its documents.
    fn publish(&self, certificate: &Certificate) -> Issued<'_> {
        let issued = self.ledger(certificate);
        issued.publish("1", certificate);
        issued
    }

    /// Publishes an asset. Returns `valid` of its report, and the reason and path of the report's first error.
    fn verdict(&self, certificate: &Certificate) -> (Value, String) {
        self.publish(certificate).finding("1")
    }
}

/// A ledger of the issuer.
struct Issued<'a> {
    issuer: &'a Issuer,
    ledger: Value,
    /// The start of the paths of the ledger's documents.
    folder: String,
}

impl Issued<'_> {
    fn serve(&self, name: &str, text: String) {
        let documents = &self.issuer.documents;
        let mut documents = documents.lock().expect("an unpoisoned lock");
        documents.push((format!("{}{name}", self.folder), text));
    }

    /// Creates an asset and serves its metadata. Also serves the certificate's evidence, from then on for all assets of the
    /// ledger.
    fn publish(&self, id: &str, certificate: &Certificate) {
        self.serve(&format!("/{id}.json"), certificate.metadata.to_json());
        self.serve("/evidence.json", certificate.evidence.to_json());
        self.create(id, &certificate.imprint);
    }

    /// Creates an asset with an imprint.
    fn create(&self, id: &str, imprint: &str) {
        let action = json!({
            "kind": 1, "ledgerId": self.ledger["id"], "assetId": id, "assetImprint": imprint,
            "senderId": self.issuer.owner.id(), "receiverId": self.issuer.owner.id(),
        });
        self.perform(action);
    }

    fn destroy(&self, id: &str) {
        self.perform(json!({ "kind": 6, "ledgerId": self.ledger["id"], "assetId": id, "senderId": self.issuer.owner.id() }));
    }

    fn perform(&self, action: Value) {
        let Issuer { world, owner, .. } = self.issuer;
        let payment = world.payment(owner, "3000000000000000000");
        let mut body = world.order(&[owner], json!([action, payment]));
        world.sign(&mut body, &[owner]);
        let order = world.performed(owner, &body);
        assert_eq!(order["status"], 7, "{order}");
    }

    fn query(&self, id: &str) -> String {
        let ledger = self.ledger["id"].as_str().expect("an address");
        format!("ledgerId={ledger}&assetId={id}")
    }

    /// Returns the path of an asset's page.
    fn page(&self, id: &str) -> String {
        let ledger = self.ledger["id"].as_str().expect("an address");
        format!("/c/{ledger}/{id}")
    }

    /// Requests the badge as an image, as for a page that embeds it.
    fn image(&self, id: &str) -> Answer {
        let call = Call::get(format!("/badge?{}", self.query(id)));
        self.issuer.world.call(call.header("accept", "image/*"))
    }

    /// Returns the validity in the header of the badge's answer.
    fn says(&self, id: &str) -> String {
        let image = self.image(id);
        image.header("x-asset-validity").expect("a word").to_owned()
    }

    /// Requests the badge as a program, without an `Accept` header for images.
    fn answer(&self, id: &str) -> Answer {
        let call = Call::get(format!("/badge?{}", self.query(id)));
        self.issuer.world.call(call)
    }

    /// Returns `valid` of the report, and the reason and path of the report's first error.
    fn finding(&self, id: &str) -> (Value, String) {
        let report = self.report(id);
        let error = &report["errors"][0];
        let text = |name: &str| error[name].as_str().unwrap_or_default().to_owned();
        let finding = format!("{} {}", text("reason"), text("path"));
        (report["valid"].clone(), finding)
    }

    fn report(&self, id: &str) -> Value {
        let call = Call::get(format!("/badge.json?{}", self.query(id)));
        self.issuer.world.call(call).data()
    }

    /// Lets cached answers expire. Only for an issuer with its own service.
    fn later(&self) {
        self.issuer.world.host.advance(60_000);
    }
}

#[track_caller]
fn shows(answer: &Answer, validity: &str, image: &str) {
    assert_eq!(answer.header("x-asset-validity"), Some(validity));
    assert!(answer.body == own_image(image));
}

#[test]
fn an_asset_becomes_changed_withdrawn_and_valid_again() {
    let certificate = Certificate::new();
    let issuer = Issuer::alone();
    let issued = issuer.ledger(&certificate);
    issued.serve("/evidence.json", certificate.evidence.to_json());
    shows(&issued.image("1"), "unknown", "not-issued.svg");
    assert_eq!(issued.report("1")["status"]["kind"], "neverIssued");

    issued.serve("/1.json", certificate.metadata.to_json());
    issued.create("1", &certificate.imprint);
    shows(&issued.image("1"), "valid", "unconfirmed.svg");
    let report = issued.report("1");
    let owner = json!(issuer.owner.id());
    assert_eq!(
        [
            &report["valid"],
            &report["integrity"],
            &report["status"]["kind"]
        ],
        [&json!(true), &json!("unchanged"), &json!("inForce")]
    );
    assert_eq!(
        (&report["issuer"]["account"], &report["issuer"]["confirmed"]),
        (&owner, &json!(false))
    );
    for name in ["id", "name", "symbol", "schemaId", "ownerId", "createdAt"] {
        assert_eq!(report["ledger"][name], issued.ledger[name], "{name}");
    }
    assert_eq!(report["asset"]["ownerId"], owner);
    assert_eq!(report["asset"]["createdAt"], report["asset"]["updatedAt"]);

    let forged = certificate.altered("Ada", "Eva");
    issued.serve("/1.json", forged.metadata.to_json());
    issued.later();
    shows(&issued.image("1"), "invalid", "untrusted.svg");
    assert_eq!(issued.report("1")["integrity"], "changed");

    // The withdrawal is visible immediately, even if a verdict is cached.
    issued.destroy("1");
    let image = issued.image("1");
    shows(&image, "withdrawn", "withdrawn.svg");
    assert_eq!(image.status, 200);
    let withdrawn = issued.report("1");
    assert_eq!(
        [&withdrawn["valid"], &withdrawn["status"]["kind"]],
        [&json!(false), &json!("withdrawn")]
    );
    assert_eq!(
        withdrawn["asset"]["createdAt"],
        report["asset"]["createdAt"]
    );
    assert!(withdrawn["asset"]["withdrawnAt"].as_str() > report["asset"]["createdAt"].as_str());
    // Programs get the error for a missing asset.
    issued.answer("1").fails(400, &[400_016]);

    issued.serve("/1.json", certificate.metadata.to_json());
    issued.later();
    issued.create("1", &certificate.imprint);
    shows(&issued.image("1"), "valid", "unconfirmed.svg");
    let created_again = issued.report("1");
    assert_eq!(created_again["asset"]["withdrawnAt"], Value::Null);
    assert_eq!(
        created_again["asset"]["withdrawnBefore"],
        withdrawn["asset"]["withdrawnAt"]
    );
    // After the second destruction, the report has the time of that destruction.
    issued.later();
    issued.destroy("1");
    let again = issued.report("1");
    assert!(again["asset"]["withdrawnAt"].as_str() > withdrawn["asset"]["withdrawnAt"].as_str());
}

#[test]
fn uncheckable_certificates_are_unknown() {
    let certificate = Certificate::new();
    let issuer = Issuer::new();
    let issued = issuer.ledger(&certificate);
    issued.serve("/evidence.json", certificate.evidence.to_json());
    issued.create("1", &certificate.imprint);
    shows(&issued.image("1"), "unknown", "unknown.svg");
    let report = issued.report("1");
    assert_eq!(
        [
            &report["valid"],
            &report["integrity"],
            &report["status"]["kind"]
        ],
        [&Value::Null, &json!("notChecked"), &json!("inForce")]
    );
    // The metadata has a key of 40 kB, with 16,000 values below it.
    let items: Vec<String> = (0..16_000)
        .map(|number| format!("\"{number}\":1"))
        .collect();
    let text = certificate.metadata.to_json();
    let text = format!(
        "{},\"{}\":{{{}}}}}",
        text.strip_suffix('}').expect("an object"),
        "k".repeat(40_000),
        items.join(",")
    );
    issued.serve("/2.json", text);
    issued.serve("/evidence.json", r#"{"data":[]}"#.to_owned());
    issued.create("2", &certificate.imprint);
    assert_eq!(issued.report("2")["errors"][0]["reason"], "path-too-long");
    // The service still answers.
    issuer.world.call(Call::get("/health")).data();
}

#[test]
fn a_badge_opened_as_a_page_redirects_to_the_certificate() {
    let issuer = Issuer::new();
    let issued = issuer.ledger(&Certificate::new());
    let call = Call::get(format!("/badge?{}", issued.query("1")));
    let answer = issuer
        .world
        .call(call.header("accept", "text/html,*/*;q=0.8"));
    assert_eq!(answer.status, 302);
    let page = issued.page("1");
    assert_eq!(answer.header("location"), Some(page.as_str()));
}

#[test]
fn a_certificate_has_a_page_for_people_and_data_for_programs() {
    let issuer = Issuer::new();
    let issued = issuer.publish(&Certificate::new());
    let call = |path: &str, accept| issuer.world.call(Call::get(path).header("accept", accept));
    let page = issued.page("1");
    let answer = call(&page, "text/html,*/*;q=0.8");
    assert_eq!(answer.status, 200);
    assert_eq!(
        answer.header("content-type"),
        Some("text/html; charset=utf-8")
    );
    assert_eq!(answer.header("vary"), Some("accept"));
    let text = String::from_utf8(answer.body.clone()).unwrap();
    let ids = page
        .replace("/c/", "data-ledger=\"")
        .replace("/1", "\" data-asset=\"1\"");
    assert!(text.contains(&ids), "{ids} is not in {text}");

    let report = call(&format!("/badge.json?{}", issued.query("1")), "*/*").data();
    for accept in ["application/json", "*/*", "application/json, text/html"] {
        assert_eq!(call(&page, accept).data(), report, "{accept}");
    }
    // The path of a printed code.
    let capitals = page.to_ascii_uppercase();
    assert_eq!(call(&capitals, "*/*").data(), report);
    let answer = call(&capitals, "text/html,*/*;q=0.8");
    assert_eq!((answer.status, answer.body), (200, text.into_bytes()));
    let missing = call("/c/0xf9196f9f176fd2ef9243e8960817d5fbe63d79aa/one", "*/*");
    assert_eq!(missing.codes(), [422_116]);
    assert_eq!(call("/c/me/1", "*/*").codes(), [422_117]);
    assert_eq!(call("/c/me", "*/*").status, 404);
}

#[test]
fn other_sites_may_frame_only_the_embedded_certificate() {
    let issuer = Issuer::new();
    let issued = issuer.ledger(&Certificate::new());
    let policy = |path: &str| {
        let call = Call::get(path).header("accept", "text/html");
        let answer = issuer.world.call(call);
        let policy = answer.header("content-security-policy").unwrap();
        let (_, ancestors) = policy.split_once("frame-ancestors ").unwrap();
        assert!(policy.starts_with("default-src 'none'; script-src 'self' "));
        assert!(!policy.contains("unsafe-inline"));
        ancestors.to_owned()
    };
    let page = issued.page("1");
    assert_eq!(policy(&page), "'none'");
    assert_eq!(policy(&format!("{page}?lang=de")), "'none'");
    assert_eq!(policy(&format!("{page}?embed")), "*");
    assert_eq!(policy(&format!("{page}?embed&lang=de")), "*");
}
