//! Codes of `/deployments`.

use serde_json::json;

use super::Book;
use crate::support::people::{Person, World};
use crate::support::with;

pub fn provoke(book: &mut Book) {
    let world = World::new();
    let owner = world.funded();
    let body = world.deployment(&owner, &[1]);
    let zero = "0x0000000000000000000000000000000000000000";
    book.fields(
        &world,
        &owner,
        ("POST", "/deployments"),
        &body,
        &[
            ("/claim", None, &[422_008]),
            ("/claim", Some(json!("0:0x12")), &[400_001]),
            ("/deploy", None, &[422_038]),
            ("/priority", None, &[422_900]),
            ("/deploy/makerId", None, &[422_052]),
            ("/deploy/takerId", Some(json!("0x12")), &[422_037]),
            ("/deploy/seed", None, &[400_007]),
            ("/deploy/expiration", None, &[422_064]),
            ("/deploy/expiration", Some(json!(1_600_000_000)), &[400_007]),
            ("/deploy/assetLedgerData", None, &[422_039]),
            ("/deploy/assetLedgerData/name", None, &[422_040]),
            ("/deploy/assetLedgerData/symbol", None, &[422_041]),
            ("/deploy/assetLedgerData/uriPrefix", None, &[422_043]),
            ("/deploy/assetLedgerData/schemaId", None, &[422_044]),
            ("/deploy/assetLedgerData/capabilities", None, &[422_045]),
            (
                "/deploy/assetLedgerData/capabilities",
                Some(json!([5])),
                &[422_046],
            ),
            ("/deploy/assetLedgerData/ownerId", None, &[422_047]),
            (
                "/deploy/assetLedgerData/ownerId",
                Some(json!(zero)),
                &[422_048],
            ),
            ("/deploy/tokenTransferData", None, &[422_049]),
            ("/deploy/tokenTransferData/ledgerId", None, &[422_050]),
            (
                "/deploy/tokenTransferData/ledgerId",
                Some(json!("0x12")),
                &[422_051],
            ),
            ("/deploy/tokenTransferData/receiverId", None, &[422_053]),
            ("/deploy/tokenTransferData/value", None, &[422_054]),
            (
                "/deploy/tokenTransferData/value",
                Some(json!("1")),
                &[422_055],
            ),
        ],
    );
    let taken = with(&body, "/deploy/takerId", Some(json!(owner.id())));
    let taken = with(&taken, "/deploy/tokenTransferData/receiverId", None);
    book.add(
        &[422_063],
        "POST /deployments with a takerId and without `deploy.tokenTransferData.receiverId`",
        &world.call(owner.post("/deployments", &taken)),
    );
    let poor = Person::new();
    book.add(
        &[422_079, 422_080],
        "POST /deployments by a maker without tokens",
        &world.call(poor.post("/deployments", &world.deployment(&poor, &[]))),
    );
    world.call(owner.post("/deployments", &body)).data();
    book.add(
        &[400_007],
        "POST /deployments with the hash of a deployment that another account sent",
        &world.call(Person::new().post("/deployments", &body)),
    );
    book.add(
        &[400_003],
        "GET /deployments/none",
        &world.call(owner.get("/deployments/none")),
    );
}
