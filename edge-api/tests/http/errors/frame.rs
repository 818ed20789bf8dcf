//! Codes that do not belong to a resource.

use serde_json::json;

use super::Book;
use crate::limits;
use crate::support::native::Service;
use crate::support::people::{Person, World};
use crate::support::{self, Call, Host, SETTINGS, in_workerd};

pub fn provoke(book: &mut Book) {
    let world = World::new();
    let person = world.funded();
    let post = |content_type: &str, body: Vec<u8>| {
        let call = Call::new("POST", "/orders").header("authorization", &person.authorization());
        world.call(call.raw(content_type, body))
    };
    book.add(
        &[400_000],
        "GET /nothing",
        &world.call(Call::get("/nothing")),
    );
    book.add(
        &[400_001],
        "GET /account without `Authorization`",
        &world.call(Call::get("/account")),
    );
    book.add(
        &[400_001],
        "GET /account with `Authorization: 3:0x00`",
        &world.call(Call::get("/account").header("authorization", "3:0x00")),
    );
    book.add(
        &[400_100],
        "POST /orders with the body `{`",
        &post("application/json", b"{".to_vec()),
    );
    book.add(
        &[400_100],
        "POST /orders with a form that has no boundary",
        &post("multipart/form-data", b"x".to_vec()),
    );
    book.add(
        &[413_000],
        "POST /orders with a body of more than 1 MiB",
        &post("application/json", vec![b' '; (1 << 20) + 1]),
    );
    book.add(
        &[415_000],
        "POST /orders with `Content-Type: text/plain`",
        &post("text/plain", b"{}".to_vec()),
    );
    book.add(
        &[405_000],
        "DELETE /orders",
        &world.call(Call::new("DELETE", "/orders")),
    );
    for query in [
        "limit=0",
        "skip=-1",
        "skip=10001",
        "sort=3",
        "statuses=8",
        "after=x",
    ] {
        let target = format!("/orders?{query}");
        let answer = world.call(person.get(target.as_str()));
        book.add(&[400_101], &format!("GET {target}"), &answer);
    }
    let deposit = |amount: u64, key: &str| {
        let call = person.post("/deposits", &json!({ "amount": amount }));
        world.call(call.header("idempotency-key", key))
    };
    deposit(1000, "key").data();
    book.add(
        &[409_000],
        "POST /deposits with an `Idempotency-Key` that was sent with another body",
        &deposit(2000, "key"),
    );
    book.add(
        &[422_900],
        "POST /deposits with an `Idempotency-Key` of 256 characters",
        &deposit(1000, &"k".repeat(256)),
    );
    book.add(
        &[400_002],
        "GET /requests/none",
        &world.call(person.get("/requests/none")),
    );

    let strict = [SETTINGS, &[("REQUIRE_IDENTIFICATION", "true")]].concat();
    let answer = support::shared(&strict).call(Person::new().get("/orders"));
    book.add(
        &[400_014],
        "GET /orders before PUT /account, if identification is required",
        &answer,
    );
    let limited = [SETTINGS, &[("RATE_LIMIT_ADDRESS", "1/10")]].concat();
    let answer = limits::exceeded(
        support::own(&limited).as_ref(),
        &Call::get("/stats/tickers"),
    );
    book.add(
        &[429_000],
        "GET /stats/tickers beyond the client address's rate limit",
        &answer,
    );
    if !in_workerd() {
        let service = Service::new(SETTINGS);
        service
            .database
            .execute("ALTER TABLE balances RENAME TO elsewhere")
            .expect("a renamed table");
        let answer = service.call(Person::new().get("/account"));
        book.add(&[503_001], "GET /account while the database fails", &answer);
        let service = Service::new(SETTINGS);
        let person = Person::known(1);
        let row = format!(
            "INSERT INTO accounts (id, information, created_at) VALUES (lower('{}'), '{{', 0)",
            person.id()
        );
        service.database.execute(&row).expect("a row");
        let answer = service.call(person.get("/account"));
        book.add(
            &[500_000],
            "GET /account whose stored row is corrupt",
            &answer,
        );
    }
}
