//! The context of one request, message or scheduled run: its id, its time, the host and the settings.

use std::cell::{Cell, OnceCell, RefCell};

use serde_json::Value;

use crate::config::Config;
use crate::network::Client;
use crate::ports::{Database, Job, Level, Ports};

/// The step at which tests make a development instance abort, as a crash would.
#[derive(Debug, Default)]
pub(crate) struct FailPoints(RefCell<Option<String>>);

impl FailPoints {
    /// Replaces the configured step with this one.
    pub(crate) fn set(&self, step: String) {
        self.0.replace(Some(step));
    }
}

/// The request, message or scheduled run in progress: its id and time, the host and the settings.
pub(crate) struct Context<'a> {
    /// The envelope's `id`.
    pub(crate) id: String,
    /// The counter in the last id of an event for webhooks.
    event_number: Cell<Option<u16>>,
    now: Cell<u64>,
    /// The host's clock at the time of `now`.
    began: Cell<u64>,
    /// The client's network address, if the host knows it.
    pub(crate) client_address: Option<String>,
    client: OnceCell<Client>,
    config: &'a Config,
    ports: &'a Ports,
    fail_points: &'a FailPoints,
    hints: RefCell<Vec<Hint>>,
}

/// A queue message to send after the answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Hint {
    pub(crate) job: Job,
    /// The seconds until the message is delivered.
    pub(crate) seconds: u32,
}

impl<'a> Context<'a> {
    /// Creates the context of an event at `now`, in milliseconds since 1970.
    pub(crate) fn new(
        config: &'a Config,
        ports: &'a Ports,
        fail_points: &'a FailPoints,
        now: u64,
    ) -> Self {
        Self {
            id: new_reference(ports, now),
            event_number: Cell::new(None),
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

    /// Returns milliseconds since 1970. The value is constant for the whole event, except in a run that [starts another
    /// piece](Self::start_piece).
    pub(crate) fn now(&self) -> u64 {
        self.now.get()
    }

    /// Starts the next piece of a long run: sets `now` to the current time.
    pub(crate) fn start_piece(&self) {
        self.now.set(self.time());
        self.began.set(self.ports.clock.now_ms());
    }

    /// Returns the current time in milliseconds since 1970, for work that may take long.
    pub(crate) fn time(&self) -> u64 {
        let elapsed = self.ports.clock.now_ms().saturating_sub(self.began.get());
        self.now().saturating_add(elapsed)
    }

    /// Waits for a random time between half of `milliseconds` and all of it, so that two processes in conflict do not
    /// retry at the same time. Then starts the next piece of the run.
    pub(crate) async fn pause(&self, milliseconds: u64) {
        let mut random = [0; 2];
        self.ports.random.fill(&mut random);
        let share = u64::from(u16::from_le_bytes(random));
        let half = milliseconds >> 1;
        let more = half.saturating_mul(share) >> 16;
        let clock = &self.ports.clock;
        clock.sleep(half.saturating_add(more)).await;
        self.start_piece();
    }

    /// Sets the network address of the client that sent the request.
    pub(crate) fn called_from(self, client_address: Option<String>) -> Self {
        Self {
            client_address,
            ..self
        }
    }

    /// Computes the database keys of the client's networks: hashes that include the instance's secret number. Does nothing if the
    /// host does not know the client's address.
    pub(crate) fn identify_client(&self, instance: &[u8; 32]) {
        if let Some(address) = &self.client_address {
            self.client.get_or_init(|| Client::new(instance, address));
        }
    }

    /// Returns the client's networks. `None` before they are [identified](Self::identify_client), or if the host does
    /// not know the address.
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

    /// Returns a new reference: a UUIDv7 (RFC 9562) with the event's time.
    pub(crate) fn new_reference(&self) -> String {
        new_reference(self.ports, self.now())
    }

    /// Like [`Self::new_reference`], for the id of an event for webhooks. These ids ascend, because lists of deliveries are ordered by them.
    /// They have a counter with a random start (RFC 9562, section 6.2, method 1).
    pub(crate) fn new_event_id(&self) -> String {
        let mut unique = random(self.ports);
        let number = match self.event_number.get() {
            // The highest of the counter's 12 bits is free at the start, so it does not overflow.
            None => u16::from_be_bytes([unique[0], unique[1]]) & 0x07ff,
            Some(last) => last.wrapping_add(1),
        };
        self.event_number.set(Some(number));
        [unique[0], unique[1]] = number.to_be_bytes();
        reference_of(self.now(), &unique)
    }

    /// Adds a hint to send after the answer, for work that starts in this number of seconds. A hint that was already added is not
    /// added twice.
    pub(crate) fn hint_after(&self, job: Job, seconds: u32) {
        let hint = Hint { job, seconds };
        let mut hints = self.hints.borrow_mut();
        if !hints.contains(&hint) {
            hints.push(hint);
        }
    }

    /// Returns and removes the hints that were added.
    pub(crate) fn take_hints(&self) -> Vec<Hint> {
        self.hints.take()
    }

    /// Returns the fail points if the settings enable them.
    pub(crate) fn fail_points(&self) -> Option<&'a FailPoints> {
        let configured = self.config.weakened.abort_at.is_some();
        configured.then_some(self.fail_points)
    }

    /// Aborts a development instance, as a crash would, if a test has chosen this step.
    pub(crate) fn fail_point(&self, step: &str) {
        let Some(configured) = &self.config.weakened.abort_at else {
            return;
        };
        let replaced = self.fail_points.0.borrow();
        #[expect(
            clippy::panic,
            reason = "the setting ABORT_AT requests an abort at this step"
        )]
        if replaced.as_ref().unwrap_or(configured) == step {
            panic!("ABORT_AT={step}");
        }
    }
}

fn new_reference(ports: &Ports, now: u64) -> String {
    reference_of(now, &random(ports))
}

fn random(ports: &Ports) -> [u8; 10] {
    let mut random = [0; 10];
    ports.random.fill(&mut random);
    random
}

/// Returns the reference of an event: a UUIDv7 with its time in milliseconds since 1970. References of the same time are in the order of
/// `unique`. The first four bits of its first byte and the first two bits of its third byte are not used.
pub(crate) fn reference_of(time: u64, unique: &[u8; 10]) -> String {
    uuid::Builder::from_unix_timestamp_millis(time, unique)
        .into_uuid()
        .to_string()
}
