//! Daily sums of costs and traffic, and tickers.

use std::rc::Rc;

use edge_api::ports::Statement;
use serde_json::{Value, json};

use crate::support::approvals::{OPERATOR_COST, VALUE_COST};
use crate::support::faults::RacingDatabase;
use crate::support::native::Service;
use crate::support::people::{CREATE_COST, DEPLOY_COST, Person, World};
use crate::support::{self, Call, Host, SETTINGS};

const DAY: u64 = 86_400_000;

fn token(text: &str) -> u128 {
    text.parse().expect("a small amount")
}

/// Returns the days that a route lists.
fn days(world: &World, person: &Person, target: &str) -> Vec<Value> {
    let data = world.call(person.get(target)).data();
    data.as_array().expect("a list").clone()
}

/// Returns the sum of a field over all days. This sum is the same if a test runs past midnight.
fn sum(days: &[Value], field: &str) -> u64 {
    days.iter()
        .map(|day| day[field].as_u64().expect("a count"))
        .sum()
}

fn amount(days: &[Value]) -> u128 {
    days.iter()
        .map(|day| token(day["amount"].as_str().expect("an amount")))
        .sum()
}

#[test]
fn costs_are_the_amounts_that_reach_the_payment_receiver() {
    let world = World::new();
    let (owner, receiver) = (world.funded(), world.funded());
    assert_eq!(days(&world, &owner, "/stats/costs"), Vec::<Value>::new());
    let before = world.balance(&owner);
    let ledger = world.ledger(&owner, &[]);
    for asset in ["1", "2", "3"] {
        world.asset(&owner, &ledger, asset, &receiver);
    }
    let days_of = |person| days(&world, person, "/stats/costs");
    let costs = days_of(&owner);
    let counts = ["orders", "deployments", "approvals", "actions"].map(|field| sum(&costs, field));
    assert_eq!(counts, [3, 1, 0, 6]);
    assert_eq!(amount(&costs), token(DEPLOY_COST) + 3 * token(CREATE_COST));
    assert_eq!(amount(&costs), before - world.balance(&owner));
    assert_eq!(days_of(&receiver), Vec::<Value>::new());
}

#[test]
fn approvals_are_charged_to_their_creator() {
    let world = World::new();
    let (owner, approver) = (world.funded(), world.funded());
    let ledger = world.ledger(&owner, &[]);
    world.lets_ledger_collect(&owner, &ledger);
    let before = days(&world, &owner, "/stats/costs");
    let bodies = [
        (
            &owner,
            world.operator_approval(&owner, &ledger, approver.id(), true),
        ),
        (&approver, world.value_approval(&approver, owner.id(), "1")),
    ];
    for (person, body) in &bodies {
        assert_eq!(world.call(person.post("/approvals", body)).status, 201);
    }
    world.host.settle();
    let of_owner = days(&world, &owner, "/stats/costs");
    assert_eq!(sum(&of_owner, "approvals"), sum(&before, "approvals") + 1);
    assert_eq!(amount(&of_owner) - amount(&before), token(OPERATOR_COST));
    let of_approver = days(&world, &approver, "/stats/costs");
    assert_eq!(
        (sum(&of_approver, "approvals"), sum(&of_approver, "orders")),
        (1, 0)
    );
    assert_eq!(amount(&of_approver), token(VALUE_COST));
}

#[test]
fn an_order_that_fails_costs_nothing() {
    let world = World::new();
    let owner = world.funded();
    let ledger = world.ledger(&owner, &[]);
    let mut late = world.creation(&owner, &ledger, "1", &owner);
    late["automatedPerform"] = json!(false);
    world.sign(&mut late, &[&owner]);
    let waiting = world.call(owner.post("/orders", &late)).data();
    world.asset(&owner, &ledger, "1", &owner);
    let costs = || {
        let days = days(&world, &owner, "/stats/costs");
        (sum(&days, "orders"), amount(&days))
    };
    let before = costs();
    let path = format!("/orders/{}", waiting["ref"].as_str().unwrap());
    world
        .call(owner.put(format!("{path}/perform"), &json!({})))
        .data();
    world.host.settle();
    assert_eq!(world.call(owner.get(path)).data()["status"], 4);
    assert_eq!((before.0, costs()), (1, before));
}

#[test]
fn an_order_counts_for_its_last_payer_and_costs_count_for_each_payer() {
    let world = World::new();
    let (first, last, friend) = (world.funded(), world.funded(), world.receiver());
    let gift = json!({
        "kind": 3, "ledgerId": world.gateways.token, "senderId": first.id(), "receiverId": friend.id(), "value": "5",
    });
    let mut order = world.order(
        &[&first, &last],
        json!([
            world.payment(&first, "7"),
            gift,
            world.payment(&last, "2000000000000000000")
        ]),
    );
    world.sign(&mut order, &[&first, &last]);
    assert_eq!(world.performed(&first, &order)["status"], 7);
    let of = |person| {
        let days = days(&world, person, "/stats/costs");
        (sum(&days, "orders"), sum(&days, "actions"), amount(&days))
    };
    assert_eq!(of(&first), (0, 0, 7));
    assert_eq!(of(&last), (1, 3, 2_000_000_000_000_000_000));
    assert_eq!(of(&friend), (0, 0, 0));
}

#[test]
fn the_costs_of_concurrent_orders_are_all_summed() {
    let world = World::new();
    let owner = world.funded();
    let ledger = world.ledger(&owner, &[]);
    let calls = (0..12).map(|asset| {
        owner.post(
            "/orders",
            &world.creation(&owner, &ledger, &asset.to_string(), &owner),
        )
    });
    let answers = world.host.call_all(calls.collect());
    assert!(answers.iter().all(|answer| answer.status == 201));
    world.host.settle();
    let costs = days(&world, &owner, "/stats/costs");
    assert_eq!((sum(&costs, "orders"), sum(&costs, "actions")), (12, 24));
    assert_eq!(amount(&costs), token(DEPLOY_COST) + 12 * token(CREATE_COST));
}

#[test]
fn periods_include_every_day_they_overlap() {
    let world = World::on(support::own(SETTINGS));
    // The clock starts at noon, so the test does not run past midnight.
    world.host.advance(DAY - world.host.now() % DAY + DAY / 2);
    let owner = world.funded();
    let mut expected = Vec::new();
    for amount in ["1", "2", "3"] {
        let mut order = world.order(&[&owner], json!([world.payment(&owner, amount)]));
        world.sign(&mut order, &[&owner]);
        assert_eq!(world.performed(&owner, &order)["status"], 7);
        let time = i64::try_from(world.host.now()).unwrap();
        let date = jiff::Timestamp::from_millisecond(time).unwrap().to_string()[..10].to_owned();
        expected.push((date, amount));
        world.host.advance(DAY);
    }
    let list = |query: &str| {
        let answer = world.call(owner.get(format!("/stats/costs?sort=1&{query}")));
        let list = answer.data();
        let list = list.as_array().unwrap();
        assert_eq!(answer.meta()["total"], json!(list.len()), "{query}");
        list.iter()
            .map(|day| {
                (
                    day["date"].as_str().unwrap().to_owned(),
                    day["amount"].as_str().unwrap().to_owned(),
                )
            })
            .collect::<Vec<_>>()
    };
    let days: Vec<(String, String)> = expected
        .iter()
        .map(|(date, amount)| (date.clone(), (*amount).to_owned()))
        .collect();
    let (first, second, third) = (&days[0].0, &days[1].0, &days[2].0);
    assert_eq!(list(""), days);
    assert_eq!(list(&format!("fromDate={second}")), days[1..]);
    assert_eq!(list(&format!("fromDate={first}T23:59:59.000Z")), days);
    assert_eq!(list(&format!("fromDate={first}T23:59:59.999Z")), days[1..]);
    assert_eq!(list(&format!("toDate={second}")), days[..1]);
    assert_eq!(list(&format!("toDate={second}T00:00:00.001Z")), days[..2]);
    assert_eq!(
        list(&format!(
            "fromDate={second}T10:00:00Z&toDate={second}T11:00:00Z"
        )),
        days[1..2]
    );
    assert_eq!(list(&format!("fromDate={third}&toDate={first}")), []);
    // Pages of one day each, in both directions.
    for (sort, order) in [(1, [0, 1, 2]), (2, [2, 1, 0])] {
        let mut target = format!("/stats/costs?sort={sort}&limit=1");
        for (index, day) in order.into_iter().enumerate() {
            let answer = world.call(owner.get(target.as_str()));
            assert_eq!(
                (&answer.data()[0]["date"], &answer.meta()["total"]),
                (&json!(days[day].0), &json!(3))
            );
            assert_eq!(answer.meta()["next"].is_null(), index == 2);
            target = format!(
                "/stats/costs?sort={sort}&limit=1&after={}",
                answer.meta()["next"].as_str().unwrap_or("0")
            );
        }
    }
}

#[test]
fn traffic_counts_queries_mutations_and_failures() {
    let world = World::new();
    let person = world.funded();
    world.call(person.get("/orders"));
    world.call(person.get("/orders/none"));
    world.call(person.put("/orders/none/perform", &json!({})));
    world.call(person.delete("/orders/none"));
    // Each read of the statistics is itself a query, and is counted when it is logged.
    for looks in 0..200 {
        let days = days(&world, &person, "/stats/traffic");
        let counts =
            ["requests", "queries", "mutations", "failures"].map(|field| sum(&days, field));
        if counts[0] >= 5 && counts[2] == 3 && counts[3] == 3 {
            assert_eq!(counts[0], counts[1] + counts[2], "{days:?}");
            assert!(counts[1] <= 2 + looks, "{days:?}");
            return;
        }
        std::thread::sleep(std::time::Duration::from_millis(25));
    }
    panic!("traffic never showed five requests");
}

#[test]
fn daily_sums_are_private_and_their_parameters_are_checked() {
    let world = World::new();
    let person = Person::new();
    for path in ["/stats/costs", "/stats/traffic"] {
        world.call(Call::get(path)).fails(401, &[400_001]);
        assert_eq!(world.call(person.get(path)).data(), json!([]));
        for (query, wrong) in [
            ("fromDate=x", "fromDate"),
            ("toDate=2023-00-01", "toDate"),
            ("after=x", "after"),
            ("after=-1", "after"),
            ("limit=no", "limit"),
            ("sort=9", "sort"),
        ] {
            let answer = world.call(person.get(format!("{path}?{query}")));
            assert_eq!(
                (answer.status, answer.errors()),
                (400, vec![format!("400101 {wrong}")]),
                "{query}"
            );
        }
    }
}

#[test]
fn a_fixed_price_records_one_ticker_an_hour() {
    let world = World::on(support::own(SETTINGS));
    for _ in 0..3 {
        world.host.settle();
    }
    let tickers = |query: &str| {
        let answer = world.call(Call::get(format!("/stats/tickers?{query}")));
        answer.data().as_array().expect("a list").clone()
    };
    let first = tickers("");
    assert_eq!(first.len(), 1, "{first:?}");
    assert_eq!(
        (&first[0]["quote"], &first[0]["price"]),
        (&json!("EUR"), &json!("0.042"))
    );
    assert_eq!(first[0]["base"], json!(world.gateways.token));
    world.host.advance(3_600_000 - 60_000);
    world.host.settle();
    assert_eq!(tickers("").len(), 1);
    world.host.advance(60_000);
    world.host.settle();
    let all = tickers("sort=1");
    assert_eq!((all.len(), &all[0]), (2, &first[0]));
    let ids: Vec<&str> = all
        .iter()
        .map(|ticker| ticker["id"].as_str().unwrap())
        .collect();
    let times: Vec<&str> = all
        .iter()
        .map(|ticker| ticker["createdAt"].as_str().unwrap())
        .collect();
    assert_eq!(tickers("")[0], all[1]);
    assert_eq!(tickers(&format!("filterIds={}", ids[1])), all[1..]);
    assert_eq!(
        tickers(&format!("filterIds[]={}&filterIds[]=none", ids[0])),
        all[..1]
    );
    assert_eq!(tickers("filterIds=none"), Vec::<Value>::new());
    assert_eq!(tickers(&format!("fromDate={}", times[0])), all[1..]);
    assert_eq!(tickers(&format!("toDate={}", times[1])), all[..1]);
    assert_eq!(
        tickers(&format!("fromDate={}&toDate={}", times[0], times[1])),
        Vec::<Value>::new()
    );
    for (sort, second) in [(1, &all[1..]), (2, &all[..1])] {
        let first = format!("sort={sort}&limit=1");
        let meta = world
            .call(Call::get(format!("/stats/tickers?{first}")))
            .meta();
        let next = meta["next"].as_str().expect("a cursor");
        assert_eq!(tickers(&format!("{first}&after={next}")), second);
    }
    for (query, wrong) in [
        ("sort=3", "sort"),
        ("fromDate=x", "fromDate"),
        ("toDate=1.1.2024", "toDate"),
        ("skip=-1", "skip"),
    ] {
        let answer = world.call(Call::get(format!("/stats/tickers?{query}")));
        assert_eq!(
            (answer.status, answer.errors()),
            (400, vec![format!("400101 {wrong}")]),
            "{query}"
        );
    }
}

/// Between the read and the write of a day's sum, another cost of the account is added to the sum. The simulation leaves
/// the account's balance unchanged.
#[test]
fn a_concurrently_changed_sum_is_read_again() {
    let mut racing = None;
    let service = Service::with_database(SETTINGS, |inner| {
        let wrapped = Rc::new(RacingDatabase::new(inner, "INTO costs"));
        racing = Some(Rc::clone(&wrapped));
        wrapped
    });
    let (racing, start) = (racing.expect("wrapped"), service.now());
    let world = World::on(Box::new(service));
    let owner = world.funded();
    let mut order = world.order(&[&owner], json!([world.payment(&owner, "7")]));
    world.sign(&mut order, &[&owner]);
    let change = Statement::new(
        "INSERT INTO costs (account_id, day, orders, deployments, approvals, actions, amount) \
         VALUES (?1, ?2, 1, 0, 0, 1, printf('%064d', 3))",
    );
    racing.arm([change
        .bind(owner.id().to_string().to_lowercase())
        .bind(start / DAY)]);
    assert_eq!(world.performed(&owner, &order)["status"], 7);
    assert!(!racing.armed());
    let costs = days(&world, &owner, "/stats/costs");
    assert_eq!(
        (
            sum(&costs, "orders"),
            sum(&costs, "actions"),
            amount(&costs)
        ),
        (2, 2, 10)
    );
}
