//! Codes of `/account` and `/deposits`.

use std::sync::Arc;

use serde_json::json;

use super::Book;
use crate::support::people::{Person, World};
use crate::support::{self, outside};

pub fn provoke(book: &mut Book) {
    let world = World::new();
    let person = Person::new();
    let body = json!({
        "firstName": "Ada", "lastName": "Byron", "email": "ada@example.com", "streetAddress": "1 Main Street",
        "postalCode": "1000", "city": "Ljubljana", "country": "Slovenia", "isCompany": true,
        "companyInformation": {
            "name": "Engines Ltd", "streetAddress": "2 Main Street", "postalCode": "1000", "city": "Ljubljana",
            "country": "Slovenia", "taxNumber": "SI123", "phoneNumber": 38_640_123_456_u64,
        },
    });
    let put = ("PUT", "/account");
    book.add(
        &[422_097],
        "PUT /account with the body `{}`",
        &world.call(person.put("/account", &json!({}))),
    );
    book.fields(
        &world,
        &person,
        put,
        &body,
        &[
            ("/firstName", None, &[422_098]),
            ("/lastName", None, &[422_099]),
            ("/email", None, &[422_100]),
            ("/email", Some(json!("ada")), &[422_101]),
            ("/streetAddress", None, &[422_102]),
            ("/postalCode", None, &[422_103]),
            ("/city", None, &[422_104]),
            ("/country", None, &[422_105]),
            ("/isCompany", Some(json!("yes")), &[422_900]),
            ("/companyInformation", None, &[422_106]),
            ("/companyInformation/name", None, &[422_107]),
            ("/companyInformation/streetAddress", None, &[422_108]),
            ("/companyInformation/postalCode", None, &[422_109]),
            ("/companyInformation/city", None, &[422_110]),
            ("/companyInformation/country", None, &[422_111]),
            ("/companyInformation/taxNumber", None, &[422_112]),
            ("/companyInformation/phoneNumber", None, &[422_113]),
        ],
    );
    book.fields(
        &world,
        &person,
        ("POST", "/deposits"),
        &json!({ "amount": 1000 }),
        &[
            ("/amount", None, &[422_095]),
            ("/amount", Some(json!(999)), &[422_096]),
            ("/amount", Some(json!(100_000_000)), &[422_900]),
        ],
    );
    book.add(
        &[400_104],
        "GET /deposits/none",
        &world.call(person.get("/deposits/none")),
    );
    let old = outside::own(
        &[support::SETTINGS, &[("TICKER_URL", "{outside}/price")]].concat(),
        Arc::new(|_| Some((200, json!({ "price": 0.04 }).to_string()))),
    );
    old.settle();
    old.advance(2 * 3_600_000);
    book.add(
        &[400_105],
        "POST /deposits while the last price is more than an hour old",
        &old.call(person.post("/deposits", &json!({ "amount": 1000 }))),
    );
    let without = support::shared(&[("ENVIRONMENT", "development")]);
    let answer = without.call(person.post("/deposits", &json!({ "amount": 1000 })));
    book.add(
        &[400_103],
        "POST /deposits while `DEPOSITS` is off",
        &answer,
    );
}
