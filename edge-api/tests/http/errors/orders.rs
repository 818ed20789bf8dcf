//! Codes of an order as a whole: its fields, its states, and the permissions to change it.

use serde_json::{Value, json};

use std::rc::Rc;

use super::Book;
use crate::support::native::Service;
use crate::support::people::{CREATE_COST, IMPRINT, Person, World};
use crate::support::{SETTINGS, in_workerd, with};

/// Returns an order that creates an asset, valid except for its missing claim.
fn order(world: &World, owner: &Person) -> Value {
    let create = json!({
        "kind": 1, "ledgerId": Person::new().id(), "assetId": "1", "assetImprint": IMPRINT,
        "senderId": owner.id(), "receiverId": owner.id(),
    });
    world.order(&[owner], json!([create, world.payment(owner, CREATE_COST)]))
}

pub fn provoke(book: &mut Book) {
    let world = World::new();
    fields(book, &world);
    states(book, &world);
    if !in_workerd() {
        too_many_open(book);
    }
}

fn too_many_open(book: &mut Book) {
    let service = Service::new(SETTINGS);
    let database = Rc::clone(&service.database);
    let world = World::on(Box::new(service));
    let (creator, signer) = (Person::new(), world.funded());
    let mut body = world.order(&[&signer], json!([world.payment(&signer, "1")]));
    world.call(creator.post("/orders", &body)).data();
    database
        .execute("UPDATE open_orders SET bytes = 33554432")
        .expect("many open orders");
    body["order"]["seed"] = json!(7);
    book.add(
        &[429_001],
        "POST /orders by an account that already has 32 MiB of open orders",
        &world.call(creator.post("/orders", &body)),
    );
}

fn fields(book: &mut Book, world: &World) {
    let owner = world.funded();
    let body = order(world, &owner);
    let receiver = "/order/actions/0/receiverId";
    book.fields(
        world,
        &owner,
        ("POST", "/orders"),
        &body,
        &[
            ("/order", None, &[422_009]),
            ("/priority", None, &[422_010]),
            ("/priority", Some(json!(5)), &[422_010]),
            ("/order/seed", None, &[422_002]),
            ("/order/expiration", None, &[422_003]),
            ("/order/expiration", Some(json!(1_600_000_000)), &[422_900]),
            (
                "/order/expiration",
                Some(json!(253_402_300_800_000_u64)),
                &[422_003],
            ),
            ("/order/actions", Some(json!([])), &[422_900]),
            ("/order/actions/0/kind", Some(json!(8)), &[422_900]),
            ("/order/actions/0/ledgerId", None, &[422_004, 422_036]),
            ("/order/actions/0/ledgerId", Some(json!("0x12")), &[422_058]),
            ("/order/actions/0/assetId", None, &[422_005, 422_023]),
            ("/order/actions/0/assetImprint", None, &[422_006, 422_024]),
            (
                "/order/actions/0/assetImprint",
                Some(json!("0x12")),
                &[422_158],
            ),
            (receiver, None, &[422_057]),
            (receiver, Some(json!("0x12")), &[422_059]),
            ("/order/actions/0/senderId", Some(json!("0x12")), &[422_060]),
            ("/order/actions/1/value", None, &[422_007]),
            ("/order/actions/1/value", Some(json!("1.5")), &[422_070]),
            ("/order/actions/1/value", Some(json!("1")), &[422_012]),
        ],
    );
    let nobody = json!([{ "kind": 3, "ledgerId": world.gateways.token, "value": "1", "senderId": "", "receiverId": owner.id() }]);
    let empty = with(&body, "/order/signers", Some(json!([])));
    let empty = with(&empty, "/order/actions", Some(nobody));
    let answer = world.call(owner.post("/orders", &empty));
    let codes: Vec<u32> = answer
        .codes()
        .iter()
        .filter_map(|code| u32::try_from(*code).ok())
        .collect();
    assert!(codes.contains(&422_001), "{codes:?}");
    book.add(
        &codes,
        "POST /orders without signers, and `wildcardSigner` = `false`",
        &answer,
    );
}

fn states(book: &mut Book, world: &World) {
    let (owner, second) = (world.funded(), world.funded());
    let both = |value: &str| {
        let mut body = world.order(&[&owner, &second], json!([world.payment(&owner, value)]));
        world.sign(&mut body, &[&owner]);
        body
    };
    let body = both("1");
    let made = world.call(owner.post("/orders", &body)).data();
    let path = format!("/orders/{}", made["ref"].as_str().expect("a reference"));
    let sign = |person: &Person, body: Value| world.call(person.put(format!("{path}/sign"), &body));
    let claim = |person: &Person| json!({ "claim": person.claim(&world.order_hash(&body)) });

    book.add(
        &[400_011],
        "GET /orders/none",
        &world.call(owner.get("/orders/none")),
    );
    book.add(
        &[400_008],
        "PUT /orders/:orderRef/perform before all signers have signed",
        &world.call(owner.put(format!("{path}/perform"), &json!({}))),
    );
    book.add(
        &[400_010],
        "PUT /orders/:orderRef/sign without `claim`",
        &sign(&second, json!({})),
    );
    book.add(
        &[400_001],
        "PUT /orders/:orderRef/sign with another account's claim",
        &sign(&second, claim(&owner)),
    );
    book.add(
        &[400_012],
        "PUT /orders/:orderRef/sign a second time",
        &sign(&owner, claim(&owner)),
    );
    let mut forged = both("2");
    forged["order"]["signers"][0]["claim"] = json!(second.claim(&world.order_hash(&forged)));
    book.add(
        &[400_001],
        "POST /orders with another account's claim",
        &world.call(owner.post("/orders", &forged)),
    );
    book.add(
        &[409_001],
        "POST /orders with the hash of an order that another account sent",
        &world.call(Person::new().post("/orders", &body)),
    );
    let creator = Person::new();
    let theirs = world.call(creator.post("/orders", &both("3"))).data();
    let target = format!("/orders/{}", theirs["ref"].as_str().expect("a reference"));
    book.add(
        &[400_009],
        "DELETE /orders/:orderRef by its creator, who is not a signer",
        &world.call(creator.delete(target)),
    );
    world.call(owner.delete(path.as_str())).data();
    book.add(
        &[400_013],
        "DELETE /orders/:orderRef of a canceled order",
        &world.call(owner.delete(path.as_str())),
    );
}
