//! The errors of changing an order, and their precedence.

use serde_json::{Value, json};

use crate::support::people::{Person, World};
use crate::support::{self, SETTINGS, ready};

/// An order of two signers, created by a third account.
struct Scene {
    world: World,
    creator: Person,
    signer: Person,
    other: Person,
    body: Value,
    path: String,
}

fn scene(world: World) -> Scene {
    let (creator, signer, other) = (Person::new(), world.funded(), world.funded());
    let mut body = world.order(&[&signer, &other], json!([world.payment(&signer, "1")]));
    world.sign(&mut body, &[&signer]);
    let made = world.call(creator.post("/orders", &body)).data();
    assert_eq!(made["status"], 0);
    Scene {
        path: format!("/orders/{}", made["ref"].as_str().unwrap()),
        world,
        creator,
        signer,
        other,
        body,
    }
}

impl Scene {
    fn claim(&self, person: &Person) -> Value {
        json!({ "claim": person.claim(&self.world.order_hash(&self.body)) })
    }

    #[track_caller]
    fn sign_fails(&self, person: &Person, body: &Value, status: u16, code: u64) {
        let answer = self
            .world
            .call(person.put(format!("{}/sign", self.path), body));
        answer.fails(status, &[code]);
    }

    fn perform(&self, person: &Person) -> support::Answer {
        let path = format!("{}/perform", self.path);
        self.world.call(person.put(path, &json!({})))
    }
}

#[test]
fn order_changes_report_errors_in_a_fixed_order() {
    let scene = scene(World::new());
    let (creator, signer, other) = (&scene.creator, &scene.signer, &scene.other);
    let outsider = Person::new();
    let (nothing, forged) = (json!({}), scene.claim(signer));
    // 400011 (unknown order) takes precedence over all other errors. 400009 (not a signer) takes precedence over errors of
    // the claim.
    let unknown = "/orders/01a1f94c-c80e-7990-bdc3-09cdc0c62381";
    for call in [
        outsider.put(format!("{unknown}/sign"), &nothing),
        outsider.delete(unknown),
    ] {
        scene.world.call(call).fails(400, &[400_011]);
    }
    scene.sign_fails(&outsider, &nothing, 403, 400_009);
    scene.sign_fails(&outsider, &forged, 403, 400_009);
    scene
        .world
        .call(outsider.delete(scene.path.as_str()))
        .fails(403, &[400_009]);
    scene.sign_fails(creator, &nothing, 403, 400_009);
    scene.sign_fails(creator, &scene.claim(creator), 403, 400_009);
    // The other codes in order of precedence: claim missing (400010), already signed (400012), wrong claim (400001).
    scene.sign_fails(signer, &nothing, 400, 400_010);
    scene.sign_fails(signer, &json!({ "claim": 7 }), 400, 400_010);
    scene.sign_fails(signer, &scene.claim(other), 400, 400_012);
    scene.sign_fails(other, &forged, 400, 400_001);
    scene.perform(&outsider).fails(400, &[400_011]);
    for person in [creator, signer, other] {
        scene.perform(person).fails(400, &[400_008]);
    }
    // None of these requests changed the order.
    let order = scene.world.call(creator.get(scene.path.as_str())).data();
    assert_eq!(order["status"], 0);
    assert_eq!(order["order"]["signers"][1]["claim"], "");

    // An error of the order's state takes precedence over errors of the caller and of the claim.
    scene.world.call(other.delete(scene.path.as_str())).data();
    scene.sign_fails(creator, &nothing, 400, 400_013);
    scene.sign_fails(other, &scene.claim(other), 400, 400_013);
    scene.sign_fails(&outsider, &nothing, 400, 400_013);
    scene.perform(signer).fails(400, &[400_013]);
    scene
        .world
        .call(creator.delete(scene.path.as_str()))
        .fails(400, &[400_013]);
    let canceled = scene.world.call(signer.get(scene.path.as_str())).data();
    assert_eq!(canceled["status"], 6);
}

#[test]
fn an_expired_order_cannot_be_signed_or_performed() {
    let scene = scene(World::on(support::own(SETTINGS)));
    let claim = scene.claim(&scene.other);
    scene.world.host.advance(3_600_001);
    scene.sign_fails(&scene.other, &claim, 400, 400_013);
    scene.sign_fails(&scene.creator, &json!({}), 400, 400_013);
    scene.perform(&scene.creator).fails(400, &[400_013]);
    scene.world.host.settle();
    let order = scene
        .world
        .call(scene.other.get(scene.path.as_str()))
        .data();
    assert_eq!(order["status"], 6);
    scene
        .world
        .call(scene.other.delete(scene.path.as_str()))
        .fails(400, &[400_013]);
}

#[test]
fn the_creator_can_perform_a_signed_order() {
    let world = World::new();
    let (creator, signer) = (Person::new(), world.funded());
    let mut body = world.order(&[&signer], json!([world.payment(&signer, "1")]));
    body["automatedPerform"] = json!(false);
    world.sign(&mut body, &[&signer]);
    let made = world.call(creator.post("/orders", &body)).data();
    let path = format!("/orders/{}", made["ref"].as_str().unwrap());
    let performed = world.call(creator.put(format!("{path}/perform"), &json!({})));
    assert_eq!(
        (performed.status, &performed.data()["status"]),
        (200, &json!(ready()))
    );
    world.host.settle();
    assert_eq!(world.call(signer.get(path.as_str())).data()["status"], 7);
    world
        .call(signer.delete(path.as_str()))
        .fails(400, &[400_013]);
}
