//! Turning the signed header off, for the service and for an account.

use serde_json::json;

use super::operators::wait;
use super::{bearer, opens, token};
use crate::support::people::Person;
use crate::support::{self, Call, SETTINGS};

#[test]
fn a_service_can_turn_the_signed_header_off() {
    let admin = Person::known(9);
    let admins = admin.id().to_string();
    let settings = [
        SETTINGS,
        &[("LEGACY_AUTH", "off"), ("ADMIN_ACCOUNTS", admins.as_str())],
    ]
    .concat();
    let host = support::own(&settings);
    let person = Person::new();
    for call in [
        person.get("/account"),
        person.get("/orders"),
        admin.get("/admin/audit"),
        person.post("/account/keys", &json!({})),
    ] {
        host.call(call).fails(401, &[401_002]);
    }
    // The error for a request without a credential does not contain the text that accounts sign for the header.
    let answer = host.call(Call::get("/account"));
    answer.fails(401, &[400_001]);
    assert!(!String::from_utf8_lossy(&answer.body).contains("assay api"));
    assert_eq!(host.call(Call::get("/health")).data()["legacyAuth"], "off");
    opens(&*host, &token(&*host, &person), &person);
    let admins = token(&*host, &admin);
    host.call(bearer("GET", "/admin/audit", &admins)).data();
    assert_eq!(
        support::service().call(Call::get("/health")).data()["legacyAuth"],
        "on"
    );
}

#[test]
fn an_account_can_turn_the_signed_header_off_and_still_sign_in() {
    let host = support::own(SETTINGS);
    let (ada, bob) = (Person::new(), Person::new());
    let session = token(&*host, &ada);
    let put = |on: bool| {
        let body = json!({ "legacyAuth": on });
        bearer("PUT", "/account/access", &session).json(&body)
    };
    assert_eq!(
        host.call(ada.get("/account/access")).data(),
        json!({ "legacyAuth": true })
    );
    // The signed header is not enough to change this setting.
    host.call(ada.put("/account/access", &json!({ "legacyAuth": false })))
        .fails(403, &[403_021]);
    for wrong in [
        json!({}),
        json!({ "legacyAuth": "off" }),
        json!({ "legacyAuth": null }),
    ] {
        let call = bearer("PUT", "/account/access", &session).json(&wrong);
        assert_eq!(host.call(call).errors(), ["422900 legacyAuth"], "{wrong}");
    }
    host.call(ada.get("/account")).data();
    assert_eq!(host.call(put(false)).data(), json!({ "legacyAuth": false }));
    wait(&*host);
    host.call(ada.get("/account")).fails(401, &[401_002]);
    host.call(ada.delete("/account/information"))
        .fails(401, &[401_002]);
    host.call(bob.get("/account")).data();
    opens(&*host, &session, &ada);
    // Signing in with the wallet still works.
    let another = token(&*host, &ada);
    assert_eq!(
        host.call(bearer("GET", "/account/access", &another)).data(),
        json!({ "legacyAuth": false })
    );
    host.call(put(true)).data();
    wait(&*host);
    host.call(ada.get("/account")).data();
}
