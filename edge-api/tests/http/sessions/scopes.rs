//! The credentials that each route accepts, as the API description lists them.

use serde_json::{Value, json};

use super::{bearer, key, token};
use crate::support::openapi::document;
use crate::support::people::Person;
use crate::support::{self, Call, Host, SETTINGS};

const SCOPES: [&str; 3] = ["read", "orders", "webhooks"];

/// An operation of the API description that needs an account: method, path, and the accepted credentials with their scopes.
struct Operation {
    method: &'static str,
    path: String,
    security: Vec<(String, Vec<String>)>,
}

impl Operation {
    /// Returns the scope that an API key needs, or `None` if no API key may call the operation.
    fn scope(&self) -> Option<&str> {
        let (_, scopes) = self.security.iter().find(|(scheme, _)| scheme == "key")?;
        scopes.first().map(String::as_str)
    }

    fn accepts(&self, scheme: &str) -> bool {
        self.security.iter().any(|(name, _)| name == scheme)
    }

    /// Returns a call of the operation without valid fields in its body.
    fn call(&self, authorization: &str) -> Call {
        let call = Call::new(self.method, &self.path).header("authorization", authorization);
        if self.path == "/files" {
            let form = "--b\r\nContent-Disposition: form-data; name=\"x\"\r\n\r\n1\r\n--b--\r\n";
            return call.raw("multipart/form-data; boundary=b", form);
        }
        call.json(&json!({}))
    }
}

/// Returns all operations that need an account.
fn operations() -> Vec<Operation> {
    let mut found = Vec::new();
    for (path, methods) in document()["paths"].as_object().expect("paths") {
        for (method, operation) in methods.as_object().expect("methods") {
            let security = operation["security"].as_array().expect("security");
            if security.is_empty() {
                continue;
            }
            let scheme = |(name, scopes): (&String, &Value)| {
                let scopes = scopes.as_array().expect("scopes").iter();
                let scopes = scopes.map(|scope| scope.as_str().expect("a string").to_owned());
                (name.clone(), scopes.collect())
            };
            let security = security
                .iter()
                .flat_map(|scheme| scheme.as_object().expect("a scheme"))
                .map(scheme)
                .collect();
            let part = |part: &'static str| if part.starts_with('{') { "1" } else { part };
            found.push(Operation {
                method: match method.as_str() {
                    "get" => "GET",
                    "post" => "POST",
                    "put" => "PUT",
                    "delete" => "DELETE",
                    other => panic!("{other}"),
                },
                path: path.split('/').map(part).collect::<Vec<_>>().join("/"),
                security,
            });
        }
    }
    found
}

/// Calls an operation. Returns the error code if the answer refuses the kind or the scope of the credential, otherwise
/// `None`.
fn is_refused(host: &dyn Host, operation: &Operation, authorization: &str) -> Option<u64> {
    let answer = host.call(operation.call(authorization));
    let codes = if answer.status == 403 {
        answer.codes()
    } else {
        Vec::new()
    };
    let mut codes = codes.into_iter();
    codes.find(|code| [403_020, 403_021].contains(code))
}

#[test]
fn each_route_accepts_exactly_the_scopes_that_it_declares() {
    let admin = Person::known(9);
    let admins = admin.id().to_string();
    let settings = [
        SETTINGS,
        &[("ADMIN_ACCOUNTS", admins.as_str()), ("FILES", "on")],
    ]
    .concat();
    let host = support::own(&settings);
    // The keys belong to an administrator, who can call every route with a session. Refusals are therefore due to the key.
    let session = token(&*host, &admin);
    let keys = SCOPES.map(|scope| (scope, key(&*host, &session, &[scope]).1));
    let (_, whole) = key(&*host, &session, &SCOPES);
    let operations = operations();
    assert!(operations.len() > 60, "{}", operations.len());
    for operation in &operations {
        let name = format!("{} {}", operation.method, operation.path);
        for (scope, text) in &keys {
            let expected = match operation.scope() {
                None => Some(403_021),
                Some(needed) if needed == *scope => None,
                Some(_) => Some(403_020),
            };
            let refused = is_refused(&*host, operation, &format!("Bearer {text}"));
            assert_eq!(refused, expected, "{name} with a key for `{scope}`");
        }
        let expected = operation.scope().is_none().then_some(403_021);
        let refused = is_refused(&*host, operation, &format!("Bearer {whole}"));
        assert_eq!(refused, expected, "{name} with a key for all scopes");
        // The routes that end sessions are left out, because they would end the session of this test.
        let is_ending = operation.method == "DELETE" && operation.path.starts_with("/sessions");
        if !is_ending {
            let refused = is_refused(&*host, operation, &format!("Bearer {session}"));
            assert_eq!(refused, None, "{name} with a session");
            assert!(
                operation.accepts("session") && operation.accepts("cookie"),
                "{name}"
            );
        }
        let expected = (!operation.accepts("authorization")).then_some(403_021);
        let refused = is_refused(&*host, operation, &admin.authorization());
        assert_eq!(refused, expected, "{name} with the signed header");
    }
}

#[test]
fn no_key_reaches_credentials_settings_or_administration() {
    let closed = [
        "/sessions",
        "/account/keys",
        "/account/access",
        "/account/domain",
        "/account/information",
        "/admin/",
        "/metrics",
    ];
    for operation in operations() {
        let is_closed = closed.iter().any(|path| operation.path.starts_with(path));
        let is_read = operation.method == "GET" && operation.path == "/account/domain";
        if is_closed && !is_read {
            let name = format!("{} {}", operation.method, operation.path);
            assert_eq!(operation.scope(), None, "{name}");
        }
        if operation.scope() == Some("read") {
            assert_eq!(operation.method, "GET", "{}", operation.path);
        }
    }
}

#[test]
fn a_refused_key_changes_nothing() {
    let host = support::service();
    let person = Person::new();
    let session = token(&*host, &person);
    let (_, read) = key(&*host, &session, &["read"]);
    let webhook = json!({ "url": "https://hooks.assay.example/", "events": [] });
    let put = bearer("PUT", "/account/webhook", &read).json(&webhook);
    host.call(put).fails(403, &[403_020]);
    let domain = bearer("PUT", "/account/domain", &read).json(&json!({ "domain": "a.example" }));
    host.call(domain).fails(403, &[403_021]);
    let more = json!({ "name": "more", "scopes": SCOPES });
    host.call(bearer("POST", "/account/keys", &read).json(&more))
        .fails(403, &[403_021]);
    host.call(person.post("/account/keys", &more))
        .fails(403, &[403_021]);
    assert_eq!(
        host.call(person.get("/account/webhook")).data()["url"],
        Value::Null
    );
    assert_eq!(host.call(person.get("/account/keys")).meta()["total"], 1);
}
