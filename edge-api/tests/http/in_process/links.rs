//! Short links: the stored content, its lifetime, and the holder's right to end a link.

use serde_json::{Value, json};

use crate::files::settings;
use crate::support::native::Service;
use crate::support::{Answer, Call, Host};

const DAY: u64 = 86_400_000;
/// 32 bytes in base64url.
const CIPHERTEXT: &str = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8";

fn create(host: &dyn Host, ciphertext: &str, days: u64) -> Answer {
    let body = json!({ "ciphertext": ciphertext, "days": days });
    host.call(Call::new("POST", "/links").json(&body))
}

fn open(host: &dyn Host, link: &Value) -> Answer {
    let id = link["id"].as_str().expect("a reference");
    host.call(Call::get(format!("/s/{id}")))
}

fn end(host: &dyn Host, link: &Value, key: &Value) -> Answer {
    let id = link["id"].as_str().expect("a reference");
    let body = json!({ "endKey": key });
    host.call(Call::new("PUT", format!("/links/{id}/end")).json(&body))
}

/// Returns the number of stored links.
fn stored(service: &Service) -> u64 {
    let count = edge_api::ports::Statement::new("SELECT count(*) AS links FROM links");
    let rows = service.database.run(&[count]).expect("rows");
    rows[0].list[0]["links"].as_u64().expect("a number")
}

#[test]
fn a_link_is_kept_until_its_last_day() {
    for days in [1, 7, 30] {
        let service = Service::new(&settings());
        let answer = create(&service, CIPHERTEXT, days);
        assert_eq!(answer.status, 201, "{}", answer.text());
        let link = answer.data();
        let id = link["id"].as_str().expect("a reference");
        assert_eq!(id.len(), 16);
        assert_eq!(link["endKey"].as_str().map(str::len), Some(22));
        let address = link["address"].as_str().expect("an address");
        assert!(address.ends_with(&format!("/s/{id}")), "{address}");
        service.advance(days * DAY - 1);
        let opened = open(&service, &link).data();
        assert_eq!(opened["ciphertext"], CIPHERTEXT);
        assert_eq!(opened["expiresAt"], link["expiresAt"]);
        service.advance(1);
        open(&service, &link).fails(404, &[404_004]);
        assert_eq!(stored(&service), 1);
        service.clean();
        assert_eq!(stored(&service), 0);
    }
}

#[test]
fn only_the_end_key_ends_a_link() {
    let service = Service::new(&settings());
    let [first, second] = [1, 2].map(|_| create(&service, CIPHERTEXT, 7).data());
    assert_ne!(first["id"], second["id"]);
    for wrong in [json!("x"), second["endKey"].clone(), first["id"].clone()] {
        end(&service, &first, &wrong).fails(404, &[404_004]);
    }
    end(&service, &first, &Value::Null).fails(422, &[422_900]);
    end(&service, &json!({ "id": "none" }), &first["endKey"]).fails(404, &[404_004]);
    assert_eq!(
        end(&service, &first, &first["endKey"]).data()["id"],
        first["id"]
    );
    open(&service, &first).fails(404, &[404_004]);
    end(&service, &first, &first["endKey"]).fails(404, &[404_004]);
    assert_eq!(open(&service, &second).status, 200);
}

#[test]
fn the_content_of_a_link_is_bounded() {
    let service = Service::new(&settings());
    // 16,384 bytes are 21,846 characters.
    assert_eq!(create(&service, &"A".repeat(21_846), 1).status, 201);
    let long = "A".repeat(21_847);
    let longer = "A".repeat(21_848);
    for wrong in [
        "",
        "AAAA",
        "not base64url!",
        &format!("{CIPHERTEXT}="),
        &format!("{CIPHERTEXT}+"),
        &long,
        &longer,
    ] {
        create(&service, wrong, 7).fails(422, &[422_900]);
    }
    for days in [0, 2, 31, u64::MAX] {
        create(&service, CIPHERTEXT, days).fails(422, &[422_900]);
    }
    let both = json!({ "ciphertext": 1, "days": "7 days" });
    service
        .call(Call::new("POST", "/links").json(&both))
        .fails(422, &[422_900, 422_900]);
    assert_eq!(stored(&service), 1);
}

#[test]
fn a_client_network_cannot_use_up_the_budget_of_all() {
    let service = Service::new(&settings());
    let body = json!({ "ciphertext": "A".repeat(21_000), "days": 30 });
    let from = |address: &str| {
        let call = Call::new("POST", "/links").json(&body).from(address);
        service.call(call)
    };
    let accepted = (0..30).take_while(|_| from("2001:db8:1:1::1").status == 201);
    let accepted = accepted.count();
    // 200,000 bytes a day for a network.
    assert_eq!(accepted, 9);
    // Another subnet of the same site has the same budget.
    let refused = from("2001:db8:1:2::2");
    refused.fails(429, &[429_000]);
    assert!(refused.header("retry-after").is_some());
    assert_eq!(from("2001:db8:2::1").status, 201);
    service.advance(DAY);
    assert_eq!(from("2001:db8:1:1::1").status, 201);
}

#[test]
fn links_need_a_service_that_hosts_files() {
    let service = Service::new(&[("ENVIRONMENT", "development")]);
    create(&service, CIPHERTEXT, 7).fails(400, &[400_107]);
}

#[test]
fn the_page_of_a_link_has_neither_its_content_nor_other_origins() {
    let service = Service::new(&settings());
    let link = create(&service, CIPHERTEXT, 7).data();
    let id = link["id"].as_str().expect("a reference");
    let answer = service.call(Call::get(format!("/s/{id}")).header("accept", "text/html"));
    assert_eq!(answer.status, 200);
    assert!(!answer.text().contains(CIPHERTEXT) && !answer.text().contains("<!-- part:"));
    let policy = answer.header("content-security-policy").expect("a policy");
    assert!(
        policy.starts_with("default-src 'none'; script-src 'self';") && !policy.contains("https:"),
        "{policy}"
    );
}
