//! The small ports: KV, the queues, rate limiters, the clock, random bytes and the console.

use std::rc::Rc;
use std::time::Duration;

use async_trait::async_trait;
use serde_json::Value;
use wasm_bindgen::{JsCast, JsValue};
use worker::kv::KvStore;
use worker::{Date, Delay, Env, MessageBuilder};

use super::analytics::Dataset;
use super::bucket::R2;
use super::d1::D1;
use super::fetch::Fetcher;
use crate::ports::{
    Analytics, Cache, Clock, Job, Level, Log, Objects, Ports, Queue, Random, RateLimiter, Scope,
};

/// Creates the ports from the bindings of an event.
pub(super) fn ports(env: &Env) -> worker::Result<Ports> {
    Ok(Ports {
        database: Rc::new(D1::new(env.d1("DB")?)),
        objects: R2::of(env).map(|bucket| Rc::new(bucket) as Rc<dyn Objects>),
        cache: Rc::new(Kv(env.kv("CACHE")?)),
        queue: Rc::new(Queues {
            jobs: env.queue("JOBS")?,
            webhooks: env.queue("WEBHOOKS")?,
        }),
        limiter: Rc::new(Limiters {
            address: env.rate_limiter("LIMIT_ADDRESS").ok(),
            account: env.rate_limiter("LIMIT_ACCOUNT").ok(),
        }),
        http: Rc::new(Fetcher),
        clock: Rc::new(SystemClock),
        random: Rc::new(SystemRandom),
        log: Rc::new(ConsoleLog),
        analytics: Dataset::of(env).map(|dataset| Rc::new(dataset) as Rc<dyn Analytics>),
    })
}

/// Returns the names of variables and secrets: the bindings whose values are strings.
pub(super) fn variable_names(env: &Env) -> Vec<String> {
    let names = js_sys::Object::keys(env.unchecked_ref::<js_sys::Object>());
    let is_text = |name: &JsValue| {
        js_sys::Reflect::get(env.as_ref(), name).is_ok_and(|value| value.is_string())
    };
    names
        .iter()
        .filter(is_text)
        .filter_map(|name| name.as_string())
        .collect()
}

/// Returns the platform's id of the running version, from the binding `VERSION`. `None` without the binding.
pub(super) fn version_id(env: &Env) -> Option<String> {
    let version = js_sys::Reflect::get(env.as_ref(), &"VERSION".into()).ok()?;
    let id = js_sys::Reflect::get(&version, &"id".into()).ok()?;
    id.as_string()
}

/// The shortest lifetime in KV, in seconds.
const KV_SECONDS_MIN: u64 = 60;

struct Kv(KvStore);

#[async_trait(?Send)]
impl Cache for Kv {
    async fn get(&self, key: &str) -> Option<Vec<u8>> {
        self.0.get(key).bytes().await.ok().flatten()
    }
    async fn put(&self, key: &str, value: Vec<u8>, seconds: u64) {
        if let Ok(put) = self.0.put_bytes(key, &value) {
            // KV allows one write per second for each key. A refused write loses only a cached copy.
            let _lost = put
                .expiration_ttl(seconds.max(KV_SECONDS_MIN))
                .execute()
                .await;
        }
    }
}

/// The queues. Webhooks and issuers have their own queue, so that slow servers of webhook receivers and issuers do not delay orders.
struct Queues {
    jobs: worker::Queue,
    webhooks: worker::Queue,
}

#[async_trait(?Send)]
impl Queue for Queues {
    async fn send_after(&self, job: &Job, seconds: u32) -> Result<(), String> {
        let queue = match job {
            Job::Perform { .. } | Job::Follow => &self.jobs,
            Job::Deliver { .. } | Job::CheckIssuer { .. } => &self.webhooks,
        };
        let message = MessageBuilder::new(job).delay_seconds(seconds).build();
        queue.send(message).await.map_err(|error| error.to_string())
    }
}

/// The platform's rate limiters. If the binding of a scope is missing, its requests are not counted, and `/health` shows no limit.
struct Limiters {
    address: Option<worker::RateLimiter>,
    account: Option<worker::RateLimiter>,
}

impl Limiters {
    fn of(&self, scope: Scope) -> Option<&worker::RateLimiter> {
        match scope {
            Scope::Address => self.address.as_ref(),
            Scope::Account => self.account.as_ref(),
        }
    }
}

#[async_trait(?Send)]
impl RateLimiter for Limiters {
    fn counts(&self, scope: Scope) -> bool {
        self.of(scope).is_some()
    }
    async fn allow(&self, scope: Scope, key: &str) -> Result<bool, String> {
        let Some(limiter) = self.of(scope) else {
            return Ok(true);
        };
        let outcome = limiter.limit(key.to_owned()).await;
        outcome
            .map(|outcome| outcome.success)
            .map_err(|error| error.to_string())
    }
}

struct SystemClock;

#[async_trait(?Send)]
impl Clock for SystemClock {
    fn now_ms(&self) -> u64 {
        Date::now().as_millis()
    }
    async fn sleep(&self, milliseconds: u64) {
        Delay::from(Duration::from_millis(milliseconds)).await;
    }
}

struct SystemRandom;

impl Random for SystemRandom {
    #[expect(
        clippy::panic,
        reason = "the service cannot continue without random bytes"
    )]
    fn fill(&self, buffer: &mut [u8]) {
        if let Err(error) = getrandom::fill(buffer) {
            panic!("no random bytes: {error}");
        }
    }
}

/// The console, which the runtime's log collection reads.
pub(super) struct ConsoleLog;

impl Log for ConsoleLog {
    fn write(&self, level: Level, mut line: Value) {
        if let Some(object) = line.as_object_mut() {
            object.insert(
                "level".to_owned(),
                serde_json::to_value(level).unwrap_or_default(),
            );
        }
        match level {
            Level::Info => worker::console_log!("{line}"),
            Level::Warn => worker::console_warn!("{line}"),
            Level::Error => worker::console_error!("{line}"),
        }
    }
}
