//! The session cookie of the service's own pages, and pages of other sites that try to use this cookie.

use serde_json::{Value, json};

use super::{challenge, message, token};
use crate::support::people::Person;
use crate::support::{self, Call, Host};

fn signing_in(host: &dyn Host, person: &Person) -> Call {
    let text = message(person, &challenge(host));
    let body = json!({ "message": text, "signature": person.sign_text(&text), "cookie": true });
    Call::new("POST", "/sessions").json(&body)
}

/// Returns the service's own origin.
fn origin(host: &dyn Host) -> String {
    let fields = challenge(host);
    fields["uri"].as_str().expect("an address").to_owned()
}

/// Signs in as a page of the service does. Returns the value of the request header `Cookie`.
fn cookie(host: &dyn Host, person: &Person) -> String {
    let answer = host.call(signing_in(host, person).header("origin", &origin(host)));
    assert_eq!(answer.data()["token"], Value::Null);
    let set = answer.header("set-cookie").expect("a cookie");
    let (pair, attributes) = set.split_once("; ").expect("attributes");
    assert_eq!(
        attributes,
        "Path=/; Max-Age=2592000; Secure; HttpOnly; SameSite=Strict"
    );
    assert!(pair.starts_with("__Host-session=assay_session_"), "{pair}");
    pair.to_owned()
}

#[test]
fn only_a_page_of_the_service_can_sign_in_with_a_cookie() {
    let host = support::service();
    let person = Person::new();
    let own = origin(&*host);
    let call = || signing_in(&*host, &person);
    for origins in [
        vec![],
        vec!["https://evil.example"],
        vec!["null"],
        vec![""],
        vec![own.as_str(), "https://evil.example"],
    ] {
        let call = origins
            .iter()
            .fold(call(), |call, origin| call.header("origin", origin));
        let answer = host.call(call);
        answer.fails(403, &[403_022]);
        assert_eq!(answer.header("set-cookie"), None, "{origins:?}");
    }
    let wrong = json!({ "message": "", "signature": "", "cookie": "yes" });
    host.call(Call::new("POST", "/sessions").json(&wrong))
        .fails(422, &[422_940]);
    cookie(&*host, &person);
}

#[test]
fn pages_of_other_origins_cannot_use_the_session_cookie() {
    let host = support::service();
    let person = Person::new();
    let (own, cookie) = (origin(&*host), cookie(&*host, &person));
    let put = || {
        Call::new("PUT", "/account/access")
            .header("cookie", &cookie)
            .json(&json!({ "legacyAuth": true }))
    };
    let get = || Call::get("/account").header("cookie", &cookie);
    host.call(put()).fails(403, &[403_022]);
    for other in [
        "https://evil.example",
        "null",
        "http://service.localhost.evil.example",
        &format!("{own}/"),
    ] {
        host.call(put().header("origin", other))
            .fails(403, &[403_022]);
        host.call(get().header("origin", other))
            .fails(403, &[403_022]);
    }
    for site in ["cross-site", "same-site"] {
        host.call(put().header("origin", &own).header("sec-fetch-site", site))
            .fails(403, &[403_022]);
        host.call(get().header("sec-fetch-site", site))
            .fails(403, &[403_022]);
    }
    let answer = host.call(get().header("sec-fetch-site", "same-origin"));
    assert_eq!(answer.data()["id"], person.id().to_string());
    host.call(put().header("origin", &own)).data();
    // A browser lets a page of another origin read an answer to a request with cookies only if this header is set.
    assert_eq!(answer.header("access-control-allow-credentials"), None);
    let preflight = Call::new("OPTIONS", "/account").header("origin", "https://evil.example");
    assert_eq!(
        host.call(preflight)
            .header("access-control-allow-credentials"),
        None
    );
}

#[test]
fn a_request_may_have_only_one_session_cookie() {
    let host = support::service();
    let (ada, eve) = (Person::new(), Person::new());
    let (adas, eves) = (cookie(&*host, &ada), cookie(&*host, &eve));
    let get = |cookie: &str| Call::get("/account").header("cookie", cookie);
    for (cookies, expected) in [
        (format!("other=1; {adas}; more=2"), &ada),
        (eves.clone(), &eve),
    ] {
        let account = host.call(get(&cookies)).data();
        assert_eq!(account["id"], expected.id().to_string());
    }
    // A request with two session cookies is refused, so a page that adds a cookie cannot choose the session.
    host.call(get(&format!("{adas}; {eves}")))
        .fails(401, &[401_001]);
    host.call(get(&eves).header("cookie", &adas))
        .fails(401, &[401_001]);
    host.call(get("__Host-session=")).fails(401, &[401_001]);
    host.call(get("__host-session=x")).fails(401, &[400_001]);
    let session = token(&*host, &ada);
    let (_, key) = super::key(&*host, &session, &["read"]);
    host.call(get(&format!("__Host-session={key}")))
        .fails(401, &[401_001]);
    // The Authorization header takes precedence over the cookie, even if the header's token is not valid.
    let both = eve.get("/account").header("cookie", &adas);
    assert_eq!(host.call(both).data()["id"], eve.id().to_string());
    let dead = super::bearer("GET", "/account", "assay_session_").header("cookie", &adas);
    host.call(dead).fails(401, &[401_001]);
}

#[test]
fn signing_out_removes_the_cookie() {
    let host = support::service();
    let person = Person::new();
    let (own, cookie) = (origin(&*host), cookie(&*host, &person));
    let end = || Call::new("DELETE", "/sessions/current").header("cookie", &cookie);
    host.call(end()).fails(403, &[403_022]);
    let answer = host.call(end().header("origin", &own));
    let removed = answer.header("set-cookie").expect("a cookie");
    assert!(
        removed.starts_with("__Host-session=; Path=/; Max-Age=0; "),
        "{removed}"
    );
    host.call(Call::get("/account").header("cookie", &cookie))
        .fails(401, &[401_001]);
}
