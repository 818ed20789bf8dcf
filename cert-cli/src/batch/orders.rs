//! Signs orders and deployments, sends them, and waits until they are final.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread::{scope, sleep};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use order_core::{
    Action, Address, Amount, AssetId, Capabilities, ClaimKind, ClaimText, Deploy, Expiration,
    Imprint, LedgerData, Order, OrderRequest, Priority, PrivateKey, SchemaId, Seed, SignerClaim,
    TokenTransfer,
};
use serde_json::{Value, json};

use super::progress::Progress;
use super::service::{Account, Answer, Service};
use super::state::{Line, Sent, State};
use crate::failure::Failure;
use crate::journal::Journal;
use crate::keys::hex;

/// How long a request stays valid: two days, as in `@assay/client`.
const VALIDITY_MS: u64 = 172_800_000;
/// The maximum time to wait until an accepted record is final.
const PATIENCE: Duration = Duration::from_secs(600);
/// The pause before the first poll of a record. It doubles for each further poll, up to [`LONGEST_LOOK`].
const FIRST_LOOK: Duration = Duration::from_millis(50);
const LONGEST_LOOK: Duration = Duration::from_secs(1);

/// The service's code for an asset that does not exist.
const ASSET_NOT_FOUND: u64 = 400_005;

/// Statuses of records (`docs/interface.md`, "Enumerations").
const FAILURE: u64 = 4;
const CANCELED: u64 = 6;
const FINALIZED: u64 = 7;

/// A certificate to issue.
pub(crate) struct Certificate {
    pub(crate) key: String,
    pub(crate) asset: AssetId,
    pub(crate) imprint: Imprint,
}

/// The issuer's account and key at a service, and the receiver of the certificates.
pub(crate) struct Issuer<'a> {
    pub(crate) service: &'a Service,
    pub(crate) account: &'a Account,
    pub(crate) key: &'a PrivateKey,
    /// The account that gets the certificates.
    pub(crate) receiver: Address,
    /// Whether the ids of assets are random. Other ids may have been used by another batch.
    pub(crate) is_random: bool,
}

/// The state and its file, which change together.
pub(crate) struct Book {
    pub(crate) journal: Journal,
    pub(crate) state: State,
}

impl Book {
    pub(crate) fn append(&mut self, lines: &[Line]) -> Result<(), Failure> {
        self.journal.append(&mut self.state, lines)
    }
}

/// The outcome of an order or a deployment.
enum End {
    Final(Answer),
    Failed(String),
}

/// The service's reply to a request: the outcome of an accepted request, or the answer that refuses it.
enum Reply {
    Accepted(End),
    Refused(Answer),
}

enum Work {
    /// An order that an earlier run may have sent.
    Known(Sent),
    New(Vec<Certificate>),
}

/// Finishes open orders first, then issues new certificates. Up to `parallel` orders are in flight at a time, each with up to
/// `per_order` certificates. Starts no further order after the first failure, waits for the orders in flight, and returns the failure.
pub(crate) fn issue(
    issuer: &Issuer<'_>,
    ledger: Address,
    book: &Mutex<Book>,
    certificates: Vec<Certificate>,
    (per_order, parallel): (usize, usize),
    progress: &Progress,
) -> Result<(), Failure> {
    let open = lock(book).state.open.values().cloned().collect::<Vec<_>>();
    let mut queue: VecDeque<Work> = open.into_iter().map(Work::Known).collect();
    let mut certificates = certificates.into_iter().peekable();
    while certificates.peek().is_some() {
        queue.push_back(Work::New(certificates.by_ref().take(per_order).collect()));
    }
    let queue = Mutex::new(queue);
    let failure: Mutex<Option<Failure>> = Mutex::new(None);
    scope(|scope| {
        for _ in 0..parallel {
            scope.spawn(|| {
                while lock(&failure).is_none() {
                    let Some(work) = lock(&queue).pop_front() else {
                        return;
                    };
                    if let Err(error) = issue_one(issuer, ledger, book, work, progress) {
                        lock(&failure).get_or_insert(error);
                    }
                }
            });
        }
    });
    let failure = lock(&failure).take();
    failure.map_or(Ok(()), Err)
}

fn issue_one(
    issuer: &Issuer<'_>,
    ledger: Address,
    book: &Mutex<Book>,
    work: Work,
    progress: &Progress,
) -> Result<(), Failure> {
    let sent = match work {
        Work::Known(sent) => sent,
        Work::New(certificates) => {
            let sent = Sent {
                id: random_id()?,
                body: issuer.order(ledger, &certificates)?,
                rows: certificates
                    .into_iter()
                    .map(|certificate| certificate.key)
                    .collect(),
            };
            // The order is written to the disk before it is sent. Otherwise, a crash could lose a sent order, and its rows would be issued
            // twice.
            lock(book).append(&[Line::Order {
                id: sent.id.clone(),
                rows: sent.rows.clone(),
                body: sent.body.clone(),
            }])?;
            sent
        }
    };
    let id = sent.id.clone();
    match issuer.settle_order(ledger, &sent)? {
        End::Final(_) => {
            lock(book).append(&[Line::Final { id }])?;
            progress.add(sent.rows.len());
            Ok(())
        }
        End::Failed(message) => {
            let failure = Failure::new("order-failed", &message);
            lock(book).append(&[Line::Failed { id, message }])?;
            Err(failure)
        }
    }
}

impl Issuer<'_> {
    /// Returns the signed body of an order that creates these certificates and pays for them.
    fn order(&self, ledger: Address, certificates: &[Certificate]) -> Result<Value, Failure> {
        let own = self.key.address();
        let mut value = Amount::ZERO;
        let mut actions = Vec::new();
        for certificate in certificates {
            value = value
                .checked_add(self.account.create_cost)
                .ok_or_else(too_expensive)?;
            actions.push(Action::CreateAsset {
                ledger_id: ledger,
                asset_id: certificate.asset,
                asset_imprint: certificate.imprint,
                receiver_id: Some(self.receiver),
                sender_id: Some(own),
            });
        }
        actions.push(Action::TransferValue {
            ledger_id: self.account.token,
            value,
            receiver_id: Some(self.account.receiver),
            sender_id: Some(own),
        });
        let (seed, expiration) = moment()?;
        let mut request = OrderRequest {
            automated_perform: true,
            wildcard_signer: false,
            priority: Priority::Medium,
            order: Order {
                signers: vec![SignerClaim {
                    account_id: own,
                    claim: None,
                }],
                wildcard_claim: None,
                actions,
                seed,
                expiration,
            },
        };
        let hash = request
            .hash(&self.account.gateways)
            .map_err(|error| Failure::new("order-invalid", error.message))?;
        let claim = self.key.claim(ClaimKind::PersonalSign, &hash).to_string();
        if let Some(signer) = request.order.signers.first_mut() {
            signer.claim = ClaimText::new(&claim);
        }
        serde_json::to_value(&request).map_err(|error| Failure::new("order-invalid", error))
    }

    /// Sends an order and waits until it is final or has failed. The order may have been sent before.
    ///
    /// Sending it again is safe, because the service recognizes an order by its hash. If the service refuses the order, it may still have
    /// accepted an earlier attempt, for example before the order expired or a price changed. The ledger then shows whether the order took
    /// effect.
    fn settle_order(&self, ledger: Address, sent: &Sent) -> Result<End, Failure> {
        let answer = match self.send("/orders", &sent.id, &sent.body)? {
            Reply::Accepted(end) => return Ok(end),
            Reply::Refused(answer) => answer,
        };
        let action = sent.body.pointer("/order/actions/0");
        let text = |name| {
            action
                .and_then(|action| action.get(name))
                .and_then(Value::as_str)
                .unwrap_or_default()
        };
        let (asset, imprint) = (text("assetId"), text("assetImprint"));
        let found = self
            .service
            .get(&format!("/ledgers/{ledger}/assets/{asset}"))?;
        if found.is_success() {
            return Ok(if found.text("/imprint") == Some(imprint) {
                End::Final(found)
            } else {
                End::Failed(format!("the asset {asset} exists with another imprint"))
            });
        }
        if !found.has_code(ASSET_NOT_FOUND) {
            return Err(refused(&found));
        }
        // The ledger does not list a withdrawn asset. If the asset was withdrawn, the order took effect earlier.
        let verdict = self
            .service
            .get(&format!("/badge.json?ledgerId={ledger}&assetId={asset}"))?;
        if !verdict.is_success() {
            return Err(refused(&verdict));
        }
        let is_withdrawn = verdict.text("/status/kind") == Some("withdrawn");
        Ok(match (is_withdrawn, self.is_random) {
            (true, true) => End::Final(verdict),
            (true, false) => End::Failed(format!(
                "the certificate of the asset {asset} was withdrawn, and the ledger takes no asset id twice"
            )),
            (false, _) => End::Failed(answer.reasons()),
        })
    }

    /// Sends a request. If the service accepts the request, waits until it is final or has failed. Fails if the service does not accept
    /// the account.
    fn send(&self, path: &str, id: &str, body: &Value) -> Result<Reply, Failure> {
        let answer = self.service.post(path, id, body)?;
        if answer.is_success() {
            return self.wait(path, answer).map(Reply::Accepted);
        }
        if answer.status == 401 || answer.status == 403 {
            return Err(refused(&answer));
        }
        Ok(Reply::Refused(answer))
    }

    /// Polls an accepted record until it is finalized, canceled or failed. Fails with `service-slow` after [`PATIENCE`].
    fn wait(&self, path: &str, mut answer: Answer) -> Result<End, Failure> {
        let started = Instant::now();
        let mut pause = FIRST_LOOK;
        loop {
            let reference = answer.text("/ref").unwrap_or_default().to_owned();
            match answer.data("/status").and_then(Value::as_u64) {
                Some(FINALIZED) => return Ok(End::Final(answer)),
                Some(CANCELED) => {
                    return Ok(End::Failed(format!(
                        "the record {path}/{reference} was canceled"
                    )));
                }
                Some(FAILURE) => {
                    let reason = answer
                        .text("/error/message")
                        .unwrap_or("the service gives no reason");
                    return Ok(End::Failed(format!(
                        "the record {path}/{reference} failed: {reason}"
                    )));
                }
                Some(_) => {}
                None => return Err(refused(&answer)),
            }
            if started.elapsed() > PATIENCE {
                return Err(Failure::new(
                    "service-slow",
                    format!(
                        "the record {path}/{reference} is not final after ten minutes. Run the same command again later"
                    ),
                ));
            }
            sleep(pause);
            pause = pause.saturating_mul(2).min(LONGEST_LOOK);
            let is_reference = !reference.is_empty()
                && reference
                    .chars()
                    .all(|char| char.is_ascii_alphanumeric() || char == '-');
            if !is_reference {
                return Err(refused(&answer));
            }
            answer = self.service.get(&format!("{path}/{reference}"))?;
            if !answer.is_success() {
                return Err(refused(&answer));
            }
        }
    }

    /// Deploys the batch's ledger, or finishes the deployment of an earlier run. Returns the ledger's address.
    pub(crate) fn deploy(&self, book: &mut Book, data: LedgerData) -> Result<Address, Failure> {
        let (id, body) = match book.state.deployment.clone() {
            Some(known) => known,
            None => {
                let (id, body) = (random_id()?, self.deployment(data)?);
                book.append(&[Line::Deployment {
                    id: id.clone(),
                    body: body.clone(),
                }])?;
                (id, body)
            }
        };
        match self.settle_deployment(&id, &body)? {
            End::Final(answer) => {
                let ledger = answer
                    .text("/ledgerId")
                    .and_then(|text| text.parse().ok())
                    .ok_or_else(|| refused(&answer))?;
                book.append(&[Line::Ledger { ledger }])?;
                Ok(ledger)
            }
            End::Failed(message) => {
                let failure = Failure::new("deployment-failed", &message);
                book.append(&[Line::Failed { id, message }])?;
                Err(failure)
            }
        }
    }

    /// Sends a deployment and waits until it has succeeded or failed. An earlier run may have sent the same deployment. A service that
    /// then refuses it, for example because it has expired, may still list its record.
    fn settle_deployment(&self, id: &str, body: &Value) -> Result<End, Failure> {
        let answer = match self.send("/deployments", id, body)? {
            Reply::Accepted(end) => return Ok(end),
            Reply::Refused(answer) => answer,
        };
        let listed = self.service.get("/deployments?limit=100")?;
        if !listed.is_success() {
            return Err(refused(&listed));
        }
        // The seed is random, so it identifies the deployment.
        let seed = body.pointer("/deploy/seed");
        let records = listed.data("").and_then(Value::as_array);
        let known = records
            .into_iter()
            .flatten()
            .find(|record| seed.is_some() && record.pointer("/deploy/seed") == seed);
        match known {
            Some(record) => self.wait(
                "/deployments",
                Answer {
                    status: listed.status,
                    body: json!({ "data": record }),
                },
            ),
            None => Ok(End::Failed(answer.reasons())),
        }
    }

    fn deployment(&self, data: LedgerData) -> Result<Value, Failure> {
        let (seed, expiration) = moment()?;
        let deploy = Deploy {
            maker_id: self.key.address(),
            taker_id: None,
            asset_ledger_data: data,
            token_transfer_data: TokenTransfer {
                ledger_id: self.account.token,
                receiver_id: self.account.receiver,
                value: self.account.deploy_cost,
            },
            seed,
            expiration,
        };
        let hash = deploy.hash(&self.account.gateways);
        let claim = self.key.claim(ClaimKind::PersonalSign, &hash).to_string();
        Ok(json!({ "priority": Priority::Medium, "claim": claim, "deploy": deploy }))
    }
}

/// Returns the data of a ledger for certificates. The ledger's owner can correct and withdraw certificates, and holders can destroy theirs.
pub(crate) fn ledger_data(
    name: &str,
    symbol: &str,
    (prefix, postfix): (&str, &str),
    schema_id: SchemaId,
    owner: Address,
) -> Result<LedgerData, Failure> {
    /// Destroy, update and revoke assets (`docs/interface.md`, "Enumerations").
    const CAPABILITIES: [u64; 3] = [1, 2, 4];
    Ok(LedgerData {
        name: name.to_owned(),
        symbol: symbol.to_owned(),
        uri_prefix: prefix.to_owned(),
        uri_postfix: postfix.to_owned(),
        schema_id,
        capabilities: Capabilities::from_list(&CAPABILITIES)
            .map_err(|error| Failure::new("option-invalid", error))?,
        owner_id: owner,
    })
}

fn refused(answer: &Answer) -> Failure {
    Failure::new("service-refused", answer.reasons())
}

pub(super) fn too_expensive() -> Failure {
    Failure::new(
        "service-refused",
        "the sum of the service's costs exceeds the largest amount",
    )
}

/// Returns a random seed, and an expiration two days from now.
fn moment() -> Result<(Seed, Expiration), Failure> {
    /// Seeds have 53 bits.
    const SEED_BITS: u32 = 53;
    let invalid = |error: order_core::NotValid| {
        Failure::new(
            "clock-invalid",
            format!("the expiration in two days {error}: correct this machine's clock"),
        )
    };
    let now = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default()
        .as_millis();
    let expiration = u64::try_from(now)
        .unwrap_or(u64::MAX)
        .saturating_add(VALIDITY_MS);
    let seed = u64::from_be_bytes(random()?) >> u64::BITS.saturating_sub(SEED_BITS);
    Ok((
        Seed::try_from(seed).map_err(invalid)?,
        Expiration::try_from(expiration).map_err(invalid)?,
    ))
}

/// Returns random bytes.
pub(crate) fn random<const N: usize>() -> Result<[u8; N], Failure> {
    let mut bytes = [0; N];
    getrandom::fill(&mut bytes).map_err(|error| {
        Failure::new(
            "random-failed",
            format!("the operating system provided no random bytes: {error}"),
        )
    })?;
    Ok(bytes)
}

/// Returns a new idempotency key: 128 random bits as hex.
pub(crate) fn random_id() -> Result<String, Failure> {
    random::<16>().map(|bytes| hex(&bytes))
}

/// Locks a mutex, even if a thread panicked while it held the lock. This is safe, because no thread leaves a half-changed value behind.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
