//! The badge of assets that orders created, changed and destroyed, on every host; what documents may do is in `tests/badge`.

#[path = "../badge/certificate.rs"]
mod certificate;

use std::sync::{Arc, Mutex};

use edge_api::native::Sqlite;
use serde_json::{Value, json};

use self::certificate::Certificate;
use crate::support::native::Service;
use crate::support::outside::{self, Handler, Received, Reply};
use crate::support::people::{Person, World};
use crate::support::{Answer, Call, SETTINGS, in_workerd, with, workerd};

/// Documents on the server, by the end of the path; any other path is missing.
type Documents = Arc<Mutex<Vec<(String, String)>>>;

/// A service with a ledger of certificates, and the server that its assets' documents are on.
struct Issued {
    world: World,
    owner: Person,
    ledger: Value,
    documents: Documents,
}

impl Issued {
    fn new(certificate: &Certificate) -> Self {
        let documents: Documents = Arc::default();
        let served = Arc::clone(&documents);
        let handler: Handler = Arc::new(move |received: Received| -> Reply {
            let documents = served.lock().expect("no panic while held");
            let found = documents
                .iter()
                .rfind(|(end, _)| received.target.ends_with(end));
            Some(found.map_or((404, "{}".to_owned()), |(_, text)| (200, text.clone())))
        });
        let (base, host): (_, Box<dyn crate::support::Host>) = if in_workerd() {
            let base = outside::listen(handler);
            (base, Box::new(workerd::Server::own(SETTINGS)))
        } else {
            let service = Service::new(SETTINGS);
            outside::attach(&service, handler);
            (outside::BASE.to_owned(), Box::new(service))
        };
        let world = World::on(host);
        let owner = world.funded();
        let data = "/deploy/assetLedgerData";
        let body = world.deployment(&owner, &[1]);
        let body = with(
            &body,
            &format!("{data}/uriPrefix"),
            Some(json!(format!("{base}/"))),
        );
        let id = json!(certificate.schema_id());
        let mut body = with(&body, &format!("{data}/schemaId"), Some(id));
        world.sign_deployment(&mut body, &owner);
        world.call(owner.post("/deployments", &body)).data();
        world.host.settle();
        let ledger = world.call(owner.get("/ledgers")).data()[0].clone();
        let issued = Self {
            world,
            owner,
            ledger,
            documents,
        };
        issued.serve("/schema.json", certificate.schema.to_json());
        issued.serve("/evidence.json", certificate.evidence.to_json());
        issued
    }

    fn serve(&self, end: &str, text: String) {
        let mut documents = self.documents.lock().expect("no panic while held");
        documents.push((end.to_owned(), text));
    }

    /// Creates an asset with an imprint.
    fn create(&self, id: &str, imprint: &str) {
        let action = json!({
            "kind": 1, "ledgerId": self.ledger["id"], "assetId": id, "assetImprint": imprint,
            "senderId": self.owner.id(), "receiverId": self.owner.id(),
        });
        self.perform(action);
    }

    fn destroy(&self, id: &str) {
        self.perform(json!({ "kind": 6, "ledgerId": self.ledger["id"], "assetId": id, "senderId": self.owner.id() }));
    }

    fn perform(&self, action: Value) {
        let payment = self.world.payment(&self.owner, "3000000000000000000");
        let mut body = self.world.order(&[&self.owner], json!([action, payment]));
        self.world.sign(&mut body, &[&self.owner]);
        let order = self.world.performed(&self.owner, &body);
        assert_eq!(order["status"], 7, "{order}");
    }

    fn query(&self, id: &str) -> String {
        let ledger = self.ledger["id"].as_str().expect("an address");
        format!("ledgerId={ledger}&assetId={id}")
    }

    /// The badge as a page shows it.
    fn image(&self, id: &str) -> Answer {
        let call = Call::get(format!("/badge?{}", self.query(id)));
        self.world.call(call.header("accept", "image/*"))
    }

    fn report(&self, id: &str) -> Value {
        let call = Call::get(format!("/badge.json?{}", self.query(id)));
        self.world.call(call).data()
    }

    /// Lets go what is kept of an asset.
    fn later(&self) {
        self.world.host.advance(60_000);
    }
}

#[track_caller]
fn shows(answer: &Answer, validity: &str, image: &str) {
    let file = std::path::Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("assets")
        .join(image);
    assert_eq!(answer.header("x-asset-validity"), Some(validity));
    assert!(answer.body == std::fs::read(file).expect("an image"));
}

#[test]
fn an_asset_is_valid_changed_withdrawn_and_in_force_again() {
    let certificate = Certificate::new();
    let issued = Issued::new(&certificate);
    shows(&issued.image("1"), "unknown", "not-issued.svg");
    assert_eq!(issued.report("1")["status"], "neverIssued");

    issued.serve("/1.json", certificate.metadata.to_json());
    issued.create("1", &certificate.imprint);
    shows(&issued.image("1"), "valid", "trusted.svg");
    let report = issued.report("1");
    let owner = json!(issued.owner.id());
    assert_eq!(
        [&report["valid"], &report["integrity"], &report["status"]],
        [&json!(true), &json!("unchanged"), &json!("inForce")]
    );
    assert_eq!(
        report["issuer"],
        json!({ "account": owner, "identified": false })
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

    issued.destroy("1");
    issued.later();
    let image = issued.image("1");
    shows(&image, "withdrawn", "withdrawn.svg");
    assert_eq!(image.status, 200);
    let withdrawn = issued.report("1");
    assert_eq!(
        [&withdrawn["valid"], &withdrawn["status"]],
        [&json!(false), &json!("withdrawn")]
    );
    assert_eq!(
        withdrawn["asset"]["createdAt"],
        report["asset"]["createdAt"]
    );
    assert!(withdrawn["asset"]["withdrawnAt"].as_str() > report["asset"]["createdAt"].as_str());
    // To programs it is an asset that is not there.
    let call = Call::get(format!("/badge?{}", issued.query("1")));
    issued.world.call(call).fails(400, &[400_016]);

    issued.serve("/1.json", certificate.metadata.to_json());
    issued.create("1", &certificate.imprint);
    shows(&issued.image("1"), "valid", "trusted.svg");
    assert_eq!(issued.report("1")["asset"]["withdrawnAt"], Value::Null);
    // Destroyed again, it was withdrawn now.
    issued.later();
    issued.destroy("1");
    issued.later();
    let again = issued.report("1");
    assert!(again["asset"]["withdrawnAt"].as_str() > withdrawn["asset"]["withdrawnAt"].as_str());
}

#[test]
fn what_cannot_be_checked_is_none_of_these() {
    let certificate = Certificate::new();
    let issued = Issued::new(&certificate);
    issued.create("1", &certificate.imprint);
    shows(&issued.image("1"), "unknown", "unknown.svg");
    let report = issued.report("1");
    assert_eq!(
        [&report["valid"], &report["integrity"], &report["status"]],
        [&Value::Null, &json!("notChecked"), &json!("inForce")]
    );
    // A key of 40 kB above 16,000 values.
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
    // A service that keeps answering.
    issued.world.call(Call::get("/health")).data();
}

#[test]
fn a_badge_that_is_opened_as_a_page_leads_to_the_page() {
    let issued = Issued::new(&Certificate::new());
    let call = Call::get(format!("/badge?{}", issued.query("1")));
    let answer = issued
        .world
        .call(call.header("accept", "text/html,*/*;q=0.8"));
    assert_eq!(answer.status, 302);
    let page = format!("/verify/?{}", issued.query("1"));
    assert_eq!(answer.header("location"), Some(page.as_str()));
}

/// The statement of the migration that makes up for what was destroyed before it.
const BACKFILL: &str = include_str!("../../migrations/0011_withdrawals.sql");

#[test]
fn what_was_destroyed_before_there_were_withdrawals_is_withdrawn() {
    let service = Service::new(SETTINGS);
    let database: std::rc::Rc<Sqlite> = std::rc::Rc::clone(&service.database);
    let world = World::on(Box::new(service));
    let owner = world.funded();
    let ledger = world.ledger(&owner, &[1]);
    for asset in ["7", "12345678901234567890"] {
        world.asset(&owner, &ledger, asset, &owner);
        let destroy = json!({ "kind": 6, "ledgerId": ledger["id"], "assetId": asset, "senderId": owner.id() });
        let payment = world.payment(&owner, "1500000000000000000");
        let mut body = world.order(&[&owner], json!([destroy, payment]));
        world.sign(&mut body, &[&owner]);
        assert_eq!(world.performed(&owner, &body)["status"], 7);
    }
    let backfill = BACKFILL.split_once("INSERT INTO").expect("a statement").1;
    database
        .execute(&format!(
            "CREATE TEMP TABLE noted AS SELECT * FROM withdrawals; DELETE FROM withdrawals; INSERT INTO {backfill}"
        ))
        .expect("the statement runs");
    let same = "INSERT INTO guards SELECT 0 WHERE 1 <> (SELECT count(*) FROM withdrawals w JOIN noted n \
        ON n.ledger_id = w.ledger_id AND n.asset_id = w.asset_id AND n.withdrawn_at = w.withdrawn_at \
        AND n.record_ref = w.record_ref AND w.issued_at IS NULL AND n.issued_at IS NOT NULL)";
    database
        .execute(same)
        .expect("the id that fits a number is back, as it was");
}
