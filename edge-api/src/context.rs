//! One request, message or scheduled run on its way through the service: its id, its time, the host and the settings.

use std::cell::{Cell, OnceCell, RefCell};

use serde_json::Value;

use crate::config::Config;
use crate::network::Client;
use crate::ports::{Database, Job, Level, Ports};

/// Steps at which a development instance stops dead, as a crash would; for tests.
#[derive(Debug, Default)]
pub(crate) struct FailPoints(RefCell<Option<String>>);

impl FailPoints {
    /// Stops at this step from now on, in place of the configured one.
    pub(crate) fn set(&self, step: String) {
        self.0.replace(Some(step));
    }
}

/// The event that the service works on, as every part of it knows it.
pub(crate) struct Context<'a> {
    /// The envelope's `id`.
    pub(crate) id: String,
    now: Cell<u64>,
    /// The host's clock at the moment of `now`.
    began: Cell<u64>,
    /// The client's network address, as the host knows it.
    pub(crate) client_address: Option<String>,
    client: OnceCell<Client>,
    config: &'a Config,
    ports: &'a Ports,
    fail_points: &'a FailPoints,
    hints: RefCell<Vec<Job>>,
}

impl<'a> Context<'a> {
    /// The context of an event at `now`, in milliseconds since 1970.
    pub(crate) fn new(
        config: &'a Config,
        ports: &'a Ports,
        fail_points: &'a FailPoints,
        now: u64,
    ) -> Self {
        Self {
            id: new_reference(ports, now),
            now: Cell::new(now),
            began: Cell::new(ports.clock.now_ms()),
            client_address: None,
            client: OnceCell::new(),
            config,
            ports,
            fail_points,
            hints: RefCell::default(),
        }
    }

    /// Milliseconds since 1970; the same for the whole event, but for a run that [starts another piece](Self::start_piece).
    pub(crate) fn now(&self) -> u64 {
        self.now.get()
    }

    /// Starts the next piece of a long run: sets `now` to the current time.
    pub(crate) fn start_piece(&self) {
        self.now.set(self.time());
        self.began.set(self.ports.clock.now_ms());
    }

    /// Milliseconds since 1970 at this moment, for what may take long.
    pub(crate) fn time(&self) -> u64 {
        let elapsed = self.ports.clock.now_ms().saturating_sub(self.began.get());
        self.now().saturating_add(elapsed)
    }

    /// The same for a request from that network address.
    pub(crate) fn called_from(self, client_address: Option<String>) -> Self {
        Self {
            client_address,
            ..self
        }
    }

    /// Makes the keys of the client's networks, with the secret number of the instance.
    pub(crate) fn identify_client(&self, instance: &[u8; 32]) {
        if let Some(address) = &self.client_address {
            self.client.get_or_init(|| Client::new(instance, address));
        }
    }

    /// The client's networks, once they are [identified](Self::identify_client), and if the host knows the address.
    pub(crate) fn client(&self) -> Option<&Client> {
        self.client.get()
    }

    pub(crate) fn config(&self) -> &'a Config {
        self.config
    }

    pub(crate) fn ports(&self) -> &'a Ports {
        self.ports
    }

    pub(crate) fn db(&self) -> &'a dyn Database {
        self.ports.database.as_ref()
    }

    pub(crate) fn log(&self, level: Level, line: Value) {
        self.ports.log.write(level, line);
    }

    /// A new reference: a UUIDv7 (RFC 9562) of the event's time.
    pub(crate) fn new_reference(&self) -> String {
        new_reference(self.ports, self.now())
    }

    /// Leaves a hint for after the answer, once.
    pub(crate) fn hint(&self, job: Job) {
        let mut hints = self.hints.borrow_mut();
        if !hints.contains(&job) {
            hints.push(job);
        }
    }

    /// Takes the hints that were left.
    pub(crate) fn take_hints(&self) -> Vec<Job> {
        self.hints.take()
    }

    /// The steps at which this instance stops, where it can be told to.
    pub(crate) fn fail_points(&self) -> Option<&'a FailPoints> {
        let configured = self.config.weakened.abort_at.is_some();
        configured.then_some(self.fail_points)
    }

    /// A step at which a development instance can be told to stop dead, as a crash would.
    pub(crate) fn fail_point(&self, step: &str) {
        let Some(configured) = &self.config.weakened.abort_at else {
            return;
        };
        let told = self.fail_points.0.borrow();
        #[expect(clippy::panic, reason = "a named abort is what the setting asks for")]
        if told.as_ref().unwrap_or(configured) == step {
            panic!("ABORT_AT={step}");
        }
    }
}

fn new_reference(ports: &Ports, now: u64) -> String {
    let mut random = [0; 10];
    ports.random.fill(&mut random);
    uuid::Builder::from_unix_timestamp_millis(now, &random)
        .into_uuid()
        .to_string()
}
