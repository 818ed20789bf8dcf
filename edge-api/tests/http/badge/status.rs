//! Statuses: replaced, expired and withdrawn documents, and the reason for a withdrawal.

use serde_json::{Value, json};

use super::certificate::{self, Certificate};
use super::{Issued, Issuer, shows};
use crate::support::Answer;
use crate::support::people::Person;

const EXPIRING: &str = r#"{"type":"object","properties":{
    "name":{"type":"string"},"validUntil":{"type":"string"},"$schema":{"type":"string"},"$evidence":{"type":"string"}
}}"#;
const MARKED: &str = r#"{"type":"object","properties":{
    "name":{"type":"string"},"$schema":{"type":"string"},"$evidence":{"type":"string"},
    "terms":{"type":"object","properties":{"end":{"type":"string","x-assay-expires":true}}}
}}"#;

/// Certifies a document of [`EXPIRING`] and makes `keys` public.
fn expiring(until: &str, keys: &[&str]) -> Certificate {
    let data = format!(
        r#"{{"$schema":"schema.json","$evidence":"evidence.json","name":"Ada","validUntil":"{until}"}}"#
    );
    Certificate::of(
        EXPIRING,
        &data,
        &[&["$schema", "$evidence", "name"], keys].concat(),
    )
}

impl Issued<'_> {
    fn update(&self, id: &str, imprint: &str) {
        self.perform(json!({
            "kind": 4, "ledgerId": self.ledger["id"], "assetId": id, "assetImprint": imprint,
            "senderId": self.issuer.owner.id(),
        }));
    }

    /// Creates an asset for a holder. Then the issuer and the holder sign an order that destroys the asset.
    fn withdraw_from(&self, holder: &Person, id: &str, imprint: &str) {
        let Issuer { world, owner, .. } = self.issuer;
        self.perform(json!({
            "kind": 1, "ledgerId": self.ledger["id"], "assetId": id, "assetImprint": imprint,
            "senderId": owner.id(), "receiverId": holder.id(),
        }));
        world.lets_ledger_collect(holder, &self.ledger);
        let proxy = world.gateways.proxies.destroy_asset;
        let approval = world.operator_approval(holder, &self.ledger, proxy, true);
        assert_eq!(world.approved(holder, &approval)["status"], 7);
        let destroy = json!({ "kind": 6, "ledgerId": self.ledger["id"], "assetId": id, "senderId": holder.id() });
        let payment = world.payment(owner, "3000000000000000000");
        let mut body = world.order(&[owner, holder], json!([destroy, payment]));
        world.sign(&mut body, &[owner, holder]);
        assert_eq!(world.performed(owner, &body)["status"], 7);
    }

    fn give(&self, person: &Person, id: &str, reason: &str) -> Answer {
        let ledger = self.ledger["ref"].as_str().expect("a reference");
        let path = format!("/ledgers/{ledger}/assets/{id}/withdrawal");
        self.issuer
            .world
            .call(person.put(path, &json!({ "reason": reason })))
    }

    /// Returns the report's kind of status, the code of its headline, and its integrity.
    fn state(&self, id: &str) -> [String; 3] {
        let report = self.report(id);
        let state = [
            &report["status"]["kind"],
            &report["headline"]["code"],
            &report["integrity"],
        ];
        state.map(|text| text.as_str().expect("a word").to_owned())
    }
}

#[test]
fn documents_of_an_earlier_imprint_are_reported_as_replaced() {
    let issuer = Issuer::alone();
    let (first, second) = (
        Certificate::new(),
        Certificate::with_public(&["name", "tags"]),
    );
    let second = Certificate {
        imprint: "ab".repeat(32),
        ..second
    };
    let issued = issuer.publish(&first);
    assert_eq!(
        issued.state("1"),
        ["inForce", "issuer-not-confirmed", "unchanged"]
    );
    issued.update("1", &second.imprint);
    assert_eq!(issued.state("1"), ["replaced", "replaced", "unchanged"]);
    let report = issued.report("1");
    let past = &report["asset"]["pastImprints"];
    assert_eq!(
        (&past[0]["imprint"], &past[0]["withdrawn"]),
        (&json!(first.imprint), &json!(false))
    );
    assert_eq!(past[0]["endedAt"], report["status"]["since"]);
    assert_eq!(
        (&report["valid"], &report["errors"][0]["reason"]),
        (&json!(false), &json!("replaced"))
    );
    shows(&issued.image("1"), "replaced", "replaced.svg");
    // A changed copy of the earlier documents is reported as changed.
    issued.serve("/1.json", first.altered("Ada", "Eva").metadata.to_json());
    issued.later();
    assert_eq!(issued.state("1"), ["replaced", "changed", "changed"]);
    // The asset gets its earlier imprint again, so the earlier documents are in force again.
    issued.serve("/1.json", first.metadata.to_json());
    issued.update("1", &first.imprint);
    issued.later();
    assert_eq!(
        issued.state("1"),
        ["inForce", "issuer-not-confirmed", "unchanged"]
    );
}

#[test]
fn another_assets_imprint_is_not_an_earlier_imprint() {
    let issuer = Issuer::new();
    let certificate = Certificate::new();
    let issued = issuer.publish(&certificate);
    issued.update("1", &"ab".repeat(32));
    issued.publish(
        "2",
        &Certificate {
            imprint: "cd".repeat(32),
            ..certificate
        },
    );
    assert_eq!(issued.state("2"), ["inForce", "changed", "changed"]);
}

#[test]
fn an_aih2_document_of_an_earlier_imprint_is_reported_as_replaced() {
    let issuer = Issuer::new();
    let certificate = super::aih2::of(r#"{"name":"Ada"}"#, r#"[["name"]]"#, true);
    let issued = issuer.publish(&certificate);
    issued.update("1", &"ab".repeat(32));
    assert_eq!(issued.state("1"), ["replaced", "replaced", "unchanged"]);
}

#[test]
fn the_report_of_a_withdrawn_asset_has_its_documents_while_they_are_unchanged() {
    let issuer = Issuer::new();
    let certificate = expiring("2901-01-01", &["validUntil"]);
    let issued = issuer.publish(&certificate);
    issued.destroy("1");
    let report = issued.report("1");
    assert_eq!(report["headline"]["code"], "withdrawn");
    assert_eq!(report["integrity"], "notChecked");
    assert_eq!(report["metadata"]["name"], "Ada");
    assert_eq!(report["metadata"]["validUntil"], "2901-01-01");
    assert!(report["evidence"].is_object() && report["schema"].is_object());
    // Documents that do not match the withdrawn certificate are left out.
    let issued = issuer.ledger(&certificate);
    issued.publish("1", &expiring("2902-01-01", &["validUntil"]));
    issued.create("2", &certificate.imprint);
    issued.serve("/2.json", certificate.metadata.to_json());
    issued.destroy("2");
    let report = issued.report("2");
    assert_eq!(
        [&report["metadata"], &report["headline"]["code"]],
        [&Value::Null, &json!("withdrawn")]
    );
}

#[test]
fn a_proven_expiry_date_expires_the_certificate() {
    let issuer = Issuer::new();
    let issued = issuer.publish(&expiring("2001-01-01", &["validUntil"]));
    assert_eq!(issued.state("1"), ["expired", "expired", "unchanged"]);
    let report = issued.report("1");
    assert_eq!(report["status"]["since"], "2001-01-02T00:00:00.000Z");
    assert_eq!(
        report["headline"]["text"],
        "Expired: it was valid until 2001-01-01"
    );
    shows(&issued.image("1"), "expired", "expired.svg");
    let issued = issuer.publish(&expiring("2901-01-01T10:00:00Z", &["validUntil"]));
    assert_eq!(
        issued.state("1"),
        ["inForce", "issuer-not-confirmed", "unchanged"]
    );
    assert_eq!(
        issued.report("1")["status"]["expiresAt"],
        "2901-01-01T10:00:00.000Z"
    );
    let data = r#"{"$schema":"schema.json","$evidence":"evidence.json","name":"Ada","terms":{"end":"2001-01-01"}}"#;
    let marked = Certificate::of(MARKED, data, &["$schema", "$evidence", "name", "terms"]);
    assert_eq!(issuer.publish(&marked).state("1")[0], "expired");
}

#[test]
fn an_unproven_expiry_date_does_not_count() {
    let issuer = Issuer::new();
    // The first certificate's evidence does not cover the date. The second certificate's evidence proves another date than the
    // one in the metadata.
    let hidden = expiring("2901-01-01", &[]);
    let added = Certificate {
        metadata: certificate::json(&hidden.metadata.to_json().replacen(
            '{',
            r#"{"validUntil":"2001-01-01","#,
            1,
        )),
        ..hidden
    };
    let issued = issuer.publish(&added);
    assert_eq!(issued.state("1"), ["inForce", "not-proven", "notCovered"]);
    assert_eq!(issued.report("1")["status"]["expiresAt"], Value::Null);
    let forged = expiring("2001-01-01", &["validUntil"]).altered("2001", "2901");
    let issued = issuer.publish(&forged);
    assert_eq!(issued.state("1"), ["inForce", "changed", "changed"]);
    // The schema does not have the field, so anyone may have added it.
    let undescribed = Certificate::new();
    let metadata = undescribed.metadata.to_json();
    let undescribed = Certificate {
        metadata: certificate::json(&metadata.replacen('{', r#"{"validUntil":"2001-01-01","#, 1)),
        ..undescribed
    };
    assert_eq!(issuer.publish(&undescribed).state("1")[0], "inForce");
}

#[test]
fn only_the_holder_and_the_orders_creator_give_a_withdrawals_reason() {
    let issuer = Issuer::new();
    let (owner, stranger) = (&issuer.owner, Person::new());
    let holder = issuer.world.funded();
    let certificate = Certificate::new();
    let issued = issuer.ledger(&certificate);
    issued.withdraw_from(&holder, "1", &certificate.imprint);
    let status = || issued.report("1")["status"].clone();
    assert_eq!(
        (&status()["kind"], &status()["reason"]),
        (&json!("withdrawn"), &Value::Null)
    );

    assert_eq!(issued.give(&stranger, "1", "mine").errors(), ["403002"]);
    let given = issued.give(&holder, "1", " Lost & found ").data();
    assert_eq!(given["reason"], "Lost & found");
    let by_holder = json!({ "account": holder.id(), "role": "holder" });
    assert_eq!(
        (&status()["reason"], &status()["reasonBy"]),
        (&json!("Lost & found"), &by_holder)
    );
    // The ledger's owner may replace the holder's reason, but the holder may not replace the issuer's.
    assert_eq!(issued.give(owner, "1", "Revoked: plagiarism").status, 200);
    assert_eq!(
        issued.give(&holder, "1", "Valid, ask me").errors(),
        ["403002"]
    );
    assert_eq!(issued.give(owner, "1", "Revoked: plagiarism").status, 200);
    let report = issued.report("1");
    assert_eq!(
        report["status"]["reasonBy"],
        json!({ "account": owner.id(), "role": "issuer" })
    );
    let text = report["headline"]["text"].as_str().expect("a string");
    assert!(text.ends_with(": Revoked: plagiarism"), "{text}");

    for reason in [
        "",
        "<script>alert(1)</script>",
        "a\u{202e}b",
        "two\nlines",
        &"a".repeat(281),
    ] {
        let refused = issued.give(owner, "1", reason);
        assert_eq!(
            (refused.status, refused.errors()),
            (422, vec!["422900 reason".to_owned()]),
            "{reason}"
        );
    }
    assert_eq!(issued.give(owner, "2", "why").errors(), ["400005"]);
    issued.create("3", &certificate.imprint);
    assert_eq!(issued.give(owner, "3", "why").errors(), ["400106"]);
}

#[test]
fn an_asset_that_is_created_again_does_not_inherit_a_reason() {
    let issuer = Issuer::alone();
    let certificate = Certificate::new();
    let issued = issuer.publish(&certificate);
    issued.destroy("1");
    assert_eq!(issued.give(&issuer.owner, "1", "First").status, 200);
    // The new asset has another imprint, so the documents still belong to the destroyed asset.
    issued.create("1", &"ab".repeat(32));
    issued.later();
    let report = issued.report("1");
    assert_eq!(issued.state("1"), ["withdrawn", "withdrawn", "unchanged"]);
    assert_eq!(
        (&report["valid"], &report["status"]["reason"]),
        (&json!(false), &json!("First"))
    );
    shows(&issued.image("1"), "withdrawn", "withdrawn.svg");
    assert_eq!(issued.answer("1").errors(), ["400016 assetId"]);
    assert_eq!(issued.give(&issuer.owner, "1", "Late").errors(), ["400106"]);
    // The second destruction has no reason until an account gives one.
    issued.destroy("1");
    assert_eq!(issued.report("1")["status"]["reason"], Value::Null);
    // The asset is created again with the old imprint, so the old documents are valid again.
    issued.create("1", &certificate.imprint);
    issued.later();
    assert_eq!(
        issued.state("1"),
        ["inForce", "issuer-not-confirmed", "unchanged"]
    );
    assert_eq!(issued.report("1")["status"]["reason"], Value::Null);
}
