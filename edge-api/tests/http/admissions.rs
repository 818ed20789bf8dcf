//! Requests for admission to a service on which only chosen accounts may deploy ledgers.

use serde_json::{Value, json};

use crate::support::people::{Person, World};
use crate::support::{self, SETTINGS};

/// A service without deployers, and its administrator.
fn closed() -> (World, Person) {
    let admin = Person::known(9);
    let admins = admin.id().to_string();
    let settings = [
        ("ADMIN_ACCOUNTS", admins.as_str()),
        ("DEPLOYERS", admins.as_str()),
    ];
    let world = World::on(support::own(&[SETTINGS, &settings].concat()));
    (world, admin)
}

fn request() -> Value {
    json!({ "organisation": "Office of Example", "contact": "office@example.org", "text": "We issue diplomas.\nFrom May." })
}

fn may_deploy(world: &World, account: &Person) -> bool {
    let account = world.call(account.get("/account")).data();
    account["mayDeploy"] == true
}

#[test]
fn an_approved_account_may_deploy_until_the_approval_is_taken_back() {
    let (world, admin) = closed();
    let office = world.funded();
    let status = || world.call(office.get("/admission")).data()["status"].clone();
    assert_eq!(status(), "none");
    let deployment = world.deployment(&office, &[]);
    world
        .call(office.post("/deployments", &deployment))
        .fails(400, &[400_007]);

    let asked = world.call(office.post("/admission", &request()));
    assert_eq!(asked.status, 201);
    assert_eq!(asked.data()["status"], "waiting");
    assert!(!may_deploy(&world, &office));
    let waiting = world
        .call(admin.get("/admin/admissions?status=waiting"))
        .data();
    assert_eq!(waiting[0]["accountId"], json!(office.id()));
    assert_eq!(waiting[0]["text"], request()["text"]);
    assert_eq!(waiting[0]["domain"], Value::Null);
    let path = format!(
        "/admin/admissions/{}",
        waiting[0]["ref"].as_str().expect("a reference")
    );
    let reason = json!({ "reason": "Called them" });
    for other in [&office, &Person::new()] {
        world
            .call(other.post(format!("{path}/approve"), &reason))
            .fails(403, &[403_010]);
        world
            .call(other.get("/admin/admissions"))
            .fails(403, &[403_010]);
    }
    world
        .call(admin.post(format!("{path}/approve"), &json!({})))
        .fails(422, &[422_900]);

    let approved = world
        .call(admin.post(format!("{path}/approve"), &reason))
        .data();
    assert_eq!(
        [&approved["status"], &approved["decidedBy"]],
        [&json!("approved"), &json!(admin.id())]
    );
    assert_eq!(status(), "approved");
    assert!(may_deploy(&world, &office));
    assert_eq!(
        world.call(office.post("/deployments", &deployment)).status,
        201
    );
    // A further request changes nothing.
    let again = world.call(office.post("/admission", &request())).data();
    assert_eq!(again["status"], "approved");
    assert_eq!(
        world
            .call(admin.get("/admin/admissions?status=waiting"))
            .data(),
        json!([])
    );

    world
        .call(admin.post(format!("{path}/decline"), &reason))
        .data();
    assert_eq!(status(), "declined");
    assert!(!may_deploy(&world, &office));
    let audit = world.call(admin.get("/admin/audit?limit=1")).data();
    assert_eq!(
        audit[0]["action"],
        "POST /admin/admissions/:admissionRef/decline"
    );
}

#[test]
fn a_new_request_replaces_the_accounts_earlier_one_only() {
    let (world, admin) = closed();
    let (office, other) = (Person::new(), Person::new());
    for person in [&office, &other, &office] {
        world.call(person.post("/admission", &request())).data();
        world.host.advance(5);
    }
    let all = world.call(admin.get("/admin/admissions?sort=1")).data();
    let of = |index: usize| all[index]["accountId"].clone();
    assert_eq!([of(0), of(1)], [json!(other.id()), json!(office.id())]);
    let path = format!(
        "/admin/admissions/{}/decline",
        all[1]["ref"].as_str().expect("a reference")
    );
    world.call(office.post("/admission", &request())).data();
    // The administrator has not read the new request.
    world
        .call(admin.post(path, &json!({ "reason": "Spam" })))
        .fails(404, &[400_000]);
    world
        .call(office.post(
            "/admission",
            &json!({ "organisation": "<b>", "contact": "a\nb", "text": 7 }),
        ))
        .fails(422, &[422_900, 422_900]);
}

#[test]
fn erasure_removes_what_an_account_wrote_and_keeps_its_approval() {
    let (world, admin) = closed();
    let (approved, waiting) = (Person::new(), Person::new());
    let reason = json!({ "reason": "Asked by the account" });
    for person in [&approved, &waiting] {
        world.call(person.post("/admission", &request())).data();
        world.host.advance(5);
    }
    let all = world.call(admin.get("/admin/admissions?sort=1")).data();
    let path = format!(
        "/admin/admissions/{}/approve",
        all[0]["ref"].as_str().expect("a reference")
    );
    world.call(admin.post(path, &reason)).data();
    for person in [&approved, &waiting] {
        let path = format!("/admin/accounts/{}", person.id());
        let exported = world.call(admin.get(format!("{path}/data"))).data();
        assert!(
            exported.to_string().contains("office@example.org"),
            "{exported}"
        );
        world
            .call(admin.post(format!("{path}/erase"), &reason))
            .data();
    }
    let left = world.call(admin.get("/admin/admissions")).data();
    assert_eq!(left.as_array().map(Vec::len), Some(1));
    assert_eq!(left[0]["contact"], Value::Null);
    assert!(may_deploy(&world, &approved));
}
