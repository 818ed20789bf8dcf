//! A client of the part of the service's API that a batch needs.

use std::thread::sleep;
use std::time::{Duration, Instant};

use order_core::{
    Address, Amount, AuthorizationPolicy, ClaimKind, EthSignReading, Gateways, PrivateKey,
};
use serde_json::Value;
use ureq::http::HeaderMap;

use super::orders::random_id;
use crate::failure::Failure;
use crate::http;

/// The time after which a call makes no further attempt.
const PATIENCE: Duration = Duration::from_secs(300);
/// The longest pause before the first retry. It doubles for each further retry, up to [`LONGEST_PAUSE`]. The time in a response's Retry-After
/// takes precedence.
const FIRST_PAUSE: Duration = Duration::from_millis(250);
const LONGEST_PAUSE: Duration = Duration::from_secs(20);
/// The maximum size of a response, in bytes. The response for an order of 100 actions is about a thousand times smaller.
const LARGEST_ANSWER: u64 = 16 << 20;
/// The service's code for an idempotency key that is in use. Here, only an earlier attempt of the same request can use the key.
const KEY_IN_USE: u64 = 409_000;

/// A client of the service that is authorized as one account.
pub(crate) struct Service {
    agent: ureq::Agent,
    base: String,
    authorization: String,
}

/// The response to a call, after all retries.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) body: Value,
}

impl Answer {
    pub(crate) fn is_success(&self) -> bool {
        (200..300).contains(&self.status) && self.body.get("data").is_some()
    }

    /// Returns the value at a JSON pointer in the response's `data`. `None` if there is no such value.
    pub(crate) fn data(&self, pointer: &str) -> Option<&Value> {
        self.body.get("data")?.pointer(pointer)
    }

    pub(crate) fn text(&self, pointer: &str) -> Option<&str> {
        self.data(pointer)?.as_str()
    }

    /// Returns the codes and messages of the response's errors, as text for the user.
    pub(crate) fn reasons(&self) -> String {
        let errors = self.body.get("errors").and_then(Value::as_array);
        let reason = |error: &Value| {
            let text = |name| {
                error
                    .get(name)
                    .and_then(Value::as_str)
                    .unwrap_or_default()
                    .to_owned()
            };
            let code = error.get("code").map(Value::to_string).unwrap_or_default();
            format!("{code}: {}", text("message"))
        };
        match errors {
            Some(errors) if !errors.is_empty() => {
                errors.iter().map(reason).collect::<Vec<_>>().join("; ")
            }
            _ => format!(
                "the response has the status {} but not the form of the service's responses",
                self.status
            ),
        }
    }

    pub(crate) fn has_code(&self, code: u64) -> bool {
        let errors = self.body.get("errors").and_then(Value::as_array);
        errors.is_some_and(|errors| {
            errors
                .iter()
                .any(|error| error.get("code").and_then(Value::as_u64) == Some(code))
        })
    }
}

/// The data of the account in the response of `GET /account`.
#[derive(Debug)]
pub(crate) struct Account {
    pub(crate) balance: Amount,
    pub(crate) create_cost: Amount,
    pub(crate) deploy_cost: Amount,
    pub(crate) token: Address,
    pub(crate) receiver: Address,
    pub(crate) gateways: Gateways,
}

/// The body of a request.
struct Post<'a> {
    /// The idempotency key. `None` if the request has the same effect when it is repeated.
    id: Option<&'a str>,
    media_type: &'a str,
    body: String,
}

/// The reason to repeat an attempt.
enum Retry {
    /// After a pause that the tool chooses.
    Soon(String),
    /// After the time in the response's Retry-After.
    After(Duration, String),
}

impl Service {
    /// Creates a client.
    pub(crate) fn new(address: &str, name: &str, key: &PrivateKey) -> Result<Self, Failure> {
        let base = http::origin("--service", address)?;
        let agent = http::agent();
        let policy = AuthorizationPolicy::new(format!("{name} api"), EthSignReading::Text);
        Ok(Self {
            agent,
            base,
            authorization: key.authorization(ClaimKind::PersonalSign, &policy),
        })
    }

    /// Returns the service's origin.
    pub(crate) fn base(&self) -> &str {
        &self.base
    }

    pub(crate) fn get(&self, path: &str) -> Result<Answer, Failure> {
        self.call(path, None)
    }

    /// Sends a body under an idempotency key. Every call with the same `id` must have the same body.
    pub(crate) fn post(&self, path: &str, id: &str, body: &Value) -> Result<Answer, Failure> {
        self.call(
            path,
            Some(&Post {
                id: Some(id),
                media_type: "application/json; charset=utf-8",
                body: body.to_string(),
            }),
        )
    }

    /// Sends a form with fields and a file. The boundary is random, so no content can end its part early.
    pub(crate) fn upload(
        &self,
        path: &str,
        fields: &[(&str, &str)],
        file: &str,
    ) -> Result<Answer, Failure> {
        let boundary = random_id()?;
        let mut body = String::new();
        for (name, value) in fields {
            body += &format!(
                "--{boundary}\r\nContent-Disposition: form-data; name=\"{name}\"\r\n\r\n{value}\r\n"
            );
        }
        body += &format!(
            "--{boundary}\r\nContent-Disposition: form-data; name=\"file\"; filename=\"file\"\r\n\
             Content-Type: application/json\r\n\r\n{file}\r\n--{boundary}--\r\n"
        );
        let media_type = format!("multipart/form-data; boundary={boundary}");
        self.call(
            path,
            Some(&Post {
                id: None,
                media_type: &media_type,
                body,
            }),
        )
    }

    /// Sends a request, and retries it as long as its failure may be temporary. Fails with `service-unreachable` after [`PATIENCE`].
    fn call(&self, path: &str, post: Option<&Post<'_>>) -> Result<Answer, Failure> {
        let end = Instant::now().checked_add(PATIENCE);
        let mut pause = FIRST_PAUSE;
        loop {
            let (wait, why) = match self.attempt(path, post) {
                Ok(answer) => return Ok(answer),
                Err(Retry::After(wait, why)) => (wait.max(FIRST_PAUSE), why),
                Err(Retry::Soon(why)) => (jittered(pause), why),
            };
            pause = pause.saturating_mul(2).min(LONGEST_PAUSE);
            if Instant::now().checked_add(wait) > end {
                return Err(Failure::new(
                    "service-unreachable",
                    format!(
                        "{}{path}: {why}. Nothing is lost: run the same command again later",
                        self.base
                    ),
                ));
            }
            sleep(wait);
        }
    }

    fn attempt(&self, path: &str, post: Option<&Post<'_>>) -> Result<Answer, Retry> {
        let url = format!("{}{path}", self.base);
        let answer = match post {
            None => self
                .agent
                .get(&url)
                .header("accept", "application/json")
                .header("authorization", &self.authorization)
                .call(),
            Some(Post {
                id,
                media_type,
                body,
            }) => {
                let call = self
                    .agent
                    .post(&url)
                    .header("accept", "application/json")
                    .header("authorization", &self.authorization)
                    .header("content-type", *media_type);
                match id {
                    Some(id) => call.header("idempotency-key", *id).send(body.as_str()),
                    None => call.send(body.as_str()),
                }
            }
        };
        let mut answer = answer.map_err(|error| Retry::Soon(error.to_string()))?;
        let status = answer.status().as_u16();
        let asked = retry_after(answer.headers());
        let text = answer
            .body_mut()
            .with_config()
            .limit(LARGEST_ANSWER)
            .read_to_string()
            .map_err(|error| Retry::Soon(error.to_string()))?;
        let answer = Answer {
            status,
            body: serde_json::from_str(&text).unwrap_or_default(),
        };
        // 429: too many requests; 500 and above: the service or a gateway failed. The request may have taken effect.
        if status == 429 || status >= 500 || answer.has_code(KEY_IN_USE) {
            let why = answer.reasons();
            return Err(match asked {
                Some(wait) => Retry::After(wait, why),
                None => Retry::Soon(why),
            });
        }
        Ok(answer)
    }

    /// Reads the account, and checks that the service recovers the same account from the signature.
    pub(crate) fn account(&self, expected: Address) -> Result<Account, Failure> {
        let answer = self.get("/account")?;
        if !answer.is_success() {
            return Err(Failure::new(
                "service-refused",
                format!("{}/account: {}", self.base, answer.reasons()),
            ));
        }
        let missing = |name: &str| {
            Failure::new(
                "service-refused",
                format!("{}/account: the response lacks a valid `{name}`", self.base),
            )
        };
        let address = |pointer: &str| -> Result<Address, Failure> {
            let found = answer.text(pointer).and_then(|text| text.parse().ok());
            found.ok_or_else(|| missing(pointer))
        };
        let amount = |pointer: &str| -> Result<Amount, Failure> {
            let found = answer.text(pointer).and_then(|text| text.parse().ok());
            found.ok_or_else(|| missing(pointer))
        };
        let id = address("/id")?;
        if id != expected {
            return Err(Failure::new(
                "service-refused",
                format!(
                    "the service recovers the account {id} from the signature instead of {expected}: set --service-name to the service's name, which `GET /health` shows"
                ),
            ));
        }
        let mut gateways = Gateways::derive(&[0; 32]);
        gateways.actions = address("/gateway/actionsOrderId")?;
        gateways.deploy = address("/gateway/assetLedgerDeployOrderId")?;
        Ok(Account {
            balance: amount("/balance")?,
            create_cost: amount("/payment/assetCreateCost")?,
            deploy_cost: amount("/payment/assetDeployCost")?,
            token: address("/payment/tokenAddress")?,
            receiver: address("/payment/receiverAddress")?,
            gateways,
        })
    }
}

/// Returns the time in a Retry-After header. `None` if the header is absent or is not a number of seconds.
fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    let seconds = headers
        .get("retry-after")?
        .to_str()
        .ok()?
        .trim()
        .parse()
        .ok()?;
    Some(Duration::from_secs(seconds))
}

/// Returns a random time between half the pause and the whole pause, so that callers that failed together do not retry together.
fn jittered(pause: Duration) -> Duration {
    let mut byte = [0];
    // If the operating system provides no random bytes, the whole pause is used.
    let random = getrandom::fill(&mut byte).map_or(255, |()| u32::from(byte[0]));
    let half = pause.checked_div(2).unwrap_or_default();
    let part = half
        .saturating_mul(random)
        .checked_div(255)
        .unwrap_or_default();
    half.saturating_add(part)
}
