//! Nightly backups. The platform's API is a fake that answers as `wrangler d1 export` expects, and as the platform documents it.

use std::cell::RefCell;
use std::rc::Rc;

use edge_api::ports::{Clock as _, Fetch, FetchError, Fetched, Objects as _, Statement};
use serde_json::{Value, json};

use crate::support::native::{Service, block_on};

const API: &str = "https://api.cloudflare.com/client/v4/accounts/0123456789abcdef0123456789abcdef/d1/database/7d1f0000-0000-4000-8000-00000000c0de/export";
const TOKEN: &str = "a-token-of-the-platform";
const DUMP: &str = "https://dumps.example/tonight.sql?signature=secret-part";
const MINUTE: u64 = 60_000;
const HOUR: u64 = 60 * MINUTE;
/// The key of the first night's backup: a test starts at 2023-11-14T22:13:20Z.
const TONIGHT: &str = "backups/2023-11-14.sql";

struct Scene {
    service: Service,
    /// The next answers of the platform's API. The last one is repeated.
    answers: Rc<RefCell<Vec<(u16, Value)>>>,
}

fn running(bookmark: &str) -> (u16, Value) {
    let state = json!({ "success": true, "type": "export", "status": "active", "at_bookmark": bookmark, "messages": [] });
    (
        200,
        json!({ "success": true, "errors": [], "result": state }),
    )
}

fn complete(address: &str) -> (u16, Value) {
    let result = json!({ "filename": "a.sql", "signed_url": address });
    let state = json!({ "success": true, "type": "export", "status": "complete", "at_bookmark": "b", "messages": [], "result": result });
    (
        200,
        json!({ "success": true, "errors": [], "result": state }),
    )
}

impl Scene {
    fn new(answers: Vec<(u16, Value)>) -> Self {
        let service = Service::new(&[
            ("ENVIRONMENT", "development"),
            ("DEPOSITS", "test"),
            ("BACKUP_HOUR", "22"),
            ("BACKUP_DAYS", "2"),
            (
                "BACKUP_SOURCE",
                "0123456789abcdef0123456789abcdef/7d1f0000-0000-4000-8000-00000000c0de",
            ),
            ("BACKUP_TOKEN", TOKEN),
            ("ALERT_URL", "https://hooks.assay.example/T0"),
        ]);
        let answers = Rc::new(RefCell::new(answers));
        let next = Rc::clone(&answers);
        service
            .http
            .serve(API, move |_: &Fetch| -> Result<Fetched, FetchError> {
                let mut answers = next.borrow_mut();
                let (status, body) = match answers.len() {
                    1 => answers[0].clone(),
                    _ => answers.remove(0),
                };
                Ok(Fetched {
                    status,
                    content_type: None,
                    location: None,
                    allow_origin: None,
                    body: body.to_string().into_bytes(),
                })
            });
        service.http.serve("https://hooks.assay.example/", |_| {
            Ok(Fetched {
                status: 204,
                content_type: None,
                location: None,
                allow_origin: None,
                body: Vec::new(),
            })
        });
        Self { service, answers }
    }

    /// Runs a sweep after some milliseconds, and returns its requests to the platform's API.
    fn sweep_after(&self, milliseconds: u64) -> Vec<Value> {
        self.service.clock.advance(milliseconds);
        let _earlier = self.service.http.take_sent();
        block_on(self.service.app().on_schedule()).expect("a sweep");
        let sent = self.service.http.take_sent().into_iter();
        let own = sent.filter(|sent| sent.url == API);
        own.map(|sent| {
            let authorization = ("authorization".to_owned(), format!("Bearer {TOKEN}"));
            assert!(sent.headers.contains(&authorization));
            serde_json::from_slice(&sent.body.expect("a POST")).expect("JSON")
        })
        .collect()
    }

    fn rows(&self, sql: &'static str) -> Vec<Value> {
        let rows = self.service.database.run(&[Statement::new(sql)]);
        rows.expect("rows").remove(0).list
    }

    /// Returns the reasons of failed backups in the log.
    fn failures(&self) -> Vec<String> {
        let lines = self.service.log.lines();
        let failed = lines
            .iter()
            .filter(|(_, line)| line["event"] == "backup.failed");
        failed
            .map(|(_, line)| line["why"].as_str().expect("a reason").to_owned())
            .collect()
    }
}

#[test]
fn a_night_makes_one_backup() {
    let scene = Scene::new(vec![running("b1"), running("b2"), complete(DUMP)]);
    let sent = scene.sweep_after(0);
    assert_eq!(
        sent,
        [
            json!({ "output_format": "polling" }),
            json!({ "output_format": "polling", "current_bookmark": "b1" }),
            json!({ "output_format": "polling", "current_bookmark": "b2" }),
        ]
    );
    let stored = block_on(scene.service.bucket.get(TONIGHT)).expect("an answer");
    assert_eq!(stored.as_deref(), Some(DUMP.as_bytes()));
    let row = scene.rows("SELECT attempts, bytes, finished_at > started_at AS ended FROM backups");
    assert_eq!(
        row,
        [json!({ "attempts": 1, "bytes": DUMP.len(), "ended": 1 })]
    );
    for wait in [MINUTE, 30 * MINUTE, 2 * HOUR, 18 * HOUR] {
        assert_eq!(scene.sweep_after(wait), Vec::<Value>::new());
    }
    // The next night.
    assert_eq!(scene.sweep_after(4 * HOUR).len(), 1);
    assert_eq!(
        scene.service.bucket.keys(),
        [TONIGHT, "backups/2023-11-15.sql"]
    );
    assert_eq!(scene.failures(), Vec::<String>::new());
}

#[test]
fn the_run_that_starts_an_export_polls_it_without_a_gap() {
    // The export takes five minutes.
    let mut answers = vec![running("b1"); 150];
    answers.push(complete(DUMP));
    let scene = Scene::new(answers);
    let before = scene.service.clock.now_ms();
    assert_eq!(scene.sweep_after(0).len(), 151);
    assert_eq!(scene.service.clock.now_ms() - before, 5 * MINUTE);
    assert_eq!(scene.service.bucket.keys(), [TONIGHT]);
}

#[test]
fn other_runs_leave_the_database_to_a_running_export() {
    let scene = Scene::new(vec![running("b1")]);
    // The run that started the export polls for twelve minutes, and then ends.
    let first = scene.sweep_after(0).len();
    assert!((355..=361).contains(&first), "{first}");
    let before = scene.service.database.round_trips();
    let next = scene.sweep_after(15_000);
    let bookmark = json!({ "output_format": "polling", "current_bookmark": "b1" });
    assert_eq!(next, [bookmark]);
    assert_eq!(scene.service.database.round_trips(), before);
    scene.answers.replace(vec![complete(DUMP)]);
    assert_eq!(scene.sweep_after(15_000).len(), 1);
    assert_eq!(scene.service.bucket.keys(), [TONIGHT]);
}

#[test]
fn a_canceled_export_gives_the_database_back_and_is_started_again_later() {
    let scene = Scene::new(vec![running("b1")]);
    scene.sweep_after(0);
    let state =
        json!({ "success": true, "type": "export", "status": "error", "error": "not polled" });
    let canceled = json!({ "success": true, "errors": [], "result": state });
    scene.answers.replace(vec![(200, canceled)]);
    let before = scene.service.database.round_trips();
    assert_eq!(scene.sweep_after(MINUTE).len(), 1);
    assert!(scene.service.database.round_trips() > before);
    let why = "the platform could not export the database: not polled";
    assert_eq!(scene.failures(), [why]);
    scene.answers.replace(vec![complete(DUMP)]);
    assert_eq!(scene.sweep_after(MINUTE), Vec::<Value>::new());
    assert_eq!(scene.sweep_after(20 * MINUTE).len(), 1);
    assert_eq!(scene.service.bucket.keys(), [TONIGHT]);
}

#[test]
fn an_export_without_end_is_given_up_after_fifteen_minutes() {
    let scene = Scene::new(vec![running("b1")]);
    scene.sweep_after(0);
    // The attempt is too recent for another one.
    assert_eq!(scene.sweep_after(4 * MINUTE), Vec::<Value>::new());
    let next = scene.sweep_after(5 * MINUTE);
    assert_eq!(next[0], json!({ "output_format": "polling" }));
    assert_eq!(
        scene.rows("SELECT attempts FROM backups"),
        [json!({ "attempts": 2 })]
    );
}

#[test]
fn a_night_has_three_attempts_and_the_log_has_the_reason_without_secrets() {
    let refused = json!({ "success": false, "errors": [{ "code": 10000, "message": "Authentication error" }], "result": null });
    let scene = Scene::new(vec![(403, refused)]);
    let attempts: usize = (0..40).map(|_| scene.sweep_after(4 * MINUTE).len()).sum();
    assert_eq!(attempts, 3);
    let reason = "the platform's API answered 403: Authentication error";
    assert_eq!(scene.failures(), [reason; 3]);
    assert_eq!(scene.service.bucket.keys(), Vec::<String>::new());
    let lines = scene.service.log.lines();
    for secret in [TOKEN, "secret-part"] {
        assert!(
            !lines
                .iter()
                .any(|(_, line)| line.to_string().contains(secret))
        );
    }
}

#[test]
fn answers_without_a_usable_dump_store_nothing() {
    let state = |state: Value| {
        (
            200,
            json!({ "success": true, "errors": [], "result": state }),
        )
    };
    for (answer, reason) in [
        (complete("http://dumps.example/a"), "no address of the dump"),
        (complete(""), "no address of the dump"),
        (
            state(json!({ "status": "error", "error": "too large" })),
            "too large",
        ),
        (
            state(json!({ "status": "active" })),
            "does not tell the state",
        ),
        (state(Value::Null), "does not tell the state"),
        ((200, json!("a page")), "does not tell the state"),
        ((502, Value::Null), "answered 502: no reason"),
    ] {
        let scene = Scene::new(vec![answer]);
        assert_eq!(scene.sweep_after(0).len(), 1, "{reason}");
        let failures = scene.failures();
        assert!(
            failures.len() == 1 && failures[0].contains(reason),
            "{failures:?}"
        );
        assert_eq!(scene.service.bucket.keys(), Vec::<String>::new());
    }
    // The bucket does not answer.
    let scene = Scene::new(vec![complete(DUMP)]);
    scene.service.bucket.fail(true);
    scene.sweep_after(0);
    assert_eq!(scene.failures(), ["the bucket does not answer"]);
    // A later attempt succeeds.
    scene.service.bucket.fail(false);
    scene.sweep_after(20 * MINUTE);
    assert_eq!(scene.service.bucket.keys(), [TONIGHT]);
}

#[test]
fn old_backups_are_deleted_only_after_a_newer_one() {
    let scene = Scene::new(vec![complete(DUMP)]);
    scene.sweep_after(0);
    scene.answers.replace(vec![(500, Value::Null)]);
    scene.sweep_after(24 * HOUR);
    scene.sweep_after(4 * 24 * HOUR);
    assert_eq!(scene.service.bucket.keys(), [TONIGHT]);
    scene.answers.replace(vec![complete(DUMP)]);
    scene.sweep_after(HOUR);
    assert_eq!(scene.service.bucket.keys(), ["backups/2023-11-19.sql"]);
    assert_eq!(
        scene.rows("SELECT count(*) AS n FROM backups"),
        [json!({ "n": 1 })]
    );
}

#[test]
fn an_old_backup_causes_an_alert_with_its_age() {
    let scene = Scene::new(vec![(500, Value::Null)]);
    let alerts = |milliseconds: u64| -> Vec<String> {
        scene.service.clock.advance(milliseconds);
        let _earlier = scene.service.http.take_sent();
        block_on(scene.service.app().on_schedule()).expect("a sweep");
        let sent = scene.service.http.take_sent().into_iter();
        let sent = sent.filter(|sent| sent.url != API);
        sent.map(|sent| String::from_utf8(sent.body.expect("a POST")).expect("text"))
            .collect()
    };
    assert_eq!(alerts(0), Vec::<String>::new());
    assert_eq!(alerts(36 * HOUR), Vec::<String>::new());
    let old = alerts(HOUR);
    assert!(
        old.len() == 1
            && old[0].contains("The last nightly backup is 37 hours old.")
            && old[0].contains(r#""severity":"warning""#)
            && old[0].contains("#backup-old"),
        "{old:?}"
    );
    let older = alerts(48 * HOUR);
    assert!(
        older.len() == 1 && older[0].contains(r#""severity":"critical""#),
        "{older:?}"
    );
    scene.answers.replace(vec![complete(DUMP)]);
    let resolved = alerts(11 * HOUR);
    assert!(
        resolved.len() == 1 && resolved[0].contains("there is a new nightly backup"),
        "{resolved:?}"
    );
}
