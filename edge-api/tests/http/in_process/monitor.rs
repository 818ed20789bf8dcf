//! Monitoring for operators: dead letters, stuck records, alerts and metrics.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use async_trait::async_trait;
use edge_api::ports::{Clock, DataPoint, Database, DatabaseError, Fetched, Rows, Statement};
use serde_json::{Value, json};

use crate::support::native::{Service, block_on};
use crate::support::people::{Person, World};
use crate::support::{Answer, Call, Host, SETTINGS, WEBHOOK_SECRET};

const ALERTS: &str = "https://hooks.assay.example/T0/secret-part";
const MINUTE: u64 = 60_000;

/// The operator's token for metrics.
const TOKEN: &str = "0123456789abcdef0123456789abcdef";

/// A database that a test can make unavailable, with a size that a test can set.
struct Away {
    inner: Rc<dyn Database>,
    is_away: Rc<Cell<bool>>,
    bytes: Rc<Cell<Option<u64>>>,
}

#[async_trait(?Send)]
impl Database for Away {
    fn bytes(&self) -> Option<u64> {
        self.bytes.get().or_else(|| self.inner.bytes())
    }

    async fn batch(&self, statements: Vec<Statement>) -> Result<Vec<Rows>, DatabaseError> {
        if self.is_away.get() {
            return Err(DatabaseError::Unavailable("no answer".to_owned()));
        }
        self.inner.batch(statements).await
    }
}

/// A service with an administrator and a receiver of alerts. The receiver answers with a status that the test sets.
struct Scene {
    world: World,
    service: Rc<RefCell<Service>>,
    is_away: Rc<Cell<bool>>,
    bytes: Rc<Cell<Option<u64>>>,
    status: Rc<Cell<u16>>,
    admin: Person,
}

impl Scene {
    fn new() -> Self {
        let admin = Person::known(9);
        let admins = admin.id().to_string();
        // `MOVABLE_CLOCK` is not set, because its query would fail before the sweep while the database is unavailable.
        let settings = [
            ("ENVIRONMENT", "development"),
            ("DEPOSITS", "test"),
            ("ADMIN_ACCOUNTS", admins.as_str()),
            ("ALERT_URL", ALERTS),
            ("METRICS_TOKEN", TOKEN),
            ("DATABASE_LIMIT_GB", "2"),
            ("RUNBOOK_URL", "https://wiki.assay.example/runbook"),
        ];
        let is_away = Rc::new(Cell::new(false));
        let bytes = Rc::new(Cell::new(None));
        let service = Service::with_database(&settings, |inner| {
            Rc::new(Away {
                inner,
                is_away: Rc::clone(&is_away),
                bytes: Rc::clone(&bytes),
            })
        })
        .queueing();
        let status = Rc::new(Cell::new(200));
        let answered = Rc::clone(&status);
        service.http.serve(ALERTS, move |_| {
            Ok(Fetched {
                status: answered.get(),
                content_type: None,
                location: Some("https://elsewhere.example/".to_owned()),
                allow_origin: None,
                body: Vec::new(),
            })
        });
        let service = Rc::new(RefCell::new(service));
        Self {
            world: World::on(Box::new(Rc::clone(&service))),
            service,
            is_away,
            bytes,
            status,
            admin,
        }
    }

    fn execute(&self, sql: &str) {
        let service = self.service.borrow();
        service.database.execute(sql).expect(sql);
    }

    /// Advances the clock by some minutes, and runs the sweep. Returns the messages of the alerts that the sweep sent.
    fn sweep_after(&self, minutes: u64) -> Vec<String> {
        let service = self.service.borrow();
        service.advance(minutes * MINUTE);
        service.queue.lose();
        // The sweep fails if the database is unavailable.
        let _failed = block_on(service.app().on_schedule());
        let sent = service.http.take_sent();
        let alerts = sent.iter().filter(|sent| sent.url == ALERTS);
        let text = |body: &Vec<u8>| {
            let body: Value = serde_json::from_slice(body).expect("JSON");
            body["text"].as_str().expect("a string").to_owned()
        };
        alerts
            .map(|sent| text(sent.body.as_ref().expect("a POST")))
            .collect()
    }

    /// Asserts that a problem is reported once an hour while it lasts, and that its end is reported once.
    #[track_caller]
    fn reports(&self, expected: &str, end: impl FnOnce()) {
        let [first] = &self.sweep_after(1)[..] else {
            panic!("no alert: {expected}");
        };
        assert!(
            first.starts_with("assay: ") && first.contains(expected),
            "{first}"
        );
        assert_eq!(self.sweep_after(1), Vec::<String>::new());
        assert_eq!(self.sweep_after(57), Vec::<String>::new());
        let again = self.sweep_after(2);
        assert!(again.len() == 1 && again[0].contains(expected), "{again:?}");
        end();
        let resolved = self.sweep_after(1);
        assert!(
            resolved.len() == 1 && resolved[0].starts_with("assay: Resolved: "),
            "{resolved:?}"
        );
        assert_eq!(self.sweep_after(1), Vec::<String>::new());
    }

    #[track_caller]
    fn post(&self, path: &str) -> Answer {
        let body = json!({ "reason": "Ticket 7" });
        self.world.call(self.admin.post(path, &body))
    }

    fn list(&self, path: &str) -> Vec<Value> {
        let data = self.world.call(self.admin.get(path)).data();
        data.as_array().expect("a list").clone()
    }

    /// Creates a signed order that is not performed yet. Returns its reference.
    fn pending(&self) -> String {
        let owner = self.world.funded();
        let mut order = self
            .world
            .order(&[&owner], json!([self.world.payment(&owner, "1")]));
        self.world.sign(&mut order, &[&owner]);
        let made = self.world.call(owner.post("/orders", &order)).data();
        made["ref"].as_str().expect("a reference").to_owned()
    }
}

fn reference(item: &Value) -> &str {
    item["ref"].as_str().expect("a reference")
}

#[test]
fn a_dead_letter_is_stored_once_and_can_be_listed_and_retried() {
    let scene = Scene::new();
    let record = scene.pending();
    let job = json!({ "job": "perform", "ref": record }).to_string();
    for (id, body) in [
        ("m1", job.as_str()),
        ("m1", &job),
        ("m2", "{\"job\":\"later\"}"),
    ] {
        let service = scene.service.borrow();
        service.queue.lose();
        block_on(service.app().on_dead_letter(id, body)).expect("kept");
        service.advance(1);
    }
    let letters = scene.list("/admin/dead-letters?sort=1");
    assert_eq!(letters.len(), 2);
    assert_eq!(
        (&letters[0]["body"], &letters[0]["retriedAt"]),
        (&json!(job), &Value::Null)
    );
    let retry = |letter: &str| scene.post(&format!("/admin/dead-letters/{letter}/retry"));
    retry("none").fails(404, &[400_000]);
    retry(reference(&letters[1])).fails(422, &[422_900]);
    retry(reference(&letters[0])).data();
    // The message is in the queue again, so its record is performed.
    let service = scene.service.borrow();
    let job = service.queue.take().expect("a message");
    block_on(service.app().on_message(&job)).expect("work");
    drop(service);
    let rows = scene
        .service
        .borrow()
        .database
        .run(&[Statement::new("SELECT status FROM records WHERE ref = ?1").bind(record)]);
    assert_eq!(rows.expect("rows")[0].list[0]["status"], 7);
    assert_ne!(
        scene.list("/admin/dead-letters?sort=1")[0]["retriedAt"],
        Value::Null
    );
    // After 90 days, dead letters are deleted.
    scene.sweep_after(91 * 24 * 60);
    assert_eq!(scene.list("/admin/dead-letters"), Vec::<Value>::new());
}

#[test]
fn a_stuck_record_is_listed_and_retried() {
    let scene = Scene::new();
    let record = scene.pending();
    scene.execute("UPDATE records SET body = '{'");
    scene.sweep_after(0);
    scene.sweep_after(1);
    let [stuck] = &scene.list("/admin/records")[..] else {
        panic!("expected exactly one stuck record");
    };
    assert_eq!(
        (reference(stuck), &stuck["faults"], &stuck["status"]),
        (record.as_str(), &json!(2), &json!(1))
    );
    let path = format!("/admin/records/{record}/retry");
    scene.post(&path).data();
    scene.sweep_after(0);
    assert_eq!(scene.list("/admin/records")[0]["faults"], 3);
    scene.execute("UPDATE records SET status = 6, aside_until = NULL");
    scene.post(&path).fails(404, &[400_000]);
}

#[test]
fn each_cause_is_reported_once_an_hour_and_when_it_is_resolved() {
    // The trigger refuses every change of the record, so the record is neither performed nor put in quarantine.
    let scene = Scene::new();
    scene.pending();
    scene.execute(
        "CREATE TRIGGER held BEFORE UPDATE ON records BEGIN SELECT raise(ABORT, 'held'); END",
    );
    assert_eq!(scene.sweep_after(9), Vec::<String>::new());
    scene.sweep_after(1);
    scene.reports("1 record is pending.", || {
        scene.execute("DROP TRIGGER held");
    });

    let scene = Scene::new();
    scene.pending();
    scene.execute("UPDATE records SET body = '{'");
    assert_eq!(scene.sweep_after(0), Vec::<String>::new());
    scene.reports("1 record failed repeatedly and is stuck.", || {
        scene.execute("UPDATE records SET status = 6, aside_until = NULL");
    });

    let scene = Scene::new();
    for id in ["m1", "m2"] {
        let body = r#"{"job":"perform","ref":"none"}"#;
        block_on(scene.service.borrow().app().on_dead_letter(id, body)).expect("kept");
    }
    scene.reports("2 queue messages failed at every attempt.", || {
        for letter in scene.list("/admin/dead-letters") {
            scene
                .post(&format!("/admin/dead-letters/{}/retry", reference(&letter)))
                .data();
        }
    });

    let scene = Scene::new();
    let day = scene.service.borrow().clock.now_ms() / 86_400_000;
    let used = |bytes: u64| {
        format!(
            "INSERT OR REPLACE INTO quotas VALUES ('unfunded:work', {day}, {bytes}, 9000000000000)"
        )
    };
    scene.execute(&used(64_000_000));
    assert_eq!(scene.sweep_after(0), Vec::<String>::new());
    scene.execute(&used(65_000_000));
    scene.reports("81 % of the daily quota `unfunded:work` is used.", || {
        scene.execute(&used(0))
    });

    // While the database is unavailable, the cache remembers that the alert was sent.
    let scene = Scene::new();
    scene.is_away.set(true);
    scene.reports("The database does not answer", || scene.is_away.set(false));
}

#[test]
fn a_filling_database_is_reported_with_its_urgency_and_the_runbook() {
    let scene = Scene::new();
    scene.bytes.set(Some(1_599_999_999));
    assert_eq!(scene.sweep_after(0), Vec::<String>::new());
    scene.bytes.set(Some(1_600_000_000));
    let sent = scene.sweep_after(1);
    let expected = "assay: The database has 1600 of 2000 MB (80 %). Severity: warning. \
        What to do: https://wiki.assay.example/runbook#database-size";
    assert_eq!(sent, [expected]);
    // The warning becomes critical within the hour, and is sent at once. It falls and rises again, which sends nothing more.
    assert_eq!(scene.sweep_after(1), Vec::<String>::new());
    scene.bytes.set(Some(1_900_000_000));
    let critical = |sent: &[String]| {
        assert!(
            sent.len() == 1 && sent[0].contains("(95 %). Severity: critical."),
            "{sent:?}"
        );
    };
    critical(&scene.sweep_after(1));
    for bytes in [1_600_000_000, 1_900_000_000, 1_600_000_000, 1_900_000_000] {
        scene.bytes.set(Some(bytes));
        assert_eq!(scene.sweep_after(1), Vec::<String>::new());
    }
    // Also after its end, which is reported.
    scene.bytes.set(None);
    assert_eq!(scene.sweep_after(1).len(), 1);
    scene.bytes.set(Some(1_900_000_000));
    assert_eq!(scene.sweep_after(1), Vec::<String>::new());
    critical(&scene.sweep_after(60));
    // The hourly repetition has the present severity, so the next rise is sent again.
    scene.bytes.set(Some(1_600_000_000));
    assert!(scene.sweep_after(60)[0].contains("Severity: warning."));
    scene.bytes.set(Some(1_900_000_000));
    // The receiver refuses the alert, so the next sweep sends it again.
    scene.status.set(500);
    critical(&scene.sweep_after(1));
    scene.status.set(200);
    critical(&scene.sweep_after(1));
    assert_eq!(scene.sweep_after(1), Vec::<String>::new());
    scene.bytes.set(None);
    let resolved = scene.sweep_after(1);
    assert!(
        resolved.len() == 1 && resolved[0].contains("less than 80 % of its limit again"),
        "{resolved:?}"
    );
}

#[test]
fn the_operators_token_reads_metrics_and_nothing_else() {
    let scene = Scene::new();
    let bearer = |path: &str, token: &str| {
        Call::get(path).header("authorization", &format!("Bearer {token}"))
    };
    let answer = scene.world.call(bearer("/metrics", TOKEN));
    let text = String::from_utf8(answer.body).expect("text");
    assert!(
        text.contains("assay_database_limit_bytes 2000000000"),
        "{text}"
    );
    let bytes = text
        .lines()
        .find_map(|line| line.strip_prefix("assay_database_bytes "));
    assert!(
        bytes.is_some_and(|bytes| bytes.parse::<u64>().is_ok_and(|bytes| bytes > 0)),
        "{text}"
    );
    for wrong in [&TOKEN[1..], "0123456789abcdef0123456789abcdeF"] {
        scene
            .world
            .call(bearer("/metrics", wrong))
            .fails(401, &[401_001]);
    }
    for (path, code) in [
        ("/admin/audit", 403_021),
        ("/account", 403_020),
        ("/orders", 403_020),
        ("/sessions", 403_021),
    ] {
        scene.world.call(bearer(path, TOKEN)).fails(403, &[code]);
    }
}

/// Replaces the answers of the current period.
fn answered(scene: &Scene, requests: u64, failures: u64, within_3000: u64) {
    let period = scene.service.borrow().clock.now_ms() / 300_000;
    scene.execute(&format!(
        "INSERT OR REPLACE INTO answers VALUES ({period}, {requests}, {failures}, 0, 0, 0, 0, {within_3000}, {requests})"
    ));
}

#[test]
fn a_share_of_errors_or_of_slow_answers_is_reported() {
    let scene = Scene::new();
    for (requests, failures, fast) in [(49, 49, 0), (100, 4, 96)] {
        answered(&scene, requests, failures, fast);
        assert_eq!(scene.sweep_after(0), Vec::<String>::new());
    }
    answered(&scene, 100, 5, 100);
    let failing = scene.sweep_after(0);
    assert_eq!(
        failing,
        [
            "assay: 5 % of the answers of the last 15 minutes are errors of the service. Severity: critical. \
         What to do: https://wiki.assay.example/runbook#failures"
        ]
    );
    answered(&scene, 100, 0, 95);
    let mut slow = scene.sweep_after(0);
    slow.sort();
    assert!(
        slow.len() == 2
            && slow[0].contains("5 % of the answers of the last 15 minutes took longer than 3000 ms. Severity: warning.")
            && slow[1].contains("Resolved: few answers are errors of the service again."),
        "{slow:?}"
    );
    // Answers of an earlier time do not count.
    let resolved = scene.sweep_after(21);
    assert!(
        resolved.len() == 1 && resolved[0].contains("Resolved: few answers are slow again."),
        "{resolved:?}"
    );
}

#[test]
fn answers_of_public_routes_are_stored_with_the_next_line_of_the_log() {
    let scene = Scene::new();
    let owner = scene.world.funded();
    let totals = || {
        let sql = "SELECT sum(requests) AS requests, sum(failures) AS failures, sum(within_100) AS within_100 FROM answers";
        let rows = scene.service.borrow().database.run(&[Statement::new(sql)]);
        let rows = rows.expect("rows").remove(0).list;
        ["requests", "failures", "within_100"].map(|name| rows[0][name].as_u64().expect("a number"))
    };
    scene.service.borrow().advance(10_000);
    scene.world.call(owner.get("/orders")).data();
    let before = totals();
    for _ in 0..3 {
        scene.world.call(Call::get("/nothing"));
    }
    assert_eq!(totals(), before);
    // The last counts were stored a moment ago, so the next line does not take these along.
    scene.world.call(owner.get("/orders")).data();
    assert_eq!(totals(), before);
    scene.service.borrow().advance(10_000);
    scene.world.call(owner.get("/orders")).data();
    let [requests, failures, fast] = before;
    let before = [requests + 5, failures, fast + 5];
    assert_eq!(totals(), before);
    let [requests, failures, fast] = before;

    // Failures are stored without a line, at most once a minute. While the database does not answer, they wait.
    let fail = || {
        scene.is_away.set(true);
        scene.service.borrow().advance(1_000);
        scene
            .world
            .call(Call::get("/health"))
            .fails(503, &[503_001]);
        scene.is_away.set(false);
        scene.world.call(Call::get("/nothing"));
    };
    scene.service.borrow().advance(MINUTE);
    fail();
    assert_eq!(totals(), [requests + 2, failures + 1, fast + 2]);
    fail();
    assert_eq!(totals()[1], failures + 1);
    scene.service.borrow().advance(MINUTE);
    fail();
    assert_eq!(totals(), [requests + 6, failures + 3, fast + 6]);

    let text = scene.world.call(scene.admin.get("/metrics")).body;
    let text = String::from_utf8(text).expect("text");
    for line in [
        format!("assay_answers_total {}", requests + 6),
        format!("assay_answers_failed_total {}", failures + 3),
        format!(
            "assay_answer_milliseconds_bucket{{le=\"100\"}} {}",
            fast + 6
        ),
        format!(
            "assay_answer_milliseconds_bucket{{le=\"+Inf\"}} {}",
            requests + 6
        ),
        "# TYPE assay_answer_milliseconds histogram".to_owned(),
    ] {
        assert!(text.lines().any(|found| found == line), "{line}\n{text}");
    }
    assert!(!text.contains("assay_backup_age_seconds"), "{text}");

    // After a day, the periods are one row. The totals stay.
    scene.service.borrow().advance(2 * 86_400_000);
    scene.sweep_after(1);
    let sql = "SELECT count(*) AS count FROM answers WHERE period > 0 AND failures > 0";
    let rows = scene.service.borrow().database.run(&[Statement::new(sql)]);
    assert_eq!(rows.expect("rows")[0].list[0]["count"], 0);
    assert_eq!(totals()[1], failures + 3);
}

#[test]
fn late_webhooks_are_reported() {
    let scene = Scene::new();
    let owner = scene.world.funded();
    let hook =
        json!({ "url": "https://receiver.assay.example/", "events": [], "secret": WEBHOOK_SECRET });
    scene
        .world
        .call(owner.put("/account/webhook", &hook))
        .data();
    scene.sweep_after(0);
    scene
        .world
        .call(owner.post("/account/webhook/test", &json!({})))
        .data();
    // No sweep ran for eleven minutes. The next sweep reports the late event, and also sends it.
    let late = scene.sweep_after(11);
    assert!(
        late.len() == 1
            && late[0].contains("A webhook event has been due for 11 minutes. 1 event is waiting."),
        "{late:?}"
    );
    let resolved = scene.sweep_after(1);
    assert!(
        resolved.len() == 1 && resolved[0].contains("Resolved: webhook events"),
        "{resolved:?}"
    );
}

#[test]
fn a_refused_alert_is_retried_and_its_address_is_not_logged() {
    let scene = Scene::new();
    block_on(scene.service.borrow().app().on_dead_letter("m", "{}")).expect("kept");
    for status in [500, 302] {
        scene.status.set(status);
        assert_eq!(scene.sweep_after(1).len(), 1, "{status}");
    }
    scene.status.set(200);
    assert_eq!(scene.sweep_after(1).len(), 1);
    assert_eq!(scene.sweep_after(1).len(), 0);
    let lines = scene.service.borrow().log.lines();
    let lines: Vec<String> = lines
        .into_iter()
        .map(|(_, line)| line.to_string())
        .collect();
    assert_eq!(
        lines
            .iter()
            .filter(|line| line.contains("alert.not-sent"))
            .count(),
        2
    );
    assert!(
        !lines
            .iter()
            .any(|line| line.contains("secret-part") || line.contains("hooks.assay")),
        "{lines:#?}"
    );
}

#[test]
fn metrics_count_the_isolates_responses_and_the_stored_work() {
    let scene = Scene::new();
    scene.pending();
    let owner = scene.world.funded();
    scene.world.call(Call::get("/nothing"));
    scene
        .world
        .call(owner.get("/metrics"))
        .fails(403, &[403_010]);
    scene.service.borrow().advance(3_000);
    let _earlier = scene.service.borrow().analytics.take();
    let answer = scene.world.call(scene.admin.get("/metrics"));
    assert_eq!(
        answer.header("content-type"),
        Some("text/plain; version=0.0.4; charset=utf-8")
    );
    let text = String::from_utf8(answer.body).expect("text");
    for line in [
        "assay_database_up 1",
        "assay_due_seconds{queue=\"records\"} 3",
        "assay_pending_records 1",
        "assay_dead_letters 0",
        "assay_quota_limit_bytes{quota=\"unfunded:work\"} 80000000",
        "assay_isolate_age_seconds 3",
        "assay_requests_total{method=\"POST\",route=\"/orders\",status=\"201\"} 1",
        "assay_requests_total{method=\"GET\",route=\"/metrics\",status=\"403\"} 1",
        "assay_requests_total{method=\"\",route=\"\",status=\"404\"} 1",
        "# TYPE assay_requests_total counter",
    ] {
        assert!(text.lines().any(|found| found == line), "{line}\n{text}");
    }
    // Every line is a comment, or has a name, optional labels and a whole number.
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        let (name, value) = line.rsplit_once(' ').expect("a value");
        assert!(
            name.starts_with("assay_") && value.parse::<u64>().is_ok(),
            "{line}"
        );
    }
    let point = DataPoint {
        method: "GET",
        route: "/metrics",
        status: 200,
        milliseconds: 0,
    };
    assert_eq!(scene.service.borrow().analytics.take(), [point]);

    scene.is_away.set(true);
    let text = String::from_utf8(scene.world.call(scene.admin.get("/metrics")).body).expect("text");
    assert!(
        text.contains("assay_database_up 0\n") && text.contains("assay_requests_total"),
        "{text}"
    );
    assert!(!text.contains("assay_pending_records"), "{text}");
    scene
        .world
        .call(Call::get("/health"))
        .fails(503, &[503_001]);
    assert_eq!(
        scene.world.call(owner.get("/orders")).header("retry-after"),
        Some("10")
    );
}

#[test]
fn the_log_line_of_a_request_has_its_id_and_no_credential() {
    let service = Service::new(SETTINGS);
    let person = Person::new();
    let answer = service.call(person.get("/account"));
    let lines = service.log.lines();
    let (_, line) = lines.last().expect("a line");
    assert_eq!(line["id"].as_str(), answer.header("x-request-id"));
    let secret = person.authorization();
    assert!(
        !lines
            .iter()
            .any(|(_, line)| line.to_string().contains(&secret[4..]))
    );
}
