//! Codes of `/links`.

use serde_json::json;

use super::Book;
use crate::files::settings;
use crate::support::people::World;
use crate::support::{self, Call};

pub fn provoke(book: &mut Book) {
    let on = support::shared(&settings());
    let post = |body| Call::new("POST", "/links").json(&body);
    let link = json!({ "ciphertext": "A".repeat(43), "days": 7 });
    book.add(
        &[400_107],
        "POST /links while `FILES` is off",
        &World::new().call(post(link.clone())),
    );
    book.add(
        &[422_900],
        "POST /links with `days` = `2`",
        &on.call(post(json!({ "ciphertext": "A".repeat(43), "days": 2 }))),
    );
    book.add(&[404_004], "GET /s/none", &on.call(Call::get("/s/none")));
}
