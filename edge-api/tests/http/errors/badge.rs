//! Codes of `/badge`.

use std::rc::Rc;

use edge_api::ports::Fetched;
use serde_json::json;

use super::Book;
use crate::support::native::Service;
use crate::support::people::World;
use crate::support::{Call, SETTINGS, in_workerd, with};

pub fn provoke(book: &mut Book) {
    let service = Service::new(SETTINGS);
    let http = Rc::clone(&service.http);
    let world = if in_workerd() {
        World::new()
    } else {
        World::on(Box::new(service))
    };
    let owner = world.funded();
    // The id of a bundled schema: digital collectibles.
    let schema = "0xa8b28cb4542f28ab17dca323aa53eb55aeac2635000848f4d6b36c28427da463";
    let body = world.deployment(&owner, &[]);
    let mut body = with(
        &body,
        "/deploy/assetLedgerData/schemaId",
        Some(json!(schema)),
    );
    world.sign_deployment(&mut body, &owner);
    world.call(owner.post("/deployments", &body)).data();
    world.host.settle();
    let ledger = world.call(owner.get("/ledgers")).data()[0].clone();
    let id = ledger["id"].as_str().expect("an address");
    let get = |query: &str| world.call(Call::get(format!("/badge?{query}")));
    book.add(
        &[422_116],
        "GET /badge without assetId",
        &get(&format!("ledgerId={id}")),
    );
    book.add(&[422_118], "GET /badge without ledgerId", &get("assetId=1"));
    book.add(
        &[422_117],
        "GET /badge with `ledgerId` = `0x12`",
        &get("assetId=1&ledgerId=0x12"),
    );
    book.add(
        &[400_016],
        "GET /badge of an asset that does not exist",
        &get(&format!("assetId=1&ledgerId={id}")),
    );
    if in_workerd() {
        return;
    }
    world.asset(&owner, &ledger, "1", &owner);
    world.asset(&owner, &ledger, "2", &owner);
    book.add(
        &[400_017],
        "GET /badge of an asset whose metadata cannot be fetched",
        &get(&format!("assetId=1&ledgerId={id}")),
    );
    let serve = |url: &str, body: serde_json::Value| {
        let answer = Fetched {
            status: 200,
            content_type: Some("application/json".to_owned()),
            location: None,
            allow_origin: None,
            body: body.to_string().into_bytes(),
        };
        http.set(url, Ok(answer));
    };
    let evidence = "https://example.com/evidence.json";
    let metadata = json!({ "$evidence": evidence, "$schema": "https://example.com/schema.json", "name": "A", "description": "B" });
    serve("https://example.com/assets/2.json", metadata);
    serve(
        evidence,
        json!({ "$schema": "https://example.com/schema.json", "data": [] }),
    );
    book.add(
        &[400_019],
        "GET /badge of an asset that is not valid, with the address of a missing image as `invalidImg`",
        &get(&format!(
            "assetId=2&ledgerId={id}&invalidImg=https://example.com/gone.png"
        )),
    );
}
