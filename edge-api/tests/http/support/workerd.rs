//! The service in workerd, behind a real socket.

use std::collections::HashMap;
use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, LazyLock, Mutex};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde_json::{Value, json};

use super::{Answer, Call, Host};

/// A server process. It ends when it is dropped, or with this process, because its standard input then closes.
pub struct Process {
    child: Mutex<Child>,
    url: String,
    offset: Mutex<u64>,
    log: PathBuf,
}

impl Drop for Process {
    fn drop(&mut self) {
        let mut child = self.child.lock().expect("an unpoisoned lock");
        let _already_gone = child.kill();
        let _reaped = child.wait();
    }
}

pub struct Server(Arc<Process>);

static SHARED: LazyLock<Mutex<HashMap<String, Arc<Process>>>> = LazyLock::new(Mutex::default);

impl Server {
    pub fn shared(vars: &[(&str, &str)]) -> Self {
        let mut servers = SHARED.lock().expect("no server failed to start");
        let server = servers
            .entry(format!("{vars:?}"))
            .or_insert_with(|| Arc::new(Process::start(vars, None)));
        Self(Arc::clone(server))
    }

    pub fn own(vars: &[(&str, &str)]) -> Self {
        Self(Arc::new(Process::start(vars, None)))
    }

    /// Returns the address and port on which the server listens.
    pub fn socket(&self) -> &str {
        let url = self.0.url.as_str();
        url.strip_prefix("http://").unwrap_or(url)
    }

    /// Returns true if the server logs within ten seconds that it aborted at a step. The HTTP response may arrive before the
    /// log does.
    pub fn aborted_at(&self, step: &str) -> bool {
        let line = format!("ABORT_AT={step}");
        (0..100).any(|_| {
            let log = std::fs::read_to_string(&self.0.log).expect("a log file");
            let said = log.contains(&line);
            if !said {
                std::thread::sleep(std::time::Duration::from_millis(100));
            }
            said
        })
    }

    /// Starts a server on a state folder that outlives it.
    pub fn on_state(vars: &[(&str, &str)], state: &std::path::Path) -> Self {
        Self(Arc::new(Process::start(vars, Some(state))))
    }
}

impl Process {
    fn start(vars: &[(&str, &str)], state: Option<&std::path::Path>) -> Self {
        let node = std::env::var("ASSAY_NODE").unwrap_or_else(|_| "node".to_owned());
        let script = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("host/serve.mjs");
        let mut command = Command::new(node);
        command
            .arg(script)
            .args(["--port", "0", "--private-network"]);
        // All tests use one client address, so rate limits are off unless a test sets them. Payments are on, because most
        // tests need them.
        let defaults = [
            ("RATE_LIMIT_ADDRESS", "off"),
            ("RATE_LIMIT_ACCOUNT", "off"),
            ("PAYMENTS", "on"),
        ];
        for (name, value) in defaults.iter().chain(vars) {
            command.arg("--var").arg(format!("{name}={value}"));
        }
        if let Some(state) = state {
            command.arg("--state").arg(state);
        }
        // The log file is kept, so developers can examine a failed test.
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let log = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("server-{number}.log"));
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(std::fs::File::create(&log).expect("a log file"))
            .spawn()
            .expect("Node starts");
        let mut lines = BufReader::new(child.stdout.take().expect("standard output")).lines();
        let url = lines
            .find_map(|line| {
                let message: Value = serde_json::from_str(&line.ok()?).ok()?;
                message["ready"]
                    .as_bool()?
                    .then(|| message["url"].as_str().map(str::to_owned))?
            })
            .unwrap_or_else(|| {
                panic!(
                    "the server did not start: {}",
                    std::fs::read_to_string(&log).unwrap_or_default()
                )
            });
        // Keeps reading, so the server never blocks on a full pipe.
        std::thread::spawn(move || lines.for_each(drop));
        Self {
            child: Mutex::new(child),
            url: url.trim_end_matches('/').to_owned(),
            offset: Mutex::new(0),
            log,
        }
    }

    /// Sends a request and checks the answer against the API description.
    fn call(&self, call: &Call) -> Answer {
        let answer = self.send(call);
        super::openapi::check(call, &answer);
        answer
    }

    fn send(&self, call: &Call) -> Answer {
        let agent: ureq::Agent = ureq::Agent::config_builder()
            .http_status_as_error(false)
            .max_redirects(0)
            .timeout_global(Some(Duration::from_secs(60)))
            .build()
            .into();
        let mut request = ureq::http::Request::builder()
            .method(call.method)
            .uri(format!("{}{}", self.url, call.target));
        for (name, value) in &call.headers {
            request = request.header(name, value);
        }
        let mut response = agent
            .run(request.body(call.body.as_slice()).expect("a request"))
            .expect("an answer");
        let headers = response
            .headers()
            .iter()
            .map(|(name, value)| {
                (
                    name.as_str().to_owned(),
                    value.to_str().expect("text").to_owned(),
                )
            })
            .collect();
        let body = response
            .body_mut()
            .with_config()
            .limit(64 << 20)
            .read_to_vec()
            .expect("a body");
        Answer {
            status: response.status().as_u16(),
            headers,
            body,
        }
    }
}

impl Host for Server {
    fn call_all(&self, calls: Vec<Call>) -> Vec<Answer> {
        std::thread::scope(|scope| {
            let threads: Vec<_> = calls
                .iter()
                .map(|call| scope.spawn(|| self.0.call(call)))
                .collect();
            threads
                .into_iter()
                .map(|thread| thread.join().expect("an answer"))
                .collect()
        })
    }

    fn settle(&self) {
        let answer = self.0.call(&Call::new("POST", "/development/sweep"));
        assert_eq!(
            answer.status,
            200,
            "{}",
            String::from_utf8_lossy(&answer.body)
        );
    }

    fn advance(&self, milliseconds: u64) {
        let mut offset = self.0.offset.lock().expect("an unpoisoned lock");
        *offset += milliseconds;
        let call = Call::new("PUT", "/development/clock").json(&json!({ "offsetMs": *offset }));
        assert_eq!(self.0.call(&call).status, 200);
    }

    fn now(&self) -> u64 {
        let now = SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .expect("after 1970");
        u64::try_from(now.as_millis()).expect("a time")
            + *self.0.offset.lock().expect("an unpoisoned lock")
    }
}
