//! A fake of the parts of Stripe's API that the service uses. It checks the service's requests. Other functions create and
//! sign events.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use hmac::{Hmac, KeyInit as _, Mac as _};
use serde_json::{Value, json};
use sha2::Sha256;

use super::outside::{Handler, Received, Reply};
use super::people::Person;
use super::{Answer, Call, Host, SETTINGS};

pub const SECRET_KEY: &str = "sk_test_51HabcdefghijklMNOPQRSTUVWXYZ";
pub const WEBHOOK_SECRET: &str = "whsec_abcdefghijklmnopqrstuvwxyz012345";

/// Returns the settings of a service that takes deposits through the fake server. `{outside}` is the server's address.
pub fn settings() -> Vec<(&'static str, &'static str)> {
    let mut vars: Vec<_> = SETTINGS
        .iter()
        .copied()
        .filter(|(name, _)| *name != "DEPOSITS")
        .collect();
    vars.extend([
        ("DEPOSITS", "stripe"),
        ("STRIPE_SECRET_KEY", SECRET_KEY),
        ("STRIPE_WEBHOOK_SECRET", WEBHOOK_SECRET),
        ("STRIPE_API_BASE", "{outside}"),
    ]);
    vars
}

/// A fault in the answer to the next request.
#[derive(Clone, Debug)]
pub enum StripeFault {
    /// An answer with this status and body, or a broken connection.
    Answer(Reply),
    /// The payment is created, but the answer is lost.
    Lost,
    /// The request succeeds, but one field of the payment in the answer is changed.
    Other(&'static str, Value),
}

#[derive(Default)]
struct State {
    requests: Vec<Received>,
    /// Payments by idempotency key.
    intents: BTreeMap<String, Value>,
    /// Sessions of Stripe's page by idempotency key.
    sessions: BTreeMap<String, Value>,
    faults: Vec<StripeFault>,
}

#[derive(Clone, Default)]
pub struct FakeStripe(Arc<Mutex<State>>);

impl FakeStripe {
    pub fn handler(&self) -> Handler {
        let state = Arc::clone(&self.0);
        Arc::new(move |received| state.lock().expect("an unpoisoned lock").answer(received))
    }

    /// Sets the faults of the next requests, one for each.
    pub fn fail_next(&self, faults: &[StripeFault]) {
        self.0.lock().expect("an unpoisoned lock").faults = faults.to_vec();
    }

    pub fn requests(&self) -> Vec<Received> {
        self.0.lock().expect("an unpoisoned lock").requests.clone()
    }

    /// Returns the payment of a deposit, as Stripe stores it.
    pub fn intent(&self, deposit: &Value) -> Value {
        let state = self.0.lock().expect("an unpoisoned lock");
        state.intents[deposit["ref"].as_str().expect("a reference")].clone()
    }

    /// Returns the session of a deposit, as Stripe stores it.
    pub fn session(&self, deposit: &Value) -> Value {
        let state = self.0.lock().expect("an unpoisoned lock");
        state.sessions[deposit["ref"].as_str().expect("a reference")].clone()
    }

    /// Lets the payer pay on Stripe's page. Returns the payment.
    pub fn pay_on_page(&self, deposit: &Value) -> Value {
        let mut state = self.0.lock().expect("an unpoisoned lock");
        let reference = deposit["ref"].as_str().expect("a reference");
        let session = state.sessions.get_mut(reference).expect("a session");
        let id = format!("pi_3C{}", reference.replace('-', ""));
        session["status"] = json!("complete");
        session["payment_status"] = json!("paid");
        session["payment_intent"] = json!(id);
        session["url"] = Value::Null;
        let payment = json!({
            "id": id, "object": "payment_intent", "amount": session["amount_total"], "amount_received": session["amount_total"],
            "currency": "eur", "livemode": false, "metadata": session["metadata"], "status": "succeeded", "last_payment_error": null,
            "cancellation_reason": null, "latest_charge": { "id": "ch_1", "amount_refunded": 0 },
        });
        state.intents.insert(reference.to_owned(), payment.clone());
        payment
    }

    /// Changes a deposit's payment at Stripe without an event.
    pub fn set_payment(&self, deposit: &Value, fields: &Value) {
        let mut state = self.0.lock().expect("an unpoisoned lock");
        let reference = deposit["ref"].as_str().expect("a reference");
        let intent = state.intents.get_mut(reference).expect("a payment");
        for (name, value) in fields.as_object().expect("fields") {
            intent[name] = value.clone();
        }
    }

    /// Returns how often the service has queried a payment.
    pub fn queries(&self) -> usize {
        let state = self.0.lock().expect("an unpoisoned lock");
        state
            .requests
            .iter()
            .filter(|one| one.method == "GET")
            .count()
    }

    pub fn intents(&self) -> Vec<Value> {
        self.0
            .lock()
            .expect("an unpoisoned lock")
            .intents
            .values()
            .cloned()
            .collect()
    }
}

impl State {
    fn answer(&mut self, received: Received) -> Reply {
        self.requests.push(received.clone());
        let trouble = if self.faults.is_empty() {
            None
        } else {
            Some(self.faults.remove(0))
        };
        if let Some(StripeFault::Answer(reply)) = trouble {
            return reply;
        }
        let found = if let Some(path) = received.target.strip_prefix("/v1/checkout/sessions") {
            self.page(&received, path)
        } else if received.method == "GET" {
            self.known(&received)
        } else if received.target.ends_with("/cancel") {
            self.cancel(&received)
        } else {
            self.intent(&received)
        };
        let intent = match found {
            Ok(intent) => intent,
            Err((status, kind, code)) => {
                return Some((
                    status,
                    json!({ "error": { "type": kind, "code": code, "message": "no" } }).to_string(),
                ));
            }
        };
        match trouble {
            Some(StripeFault::Lost) => None,
            Some(StripeFault::Other(field, value)) => {
                let mut other = intent;
                other[field] = value;
                Some((200, other.to_string()))
            }
            _ => Some((200, intent.to_string())),
        }
    }

    /// Creates, reads or ends a session of Stripe's page.
    fn page(
        &mut self,
        received: &Received,
        path: &str,
    ) -> Result<Value, (u16, &'static str, &'static str)> {
        let missing = (404, "invalid_request_error", "resource_missing");
        assert_eq!(
            received.header("authorization"),
            Some(&*format!("Bearer {SECRET_KEY}"))
        );
        assert!(received.header("stripe-version").is_some());
        let (id, action) = match path.strip_prefix('/') {
            None => return self.new_page(received),
            Some(path) => path.split_once('/').unwrap_or((path, "")),
        };
        let mut sessions = self.sessions.values_mut();
        let session = sessions
            .find(|session| session["id"] == id)
            .ok_or(missing)?;
        match (received.method.as_str(), action) {
            ("GET", "") => {}
            ("POST", "expire") if session["status"] == "open" => {
                session["status"] = json!("expired");
                session["url"] = Value::Null;
            }
            _ => return Err((400, "invalid_request_error", "session_not_open")),
        }
        Ok(session.clone())
    }

    fn new_page(
        &mut self,
        received: &Received,
    ) -> Result<Value, (u16, &'static str, &'static str)> {
        let fields: BTreeMap<String, String> = form_urlencoded::parse(&received.body)
            .into_owned()
            .collect();
        let known = [
            "cancel_url",
            "line_items[0][price_data][currency]",
            "line_items[0][price_data][product_data][name]",
            "line_items[0][price_data][unit_amount]",
            "line_items[0][quantity]",
            "metadata[account]",
            "metadata[deposit]",
            "mode",
            "payment_intent_data[metadata][account]",
            "payment_intent_data[metadata][deposit]",
            "payment_method_types[]",
            "success_url",
        ];
        assert_eq!(fields.keys().collect::<Vec<_>>(), known);
        assert_eq!(
            (
                fields["mode"].as_str(),
                fields["payment_method_types[]"].as_str()
            ),
            ("payment", "card")
        );
        let key = received
            .header("idempotency-key")
            .expect("a key")
            .to_owned();
        let amount: u64 = fields["line_items[0][price_data][unit_amount]"]
            .parse()
            .expect("cents");
        let id = format!("cs_test_{}", key.replace('-', ""));
        let made = json!({
            "id": id,
            "object": "checkout.session",
            "amount_subtotal": amount,
            "amount_total": amount,
            "client_secret": null,
            "currency": fields["line_items[0][price_data][currency]"],
            "livemode": false,
            "metadata": { "deposit": fields["metadata[deposit]"], "account": fields["metadata[account]"] },
            "payment_intent": null,
            "payment_status": "unpaid",
            "status": "open",
            "success_url": fields["success_url"],
            "url": format!("https://checkout.stripe.com/c/pay/{id}#fragment"),
        });
        Ok(self.sessions.entry(key).or_insert(made).clone())
    }

    /// Returns the payment that the request's path names.
    fn known(&self, received: &Received) -> Result<Value, (u16, &'static str, &'static str)> {
        let path = received.target.strip_prefix("/v1/payment_intents/");
        let id = path.and_then(|path| path.strip_suffix("?expand[]=latest_charge"));
        let id = id.ok_or((404, "invalid_request_error", "url_invalid"))?;
        if received.header("authorization") != Some(&format!("Bearer {SECRET_KEY}")) {
            return Err((401, "invalid_request_error", "api_key_invalid"));
        }
        assert!(received.header("stripe-version").is_some() && received.body.is_empty());
        let found = self.intents.values().find(|intent| intent["id"] == id);
        found
            .cloned()
            .ok_or((404, "invalid_request_error", "resource_missing"))
    }

    /// Cancels a payment whose status starts with `requires_`.
    fn cancel(&mut self, received: &Received) -> Result<Value, (u16, &'static str, &'static str)> {
        let path = received.target.strip_prefix("/v1/payment_intents/");
        let id = path.and_then(|path| path.strip_suffix("/cancel"));
        assert_eq!(received.body, b"cancellation_reason=abandoned");
        assert_eq!(
            received.header("authorization"),
            Some(&*format!("Bearer {SECRET_KEY}"))
        );
        assert!(received.header("idempotency-key").is_some());
        let mut intents = self.intents.values_mut();
        let intent = intents.find(|intent| intent["id"].as_str() == id);
        let intent = intent.ok_or((404, "invalid_request_error", "resource_missing"))?;
        if !intent["status"].to_string().contains("requires_") {
            let code = "payment_intent_unexpected_state";
            return Err((400, "invalid_request_error", code));
        }
        intent["status"] = json!("canceled");
        intent["cancellation_reason"] = json!("abandoned");
        Ok(intent.clone())
    }

    /// Creates a payment, or returns the existing payment for the request's idempotency key.
    fn intent(&mut self, received: &Received) -> Result<Value, (u16, &'static str, &'static str)> {
        let invalid = |code| (400, "invalid_request_error", code);
        if (received.method.as_str(), received.target.as_str()) != ("POST", "/v1/payment_intents") {
            return Err((404, "invalid_request_error", "url_invalid"));
        }
        if received.header("authorization") != Some(&format!("Bearer {SECRET_KEY}")) {
            return Err((401, "invalid_request_error", "api_key_invalid"));
        }
        if received.header("content-type") != Some("application/x-www-form-urlencoded") {
            return Err(invalid("content_type"));
        }
        if received.header("stripe-version").is_none() {
            return Err(invalid("version_missing"));
        }
        let fields: BTreeMap<String, String> = form_urlencoded::parse(&received.body)
            .into_owned()
            .collect();
        let known = [
            "amount",
            "currency",
            "payment_method_types[]",
            "metadata[deposit]",
            "metadata[account]",
        ];
        if let Some(field) = fields.keys().find(|field| !known.contains(&field.as_str())) {
            panic!("Stripe has no parameter {field}");
        }
        let key = received
            .header("idempotency-key")
            .ok_or(invalid("key_missing"))?
            .to_owned();
        let amount: u64 = fields["amount"]
            .parse()
            .map_err(|_| invalid("parameter_invalid_integer"))?;
        if amount < 50 {
            return Err(invalid("amount_too_small"));
        }
        if (
            fields["currency"].as_str(),
            fields["payment_method_types[]"].as_str(),
        ) != ("eur", "card")
        {
            return Err(invalid("parameter_unknown"));
        }
        let id = format!("pi_3N{}", key.replace('-', ""));
        let made = json!({
            "id": id,
            "object": "payment_intent",
            "amount": amount,
            "amount_received": 0,
            "currency": "eur",
            "client_secret": format!("{id}_secret_of_{amount}"),
            "livemode": false,
            "metadata": { "deposit": fields["metadata[deposit]"], "account": fields["metadata[account]"] },
            "status": "requires_payment_method",
            "last_payment_error": null,
            "cancellation_reason": null,
            "latest_charge": null,
        });
        Ok(self.intents.entry(key).or_insert(made).clone())
    }
}

/// Returns an event of this type about an object.
pub fn event(kind: &str, object: &Value) -> Value {
    static COUNT: std::sync::atomic::AtomicU64 = std::sync::atomic::AtomicU64::new(1);
    let number = COUNT.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
    json!({
        "id": format!("evt_{number}"),
        "object": "event",
        "api_version": "2024-06-20",
        "type": kind,
        "livemode": object["livemode"],
        "data": { "object": object },
    })
}

pub fn succeeded(intent: &Value) -> Value {
    let mut paid = intent.clone();
    paid["status"] = json!("succeeded");
    paid["amount_received"] = intent["amount"].clone();
    event("payment_intent.succeeded", &paid)
}

pub fn failed(intent: &Value) -> Value {
    let mut failed = intent.clone();
    failed["last_payment_error"] = json!({ "type": "card_error", "code": "card_declined" });
    event("payment_intent.payment_failed", &failed)
}

pub fn canceled(intent: &Value) -> Value {
    let mut canceled = intent.clone();
    canceled["status"] = json!("canceled");
    canceled["cancellation_reason"] = json!("abandoned");
    event("payment_intent.canceled", &canceled)
}

/// Returns the event for a charge of which `cents` have been refunded so far.
pub fn refunded(intent: &Value, cents: u64) -> Value {
    let charge = json!({
        "id": "ch_1", "object": "charge", "payment_intent": intent["id"], "amount": intent["amount"],
        "amount_refunded": cents, "currency": intent["currency"], "livemode": intent["livemode"],
    });
    event("charge.refunded", &charge)
}

/// Returns an event of this type about one refund, whose `status` may be pending, succeeded, failed or canceled.
pub fn refund(intent: &Value, kind: &str, id: &str, cents: u64, status: &str) -> Value {
    let refund = json!({
        "id": id, "object": "refund", "payment_intent": intent["id"], "charge": "ch_1", "amount": cents,
        "currency": intent["currency"], "status": status,
    });
    let mut event = event(kind, &refund);
    event["livemode"] = intent["livemode"].clone();
    event
}

pub fn dispute(intent: &Value, step: &str, id: &str, cents: u64, status: &str) -> Value {
    let dispute = json!({
        "id": id, "object": "dispute", "payment_intent": intent["id"], "charge": "ch_1", "amount": cents,
        "currency": intent["currency"], "livemode": intent["livemode"], "status": status,
    });
    event(&format!("charge.dispute.{step}"), &dispute)
}

/// Returns the value of the signature header for a body that Stripe sends at this time, in seconds since 1970.
pub fn signature(secret: &str, seconds: u64, body: &[u8]) -> String {
    let mut mac = Hmac::<Sha256>::new_from_slice(secret.as_bytes()).expect("a key");
    mac.update(format!("{seconds}.").as_bytes());
    mac.update(body);
    let hex: String = mac
        .finalize()
        .into_bytes()
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect();
    format!(
        "t={seconds},v1={hex},v0=6ffbb59b2300aae63f272406069a9788598b792a944a07aba816edb039989a39"
    )
}

/// Returns a call that sends an event to the service, signed now.
pub fn event_call(host: &dyn Host, event: &Value) -> Call {
    let body = event.to_string();
    let signature = signature(WEBHOOK_SECRET, host.now() / 1000, body.as_bytes());
    Call::new("POST", "/deposits/stripe")
        .raw("application/json; charset=utf-8", body)
        .header("stripe-signature", &signature)
}

/// Sends an event, which the service must accept.
#[track_caller]
pub fn send_event(host: &dyn Host, event: &Value) {
    let answer = host.call(event_call(host, event));
    assert_eq!(
        answer.status,
        200,
        "{event}: {}",
        String::from_utf8_lossy(&answer.body)
    );
}

/// Returns an identified account, as deposits through Stripe require.
pub fn payer(host: &dyn Host) -> Person {
    let person = Person::new();
    let information = json!({
        "firstName": "Ada", "lastName": "Byron", "email": "ada@example.com", "streetAddress": "1 Main Street",
        "postalCode": "1000", "city": "Ljubljana", "country": "Slovenia",
    });
    host.call(person.put("/account", &information)).data();
    person
}

pub fn deposit(host: &dyn Host, person: &Person, cents: u64) -> Answer {
    host.call(person.post("/deposits", &json!({ "amount": cents })))
}
