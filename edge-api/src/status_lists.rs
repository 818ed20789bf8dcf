//! Status lists: signed bits that say which certificates are no longer in force, for software that does not know this service
//! (`docs/decisions/0069-status-lists.md`).
//!
//! An account draws a place for each certificate of which it makes a badge. The service stores the places only. It computes the bits
//! from the ledger, so no event has to write them.

use std::collections::{BTreeMap, BTreeSet};

use cert_badge::{LIST_PLACES, ListFacts, Proof, StatusList, encode, status_token, to_sign};
use const_format::concatcp;
use order_core::{Abilities, Address, AssetId, Code, Field, Imprint, json};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::api::{StatusEntries, StatusEntry};
use crate::badge::{Badge, store};
use crate::config::StatusKey;
use crate::context::Context;
use crate::db::{Decision, storage};
use crate::failure::{Failure, Problem};
use crate::ledger::projection::{self, LedgerRow};
use crate::ports::{DatabaseError, Statement, exactly};
use crate::text::{DAY_MS, account_key};

/// Maximum number of places in a request.
const ENTRIES_MAX: usize = 1_000;
/// Number of entries of a full list, an eighth of its places. So most random places are free, and the places show neither the number nor the
/// order of certificates.
const LIST_ENTRIES: u32 = 16_384;
/// Bytes of an entry: a row, and two entries of indexes. A test measures them.
const ENTRY_BYTES: u64 = 500;
/// The prefix of imprints in badges.
const PROFILE: &str = "aih2:";
/// The name of the key in the service's DID document.
const KEY_NAME: &str = "status-1";
/// Seconds for which the bits of a list are cached.
const FRESH_SECONDS: u64 = 60;
/// Milliseconds for which a list is valid.
const VALID_MS: u64 = DAY_MS;
/// Milliseconds of a minute.
const MINUTE_MS: u64 = 60_000;
/// Milliseconds that a request waits while another request computes the same list.
const WAIT_MS: u64 = 5_000;

/// Returns the key of status lists. Fails with 404005 if the service has no status lists.
pub(crate) fn key<'a>(ctx: &Context<'a>) -> Result<&'a StatusKey, Failure> {
    let key = ctx.config().status_key.as_ref();
    key.ok_or_else(|| Failure::code(Code::StatusListsOff))
}

/// Returns the host of an origin, with a port that is not the scheme's default.
fn host(origin: &str) -> &str {
    origin.split_once("://").map_or(origin, |(_, host)| host)
}

/// Returns the service's own DID document as JSON text. `origin` is the origin under which the service was called.
pub(crate) fn did_document(key: &StatusKey, origin: &str) -> String {
    cert_badge::document(host(origin), KEY_NAME, &key.public()).to_string()
}

/// A certificate that needs a place.
#[derive(Debug)]
struct Certificate {
    asset: AssetId,
    imprint: Imprint,
    /// The imprint as the request has it.
    written: String,
}

/// The validated content of a request for places.
#[derive(Debug)]
pub(crate) struct Draft(Vec<Certificate>);

impl Draft {
    /// Parses the body of POST /ledgers/:ledgerRef/status-entries. Fails with the errors of all fields.
    pub(crate) fn parse(body: &Value) -> Result<Self, Failure> {
        let field = Field::body(body).get("entries");
        let list = field.list().unwrap_or_default();
        if !(1..=ENTRIES_MAX).contains(&list.len()) {
            return Err(field
                .wrong(Code::FieldNotValid, "a list of 1 to 1,000 certificates")
                .into());
        }
        let mut errors: Vec<Problem> = Vec::new();
        let mut certificates = Vec::with_capacity(list.len());
        for entry in field.elements(list) {
            let [asset, imprint] = ["assetId", "imprint"].map(|name| entry.get(name));
            let id = asset.text().and_then(|text| text.parse().ok());
            if id.is_none() {
                errors.push(asset.wrong(Code::FieldNotValid, "the id of an asset"));
            }
            let written = imprint.text().unwrap_or_default();
            let parsed = written.strip_prefix(PROFILE).unwrap_or(written).parse();
            if parsed.is_err() {
                let expected = "64 hexadecimal digits, with or without `aih2:` before them";
                errors.push(imprint.wrong(Code::FieldNotValid, expected));
            }
            if let (Some(asset), Ok(imprint)) = (id, parsed) {
                certificates.push(Certificate {
                    asset,
                    imprint,
                    written: written.to_owned(),
                });
            }
        }
        match errors.is_empty() {
            true => Ok(Self(certificates)),
            false => Err(Failure::new(errors)),
        }
    }

    /// Returns the certificates as the database stores them, each once.
    fn keys(&self) -> Vec<Key> {
        let keys = self.0.iter().map(Certificate::key);
        let keys: BTreeSet<Key> = keys.collect();
        keys.into_iter().collect()
    }
}

/// The asset and the imprint of a certificate, each as 64 hex digits.
type Key = (String, String);

impl Certificate {
    fn key(&self) -> Key {
        (self.asset.to_hex64(), self.imprint.to_string())
    }
}

/// A place in a list.
#[derive(Clone, Copy, Debug)]
struct Place {
    list: u32,
    index: u32,
}

/// An entry to store.
#[derive(Serialize)]
struct Entry<'a> {
    list: u32,
    position: u32,
    place: u32,
    asset: &'a str,
    imprint: &'a str,
}

/// The stored state that places depend on.
struct State {
    abilities: Abilities,
    /// The number of entries of all lists.
    entries: u32,
    /// The places of certificates that have one.
    known: BTreeMap<Key, Place>,
    /// The random candidates for places that are taken in the last list.
    taken: BTreeSet<u32>,
}

impl State {
    async fn read(
        ctx: &Context<'_>,
        ledger: &str,
        caller: &Address,
        keys: &[Key],
        candidates: &[u32],
    ) -> Result<Self, DatabaseError> {
        #[derive(Deserialize)]
        struct Head {
            abilities: Option<u16>,
            entries: u32,
        }
        #[derive(Deserialize)]
        struct Known {
            asset_id: String,
            imprint: String,
            list: u32,
            place: u32,
        }
        #[derive(Deserialize)]
        struct Taken {
            place: u32,
        }
        let head = Statement::new(concatcp!(
            "SELECT (SELECT abilities FROM abilities WHERE ledger_id = ?1 AND account_id = ?2) AS abilities, \
             coalesce((SELECT list * ",
            LIST_ENTRIES,
            " + position + 1 FROM status_entries WHERE ledger_id = ?1 ORDER BY list DESC, position DESC LIMIT 1), 0) AS entries",
        ))
        .bind(ledger)
        .bind(account_key(caller));
        let known = Statement::new(
            "SELECT s.asset_id, s.imprint, s.list, s.place FROM json_each(?2) e CROSS JOIN status_entries s \
             WHERE s.ledger_id = ?1 AND s.asset_id = e.value ->> 0 AND s.imprint = e.value ->> 1",
        )
        .bind(ledger)
        .bind_json(&keys)?;
        let taken = Statement::new(
            "SELECT s.place FROM json_each(?2) e CROSS JOIN status_entries s WHERE s.ledger_id = ?1 AND s.place = e.value \
             AND s.list = (SELECT list FROM status_entries WHERE ledger_id = ?1 ORDER BY list DESC LIMIT 1)",
        )
        .bind(ledger)
        .bind_json(&candidates)?;
        let rows = ctx.db().batch(vec![head, known, taken]).await?;
        let [head, known, taken] = exactly(rows)?;
        let head: Option<Head> = head.first()?;
        let head =
            head.ok_or_else(|| DatabaseError::Bug("the state of lists has no row".to_owned()))?;
        let known = known.all::<Known>()?.into_iter().map(|row| {
            let place = Place {
                list: row.list,
                index: row.place,
            };
            ((row.asset_id, row.imprint), place)
        });
        Ok(Self {
            abilities: Abilities::from_bits(head.abilities.unwrap_or_default())
                .map_err(|why| DatabaseError::corrupt("abilities", "", why))?,
            entries: head.entries,
            known: known.collect(),
            taken: taken
                .all::<Taken>()?
                .into_iter()
                .map(|row| row.place)
                .collect(),
        })
    }

    /// Returns the entries of the certificates that have no place yet. Fails if too many candidates are taken, which is as good as impossible.
    fn draw<'a>(&self, keys: &'a [Key], candidates: &[u32]) -> Result<Vec<Entry<'a>>, Failure> {
        let mut free = candidates
            .iter()
            .filter(|place| !self.taken.contains(*place));
        let new = keys.iter().filter(|key| !self.known.contains_key(*key));
        let entries = new.zip(self.entries..).map(|((asset, imprint), number)| {
            Some(Entry {
                list: number.div_euclid(LIST_ENTRIES),
                position: number.rem_euclid(LIST_ENTRIES),
                place: *free.next()?,
                asset,
                imprint,
            })
        });
        let entries: Option<Vec<_>> = entries.collect();
        entries.ok_or_else(|| DatabaseError::Unavailable("no free place was drawn".into()).into())
    }
}

/// Returns the places of certificates, and draws those that are missing. Each certificate has one place for ever.
///
/// # Errors
/// 404005: the service has no status lists. 400004: the ledger does not exist. 403004: the caller may neither create nor update assets.
pub(crate) async fn draw(
    ctx: &Context<'_>,
    caller: &Address,
    ledger: &str,
    draft: &Draft,
) -> Result<Decision<StatusEntries>, Failure> {
    key(ctx)?;
    let ledger: Option<LedgerRow> = projection::find(ctx.db(), ledger).await?;
    let ledger = ledger.ok_or_else(|| Failure::code(Code::LedgerNotFound))?;
    let ledger = account_key(&ledger.id);
    let keys = draft.keys();
    let candidates = candidates(ctx, keys.len());
    let state = State::read(ctx, &ledger, caller, &keys, &candidates).await?;
    if !state.abilities.can_issue() {
        return Err(Failure::code(Code::PlacesNotAllowed));
    }
    let entries = state.draw(&keys, &candidates)?;
    let statements = match entries.is_empty() {
        true => Vec::new(),
        false => store_entries(&ledger, &entries)?,
    };
    let drawn = entries.iter().map(|entry| {
        let key = (entry.asset.to_owned(), entry.imprint.to_owned());
        let place = Place {
            list: entry.list,
            index: entry.place,
        };
        (key, place)
    });
    let mut places = state.known;
    places.extend(drawn);
    let answer = draft.0.iter().filter_map(|certificate| {
        let Place { list, index } = *places.get(&certificate.key())?;
        Some(StatusEntry {
            asset_id: certificate.asset,
            imprint: certificate.written.clone(),
            list,
            index,
        })
    });
    let answer = StatusEntries {
        entries: answer.collect(),
    };
    Ok(Decision::new("status-entries", statements, answer).paid_by(storage::LASTING))
}

/// Returns different random places: twice as many as are needed, and some more. At least seven of eight places are free, so enough of them are.
fn candidates(ctx: &Context<'_>, needed: usize) -> Vec<u32> {
    const MORE: usize = 16;
    let count = needed.saturating_mul(2).saturating_add(MORE);
    let mut seen = BTreeSet::new();
    let mut places = Vec::with_capacity(count);
    while places.len() < count {
        let mut bytes = [0; 4];
        ctx.ports().random.fill(&mut bytes);
        // The number of places is a power of two, so each place is equally likely.
        let place = u32::from_le_bytes(bytes).rem_euclid(LIST_PLACES);
        if seen.insert(place) {
            places.push(place);
        }
    }
    places
}

/// Returns statements that store entries. Their guard fails if another request has taken a position or a place, or has given a certificate another
/// place.
fn store_entries(ledger: &str, entries: &[Entry<'_>]) -> Result<Vec<Statement>, DatabaseError> {
    let bytes = u64::try_from(entries.len()).unwrap_or(u64::MAX);
    let insert = Statement::new(
        "INSERT INTO status_entries (ledger_id, list, position, place, asset_id, imprint) \
         SELECT ?1, e.value ->> 'list', e.value ->> 'position', e.value ->> 'place', e.value ->> 'asset', e.value ->> 'imprint' \
         FROM json_each(?2) e WHERE true ON CONFLICT DO NOTHING",
    )
    .bind(ledger)
    .bind_json(&entries)?
    .storing_exactly(bytes.saturating_mul(ENTRY_BYTES));
    let guard = Statement::new(
        "INSERT INTO guards SELECT 0 FROM json_each(?2) e LEFT JOIN status_entries s ON s.ledger_id = ?1 \
         AND s.list = e.value ->> 'list' AND s.position = e.value ->> 'position' AND s.place = e.value ->> 'place' \
         AND s.asset_id = e.value ->> 'asset' AND s.imprint = e.value ->> 'imprint' WHERE s.place IS NULL LIMIT 1",
    )
    .bind(ledger)
    .bind_json(&entries)?
    .storing_exactly(0);
    Ok(vec![insert, guard])
}

/// The form of a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// A credential of the W3C, for readers of badges.
    Credential,
    /// A token of the IETF, for readers of SD-JWTs.
    Token,
}

/// A signed list.
pub(crate) struct Published {
    /// The text in the wanted form: JSON, or a JWT.
    pub(crate) text: String,
    /// Seconds for which caches may keep it.
    pub(crate) fresh_seconds: u64,
}

/// Returns a signed list. `origin` is the origin under which the service was called.
///
/// # Errors
/// 404005: the service has no status lists. 404006: no certificate has a place in the list. 503001: the list could not be computed in time.
pub(crate) async fn published(
    ctx: &Badge<'_>,
    origin: &str,
    ledger: &str,
    list: &str,
    form: Form,
) -> Result<Published, Failure> {
    let key = key(ctx)?;
    let missing = || Failure::code(Code::StatusListNotFound);
    let ledger: Address = ledger.parse().map_err(|_| missing())?;
    let ledger = account_key(&ledger);
    let number: u32 = list.parse().map_err(|_| missing())?;
    // `+1` and `01` are other addresses of the list, which would not be the id of the credential.
    if number.to_string() != list {
        return Err(missing());
    }
    let (until, encoded) = obtain(ctx, &ledger, number).await?.ok_or_else(missing)?;
    let computed = until.saturating_sub(seconds(ctx).saturating_mul(1_000));
    let from = computed.saturating_sub(computed.rem_euclid(MINUTE_MS));
    let facts = ListFacts {
        address: &format!("{origin}/status/{ledger}/{number}"),
        host: host(origin),
        from,
        until: from.saturating_add(VALID_MS),
        encoded: &encoded,
    };
    let text = sign(key, &facts, form);
    let text = text.map_err(|refusal| Failure::internal(refusal.to_string()))?;
    Ok(Published {
        text,
        fresh_seconds: until.saturating_sub(ctx.now()).div_ceil(1_000),
    })
}

/// Signs a list. The time of the signature is the start of the list's validity, so equal lists have equal signatures.
fn sign(key: &StatusKey, facts: &ListFacts<'_>, form: Form) -> Result<String, cert_badge::Refusal> {
    let did = facts.host.replace(':', "%3A");
    let key_id = format!("did:web:{did}#{KEY_NAME}");
    if form == Form::Token {
        let token = status_token(facts, &key_id)?;
        let signature = key.sign(token.to_sign());
        return Ok(token.signed(&signature.0));
    }
    let list = StatusList::new(facts)?;
    let proof = Proof::new(&key_id, facts.from)?;
    let signature = key.sign(&to_sign(&list, &proof));
    Ok(list.signed(proof, signature).to_json())
}

/// Returns the seconds for which the bits of a list are cached.
fn seconds(ctx: &Badge<'_>) -> u64 {
    store::seconds(ctx, None).min(FRESH_SECONDS)
}

/// Returns the bits of a list and the time at which they expire: from the cache, from another request, or from the ledger. `None` if there is no such
/// list.
async fn obtain(
    ctx: &Badge<'_>,
    ledger: &str,
    list: u32,
) -> Result<Option<(u64, String)>, Failure> {
    let key = format!("status/{ledger}/{list}");
    let cached = async || {
        let (until, bytes) = store::get(ctx, &key).await?;
        Some((until, String::from_utf8(bytes.to_vec()).ok()?))
    };
    if let Some(found) = cached().await {
        return Ok(Some(found));
    }
    let clock = ctx.ports().clock.as_ref();
    let permit = ctx.memory.listing.wait(&key, clock, WAIT_MS).await;
    let Some(_permit) = permit else {
        let why = "another request has been computing the list for too long";
        return Err(DatabaseError::Unavailable(why.to_owned()).into());
    };
    if let Some(found) = cached().await {
        return Ok(Some(found));
    }
    let Some(encoded) = compute(ctx, ledger, list).await? else {
        return Ok(None);
    };
    let until = store::put(ctx, &key, seconds(ctx), encoded.as_bytes()).await;
    Ok(Some((until, encoded)))
}

/// Computes the bits of a list. A bit is 1 if the ledger does not have the asset with this imprint: it was withdrawn, replaced, or never issued.
/// The query reads at most [`LIST_ENTRIES`] entries and as many assets. `None` if the list has no entry.
async fn compute(
    ctx: &Context<'_>,
    ledger: &str,
    list: u32,
) -> Result<Option<String>, DatabaseError> {
    #[derive(Deserialize)]
    struct Row {
        entries: u32,
        revoked: String,
    }
    let statement = Statement::new(
        "SELECT count(*) AS entries, json_group_array(s.place) FILTER (WHERE a.id IS NULL) AS revoked FROM status_entries s \
         LEFT JOIN assets a ON a.ledger_id = s.ledger_id AND a.id = s.asset_id AND a.imprint = s.imprint \
         WHERE s.ledger_id = ?1 AND s.list = ?2",
    );
    let rows = ctx.db().query(statement.bind(ledger).bind(list)).await?;
    let Some(row) = rows.first::<Row>()?.filter(|row| row.entries > 0) else {
        return Ok(None);
    };
    let revoked: Vec<u32> = json::from_text(&row.revoked)
        .map_err(|why| DatabaseError::corrupt("status_entries", "", why))?;
    Ok(Some(encode(revoked)))
}
