//! Other accounts cannot reach an account's records. The test calls every private route in the API description with
//! another account's key, so it covers new routes too. If a route has a path parameter with a new name, the test fails
//! until [`Victim::new`] has a value for this parameter.

use serde_json::{Value, json};

use crate::sessions;
use crate::support::WEBHOOK_SECRET;
use crate::support::people::{Person, World};
use crate::support::{self, Answer, Call, SETTINGS, openapi};

/// An account that has a record of each kind.
struct Victim {
    person: Person,
    /// The parameters of paths: name and value.
    parameters: Vec<(&'static str, String)>,
    /// The victim's claim for an order that waits for another signature.
    claim: String,
    /// Strings that other accounts must not see.
    private: Vec<String>,
}

fn text(value: &Value) -> String {
    value.as_str().expect("text").to_owned()
}

impl Victim {
    fn new(world: &World) -> Self {
        let (person, partner) = (world.funded(), world.funded());
        let information = json!({
            "firstName": "Ada", "lastName": "Byron", "email": "only-hers@example.com", "streetAddress": "1 Main Street",
            "postalCode": "1000", "city": "Ljubljana", "country": "Slovenia",
        });
        world.call(person.put("/account", &information)).data();
        let body = json!({ "url": "https://hooks.assay.example/only-hers", "events": [], "secret": WEBHOOK_SECRET });
        let webhook = world.call(person.put("/account/webhook", &body)).data();
        let ledger = world.ledger(&person, &[1, 2]);
        world.asset(&person, &ledger, "1", &person);
        let approval = world.value_approval(&person, partner.id(), "7");
        let approval = world.approved(&person, &approval);
        let mut order = world.order(&[&person, &partner], json!([world.payment(&person, "1")]));
        world.sign(&mut order, &[&person]);
        let claim = text(&order["order"]["signers"][0]["claim"]);
        let order = world.call(person.post("/orders", &order)).data();
        let first = |target: &str| text(&world.call(person.get(target)).data()[0]["ref"]);
        let parameters = vec![
            ("orderRef", text(&order["ref"])),
            ("deploymentRef", first("/deployments")),
            ("approvalRef", text(&approval["ref"])),
            ("depositRef", first("/deposits")),
            ("requestRef", first("/requests?methods=PUT")),
            ("ref", first("/account/webhook/deliveries")),
            // Parameters of records that any account may read if it knows the ledger's reference or address.
            ("ledgerRef", text(&ledger["ref"])),
            ("assetId", "1".to_owned()),
            // The account, one of its sessions and one of its API keys.
            ("accountId", person.id().to_string()),
            (
                "sessionRef",
                text(&sessions::sign_in(&*world.host, &person)["ref"]),
            ),
            ("keyRef", {
                let session = sessions::token(&*world.host, &person);
                sessions::key(&*world.host, &session, &["read"]).0
            }),
            // Parameters of routes that refuse every account of this test, such as administrators' routes.
            ("accountId", person.id().to_string()),
            ("recordRef", text(&order["ref"])),
            ("letterRef", text(&order["ref"])),
            ("admissionRef", text(&order["ref"])),
            // The ledger has no register book.
            ("version", "1".to_owned()),
            // No credential of the ledger waits for a wallet.
            ("codeHash", "0".repeat(64)),
        ];
        let mut private = vec![
            claim.clone(),
            text(&approval["claim"]),
            text(&webhook["secret"]),
            "only-hers".to_owned(),
        ];
        private.extend(parameters[..6].iter().map(|(_, value)| value.clone()));
        Self {
            person,
            parameters,
            claim,
            private,
        }
    }

    fn parameter(&self, name: &str, path: &str) -> &str {
        let found = self.parameters.iter().find(|(known, _)| *known == name);
        let (_, value) =
            found.unwrap_or_else(|| panic!("{path}: the test has no value for `{name}`"));
        value
    }

    /// Returns the victim's data.
    fn state(&self, world: &World) -> Vec<Value> {
        let of = |what: &str, name| format!("{what}/{}", self.parameter(name, what));
        [
            "/account".to_owned(),
            "/account/webhook".to_owned(),
            "/account/abilities".to_owned(),
            "/account/webhook/deliveries?limit=100".to_owned(),
            of("/orders", "orderRef"),
            of("/deployments", "deploymentRef"),
            of("/approvals", "approvalRef"),
            of("/deposits", "depositRef"),
            of("/requests", "requestRef"),
            "/orders".to_owned(),
            "/deployments".to_owned(),
            "/approvals".to_owned(),
            "/deposits".to_owned(),
            "/sessions".to_owned(),
            "/account/keys".to_owned(),
            "/stats/costs".to_owned(),
            of("/ledgers", "ledgerRef"),
            of("/ledgers", "ledgerRef") + "/assets",
            of("/ledgers", "ledgerRef") + "/abilities",
        ]
        .into_iter()
        .map(|target| world.call(self.person.get(target)).json()["data"].clone())
        .collect()
    }
}

/// A route with the victim's records in its path. `own` is true if one of these records is private.
struct Attempt {
    method: &'static str,
    template: String,
    path: String,
    own: bool,
}

/// Returns an attempt for each private route in the API description.
fn attempts(victim: &Victim) -> Vec<Attempt> {
    let document = openapi::document();
    let mut found = Vec::new();
    for (template, methods) in document["paths"].as_object().expect("paths") {
        for (method, operation) in methods.as_object().expect("methods") {
            if operation["security"] == json!([]) {
                continue;
            }
            let mut own = false;
            let part = |part: &str| match part.strip_prefix('{') {
                None => part.to_owned(),
                Some(name) => {
                    let name = name.trim_end_matches('}');
                    own |= !matches!(name, "ledgerRef" | "assetId" | "version");
                    victim.parameter(name, template).to_owned()
                }
            };
            let path = template.split('/').map(part).collect::<Vec<_>>().join("/");
            let method = ["GET", "POST", "PUT", "DELETE"]
                .into_iter()
                .find(|known| known.eq_ignore_ascii_case(method))
                .expect("a method");
            found.push(Attempt {
                method,
                template: template.clone(),
                path,
                own,
            });
        }
    }
    found
}

/// Returns query strings with filters, cursors, and parameters that could name another account.
fn queries(world: &World, victim: &Victim, path: &str) -> Vec<String> {
    let references: Vec<&str> = victim.parameters[..6]
        .iter()
        .map(|(_, value)| value.as_str())
        .collect();
    let (references, id) = (references.join(","), victim.person.id());
    let mut queries = vec![
        String::new(),
        format!("?filterIds={references}"),
        format!("?filterIds={references}&statuses=0,1,2,3,4,5,6,7&limit=100&sort=1"),
        format!("?filterAccountIds={id}&filterAccountId={id}"),
        format!("?accountId={id}&account={id}&creatorId={id}&ownerId={id}&id={id}"),
        "?status=200&methods=PUT&fromDate=1970-01-01&limit=100".to_owned(),
    ];
    // Adds the victim's own cursors for both directions.
    for sort in [1, 2] {
        let first = victim.person.get(format!("{path}?sort={sort}&limit=1"));
        if let Some(next) = world.call(first).json()["meta"]["next"].as_str() {
            queries.push(format!("?after={next}&sort=1&limit=100"));
            queries.push(format!("?after={next}&sort=2&limit=100"));
        }
    }
    queries
}

/// Returns a body that fits many routes and names the victim in every field for an account.
fn body(victim: &Victim) -> Value {
    let id = victim.person.id();
    json!({
        "claim": victim.claim, "id": id, "accountId": id, "account": id, "creatorId": id, "owner": id,
        "firstName": "Eve", "lastName": "Eve", "email": "eve@example.com", "streetAddress": "1", "postalCode": "1",
        "city": "1", "country": "1", "url": "https://eve.assay.example/", "events": [0], "amount": 1000,
    })
}

/// Sends a body. If the route refuses unknown fields, sends the body again without these fields.
fn with_known_fields(world: &World, call: &Call, mut body: Value) -> Answer {
    let answer = world.call(call.clone().json(&body));
    let unknown: Vec<String> = answer
        .errors()
        .iter()
        .filter_map(|error| Some(error.strip_prefix("422900 ")?.to_owned()))
        .collect();
    let fields = body.as_object_mut().expect("an object");
    let before = fields.len();
    fields.retain(|name, _| !unknown.contains(name));
    if fields.len() == before {
        return answer;
    }
    world.call(call.clone().json(&body))
}

#[test]
fn no_route_reaches_another_accounts_records() {
    let world = World::on(support::own(SETTINGS));
    let victim = Victim::new(&world);
    let before = victim.state(&world);
    assert!(before.iter().all(|data| !data.is_null()), "{before:?}");
    let attempts = attempts(&victim);
    assert!(attempts.len() > 30, "{}", attempts.len());
    let mut cursors = 0;
    for attempt in &attempts {
        let queries = if attempt.method == "GET" && !attempt.own {
            queries(&world, &victim, &attempt.path)
        } else {
            vec![String::new()]
        };
        // The outsider has an account row, a deposit and a webhook, like the victim. Without these, the outsider would be
        // refused for other reasons.
        let outsider = world.funded();
        let hook = json!({ "url": "https://eve.assay.example/", "events": [0] });
        world.call(outsider.put("/account/webhook", &hook)).data();
        for query in queries {
            cursors += usize::from(query.starts_with("?after="));
            // An account's log of requests contains its own attempts, whose paths name the victim's records. Another account
            // without such attempts therefore reads the log.
            let logs = attempt.template.starts_with("/requests");
            let outsider = if logs {
                world.funded()
            } else {
                outsider.clone()
            };
            let target = format!("{}{query}", attempt.path);
            let call = Call::new(attempt.method, target.as_str())
                .header("authorization", &outsider.authorization());
            let answer = match attempt.method {
                "GET" => world.call(call),
                _ => with_known_fields(&world, &call, body(&victim)),
            };
            let said = String::from_utf8_lossy(&answer.body);
            if attempt.own {
                assert!(
                    matches!(answer.status, 400 | 403 | 404),
                    "{} {target}: {} {said}",
                    attempt.method,
                    answer.status
                );
            }
            for private in &victim.private {
                assert!(
                    !said.contains(private.as_str()),
                    "{} {target} reveals `{private}`: {said}",
                    attempt.method
                );
            }
        }
    }
    assert_eq!(victim.state(&world), before);
    assert!(cursors > 10, "{cursors}");
}

#[test]
fn the_owner_sees_all_private_records_of_the_test() {
    let world = World::on(support::own(SETTINGS));
    let victim = Victim::new(&world);
    let mut reached = 0;
    for attempt in attempts(&victim) {
        let is_admin = attempt.template.starts_with("/admin/");
        if attempt.method != "GET" || !attempt.own || is_admin {
            continue;
        }
        let answer = world.call(victim.person.get(attempt.path.as_str()));
        let said = String::from_utf8_lossy(&answer.body).into_owned();
        assert_eq!(answer.status, 200, "{}: {said}", attempt.path);
        assert!(
            victim.private.iter().any(|private| said.contains(private)),
            "{said}"
        );
        reached += 1;
    }
    assert_eq!(reached, 5);
}

#[test]
fn unsigned_requests_change_and_reveal_nothing() {
    let world = World::on(support::own(SETTINGS));
    let victim = Victim::new(&world);
    let before = victim.state(&world);
    for attempt in attempts(&victim) {
        let call = Call::new(attempt.method, attempt.path.as_str()).json(&body(&victim));
        world.call(call).fails(401, &[400_001]);
    }
    assert_eq!(victim.state(&world), before);
}
