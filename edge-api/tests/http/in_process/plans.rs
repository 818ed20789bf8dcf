//! The cost of a list must not depend on the number of stored rows. `support::plans` checks SQLite's query plan for
//! each statement that any test runs. The tests in this file query all lists with all filters, and count SQLite's steps.

use std::rc::Rc;

use edge_api::native::Sqlite;
use edge_api::ports::Statement;
use serde_json::Value;

use crate::support::native::Service;
use crate::support::people::{Person, World};
use crate::support::plans::costly;
use crate::support::{SETTINGS, WEBHOOK_SECRET, openapi};

/// The key of the administrator.
const ADMIN: u8 = 9;

/// The parameters of every list.
const OF_PAGES: [&str; 4] = ["skip", "limit", "after", "sort"];

/// A list of the API.
#[derive(Debug)]
struct List {
    path: String,
    /// For each filter, a query string for each of its values.
    filters: Vec<Vec<String>>,
}

impl List {
    /// Returns the query strings of the filters' values, and of the values of two filters together.
    fn alone_and_in_pairs(&self) -> Vec<String> {
        let mut queries = self.filters.concat();
        for (index, filter) in self.filters.iter().enumerate() {
            let others = self.filters[..index].iter().flatten();
            let pairs =
                others.flat_map(|other| filter.iter().map(move |one| format!("{other}&{one}")));
            queries.extend(pairs);
        }
        queries
    }
}

/// Returns every list of the API.
fn lists(world: &World, ledger: &str, owner: &Person) -> Vec<List> {
    let document = openapi::document();
    let described = document["paths"].as_object().expect("paths");
    let list = |(pattern, operations): (&String, &Value)| {
        let parameters = operations["get"]["parameters"].as_array()?;
        let is_page = |one: &Value| OF_PAGES.iter().any(|name| one["name"] == *name);
        if !parameters.iter().any(is_page) {
            return None;
        }
        let path = pattern.replace("{ledgerRef}", ledger);
        assert!(
            !path.contains('{'),
            "no value is known for a part of {path}"
        );
        let caller = caller_of(&path, owner);
        let item = world.call(caller.get(format!("{path}?limit=1"))).data();
        let own = parameters
            .iter()
            .filter(|one| one["in"] == "query" && !is_page(one));
        let filters = own.map(|one| samples(one, owner, &item)).collect();
        Some(List { path, filters })
    };
    described.iter().filter_map(list).collect()
}

/// Returns the account that may read the list: the administrator for the lists of administrators.
fn caller_of(path: &str, owner: &Person) -> Person {
    if path.starts_with("/admin/") {
        Person::known(ADMIN)
    } else {
        owner.clone()
    }
}

/// Returns the text in the field of this name, at any depth of an answer.
fn field<'a>(answer: &'a Value, name: &str) -> Option<&'a str> {
    match answer {
        Value::Object(fields) => {
            let own = fields.get(name).and_then(Value::as_str);
            own.or_else(|| fields.values().find_map(|value| field(value, name)))
        }
        Value::Array(items) => items.iter().find_map(|item| field(item, name)),
        _ => None,
    }
}

/// Returns `name=value` for values of a parameter. A text parameter gets a value that matches nothing, the owner's id, and the
/// value of the field of the same name in the list's first item.
fn samples(parameter: &Value, owner: &Person, item: &Value) -> Vec<String> {
    let name = parameter["name"].as_str().expect("a name");
    let schema = &parameter["schema"];
    let one = schema.get("items").unwrap_or(schema);
    let values = if let Some(named) = one["enum"].as_array() {
        let named: Vec<&str> = named.iter().filter_map(Value::as_str).collect();
        let together = named.join(",");
        named
            .into_iter()
            .map(str::to_owned)
            .chain([together])
            .collect()
    } else if one["$ref"] == "#/components/schemas/Status" {
        vec!["7".to_owned(), "0,7".to_owned()]
    } else if one["type"] == "integer" {
        vec!["200".to_owned()]
    } else if one.get("anyOf").is_some() {
        let date = if name.starts_with("to") {
            "2030-01-01"
        } else {
            "2020-01-01"
        };
        vec![date.to_owned()]
    } else {
        let own = field(item, name).map(str::to_owned);
        let values = ["1".to_owned(), owner.id().to_string()];
        values.into_iter().chain(own).collect()
    };
    let with_name = |value: String| format!("{name}={value}");
    values.into_iter().map(with_name).collect()
}

#[test]
fn every_list_is_queried_with_every_filter_and_order() {
    let (database, world, owner, ledger) = stocked(3);
    // Adds rows to tables that would otherwise have at most one row.
    let more = "INSERT INTO costs SELECT account_id, n, orders, deployments, approvals, actions, amount FROM costs, n; \
        INSERT INTO traffic SELECT account_id, n, requests, queries, mutations, failures FROM traffic, n;";
    database.execute(more).expect("more");
    let of_admins = "INSERT INTO blocks SELECT printf('0x1%039x', n), 'r', 0 FROM n; \
        INSERT INTO admissions SELECT printf('0x1%039x', n), ref, 0, 'a', 'b', NULL, 0, NULL, NULL FROM n; \
        INSERT INTO dead_letters SELECT ref, ref, '{}', 0, NULL FROM n; \
        UPDATE records SET aside_until = 9000000000000 WHERE ref LIKE '01111111-%'; \
        INSERT INTO audit_log SELECT ref, '0x1111111111111111111111111111111111111111', 'GET /admin/audit', NULL, NULL, NULL, 0 FROM n;";
    database.execute(of_admins).expect("more");
    let of_owner = format!(
        "INSERT INTO sessions (account_id, ref, token_hash, created_at, used_at, expires_at) \
         SELECT lower('{0}'), ref, ref, 0, 0, 9000000000000 FROM n; \
         INSERT INTO api_keys (account_id, ref, token_hash, name, scopes, created_at) \
         SELECT lower('{0}'), ref, ref, 'a', '[\"read\"]', 0 FROM n;",
        owner.id()
    );
    database.execute(&of_owner).expect("more");
    let lists = lists(&world, &ledger, &owner);
    assert!(lists.len() > 15, "{lists:?}");
    for list in &lists {
        let path = &list.path;
        let owner = caller_of(path, &owner);
        let next = |sort: u8| {
            let meta = world
                .call(owner.get(format!("{path}?limit=1&sort={sort}")))
                .meta();
            let next = meta["next"].as_str();
            next.unwrap_or_else(|| panic!("{path} has one page"))
                .to_owned()
        };
        let ways = [
            "sort=2".to_owned(),
            "sort=1".to_owned(),
            format!("sort=2&after={}", next(2)),
            format!("sort=1&after={}", next(1)),
        ];
        for filter in list.alone_and_in_pairs().into_iter().chain([String::new()]) {
            for way in &ways {
                let query = format!("{way}&{filter}");
                let answer = world.call(owner.get(format!("{path}?{query}")));
                assert_eq!(answer.status, 200, "{path}?{query}");
            }
        }
    }
}

#[test]
fn plans_whose_cost_grows_with_a_table_are_found() {
    let database = Sqlite::new().expect("a database");
    let found = |sql| {
        let plan = database.plan(&Statement::new(sql).bind(1_u8));
        costly(sql, plan.expect("a plan"))
    };
    assert_eq!(
        found("SELECT count(*) FROM records WHERE priority = ?1"),
        ["SCAN records"]
    );
    assert_eq!(
        found("SELECT imprint FROM assets WHERE ledger_id = ?1 ORDER BY owner_id"),
        ["USE TEMP B-TREE FOR ORDER BY"]
    );
}

/// Returns a service in which one account has `number` rows in most lists, on one ledger.
fn stocked(number: u32) -> (Rc<Sqlite>, World, Person, String) {
    let admin = Person::known(ADMIN).id().to_string();
    let service = Service::new(&[SETTINGS, &[("ADMIN_ACCOUNTS", &admin)]].concat());
    let database = Rc::clone(&service.database);
    let world = World::on(Box::new(service));
    let owner = world.funded();
    let ledger = world.ledger(&owner, &[1, 2]);
    world.asset(&owner, &ledger, "1", &owner);
    let approval = world.value_approval(&owner, Person::new().id(), "7");
    world.approved(&owner, &approval);
    let webhook = serde_json::json!({ "url": "https://hooks.assay.example/", "events": [], "secret": WEBHOOK_SECRET });
    world.call(owner.put("/account/webhook", &webhook)).data();
    world.host.settle();
    world
        .call(owner.post("/account/webhook/test", &serde_json::json!({})))
        .data();
    world.host.settle();
    // Copies existing rows until a list has `number` rows. Copies have new values in unique columns.
    let copies = "CREATE TEMP TABLE n AS WITH RECURSIVE c(n) AS (SELECT 2 UNION ALL SELECT n + 1 FROM c WHERE n < {number}) \
        SELECT n, printf('01111111-1111-7111-8111-%012d', n) AS ref FROM c; \
        INSERT INTO assets (ledger_id, id, owner_id, imprint, created_at, updated_at, created_ref) \
        SELECT ledger_id, printf('%064x', n), owner_id, imprint, created_at + n / 10, updated_at, created_ref FROM assets, n; \
        UPDATE ledgers SET asset_count = (SELECT count(*) FROM assets); \
        INSERT INTO ledgers (id, ref, name, symbol, uri_prefix, uri_postfix, schema_id, capabilities, owner_id, asset_count, created_at) \
        SELECT printf('0x1%039x', n), n.ref, name, symbol, uri_prefix, uri_postfix, schema_id, capabilities, \
        owner_id, asset_count, created_at FROM ledgers, n; \
        INSERT INTO abilities SELECT printf('0x1%039x', n), account_id, abilities, n.ref FROM abilities, n; \
        INSERT INTO abilities SELECT ledger_id, printf('0x1%039x', n), abilities, ledger_ref \
        FROM (SELECT * FROM abilities WHERE ledger_ref NOT LIKE '01111111-%' LIMIT 1), n; \
        INSERT INTO records SELECT printf('0%d111111-1111-7111-8111-%012d', kind + 1, n), kind, printf('0x%d%063x', kind, n), creator_id, status, priority, expires_at, body, result, \
        error_code, error_message, tx_hash, attempts, version, created_at, updated_at, faults, aside_until, due_at, queued \
        FROM records, n; \
        INSERT INTO withdrawals (ledger_id, asset_id, issued_at, withdrawn_at, record_ref, owner_id, created_ref) \
        SELECT a.ledger_id, printf('1%063x', n), a.created_at + n / 10, a.created_at + n, '', a.owner_id, a.created_ref \
        FROM (SELECT * FROM assets ORDER BY id LIMIT 1) a, n; \
        INSERT INTO record_parties SELECT creator_id, kind, ref, status, 0 FROM records WHERE ref LIKE '0_111111-%'; \
        INSERT INTO deposits (ref, account_id, amount, tokens, price, source, livemode, status, taken, created_at, updated_at) \
        SELECT n.ref, account_id, amount, tokens, price, source, livemode, status, taken, created_at, updated_at FROM deposits, n; \
        INSERT INTO tickers SELECT n.ref, base, quote, price, created_at FROM tickers, n; \
        INSERT INTO webhook_deliveries (ref, account_id, event_id, ordering_key, body, state, created_at, updated_at) \
        SELECT n.ref, account_id, n.ref, ordering_key, body, 1, created_at, updated_at FROM webhook_deliveries, n; \
        INSERT INTO requests SELECT n.ref, account_id, method, host, path, url, status, errors, duration_ms, created_at \
        FROM (SELECT * FROM requests WHERE method = 'GET' LIMIT 1), n;";
    database
        .execute(&copies.replace("{number}", &number.to_string()))
        .expect("copies");
    let reference = ledger["ref"].as_str().expect("a reference").to_owned();
    (database, world, owner, reference)
}

/// The maximum of `skip` for lists that merge the rows of several ledgers.
const MERGED_SKIP: u32 = 500;

/// Returns the maximum of `skip` for a list.
fn skip_max(path: &str) -> u32 {
    let path = path.split_once('?').map_or(path, |(path, _)| path);
    match path {
        "/certificates" | "/activity" => MERGED_SKIP,
        _ => 10_000,
    }
}

#[test]
fn the_cost_of_a_page_does_not_grow_with_the_list() {
    // Both numbers are more than twice the maximum of `total`, and more than twice the number of rows that a filter scans.
    let counts = [21_000, 30_000];
    let [few, many] = counts.map(|count| {
        let (database, world, owner, ledger) = stocked(count);
        let assets = format!("/ledgers/{ledger}/assets");
        let mut targets = vec![format!("{assets}/77"), format!("{assets}?filterIds=5,77")];
        for list in ["/orders", "/deposits", "/stats/tickers"] {
            targets.push(format!(
                "{list}?filterIds=01111111-1111-7111-8111-000000000005"
            ));
        }
        let mut queries = vec![
            "/orders?statuses=0".to_owned(),
            "/requests?status=500&methods=GET,PUT".to_owned(),
        ];
        for list in lists(&world, &ledger, &owner) {
            // The other lists have few rows.
            let meta = world.call(owner.get(list.path.as_str())).meta();
            if meta["totalIsMinimum"] == true {
                let filters = list.filters.concat();
                queries.extend(filters.iter().map(|one| format!("{}?{one}", list.path)));
                queries.push(list.path);
            }
        }
        // Without `ledgerRefs`, the first ledgers have no assets.
        for list in lists(&world, &ledger, &owner) {
            if skip_max(&list.path) == MERGED_SKIP {
                let own = format!("{}?ledgerRefs={ledger}", list.path);
                let filters = list.filters.concat();
                let filters = filters.iter().filter(|one| !one.starts_with("ledgerRefs"));
                queries.extend(filters.map(|one| format!("{own}&{one}")));
                queries.push(own);
            }
        }
        for query in queries {
            let joint = if query.contains('?') { '&' } else { '?' };
            for sort in [1, 2] {
                let first = format!("{query}{joint}sort={sort}");
                let far = format!("{first}&skip={}", skip_max(&query));
                let middle = world.call(owner.get(format!("{far}&limit=1")));
                targets.push(far);
                if let Some(cursor) = middle.meta()["next"].as_str() {
                    targets.push(format!("{first}&after={cursor}"));
                }
                targets.push(first);
            }
        }
        targets
            .into_iter()
            .map(|target| {
                let before = database.steps();
                let answer = world.call(owner.get(target.as_str()));
                assert_eq!(answer.status, 200, "{target}: {answer:?}");
                (target, database.steps() - before)
            })
            .collect::<Vec<_>>()
    });
    assert!(few.len() > 40 && few.len() == many.len(), "{few:?}");
    for ((target, few), (_, many)) in few.into_iter().zip(many) {
        assert!(
            many * 4 <= few * 5,
            "{target} takes {few} steps with {} rows and {many} steps with {} rows",
            counts[0],
            counts[1]
        );
    }
}
