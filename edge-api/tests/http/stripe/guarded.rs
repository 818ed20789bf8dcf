//! Limits on deposits: the accounts that may create deposits, the number of open deposits, and the kinds of deposits on one
//! instance.

use serde_json::json;

use super::faults::{inside, live_settings};
use super::{CENTS, TOKENS, scene};
use crate::support::people::{Person, World};
use crate::support::stripe::{deposit, failed, payer, settings, succeeded};

const DAY: u64 = 86_400_000;

/// Returns the statement that stores a deposit of real money with this status.
fn live(status: &str) -> String {
    format!(
        "INSERT INTO deposits (ref, account_id, amount, tokens, price, source, status, livemode, taken, created_at, updated_at) \
         VALUES ('x', '0x', 1000, printf('%064d', 1), '0.042', 'stripe', '{status}', 1, printf('%064d', 0), 0, 0)"
    )
}

#[test]
fn an_instance_with_live_deposits_refuses_test_deposits() {
    let test: Vec<_> = settings()
        .into_iter()
        .map(|(name, value)| (name, if name == "DEPOSITS" { "test" } else { value }))
        .collect();
    for (status, refused) in [
        ("succeeded", true),
        // Pending and failed deposits can still be paid.
        ("pending", true),
        ("failed", true),
        ("canceled", false),
    ] {
        for vars in [test.clone(), settings()] {
            let (service, scene) = inside(&vars, |database| database);
            let database = std::rc::Rc::clone(&service.borrow().database);
            database.execute(&live(status)).unwrap();
            let answer = deposit(&*scene.world.host, &scene.person, CENTS);
            if refused {
                answer.fails(400, &[400_103]);
                let message = answer.json()["errors"][0]["message"].to_string();
                assert!(
                    message.contains("gives no free tokens"),
                    "{status}: {message}"
                );
                assert_eq!(scene.balance(), 0);
            } else {
                assert_eq!(answer.status, 201, "{status}");
            }
        }
    }
}

#[test]
fn a_test_payment_is_not_credited_after_the_first_live_deposit() {
    let (service, scene) = inside(&settings(), |database| database);
    let (made, intent) = scene.pending();
    service.borrow().database.execute(&live("pending")).unwrap();
    for _ in 0..3 {
        scene.send_event(&succeeded(&intent));
    }
    assert_eq!(scene.balance(), 0);
    let target = format!("/deposits/{}", made["ref"].as_str().unwrap());
    let after = scene.world.call(scene.person.get(target)).data();
    assert_eq!(after["status"], "canceled");
    let said = format!("{:?}", service.borrow().log.lines());
    assert!(said.contains("deposit.test-beside-live"), "{said}");
}

#[test]
fn live_deposits_do_not_block_each_other() {
    let (service, scene) = inside(&live_settings(), |database| database);
    service
        .borrow()
        .database
        .execute(&live("succeeded"))
        .unwrap();
    // The request reaches Stripe. It fails only because the fake Stripe answers as in test mode.
    deposit(&*scene.world.host, &scene.person, CENTS).fails(500, &[500_000]);
    assert_eq!(scene.stripe.requests().len(), 1);
}

#[test]
fn unidentified_accounts_open_no_payments() {
    let scene = scene();
    for _ in 0..40 {
        deposit(&*scene.world.host, &Person::new(), CENTS).fails(403, &[400_014]);
    }
    assert_eq!(scene.stripe.requests().len(), 0);
    let answer = deposit(&*scene.world.host, &scene.person, CENTS);
    assert_eq!(answer.status, 201);
}

#[test]
fn test_deposits_need_no_identification() {
    let world = World::new();
    assert_eq!(deposit(&*world.host, &Person::new(), CENTS).status, 201);
}

#[test]
fn an_account_has_at_most_five_open_deposits() {
    let scene = scene();
    let made: Vec<_> = (0..5).map(|_| scene.pending()).collect();
    let answer = deposit(&*scene.world.host, &scene.person, CENTS);
    answer.fails(429, &[429_000]);
    let message = answer.json()["errors"][0]["message"].to_string();
    assert!(message.contains("this account"), "{message}");
    // A failed payment can be retried, so its deposit still counts as open.
    scene.send_event(&failed(&made[0].1));
    deposit(&*scene.world.host, &scene.person, CENTS).fails(429, &[429_000]);
    scene.send_event(&succeeded(&made[0].1));
    assert_eq!(scene.balance(), TOKENS);
    let (_, last) = scene.pending();
    deposit(&*scene.world.host, &scene.person, CENTS).fails(429, &[429_000]);
    scene.world.host.advance(DAY + 1);
    scene.pending();
    // A late payment is still credited.
    scene.send_event(&succeeded(&last));
    assert_eq!(scene.balance(), 2 * TOKENS);
}

#[test]
fn concurrent_requests_open_no_more_than_five_deposits() {
    let scene = scene();
    let call = scene.person.post("/deposits", &json!({ "amount": CENTS }));
    let answers = scene.world.host.call_all(vec![call; 12]);
    let (opened, refused): (Vec<_>, Vec<_>) =
        answers.iter().partition(|answer| answer.status == 201);
    assert_eq!(opened.len(), 5);
    for answer in refused {
        answer.fails(429, &[429_000]);
    }
}

#[test]
fn a_client_address_has_at_most_ten_open_deposits() {
    let scene = scene();
    let open = |person: &Person, address: &str| {
        let call = person.post("/deposits", &json!({ "amount": CENTS }));
        scene.world.call(call.from(address))
    };
    for number in 0..10 {
        let person = payer(&*scene.world.host);
        let answer = open(&person, &format!("2001:db8:1:2::{number}"));
        assert_eq!(answer.status, 201);
    }
    let person = payer(&*scene.world.host);
    let answer = open(&person, "2001:db8:1:2:ffff::1");
    answer.fails(429, &[429_000]);
    let message = answer.json()["errors"][0]["message"].to_string();
    assert!(message.contains("client network"), "{message}");
    assert_eq!(open(&person, "198.51.100.7").status, 201);
}

#[test]
fn the_hash_of_a_client_address_is_stored_while_the_deposit_is_open() {
    let (service, scene) = inside(&settings(), |database| database);
    let call = scene.person.post("/deposits", &json!({ "amount": CENTS }));
    let made = scene.world.call(call.from("198.51.100.7")).data();
    let counted = |condition: &str| {
        let guard = format!(
            "INSERT INTO guards SELECT 0 WHERE (SELECT count(*) FROM deposits WHERE {condition}) <> 1"
        );
        service.borrow().database.execute(&guard).unwrap();
    };
    counted("length(client) = 32 AND client NOT GLOB '*[^0-9a-f]*'");
    scene.send_event(&succeeded(&scene.stripe.intent(&made)));
    counted("client IS NULL");
}
