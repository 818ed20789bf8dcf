//! Codes of `/account/webhook`.

use serde_json::json;

use super::Book;
use crate::support::people::{Person, World};

pub fn provoke(book: &mut Book) {
    let world = World::new();
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
            ("/events", Some(json!([4])), &[422_066]),
        ],
    );
}
