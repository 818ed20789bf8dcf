//! Checks whether a domain confirms an account, explains the result, and returns the file and the record to publish. Does
//! not change the stored result of the domain's checks.
//!
//! The route is public. Each client network, each domain and all clients together therefore have a quota, and answers are
//! cached.

use cert_badge::{PublicKey, Rule};
use const_format::concatcp;
use futures_util::future::join as both;
use http::{HeaderValue, header};
use order_core::{Address, Code, json};

use super::domain::Domain;
use super::file::{FILE_MAX, File, Says};
use super::look::{FileFound, Outcome, file, join, not_listed, record};
use super::problem::{Problem, Reason};
use crate::api::{Advice, CheckResult, IssuerCheck, Way};
use crate::config::StatusKey;
use crate::context::Context;
use crate::db::commit;
use crate::db::quota::{Period, Quota, count_quotas, within_quotas};
use crate::failure::Failure;
use crate::ports::Statement;
use crate::text::account_key;

/// Maximum checks per hour of a client network.
const OF_CLIENT: u64 = 60;
/// Maximum checks of a domain per hour.
const OF_DOMAIN: u64 = 60;
/// Maximum checks per hour of all clients together: one every two seconds.
const OF_ALL: u64 = 1_800;
/// Milliseconds for which a cached answer is used.
const FRESH_MS: u64 = 10_000;
/// Seconds after which the cache deletes an answer. Workers KV allows no shorter time.
const KEPT_SECONDS: u64 = 60;
/// Seconds after which a refused client may retry.
const RETRY_SECONDS: u32 = 3_600;

/// Returns the check's result as JSON text. `origin` is the origin of this service. Its pages must be able to read the domain's
/// file too.
///
/// # Errors
/// 429000 beyond a quota, and faults of the database.
pub(crate) async fn diagnose(
    ctx: &Context<'_>,
    origin: &str,
    domain: &Domain,
    account: &Address,
) -> Result<String, Failure> {
    let key = format!("issuer/2/{}/{}", domain.as_str(), account_key(account));
    let now = ctx.time();
    if let Some(answer) = kept(ctx, &key, now).await {
        return Ok(answer);
    }
    count(ctx, domain, now).await?;
    let found = both(
        file(ctx, domain, account, Some(origin)),
        record(ctx, domain, account),
    );
    let (file, record) = found.await;
    let service_key = ctx.config().status_key.as_ref().map(StatusKey::public);
    let badges = badge_notes(domain, &file.content, service_key.as_ref());
    let offered = file_text(domain, account, &file);
    let answer = serde_json::to_string(&view(domain, account, (file, offered), record, badges))
        .map_err(|error| Failure::internal(format!("a check is not JSON: {error}")))?;
    let stored = format!("{}\n{answer}", now.saturating_add(FRESH_MS));
    let cache = &ctx.ports().cache;
    cache.put(&key, stored.into_bytes(), KEPT_SECONDS).await;
    Ok(answer)
}

/// Returns the cached answer, or `None` if there is none or it is no longer fresh.
async fn kept(ctx: &Context<'_>, key: &str, now: u64) -> Option<String> {
    let stored = String::from_utf8(ctx.ports().cache.get(key).await?).ok()?;
    let (until, answer) = stored.split_once('\n')?;
    let until: u64 = until.parse().ok()?;
    (until > now).then(|| answer.to_owned())
}

/// Counts a check in its quotas. Fails with 429000 if a quota is used up.
async fn count(ctx: &Context<'_>, domain: &Domain, now: u64) -> Result<(), Failure> {
    let hourly = |key: String, limit| Quota::new(key, Period::Hour, now, limit, 1);
    let client = ctx.client().map(|client| {
        hourly(
            format!("issuer-checks:client:{}", client.network),
            OF_CLIENT,
        )
    });
    let shared = [
        hourly("issuer-checks".to_owned(), OF_ALL),
        hourly(
            format!("issuer-checks:domain:{}", domain.as_str()),
            OF_DOMAIN,
        ),
    ];
    let quotas: Vec<Quota> = shared.into_iter().chain(client).collect();
    let counted = Statement::new(concatcp!(
        count_quotas!(within_quotas!("?1")),
        " RETURNING key"
    ))
    .bind_json(&quotas)?;
    let rows = commit(ctx, None, "issuer-diagnosis", vec![counted]).await?;
    if rows.iter().any(|rows| !rows.is_empty()) {
        return Ok(());
    }
    let message = "too many checks of domains came from this client address, went to this domain, or were made in all: \
        try again in an hour";
    Err(Failure::one(Code::RateLimited, "", message)
        .header(header::RETRY_AFTER, HeaderValue::from(RETRY_SECONDS)))
}

fn view(
    domain: &Domain,
    account: &Address,
    (file, offered): (FileFound, Offered),
    record: Result<(), Problem>,
    badges: Vec<Advice>,
) -> IssuerCheck {
    let FileFound {
        says,
        readable_by_pages,
        ..
    } = file;
    let file_problem = match &says {
        Ok(Says::Listed(_)) => None,
        Ok(Says::Nothing) => Some(not_listed()),
        Ok(Says::Revoked) => Some(Problem::new(
            Reason::Revoked,
            "the file lists this account under `revoked`: remove it there if it is yours",
        )),
        Err(problem) => Some(problem.clone()),
    };
    let mut notes = notes(&says, readable_by_pages);
    notes.extend(badges);
    let record_problem = record.as_ref().err().cloned();
    let (result, checked_by, listing) = match join(says, Some(record), None) {
        Outcome::Confirmed(by, listing) => (CheckResult::Confirmed, Some(by.into()), listing),
        Outcome::Disowned => (CheckResult::Disowned, None, Default::default()),
        Outcome::NotConfirmed(_) => (CheckResult::NotConfirmed, None, Default::default()),
        Outcome::Unclear(_) => (CheckResult::Unclear, None, Default::default()),
    };
    let way = |at: String, problem: Option<Problem>, offered: Offered| Way {
        at,
        confirms: problem.is_none(),
        problem: problem.map(advice),
        publish: offered.text,
        is_whole: offered.is_whole,
    };
    let record_text = Offered {
        text: record_text(account),
        is_whole: true,
    };
    IssuerCheck {
        domain: domain.as_str().to_owned(),
        display_domain: domain.displayed(),
        account: *account,
        result,
        checked_by,
        name: listing.name,
        logo: listing.logo,
        ledgers: listing.ledgers,
        file: way(domain.file_url(), file_problem, offered),
        record: way(domain.record_name(), record_problem, record_text),
        notes,
    }
}

fn advice(problem: Problem) -> Advice {
    Advice {
        reason: problem.reason.as_str().to_owned(),
        message: problem.message,
    }
}

/// Returns suggestions for a file that could be read.
fn notes(says: &Result<Says, Problem>, readable_by_pages: Option<bool>) -> Vec<Advice> {
    let note = |reason: &str, message: &str| Advice {
        reason: reason.to_owned(),
        message: message.to_owned(),
    };
    let cors = (readable_by_pages == Some(false)).then(|| {
        note(
            "cors-missing",
            "the browsers of visitors cannot check the file themselves: serve it with the header `Access-Control-Allow-Origin: *`",
        )
    });
    let listing = match says {
        Ok(Says::Listed(listing)) => Some(listing),
        _ => None,
    };
    let name = listing.filter(|listing| listing.name.is_none()).map(|_| {
        note(
            "no-name",
            "the file has no name that can be shown: give `name` 1 to 100 visible characters",
        )
    });
    let logo = listing.filter(|listing| listing.logo.is_none()).map(|_| {
        note(
            "no-logo",
            "the file has no logo that can be shown: give `logo` an https address on this domain itself",
        )
    });
    cors.into_iter().chain(name).chain(logo).collect()
}

/// Returns the rules of badges that a file breaks (docs/spec/badge.md, "Keys in did.json"). Other software then refuses the issuer's badges. They do not
/// change whether the domain confirms the account.
fn badge_notes(domain: &Domain, content: &[u8], service_key: Option<&PublicKey>) -> Vec<Advice> {
    let Ok(document) = json::parse(content) else {
        return Vec::new();
    };
    let listed = service_key.filter(|key| cert_badge::lists(&document, key));
    let listed = listed.map(|_| Advice {
        reason: "service-key-listed".to_owned(),
        message: "the file lists the key of this service, which could then sign badges in your name: remove its entry".to_owned(),
    });
    let broken = cert_badge::findings(&document, domain.as_str(), service_key);
    let broken = broken.into_iter().map(|rule| Advice {
        reason: rule.code().to_owned(),
        message: format!("for badges, {rule}: {}", consequence(rule)),
    });
    listed.into_iter().chain(broken).collect()
}

/// Returns what other software does while a rule is broken.
const fn consequence(rule: Rule) -> &'static str {
    match rule.is_fatal() {
        true => "other programs refuse all badges of this domain until then",
        false => "some programs refuse the badges of this domain until then",
    }
}

/// A text to publish.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Offered {
    text: String,
    /// False if the text has only the entries to add to a file whose content is not known.
    is_whole: bool,
}

/// Returns the text to publish so that the file confirms the account. The text keeps all published content: it is the published file
/// with the account added. It is a new file only if there is none. In all other cases, it has only the entries to add, which are no file on their own.
fn file_text(domain: &Domain, account: &Address, file: &FileFound) -> Offered {
    let text = match &file.says {
        Ok(Says::Listed(_) | Says::Nothing) => with_account(domain, account, &file.content),
        Err(problem) if matches!(problem.reason, Reason::Missing | Reason::Html) => {
            Some(new_file(domain, account))
        }
        Ok(Says::Revoked) | Err(_) => None,
    };
    text.map_or_else(
        || Offered {
            text: entries(domain, account),
            is_whole: false,
        },
        |text| Offered {
            text,
            is_whole: true,
        },
    )
}

/// Returns a published file with the account added. `None` if the result would not confirm the account, or would be too large. The text has no
/// indentation, which bounds its size.
fn with_account(domain: &Domain, account: &Address, published: &[u8]) -> Option<String> {
    let document = json::parse(published).ok()?;
    let document =
        cert_badge::with_account(document, domain.as_str(), &account.to_string()).ok()?;
    let text = format!("{document}\n");
    let says = File::parse(text.as_bytes(), domain).ok()?.about(account);
    (text.len() <= FILE_MAX && matches!(says, Says::Listed(_))).then_some(text)
}

/// Returns the entries that a file needs to confirm the account. The name of the method has the account, so that no method of the file has it.
fn entries(domain: &Domain, account: &Address) -> String {
    let name = format!("assay-{account}");
    let method = cert_badge::account_entry(domain.as_str(), &name, &account.to_string());
    let reference = method.get("id").cloned();
    let entries = serde_json::json!({
        "verificationMethod": [method],
        "assertionMethod": [reference],
    });
    format!("{entries:#}\n")
}

/// Returns a file that confirms the account. It has no example of a name or a logo, because files are published as they are. The hints
/// ask for both.
fn new_file(domain: &Domain, account: &Address) -> String {
    let did = domain.did();
    // Formatted by hand, so that the members keep this order for the people who read them.
    format!(
        r##"{{
  "@context": ["https://www.w3.org/ns/did/v1", "https://w3id.org/security/suites/secp256k1recovery-2020/v2"],
  "id": "{did}",
  "verificationMethod": [{{
    "id": "{did}#assay",
    "type": "EcdsaSecp256k1RecoveryMethod2020",
    "controller": "{did}",
    "blockchainAccountId": "eip155:1:{account}"
  }}],
  "assertionMethod": ["{did}#assay"],
  "service": [{{
    "id": "{did}#assay-issuer",
    "type": "AssayIssuer",
    "serviceEndpoint": {{}}
  }}]
}}
"##
    )
}

/// Returns the value of a TXT record that confirms the account.
fn record_text(account: &Address) -> String {
    format!("did=did:pkh:eip155:1:{account}")
}

#[cfg(test)]
mod tests {
    use super::super::file::Listing;
    use serde_json::json;

    use super::super::record::confirms;
    use super::*;

    #[test]
    fn the_suggested_file_and_record_confirm_the_account() {
        let account: Address = "0x3Aa5ebB10DC797CAC828524e59A333d0A371443c"
            .parse()
            .unwrap();
        for domain in ["uni.example", "localhost:8080"] {
            let domain = Domain::from_stored(domain.to_owned());
            let text = new_file(&domain, &account);
            let says = File::parse(text.as_bytes(), &domain)
                .unwrap()
                .about(&account);
            let listing = Listing {
                name: None,
                logo: None,
                ledgers: None,
            };
            assert_eq!(says, Says::Listed(listing));
        }
        let answer =
            json!({ "Status": 0, "Answer": [{ "type": 16, "data": record_text(&account) }] });
        assert_eq!(confirms(answer.to_string().as_bytes(), &account), Ok(()));
    }
}
