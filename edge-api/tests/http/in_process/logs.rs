//! The database of logs contains the log of requests. Of the requests in these tests, only those that read or erase the log
//! depend on this database. It also contains ended webhook deliveries, which `webhook_delivery/moved.rs` tests.

use std::cell::RefCell;
use std::rc::Rc;

use edge_api::native::Sqlite;
use edge_api::ports::Statement;
use serde_json::{Value, json};

use crate::support::native::Service;
use crate::support::people::{Person, World};
use crate::support::{Call, SETTINGS};

const DAY: u64 = 86_400_000;

struct Scene {
    service: Rc<RefCell<Service>>,
    world: World,
    admin: Person,
}

impl Scene {
    fn new(log_database: &str) -> Self {
        let settings = settings(log_database);
        let borrowed: Vec<_> = settings
            .iter()
            .map(|(name, value)| (*name, value.as_str()))
            .collect();
        let service = Rc::new(RefCell::new(Service::new(&borrowed)));
        let world = World::on(Box::new(Rc::clone(&service)));
        Self {
            service,
            world,
            admin: Person::known(9),
        }
    }

    /// Changes the setting `LOG_DATABASE`, as a new deployment would.
    fn deploy(&self, log_database: &str) {
        self.service.borrow_mut().configure(&settings(log_database));
    }

    fn set_away(&self, is_away: bool) {
        self.service.borrow().logs.is_away.set(is_away);
    }

    /// Returns the number of logged requests of an account in the main database and in the database of logs.
    fn logged(&self, person: &Person) -> [u32; 2] {
        let service = self.service.borrow();
        let count = |database: &Sqlite| {
            let statement =
                Statement::new("SELECT count(*) AS total FROM requests WHERE account_id = ?1")
                    .bind(person.id().to_string().to_lowercase());
            let rows = database.run(&[statement]).expect("rows").remove(0);
            rows.total().expect("a total")
        };
        [count(&service.database), count(&service.logs.rows)]
    }

    /// Sends a change as the administrator. Returns the data of the response.
    fn post(&self, path: &str) -> Value {
        let body = json!({ "reason": "Ticket 7" });
        self.world.call(self.admin.post(path, &body)).data()
    }
}

fn settings(log_database: &str) -> Vec<(&'static str, String)> {
    let mut settings: Vec<_> = SETTINGS
        .iter()
        .map(|(name, value)| (*name, (*value).to_owned()))
        .collect();
    settings.push(("ADMIN_ACCOUNTS", Person::known(9).id().to_string()));
    settings.push(("LOG_DATABASE", log_database.to_owned()));
    settings
}

#[test]
fn the_log_may_move_but_its_quota_stays_in_the_main_database() {
    let lists: Vec<Vec<Value>> = ["off", "on"]
        .map(|log_database| {
            let scene = Scene::new(log_database);
            let owner = scene.world.funded();
            for _ in 0..3 {
                scene.world.call(owner.get("/account")).data();
            }
            scene
                .world
                .call(owner.get("/orders/unknown"))
                .fails(400, &[400_011]);
            // The log has the deposit and the four requests above.
            let expected = if log_database == "on" { [0, 5] } else { [5, 0] };
            assert_eq!(scene.logged(&owner), expected, "{log_database}");
            let quota =
                Statement::new("SELECT sum(used) > 500 AS total FROM quotas WHERE key = ?1")
                    .bind(format!("account:{}", owner.id().to_string().to_lowercase()));
            let rows = scene.service.borrow().database.run(&[quota]).expect("rows");
            assert_eq!(rows[0].list[0]["total"], 1, "{log_database}");
            let failed = scene.world.call(owner.get("/requests?status=400")).data();
            let path = format!("/requests/{}", failed[0]["ref"].as_str().expect("a ref"));
            let one = scene.world.call(owner.get(path)).data();
            assert_eq!(one, failed[0]);
            let list = scene.world.call(owner.get("/requests?sort=1")).data();
            let list = list.as_array().expect("a list").iter();
            list.map(|row| json!([row["method"], row["path"], row["status"], row["errors"]]))
                .collect()
        })
        .into();
    assert_eq!(lists[0], lists[1]);
    assert_eq!(lists[0].len(), 7);
}

#[test]
fn an_account_without_a_row_is_not_logged() {
    let scene = Scene::new("on");
    let stranger = Person::new();
    scene.world.call(stranger.get("/account")).data();
    assert_eq!(scene.logged(&stranger), [0, 0]);
}

#[test]
fn without_the_database_of_logs_only_requests_that_read_it_fail() {
    let scene = Scene::new("on");
    let owner = scene.world.funded();
    scene.set_away(true);
    scene.world.call(owner.get("/account")).data();
    scene
        .world
        .call(owner.post("/deposits", &json!({ "amount": 1000 })))
        .data();
    scene.world.call(Call::get("/health")).data();
    assert_eq!(scene.world.call(scene.admin.get("/metrics")).status, 200);
    // The log of requests cannot be read.
    scene
        .world
        .call(owner.get("/requests"))
        .fails(503, &[503_001]);
    let lines = scene.service.borrow().log.lines();
    assert!(
        lines
            .iter()
            .any(|(_, line)| line["event"] == "request.not-logged")
    );
    scene.set_away(false);
    scene.world.call(owner.get("/account")).data();
    assert_eq!(scene.logged(&owner), [0, 2]);
}

#[test]
fn older_log_lines_are_moved_to_a_new_database_of_logs() {
    let scene = Scene::new("off");
    let owner = scene.world.funded();
    for _ in 0..300 {
        scene.world.call(owner.get("/account")).data();
    }
    assert_eq!(scene.logged(&owner), [301, 0]);
    scene.deploy("on");
    scene.world.host.settle();
    assert_eq!(scene.logged(&owner), [0, 301]);
    let answer = scene.world.call(owner.get("/requests")).json();
    assert_eq!(answer["meta"]["total"], 301);
    // If the database of logs is switched off, the log in the main database starts again.
    scene.deploy("off");
    scene.world.call(owner.get("/account")).data();
    assert_eq!(scene.logged(&owner), [1, 302]);
}

#[test]
fn personal_data_is_exported_from_both_databases_and_erased_for_good() {
    let scene = Scene::new("on");
    let owner = scene.world.funded();
    for _ in 0..120 {
        scene.world.call(owner.get("/account")).data();
    }
    let path = format!("/admin/accounts/{}", owner.id());
    let exported = || {
        let (mut requests, mut from) = (0, String::new());
        loop {
            let target = format!("{path}/data?from={from}");
            let page = scene.world.call(scene.admin.get(target)).data();
            let items = page["items"].as_array().expect("items").iter();
            requests += items.filter(|item| item["kind"] == "request").count();
            match page["next"].as_str() {
                Some(next) => from = next.to_owned(),
                None => return requests,
            }
        }
    };
    assert_eq!(exported(), 121);
    scene.set_away(true);
    let body = json!({ "reason": "r" });
    let erase = || scene.admin.post(format!("{path}/erase"), &body);
    scene.world.call(erase()).fails(503, &[503_001]);
    scene.set_away(false);
    let erased = scene.post(&format!("{path}/erase"));
    assert_eq!(erased["isComplete"], true);
    assert_eq!((exported(), scene.logged(&owner)), (0, [0, 0]));

    // A move of log lines after the erasure deletes the lines from before the erasure instead of moving them.
    let line = |reference: &str, created_at: u64| {
        format!(
            "INSERT INTO requests SELECT '{reference}', lower('{}'), 'GET', 'h', '/', 'u', 200, '[]', 1, {created_at}",
            owner.id()
        )
    };
    let now = scene.world.host.now();
    for (reference, created_at) in [("a", now), ("b", now + 1)] {
        let database = Rc::clone(&scene.service.borrow().database);
        database
            .execute(&line(reference, created_at))
            .expect("a line");
    }
    scene.world.host.advance(1);
    scene.world.host.settle();
    assert_eq!(scene.logged(&owner), [0, 1]);
}

#[test]
fn the_database_of_logs_deletes_its_old_lines() {
    let scene = Scene::new("on");
    let owner = scene.world.funded();
    scene.world.call(owner.get("/account")).data();
    scene.world.host.advance(91 * DAY);
    scene.world.host.settle();
    assert_eq!(scene.logged(&owner), [0, 0]);
}

#[test]
fn a_missing_binding_is_treated_like_an_unavailable_database() {
    let scene = Scene::new("on");
    scene.service.borrow_mut().unbind_logs();
    let owner = scene.world.funded();
    scene.world.call(owner.get("/account")).data();
    scene
        .world
        .call(owner.get("/requests"))
        .fails(503, &[503_001]);
}
