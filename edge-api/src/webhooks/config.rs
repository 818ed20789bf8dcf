//! An account's webhook: its registration and its stored state.

use order_core::{Code, EventKind, Field};
use serde::Deserialize;
use serde_json::Value;

use super::Secret;
use crate::api::{self, WebhookState};
use crate::failure::{Failure, Problem};
use crate::outbound::{Policy, Target};
use crate::ports::Param;

/// The event kinds that a webhook subscribes to: the sum of `1 << kind`. `None` means all kinds, including kinds that
/// are added later.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(transparent)]
pub(crate) struct Kinds(Option<u32>);

impl From<Kinds> for Param {
    fn from(kinds: Kinds) -> Self {
        kinds.0.into()
    }
}

impl Kinds {
    /// Parses a list of event kinds. An empty list means all kinds.
    fn parse(field: &Field<'_>) -> Result<Self, Problem> {
        const CODE: Code = Code::WebhookEventsNotValid;
        let last = EventKind::ALL.last().map_or(0, |kind| kind.number());
        let list = field
            .list()
            .ok_or_else(|| field.wrong(CODE, &format!("a list of event kinds, 0 to {last}")))?;
        let mut kinds = None;
        for element in field.elements(list) {
            let kind = element
                .whole_number()
                .and_then(|number| EventKind::try_from(number).ok())
                .ok_or_else(|| element.wrong(CODE, &format!("an event kind, 0 to {last}")))?;
            kinds = Some(kinds.unwrap_or(0) | bit(kind));
        }
        Ok(Self(kinds))
    }

    /// Returns the kinds in ascending order.
    pub(crate) fn list(self) -> impl Iterator<Item = EventKind> {
        let kinds = EventKind::ALL.iter().copied();
        kinds.filter(move |kind| self.0.is_none_or(|bits| bits & bit(*kind) != 0))
    }
}

/// Returns the bit of a kind in the stored sum.
fn bit(kind: EventKind) -> u32 {
    1 << kind.number()
}

/// A checked registration of a webhook.
#[derive(Clone, Debug)]
pub(crate) struct Registration {
    /// The URL as it was given.
    pub(super) url: String,
    /// The URL's origin.
    pub(super) origin: String,
    /// The URL's host, without the port.
    pub(super) host: String,
    pub(super) kinds: Kinds,
    /// The secret that the owner gave. `None` if the service creates the secret.
    pub(super) secret: Option<Secret>,
    /// The origin under which this service was called.
    pub(super) service_origin: String,
}

/// Parses the field `secret`, which is optional. The error does not repeat the given value, because it may be almost right.
fn given_secret(body: &Value) -> Result<Option<Secret>, Problem> {
    let secret = match body.get("secret") {
        None | Some(Value::Null) => return Ok(None),
        Some(given) => given.as_str().and_then(Secret::given),
    };
    secret.map(Some).ok_or_else(|| {
        let message = "`secret` must be `whsec_` and the base64 of 24 to 64 bytes. Without it, the service creates a secret.";
        Problem::with_message(Code::FieldNotValid, "secret", message)
    })
}

impl Registration {
    /// Parses the body of PUT /account/webhook. Reports all errors together.
    pub(crate) fn parse(
        body: &Value,
        policy: &Policy<'_>,
        service_origin: &str,
    ) -> Result<Self, Failure> {
        let secret = given_secret(body);
        let body = Field::body(body);
        let field = body.get("url");
        let url = match field.text() {
            Some(url) => policy
                .check(url)
                .map(|target| (url.to_owned(), target))
                .map_err(|refused| {
                    Problem::with_message(Code::WebhookUrlNotValid, "url", refused.to_string())
                }),
            None => Err(field.wrong(Code::WebhookUrlMissing, "the address for webhooks")),
        };
        match (url, Kinds::parse(&body.get("events")), secret) {
            (Ok((url, target)), Ok(kinds), Ok(secret)) => Ok(Self {
                url,
                origin: Target::origin(&target).to_owned(),
                host: Target::host(&target).to_owned(),
                kinds,
                secret,
                service_origin: service_origin.to_owned(),
            }),
            (url, kinds, secret) => {
                let problems = [url.err(), kinds.err(), secret.err()];
                Err(Failure::new(problems.into_iter().flatten().collect()))
            }
        }
    }
}

/// A registered webhook.
#[derive(Clone, Debug)]
pub(crate) struct Webhook {
    pub(super) url: String,
    pub(super) service_origin: String,
    pub(super) kinds: Kinds,
    pub(super) secret: Secret,
    /// The secret before a rotation, and the time until which it also signs.
    pub(super) previous: Option<(Secret, u64)>,
    pub(super) state: WebhookState,
    /// The reason why no events are sent to `url`. `None` while they are sent.
    pub(super) state_reason: Option<String>,
    /// A newer registered address that has not confirmed yet.
    pub(super) candidate: Option<Candidate>,
    /// Consecutive failed attempts.
    pub(super) failures: u32,
    /// Time of the first of these failures.
    pub(super) failing_since: Option<u64>,
}

/// A registered address that has not confirmed yet.
#[derive(Clone, Debug)]
pub(super) struct Candidate {
    pub(super) url: String,
    pub(super) service_origin: String,
    pub(super) host: String,
    /// The secret of a new origin. `None` if the origin is unchanged, so the webhook's own secret signs.
    pub(super) secret: Option<Secret>,
    /// Keyed hash of the client network that registered the address.
    pub(super) client: Option<String>,
    /// Number of challenges since the registration.
    pub(super) sent: u32,
    /// The reason why the address is not confirmed.
    pub(super) reason: Option<String>,
}

impl Webhook {
    /// Returns the webhook as the API shows it, with empty fields if none is registered.
    pub(crate) fn view(webhook: Option<&Self>) -> api::Webhook {
        let kinds = webhook.into_iter().flat_map(|webhook| webhook.kinds.list());
        api::Webhook {
            url: webhook.map(|webhook| webhook.registered().url.clone()),
            events: api::EventKinds(kinds.map(EventKind::number).collect()),
            secret: webhook.map(|webhook| webhook.secret().as_str().to_owned()),
            state: webhook.map(Self::registered_state),
            state_reason: webhook.and_then(Self::reason),
        }
    }

    /// Returns the secret of the latest registered address.
    pub(crate) fn secret(&self) -> &Secret {
        let own = self.candidate.as_ref();
        own.and_then(|candidate| candidate.secret.as_ref())
            .unwrap_or(&self.secret)
    }

    /// Returns the webhook as it will be when the latest registered address has confirmed.
    pub(super) fn registered(&self) -> Self {
        let Some(candidate) = &self.candidate else {
            return self.clone();
        };
        Self {
            url: candidate.url.clone(),
            service_origin: candidate.service_origin.clone(),
            secret: self.secret().clone(),
            // The receiver at a new origin must not get signatures made with the old receiver's secrets.
            previous: self.previous.clone().filter(|_| candidate.secret.is_none()),
            ..self.clone()
        }
    }

    /// Returns the state of the latest registered address: `Pending` until it confirms.
    pub(super) fn registered_state(&self) -> WebhookState {
        match self.candidate {
            Some(_) => WebhookState::Pending,
            None => self.state,
        }
    }

    /// Returns the reason why no events are sent to the latest registered address. If another address gets the events
    /// meanwhile, the reason names this address. `None` if events are sent to it. Also `None` if no other address
    /// gets the events and the first challenge has no result yet.
    pub(super) fn reason(&self) -> Option<String> {
        let Some(candidate) = &self.candidate else {
            return self.state_reason.clone();
        };
        if self.state != WebhookState::Active {
            return candidate.reason.clone();
        }
        let why = match &candidate.reason {
            Some(why) => why.as_str(),
            None => "its receiver has not yet answered the challenge",
        };
        Some(format!(
            "{why}; until the new address is confirmed, events go to {}",
            self.url
        ))
    }

    /// Returns the kind of a test event: the first registered kind.
    pub(crate) fn first_kind(&self) -> EventKind {
        self.kinds.list().next().unwrap_or(EventKind::OrderChanged)
    }

    /// Returns the secrets that sign at `now`: the current one and, for a while after a rotation, the previous one.
    pub(super) fn secrets(&self, now: u64) -> impl Iterator<Item = &Secret> {
        let previous = self
            .previous
            .as_ref()
            .filter(|(_, until)| *until > now)
            .map(|(secret, _)| secret);
        [&self.secret].into_iter().chain(previous)
    }
}
