//! Codes of `/account/webhook`.

use serde_json::json;

use super::Book;
use crate::support::people::{Person, World};

pub fn provoke(book: &mut Book) {
    let world = World::new();
    let person = Person::new();
    let url = json!({ "url": "https://hooks.assay.example/", "events": [] });
    world.call(person.put("/account/webhook", &url)).data();
    let test = world.call(person.post("/account/webhook/test", &json!({})));
    book.add(
        &[422_920],
        "POST /account/webhook/test before the receiver has answered the challenge",
        &test,
    );
    let body = json!({ "url": "https://example.com/hook", "events": [0, 1] });
    book.fields(
        &world,
        &Person::new(),
        ("PUT", "/account/webhook"),
        &body,
        &[
            ("/url", None, &[422_067]),
            ("/url", Some(json!("nonsense")), &[422_114]),
            ("/events", None, &[422_066]),
            ("/events", Some(json!([6])), &[422_066]),
            ("/secret", Some(json!("whsec_short")), &[422_900]),
        ],
    );
}
