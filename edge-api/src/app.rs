//! The composition root: passes each event of the host to its part of the service. No other module imports it.

use std::rc::Rc;

use futures_util::future::join_all;
use http::StatusCode;
use serde_json::json;

use crate::admin;
use crate::config::Config;
use crate::context::{Context, FailPoints, Hint};
use crate::jobs;
#[cfg(feature = "evm")]
use crate::ledger::Evm;
use crate::ledger::{Embedded, Ledger};
use crate::ports::{DatabaseError, Job, Level, Ports};
use crate::routes::TABLE;
use crate::statistics::{self, Line, RequestLog};
use crate::web::{self, CutOff, Handling, Memory, Request, Response};

/// An isolate's memory between requests. All of it can be lost at any time.
pub struct Isolate {
    ledger: Rc<dyn Ledger>,
    memory: Memory,
    log: RequestLog,
    fail_points: FailPoints,
}

impl Isolate {
    /// Creates an isolate that uses the ledger of the settings.
    #[must_use]
    pub fn new(config: &Config) -> Self {
        Self::on(match &config.chain {
            #[cfg(feature = "evm")]
            Some(chain) => Rc::new(Evm::new(chain.clone())),
            _ => Rc::new(Embedded::default()),
        })
    }

    /// Creates an isolate with an embedded ledger that queues every record, as under contention.
    #[cfg(feature = "native")]
    #[must_use]
    pub fn queueing() -> Self {
        Self::on(Rc::new(Embedded::queueing()))
    }

    /// Creates an isolate that uses the given ledger.
    pub(crate) fn on(ledger: Rc<dyn Ledger>) -> Self {
        Self {
            ledger,
            memory: Memory::default(),
            log: RequestLog::default(),
            fail_points: FailPoints::default(),
        }
    }
}

/// The service: its configuration, the isolate's memory, and the host of the current event.
pub struct App {
    config: Rc<Config>,
    isolate: Rc<Isolate>,
    ports: Ports,
}

/// A response, and the work that follows it.
pub struct Answer {
    /// The response for the client.
    pub response: Response,
    /// Work for [`App::after`], once the client has the response.
    pub after: After,
}

/// Work after the response.
#[derive(Default)]
pub struct After {
    hints: Vec<Hint>,
    log: Option<Line>,
    /// True if the counts of answers are written without a line of the log.
    counts_alone: bool,
}

impl After {
    /// Returns true if there is nothing to do.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.hints.is_empty() && self.log.is_none() && !self.counts_alone
    }
}

impl App {
    /// Creates the service on a host.
    #[must_use]
    pub fn new(config: Rc<Config>, isolate: Rc<Isolate>, ports: Ports) -> Self {
        Self {
            config,
            isolate,
            ports,
        }
    }

    /// Returns the answer to every request while the settings are invalid. The log names the invalid setting.
    #[must_use]
    pub fn unconfigured(request: &Request) -> Response {
        web::unconfigured(&TABLE, request)
    }

    /// Answers one request. Never fails: each fault becomes an answer. `read` reads the body, up to the given number of
    /// bytes. The service calls it only in the phase of the body.
    pub async fn handle(
        &self,
        request: Request,
        read: impl AsyncFnOnce(usize) -> Result<Vec<u8>, CutOff>,
    ) -> Answer {
        let now = match self.now().await {
            Ok(now) => now,
            Err(error) => {
                let ctx = self.context(self.ports.clock.now_ms());
                return Answer {
                    response: web::broken(&ctx, &TABLE, &request, error),
                    after: After::default(),
                };
            }
        };
        let ctx = self
            .context(now)
            .called_from(request.client_address.clone());
        let Isolate { ledger, memory, .. } = &*self.isolate;
        let Handling { response, log } =
            web::handle(&ctx, &TABLE, ledger.as_ref(), memory, request, read).await;
        let clock = self.ports.clock.now_ms();
        // After a 503, the database probably does not answer, and a later answer writes the counts.
        let may_write = log.is_none() && response.status != StatusCode::SERVICE_UNAVAILABLE;
        let counts_alone = may_write && memory.traffic.unsaved.begin_alone(clock);
        Answer {
            response,
            after: After {
                hints: ctx.take_hints(),
                log,
                counts_alone,
            },
        }
    }

    /// Counts answers that the host gave in place of the service since the last request of this isolate, because the program aborted.
    pub fn count_aborted(&self, answers: u32) {
        let now = self.ports.clock.now_ms();
        self.isolate.memory.traffic.count_aborted(answers, now);
    }

    /// Sends the hints of an answer to the queue, and logs the request. If a hint is lost, the sweep finds the work.
    pub async fn after(&self, after: After) {
        self.send(after.hints).await;
        let unsaved = &self.isolate.memory.traffic.unsaved;
        let written = match after.log {
            Some(line) => self.isolate.log.add(&self.ports, unsaved, line).await,
            None if after.counts_alone => statistics::write_answers(&self.ports, unsaved).await,
            None => Ok(()),
        };
        if let Err(error) = written {
            self.ports.log.write(
                Level::Warn,
                json!({ "event": "request.not-logged", "why": error.to_string() }),
            );
        }
    }

    /// Processes queue messages, and returns a result for each. An error is a sentence for the log, and the queue then delivers the message
    /// again. A fault that no retry can fix is only logged, and its result is `Ok`.
    pub async fn on_messages(&self, jobs: &[Job]) -> Vec<Result<(), String>> {
        let ledger = self.isolate.ledger.as_ref();
        let mut results = Vec::new();
        for group in jobs::groups(ledger, jobs) {
            let ctx = match self.now().await {
                Ok(now) => self.context(now),
                Err(error) => {
                    results.extend(group.iter().map(|_| Err(error.to_string())));
                    continue;
                }
            };
            let group = jobs::run(&ctx, ledger, group).await;
            self.send(ctx.take_hints()).await;
            results.extend(group.into_iter().map(|result| self.message_result(result)));
        }
        results
    }

    /// Processes one queue message.
    ///
    /// # Errors
    /// As [`App::on_messages`].
    pub async fn on_message(&self, job: &Job) -> Result<(), String> {
        let results = self.on_messages(std::slice::from_ref(job)).await;
        results.into_iter().collect()
    }

    fn message_result(&self, result: Result<(), DatabaseError>) -> Result<(), String> {
        match result {
            Err(error) if !error.is_retryable() => {
                let line = json!({
                    "event": "message.dropped",
                    "fault": error.fault(),
                    "why": error.to_string(),
                });
                self.ports.log.write(Level::Error, line);
                Ok(())
            }
            result => result.map_err(|error| error.to_string()),
        }
    }

    /// Stores a message that failed at every attempt. `body` is its JSON text.
    ///
    /// # Errors
    /// A sentence for the log. The queue delivers the message again.
    pub async fn on_dead_letter(&self, id: &str, body: &str) -> Result<(), String> {
        let ctx = self.context(self.now().await.map_err(|error| error.to_string())?);
        let kept = admin::keep(&ctx, id, body).await;
        kept.map_err(|error| error.to_string())
    }

    /// Runs the sweep: retries, deliveries, and all other work that does not start with a request.
    ///
    /// # Errors
    /// A sentence for the log. The next run starts over.
    pub async fn on_schedule(&self) -> Result<(), String> {
        let ctx = self.context(self.now().await.map_err(|error| error.to_string())?);
        let result = jobs::sweep(&ctx, self.isolate.ledger.as_ref()).await;
        self.send(ctx.take_hints()).await;
        result.map_err(|error| error.to_string())
    }

    fn context(&self, now: u64) -> Context<'_> {
        Context::new(&self.config, &self.ports, &self.isolate.fail_points, now)
    }

    /// Returns the current time in milliseconds since 1970. A development instance can move this clock.
    async fn now(&self) -> Result<u64, DatabaseError> {
        let now = self.ports.clock.now_ms();
        if !self.config.weakened.movable_clock {
            return Ok(now);
        }
        crate::routes::development::clock_offset(self.ports.database.as_ref())
            .await
            .map(|offset| now.saturating_add(offset))
    }

    /// Sends hints to the queue.
    async fn send(&self, hints: Vec<Hint>) {
        join_all(hints.into_iter().map(|hint| self.send_one(hint))).await;
    }

    async fn send_one(&self, Hint { job, seconds }: Hint) {
        if let Err(why) = self.ports.queue.send_after(&job, seconds).await {
            let line = json!({ "event": "queue.lost", "why": why });
            self.ports.log.write(Level::Warn, line);
        }
    }
}
