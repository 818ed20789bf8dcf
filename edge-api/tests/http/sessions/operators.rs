//! Restrictions by the operator: blocked accounts and paused changes.

use std::time::Duration;

use serde_json::{Value, json};

use super::{bearer, challenge, is_dead, key, message, opens, sign_in_with, token};
use crate::support::people::Person;
use crate::support::{self, Host, SETTINGS};

struct Scene {
    host: Box<dyn Host>,
    admin: Person,
}

impl Scene {
    fn new() -> Self {
        let admin = Person::known(9);
        let admins = admin.id().to_string();
        let settings = [SETTINGS, &[("ADMIN_ACCOUNTS", admins.as_str())]].concat();
        let host = support::own(&settings);
        Self { host, admin }
    }

    fn post(&self, path: &str, body: &Value) {
        self.host.call(self.admin.post(path, body)).data();
        wait(&*self.host);
    }
}

/// Waits until every isolate reads the restrictions again. In workerd, only real time has this effect, and the service refuses
/// to move its clock during a pause.
pub fn wait(host: &dyn Host) {
    if support::in_workerd() {
        std::thread::sleep(Duration::from_millis(5_100));
    } else {
        host.advance(5_000);
    }
}

#[test]
fn a_blocked_account_cannot_use_or_start_sessions_and_keys() {
    let scene = Scene::new();
    let host = &*scene.host;
    let person = Person::new();
    let session = token(host, &person);
    let (_, read) = key(host, &session, &["read"]);
    let address = json!({ "address": person.id(), "reason": "Stolen key" });
    scene.post("/admin/blocks", &address);
    for token in [&session, &read] {
        host.call(bearer("GET", "/account", token))
            .fails(403, &[403_011]);
    }
    let text = message(&person, &challenge(host));
    host.call(sign_in_with(&person, &text))
        .fails(403, &[403_011]);
    scene.post("/admin/unblock", &address);
    opens(host, &session, &person);
    opens(host, &read, &person);
    host.call(sign_in_with(&person, &text)).data();
}

#[test]
fn accounts_can_sign_out_and_revoke_keys_during_a_pause() {
    let scene = Scene::new();
    let host = &*scene.host;
    let person = Person::new();
    let session = token(host, &person);
    let (reference, read) = key(host, &session, &["read"]);
    scene.post("/admin/pause", &json!({ "message": "Noon", "reason": "r" }));
    let text = message(&person, &challenge(host));
    host.call(sign_in_with(&person, &text))
        .fails(503, &[503_000]);
    let another = json!({ "name": "a", "scopes": ["read"] });
    host.call(bearer("POST", "/account/keys", &session).json(&another))
        .fails(503, &[503_000]);
    opens(host, &read, &person);
    host.call(bearer(
        "DELETE",
        format!("/account/keys/{reference}"),
        &session,
    ))
    .data();
    is_dead(host, &read);
    host.call(bearer("DELETE", "/sessions/current", &session))
        .data();
    is_dead(host, &session);
    // An administrator can sign in to end the pause.
    let admins = token(host, &scene.admin);
    let resume = bearer("POST", "/admin/resume", &admins).json(&json!({ "reason": "r" }));
    host.call(resume).data();
    wait(host);
    host.call(sign_in_with(&person, &text)).data();
}

#[test]
fn only_an_administrators_session_can_use_administrators_routes() {
    let scene = Scene::new();
    let host = &*scene.host;
    let session = token(host, &Person::new());
    host.call(bearer("GET", "/admin/audit", &session))
        .fails(403, &[403_010]);
    let admins = token(host, &scene.admin);
    host.call(bearer("GET", "/admin/audit", &admins)).data();
    let (_, key) = key(host, &admins, &["read", "orders", "webhooks"]);
    host.call(bearer("GET", "/admin/audit", &key))
        .fails(403, &[403_021]);
    host.call(bearer("GET", "/metrics", &key))
        .fails(403, &[403_021]);
}
