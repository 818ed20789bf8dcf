//! Reads what a domain states about an account: in its file, then in its DNS records.

use order_core::Address;

use super::domain::Domain;
use super::file::{FILE_MAX, File, Listing, Says};
use super::problem::{Problem, Reason};
use super::record::{ANSWER_MAX, confirms};
use super::row::Source;
use crate::context::Context;
use crate::outbound::{FetchSession, Outgoing, Policy, SendError};

/// Maximum number of redirects, all of them on the domain's own host.
const REDIRECTS: u8 = 3;

/// The result of reading a domain's file.
pub(super) struct FileFound {
    pub(super) says: Result<Says, Problem>,
    /// True if the server's CORS header lets this service's pages read the file. `None` if the server did not send the file.
    pub(super) readable_by_pages: Option<bool>,
    /// The content of the file. Empty if the server did not send the file.
    pub(super) content: Vec<u8>,
}

/// A domain's statement about an account.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    Confirmed(Source, Listing),
    Disowned,
    NotConfirmed(Problem),
    /// A transient failure, such as a server that did not answer. The domain's statement is therefore not known.
    Unclear(Problem),
}

/// Reads the domain's file. `page_origin` is the origin of this service's pages, which also read the file. The request has
/// this origin in the header `origin`, as a browser's request would.
pub(super) async fn file(
    ctx: &Context<'_>,
    domain: &Domain,
    account: &Address,
    page_origin: Option<&str>,
) -> FileFound {
    let unread = |problem| FileFound {
        says: Err(problem),
        readable_by_pages: None,
        content: Vec::new(),
    };
    let policy = Policy::of(ctx, page_origin);
    let target = match policy.check(&domain.file_url()) {
        Ok(target) => target,
        Err(refused) => return unread(Problem::new(Reason::Unreachable, refused.to_string())),
    };
    let accept = "application/did+json, application/json".to_owned();
    let mut headers = vec![("accept".to_owned(), accept)];
    headers.extend(page_origin.map(|origin| ("origin".to_owned(), origin.to_owned())));
    let session = FetchSession::start(ctx.ports().clock.as_ref(), policy.only(&target));
    let received = session
        .send(Outgoing {
            target,
            headers,
            body: None,
            limit: FILE_MAX,
            redirects: REDIRECTS,
        })
        .await;
    let answer = match received {
        Ok(received) => received.answer,
        Err(error) => return unread(not_sent(&error)),
    };
    if let Some(problem) = not_answered(answer.status) {
        return unread(problem);
    }
    let allowed = answer.allow_origin.as_deref();
    FileFound {
        says: File::parse(&answer.body, domain).map(|file| file.about(account)),
        readable_by_pages: Some(allowed.is_some_and(|allowed| {
            allowed == "*" || page_origin.is_some_and(|origin| allowed == origin)
        })),
        content: answer.body,
    }
}

/// Explains why the file could not be fetched.
fn not_sent(error: &SendError) -> Problem {
    match error {
        SendError::Redirect(_) | SendError::TooManyRedirects(_) => Problem::new(
            Reason::Redirect,
            format!("{error}: publish the file at exactly this address"),
        ),
        SendError::Timeout => Problem::new(
            Reason::Timeout,
            "the domain's server did not answer in time: try again later",
        ),
        SendError::TooLarge(_) => {
            Problem::new(Reason::TooLarge, format!("{error}: publish a smaller file"))
        }
        SendError::Busy => Problem::new(Reason::Busy, error.to_string()),
        SendError::Unreachable(_) => Problem::new(
            Reason::Unreachable,
            "the domain's server could not be reached over https: check its name and its certificate",
        ),
    }
}

/// Explains a response status. `None` for 200.
fn not_answered(status: u16) -> Option<Problem> {
    Some(match status {
        200 => return None,
        404 | 410 => Problem::new(
            Reason::Missing,
            format!("there is no file at this address ({status}): publish it there"),
        ),
        500..=599 => Problem::new(
            Reason::Unavailable,
            format!("the domain's server failed ({status}): try again later"),
        ),
        _ => Problem::new(
            Reason::Status,
            format!(
                "the domain's server answers {status} instead of 200: let everybody read the file"
            ),
        ),
    })
}

/// Looks up the domain's TXT records at the resolver. Fails with a problem if the lookup fails, or if no record confirms the account.
pub(super) async fn record(
    ctx: &Context<'_>,
    domain: &Domain,
    account: &Address,
) -> Result<(), Problem> {
    let failed = |why: String| {
        let message = format!("the DNS resolver could not be asked: {why}");
        Problem::new(Reason::ResolverFailed, message)
    };
    let Some(resolver) = &ctx.config().resolver else {
        let message = "this service does not read DNS records: publish the file instead";
        return Err(Problem::new(Reason::ResolverOff, message));
    };
    let policy = Policy::of(ctx, None);
    let separator = if resolver.contains('?') { '&' } else { '?' };
    // A domain has no character that needs escaping.
    let url = format!(
        "{resolver}{separator}name={}&type=TXT",
        domain.record_name()
    );
    let target = policy
        .check(&url)
        .map_err(|refused| failed(refused.to_string()))?;
    let session = FetchSession::start(ctx.ports().clock.as_ref(), policy);
    let received = session
        .send(Outgoing {
            target,
            headers: vec![("accept".to_owned(), "application/dns-json".to_owned())],
            body: None,
            limit: ANSWER_MAX,
            redirects: 0,
        })
        .await
        .map_err(|error| failed(error.to_string()))?;
    match received.answer.status {
        200 => confirms(&received.answer.body, account),
        status => Err(failed(format!("it answered {status}"))),
    }
}

/// Combines the statements of file and DNS. `record` is `None` if the records were not read. If the file confirms or disowns
/// the account, the records are ignored. `last_source` is the source of the last confirmation. If that was a file, the file's problem counts although
/// the resolver cannot be asked: the browsers of strangers read the file too, and show what it says.
pub(super) fn join(
    file: Result<Says, Problem>,
    record: Option<Result<(), Problem>>,
    last_source: Option<Source>,
) -> Outcome {
    let problem = match file {
        Ok(Says::Listed(listing)) => return Outcome::Confirmed(Source::DidJson, listing),
        Ok(Says::Revoked) => return Outcome::Disowned,
        Ok(Says::Nothing) => not_listed(),
        Err(problem) => problem,
    };
    // While the file cannot be read, its last statement stays in force. A record must not replace it, because the file
    // may have confirmed only some ledgers, or disowned the account.
    let may_be_replaced = !problem.reason.is_transient() || last_source != Some(Source::DidJson);
    match record {
        Some(Ok(())) if may_be_replaced => Outcome::Confirmed(Source::Dns, Listing::default()),
        Some(Err(other))
            if other.reason.is_transient()
                && !problem.reason.is_transient()
                && last_source != Some(Source::DidJson) =>
        {
            Outcome::Unclear(other)
        }
        _ if problem.reason.is_transient() => Outcome::Unclear(problem),
        // The owner evidently chose DNS, so the malformed record is the problem to report.
        Some(Err(other)) if other.reason == Reason::MalformedRecord => Outcome::NotConfirmed(other),
        _ => Outcome::NotConfirmed(problem),
    }
}

/// Returns the problem of a file that does not list the account.
pub(super) fn not_listed() -> Problem {
    Problem::new(
        Reason::NotListed,
        "the file does not list this account under `assertionMethod`: add it as in the text below",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn problem(reason: Reason) -> Problem {
        Problem::new(reason, "")
    }

    #[test]
    fn the_file_takes_precedence_over_the_records() {
        use Reason::{
            Html, MalformedRecord, Missing, NoRecord, NotListed, ResolverFailed, Timeout,
        };
        let listed = || Ok(Says::Listed(Listing::default()));
        let by = |source| Outcome::Confirmed(source, Listing::default());
        let no = |reason| Outcome::NotConfirmed(problem(reason));
        let unclear = |reason| Outcome::Unclear(problem(reason));
        let dns = |reason| Some(Err(problem(reason)));
        for (file, record, last, expected) in [
            (listed(), None, None, by(Source::DidJson)),
            (Ok(Says::Revoked), Some(Ok(())), None, Outcome::Disowned),
            (Err(problem(Missing)), Some(Ok(())), None, by(Source::Dns)),
            (Ok(Says::Nothing), Some(Ok(())), None, by(Source::Dns)),
            (Err(problem(Html)), dns(NoRecord), None, no(Html)),
            (
                Err(problem(Missing)),
                dns(MalformedRecord),
                None,
                no(MalformedRecord),
            ),
            (
                Err(problem(Missing)),
                dns(ResolverFailed),
                None,
                unclear(ResolverFailed),
            ),
            (
                Err(problem(Missing)),
                dns(ResolverFailed),
                Some(Source::Dns),
                unclear(ResolverFailed),
            ),
            (
                Err(problem(Missing)),
                dns(ResolverFailed),
                Some(Source::DidJson),
                no(Missing),
            ),
            (Err(problem(Timeout)), dns(NoRecord), None, unclear(Timeout)),
            (Err(problem(Timeout)), Some(Ok(())), None, by(Source::Dns)),
            (
                Err(problem(Timeout)),
                Some(Ok(())),
                Some(Source::Dns),
                by(Source::Dns),
            ),
            (
                Err(problem(Timeout)),
                Some(Ok(())),
                Some(Source::DidJson),
                unclear(Timeout),
            ),
            (
                Err(problem(Missing)),
                Some(Ok(())),
                Some(Source::DidJson),
                by(Source::Dns),
            ),
        ] {
            let shown = format!("{file:?} {record:?} {last:?}");
            assert_eq!(join(file, record, last), expected, "{shown}");
        }
        for (record, last) in [
            (NoRecord, None),
            (ResolverFailed, Some(Source::DidJson)),
            (NoRecord, Some(Source::Dns)),
        ] {
            let nothing = join(Ok(Says::Nothing), dns(record), last);
            assert!(
                matches!(nothing, Outcome::NotConfirmed(problem) if problem.reason == NotListed)
            );
        }
    }
}
