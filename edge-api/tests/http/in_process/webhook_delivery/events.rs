//! The events that a change of a request causes, and the accounts that receive the events.

use serde_json::json;

use super::{DAY, MINUTE, OTHER_URL, Scene, Sent, URL, answers};
use crate::support::people::Person;

#[test]
fn each_status_of_an_order_sends_a_signed_event() {
    let scene = Scene::registered(&[0, 1, 2, 3]);
    let secret = scene.register(&scene.owner, URL, &[0, 1, 2, 3]);
    let body = scene
        .world
        .creation(&scene.owner, &scene.ledger, "1", &scene.owner);
    let order = scene.world.performed(&scene.owner, &body);
    let sent = scene.sent();
    let delivered: Vec<_> = sent.iter().map(Sent::kind_and_status).collect();
    assert_eq!(delivered, [(0, 1), (0, 2), (0, 3), (0, 7)]);
    for sent in &sent {
        assert_eq!(sent.url, URL);
        assert_eq!(sent.signatures, [sent.signed_with(&secret)]);
        assert_eq!(sent.seconds, scene.world.host.now() / 1000);
        assert_eq!(
            (&sent.body["requestRef"], &sent.body["requestKind"]),
            (&order["ref"], &json!(0))
        );
        assert_eq!(sent.body["createdAt"], order["createdAt"]);
    }
    let states: Vec<_> = scene.deliveries(&scene.owner);
    assert!(
        states
            .iter()
            .all(|delivery| delivery["state"] == "delivered"
                && delivery["responseStatus"] == 200
                && delivery["attempts"] == 1),
        "{states:?}"
    );
    // A delivered event is not sent again.
    scene.advance_and_settle(DAY);
    assert_eq!(scene.delivered(), []);
}

#[test]
fn deployments_failures_and_cancellations_send_events_of_their_kind() {
    let scene = Scene::registered(&[0, 1, 2, 3]);
    let deployment = scene.world.deployment(&scene.owner, &[]);
    scene
        .world
        .call(scene.owner.post("/deployments", &deployment))
        .data();
    scene.world.host.settle();
    assert_eq!(scene.delivered(), [(2, 1), (2, 2), (2, 3), (2, 7)]);

    let order = scene.waiting_order();
    let path = format!("/orders/{}", order["ref"].as_str().unwrap());
    scene.world.call(scene.owner.delete(path)).data();
    scene.world.host.settle();
    assert_eq!(scene.delivered(), [(0, 0), (0, 6)]);

    scene
        .world
        .asset(&scene.owner, &scene.ledger, "1", &scene.owner);
    scene.delivered();
    let mut late = scene
        .world
        .creation(&scene.owner, &scene.ledger, "2", &scene.owner);
    late["order"]["expiration"] = json!(scene.world.host.now() + 2 * MINUTE);
    scene.world.sign(&mut late, &[&scene.owner]);
    scene.service.borrow_mut().queue_records();
    scene.world.call(scene.owner.post("/orders", &late)).data();
    scene.service.borrow().queue.lose();
    scene.advance_and_settle(3 * MINUTE);
    assert_eq!(scene.delivered(), [(0, 1), (0, 2), (0, 4), (1, 4)]);
}

#[test]
fn approvals_send_events_of_the_same_kind_as_orders() {
    let scene = Scene::registered(&[0]);
    let spender = scene.world.gateways.proxies.transfer_value;
    let body = scene
        .world
        .value_approval(&scene.owner, spender, "9000000000000000000");
    let approval = scene.world.approved(&scene.owner, &body);
    let sent = scene.sent();
    let delivered: Vec<_> = sent.iter().map(Sent::kind_and_status).collect();
    assert_eq!(delivered, [(0, 1), (0, 2), (0, 3), (0, 7)]);
    for sent in sent {
        assert_eq!(
            (&sent.body["requestRef"], &sent.body["requestKind"]),
            (&approval["ref"], &json!(2))
        );
    }
}

#[test]
fn each_suspension_for_a_payment_sends_an_error_event() {
    let scene = Scene::registered(&[]);
    let mut body = scene
        .world
        .creation(&scene.owner, &scene.ledger, "1", &scene.owner);
    body["automatedPerform"] = json!(false);
    let order = scene.world.call(scene.owner.post("/orders", &body)).data();
    let everything = scene.world.balance(&scene.owner).to_string();
    let payment = scene.world.payment(&scene.owner, &everything);
    let mut spend = scene.world.order(&[&scene.owner], json!([payment]));
    scene.world.sign(&mut spend, &[&scene.owner]);
    assert_eq!(scene.world.performed(&scene.owner, &spend)["status"], 7);
    scene.delivered();
    let path = format!("/orders/{}/perform", order["ref"].as_str().unwrap());
    scene.world.call(scene.owner.put(path, &json!({}))).data();
    scene.world.host.settle();
    assert_eq!(scene.delivered(), [(0, 1), (0, 2), (0, 5), (1, 5)]);
    scene.advance_and_settle(MINUTE);
    assert_eq!(scene.delivered(), [(0, 2), (0, 5), (1, 5)]);
}

#[test]
fn events_of_unregistered_kinds_are_not_sent() {
    for (kinds, delivered) in [
        (&[0][..], vec![(0, 1), (0, 2), (0, 4)]),
        (&[1], vec![(1, 4)]),
        (&[0, 1], vec![(0, 1), (0, 2), (0, 4), (1, 4)]),
        (&[2, 3], vec![]),
    ] {
        let scene = Scene::registered(kinds);
        let mut late = scene
            .world
            .creation(&scene.owner, &scene.ledger, "1", &scene.owner);
        late["order"]["expiration"] = json!(scene.world.host.now() + MINUTE);
        scene.world.sign(&mut late, &[&scene.owner]);
        scene.service.borrow_mut().queue_records();
        scene.world.call(scene.owner.post("/orders", &late)).data();
        scene.service.borrow().queue.lose();
        scene.advance_and_settle(2 * MINUTE);
        assert_eq!(scene.delivered(), delivered, "{kinds:?}");
    }
}

#[test]
fn creators_and_signers_get_events() {
    let scene = Scene::registered(&[0]);
    let (signer, outsider) = (Person::new(), Person::new());
    for (person, url) in [
        (&signer, OTHER_URL),
        (&outsider, "https://outsider.assay.example/"),
    ] {
        scene.register(person, url, &[]);
        scene.answer(url, answers(204));
    }
    let payment = scene.world.payment(&scene.owner, "1");
    let mut body = scene
        .world
        .order(&[&scene.owner, &signer], json!([payment]));
    scene.world.sign(&mut body, &[&scene.owner]);
    let order = scene.world.call(scene.owner.post("/orders", &body)).data();
    scene.world.host.settle();
    let delivered = |scene: &Scene| -> Vec<(String, u64)> {
        let mut delivered: Vec<_> = scene
            .sent()
            .into_iter()
            .map(|sent| (sent.url.clone(), sent.kind_and_status().1))
            .collect();
        // Events of different accounts are sent in any order.
        delivered.sort_by(|one, two| one.0.cmp(&two.0));
        delivered
    };
    // An account that is only invited to sign receives no event.
    assert_eq!(delivered(&scene), [(URL.to_owned(), 0)]);
    let hash = order["hash"].as_str().unwrap().parse().unwrap();
    let path = format!("/orders/{}/sign", order["ref"].as_str().unwrap());
    let claim = json!({ "claim": signer.claim(&hash) });
    scene.world.call(signer.put(path, &claim)).data();
    scene.world.host.settle();
    let all = [1, 2, 3, 7].into_iter();
    let expected: Vec<_> = all
        .clone()
        .map(|status| (URL.to_owned(), status))
        .chain(all.map(|status| (OTHER_URL.to_owned(), status)))
        .collect();
    assert_eq!(delivered(&scene), expected);
}

#[test]
fn a_webhook_gets_no_events_from_before_its_registration() {
    let scene = Scene::new();
    let order = scene.waiting_order();
    scene.register(&scene.owner, URL, &[]);
    scene.answer(URL, answers(200));
    scene.world.host.settle();
    assert_eq!(scene.delivered(), []);
    let path = format!("/orders/{}", order["ref"].as_str().unwrap());
    scene.world.call(scene.owner.delete(path)).data();
    scene.world.host.settle();
    assert_eq!(scene.delivered(), [(0, 6)]);
}
