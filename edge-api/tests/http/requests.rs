//! The log of requests. An account's log has its own requests, no data of other accounts, and no credentials.

use std::rc::Rc;

use serde_json::{Value, json};

use crate::support::native::Service;
use crate::support::people::{Person, World};
use crate::support::{self, SETTINGS};

const DAY: u64 = 86_400_000;

/// Waits until the log has at least this number of requests, and returns them. In workerd, a request is logged after its
/// answer is sent.
fn log(world: &World, person: &Person, target: &str, count: u64) -> Vec<Value> {
    for _ in 0..200 {
        let answer = world.call(person.get(target));
        if answer.meta()["total"].as_u64() >= Some(count) {
            return answer.data().as_array().expect("a list").clone();
        }
        std::thread::sleep(std::time::Duration::from_millis(25));
    }
    panic!("{target} never showed {count} requests");
}

fn words(list: &[Value]) -> Vec<String> {
    list.iter()
        .map(|request| {
            format!(
                "{} {} {}",
                request["method"].as_str().unwrap(),
                request["path"].as_str().unwrap(),
                request["status"]
            )
        })
        .collect()
}

#[test]
fn the_log_has_requests_with_their_status_and_errors() {
    let world = World::on(support::own(SETTINGS));
    let person = world.funded();
    world.host.advance(1000);
    let made = world.call(person.get("/orders?limit=3&statuses=9"));
    world.host.advance(1000);
    world.call(person.post("/deposits", &json!({ "amount": 5 })));
    let list = log(
        &world,
        &person,
        "/requests?sort=1&methods=GET,POST&toDate=2999-01-01",
        3,
    );
    assert_eq!(
        words(&list)[..3],
        [
            "POST /deposits 201",
            "GET /orders 400",
            "POST /deposits 422"
        ]
    );
    let logged = &list[1];
    assert_eq!(logged["ref"], made.json()["id"]);
    // The log stores only the codes and paths of errors. The sentences come from the catalogue of errors.
    let errors = logged["errors"].as_array().unwrap();
    let answered = made.json()["errors"].clone();
    assert_eq!(errors.len(), answered.as_array().unwrap().len());
    for (kept, answered) in errors.iter().zip(answered.as_array().unwrap()) {
        assert_eq!(
            (&kept["code"], &kept["path"]),
            (&answered["code"], &answered["path"])
        );
        assert_eq!(kept["message"], "a query parameter is not valid");
    }
    assert_eq!(list[0]["errors"], json!([]));
    let url = logged["url"].as_str().unwrap();
    assert!(url.ends_with("/orders?limit=3&statuses=9"), "{url}");
    assert!(url.contains(logged["host"].as_str().unwrap()));
    assert!(logged["durationMs"].is_u64());
    let path = format!("/requests/{}", logged["ref"].as_str().unwrap());
    assert_eq!(&world.call(person.get(path)).data(), logged);
}

#[test]
fn accounts_cannot_read_the_requests_of_others() {
    let world = World::new();
    let (person, other) = (world.funded(), world.funded());
    let list = log(&world, &person, "/requests", 1);
    let path = format!("/requests/{}", list[0]["ref"].as_str().unwrap());
    world.call(person.get(path.as_str())).data();
    world.call(other.get(path)).fails(400, &[400_002]);
    for reference in ["x", "0", "%00", "'", "018bd000-0000-7000-8000-000000000000"] {
        world
            .call(person.get(format!("/requests/{reference}")))
            .fails(400, &[400_002]);
    }
    let mine = log(&world, &other, "/requests", 1);
    assert!(mine.iter().all(|request| request["ref"] != list[0]["ref"]));
}

#[test]
fn requests_of_an_account_without_a_row_are_not_logged() {
    let world = World::new();
    let person = Person::new();
    let made = world.call(person.get("/orders"));
    world.call(person.post("/deposits", &json!({})));
    let target = format!("/requests/{}", made.json()["id"].as_str().unwrap());
    // The service writes lines together, in the order of their requests. Once the next account's line is written, so are the lines above.
    log(&world, &world.funded(), "/requests", 1);
    world
        .call(person.post("/deposits", &json!({ "amount": 1000 })))
        .data();
    // Of the requests above, only the last is logged, because it creates the account's row.
    let list = log(&world, &person, "/requests?sort=1", 1);
    assert_eq!(words(&list)[0], "POST /deposits 201");
    world.call(person.get(target)).fails(400, &[400_002]);
}

#[test]
fn the_log_has_no_credentials() {
    let world = World::new();
    let person = world.funded();
    let list = log(&world, &person, "/requests", 1);
    let text = Value::from(list).to_string();
    let authorization = person.authorization();
    let (_, signature) = authorization.split_once(':').unwrap();
    assert!(!text.to_lowercase().contains("authorization") && !text.contains(signature));
    assert!(!text.contains(&signature[10..60]));
}

#[test]
fn filters_narrow_the_log() {
    let world = World::on(support::own(SETTINGS));
    let start = world.host.now();
    let person = world.funded();
    world.host.advance(DAY);
    let middle = world.host.now();
    for call in [
        person.get("/orders"),
        person.put("/orders/none/perform", &json!({})),
        person.delete("/orders/none"),
    ] {
        world.call(call);
        world.host.advance(1000);
    }
    let end = world.host.now();
    world.host.advance(1000);
    log(&world, &person, "/requests", 4);
    let iso = |ms: u64| {
        let time = jiff::Timestamp::from_millisecond(i64::try_from(ms).unwrap()).unwrap();
        format!("{time:.3}")
    };
    let until = |target: String| {
        let list = world
            .call(person.get(format!("{target}&sort=1&toDate={}", iso(end))))
            .data();
        words(list.as_array().unwrap())
    };
    let before = iso(middle - 60_000);
    for (filter, expected) in [
        (
            String::new(),
            &[
                "POST /deposits 201",
                "GET /orders 200",
                "PUT /orders/none/perform 400",
                "DELETE /orders/none 400",
            ][..],
        ),
        ("methods=PUT".to_owned(), &["PUT /orders/none/perform 400"]),
        (
            "methods[]=DELETE&methods[]=POST".to_owned(),
            &["POST /deposits 201", "DELETE /orders/none 400"],
        ),
        (
            "status=400".to_owned(),
            &["PUT /orders/none/perform 400", "DELETE /orders/none 400"],
        ),
        ("status=400&methods=GET".to_owned(), &[]),
        ("status=404".to_owned(), &[]),
        (
            format!("fromDate={before}&methods=GET,POST"),
            &["GET /orders 200"],
        ),
        (format!("toDate={before}"), &["POST /deposits 201"]),
        (format!("fromDate={}", iso(start + 10 * DAY)), &[]),
        ("skip=1&limit=1".to_owned(), &["GET /orders 200"]),
    ] {
        // `until` appends `toDate`. If the filter already has a `toDate`, the filter's value applies, because the service uses
        // the first value of a repeated parameter.
        assert_eq!(until(format!("/requests?{filter}")), expected, "{filter}");
    }
}

#[test]
fn cursors_page_through_the_log_in_both_directions() {
    let world = World::on(support::own(SETTINGS));
    let person = world.funded();
    for number in 0..7 {
        world.host.advance(1000);
        world.call(person.get(format!("/orders/{number}")));
    }
    let total = log(&world, &person, "/requests", 8).len();
    assert!(total >= 8);
    for sort in [1, 2] {
        let mut seen = Vec::new();
        let mut target = format!("/requests?sort={sort}&limit=3&status=400");
        loop {
            let answer = world.call(person.get(target));
            assert_eq!(answer.meta()["total"], 7);
            seen.extend(words(answer.data().as_array().unwrap()));
            let Some(next) = answer.meta()["next"].as_str().map(str::to_owned) else {
                break;
            };
            target = format!("/requests?sort={sort}&limit=3&status=400&after={next}");
        }
        let mut expected: Vec<String> = (0..7)
            .map(|number| format!("GET /orders/{number} 400"))
            .collect();
        if sort == 2 {
            expected.reverse();
        }
        assert_eq!(seen, expected);
    }
}

#[test]
fn a_page_ends_early_with_a_cursor_if_few_requests_match() {
    let service = Service::new(SETTINGS);
    let database = Rc::clone(&service.database);
    let world = World::on(Box::new(service));
    let person = world.funded();
    // Adds twelve thousand older requests. Only the first of them matches the filter.
    let older = "WITH RECURSIVE n(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < 12000) INSERT INTO requests \
        SELECT printf('01111111-1111-7111-8111-%012d', n), account_id, iif(n = 1, 'DELETE', 'GET'), host, path, url, status, \
        errors, duration_ms, created_at FROM requests, n";
    database.execute(older).expect("older requests");
    let mut target = "/requests?methods=DELETE".to_owned();
    let mut pages = Vec::new();
    loop {
        let answer = world.call(person.get(target.as_str()));
        let meta = answer.meta();
        pages.push((
            words(answer.data().as_array().expect("a list")),
            meta["totalIsMinimum"] == true,
        ));
        let Some(next) = meta["next"].as_str() else {
            break;
        };
        target = format!("/requests?methods=DELETE&after={next}");
    }
    assert_eq!(
        pages,
        [
            (vec![], true),
            (vec!["DELETE /deposits 201".to_owned()], true)
        ]
    );
}

#[test]
fn all_wrong_parameters_are_reported_as_400101() {
    let world = World::new();
    let person = Person::new();
    for (query, paths) in [
        ("methods=PATCH", &["methods"][..]),
        ("methods=get", &["methods"]),
        ("methods=GET,,TRACE", &["methods"]),
        ("status=ok", &["status"]),
        ("status=99", &["status"]),
        ("status=-200", &["status"]),
        ("status=20000", &["status"]),
        ("fromDate=yesterday", &["fromDate"]),
        ("toDate=2023-02-30", &["toDate"]),
        ("sort=0", &["sort"]),
        ("limit=0", &["limit"]),
        (
            "skip=x&status=x&fromDate=x&toDate=x&methods=x",
            &["fromDate", "methods", "skip", "status", "toDate"],
        ),
    ] {
        let answer = world.call(person.get(format!("/requests?{query}")));
        let expected: Vec<String> = paths.iter().map(|path| format!("400101 {path}")).collect();
        assert_eq!((answer.status, answer.errors()), (400, expected), "{query}");
    }
    world
        .call(support::Call::get("/requests"))
        .fails(401, &[400_001]);
    world
        .call(support::Call::get("/requests/x"))
        .fails(401, &[400_001]);
}

#[test]
fn requests_are_deleted_after_ninety_days_but_traffic_counts_stay() {
    let world = World::on(support::own(SETTINGS));
    let person = world.funded();
    let first = log(&world, &person, "/requests", 1)[0].clone();
    world.host.advance(90 * DAY - 120_000);
    world.host.settle();
    let path = format!("/requests/{}", first["ref"].as_str().unwrap());
    assert_eq!(world.call(person.get(path.as_str())).data(), first);
    world.host.advance(240_000);
    world.host.settle();
    world.call(person.get(path.as_str())).fails(400, &[400_002]);
    let days = world.call(person.get("/stats/traffic?sort=1")).data();
    assert!(days[0]["mutations"] == 1, "{days}");
}
