//! `/c/:ledgerRef/:assetId`: a certificate as a page for people, and its data for programs.

use std::pin::pin;

use cert_core::verdict::Look;
use const_format::concatcp;
use futures_util::future::{Either, select};
use http::{StatusCode, header};
use order_core::Code;

use super::badge::{accepts_first, cacheable, first_accepted, report_on, subject_of, varied};
use crate::api::{self, HeadlineCode};
use crate::badge::{self, Answer, Subject, Validity};
use crate::failure::Failure;
use crate::files;
use crate::web::{Handled, Input, Response, Route, escape, public, raw, with_parts};

/// The page, with placeholders in braces. [`Served`] has their values.
const PAGE: &str = include_str!("../../assets/certificate.html");

/// Milliseconds that the page waits for the verdict. Documents on a slow server would delay the whole page, so the page then
/// comes without a verdict, and its script asks for it.
const WAIT_MS: u64 = 1_000;

/// Maximum bytes of a report that is part of the page. The script fetches a longer one while the page is shown already.
const REPORT_MAX: usize = 48 << 10;

/// The media types of Open Badges.
const CREDENTIALS: [&str; 2] = ["application/vc", "application/vc+ld+json"];

/// The picture for previews of links, as the shared head names it.
const PICTURE: &str = "content=\"/preview.png\"";

/// The content policy of the page. The hash allows the script in the page's head. Scripts and requests are limited to the service's own origin. Pictures may come from other
/// hosts: the page shows the logo of a confirmed domain, and other pictures if the visitor asks for them.
const POLICY: &str = concatcp!(SHARED_POLICY, "frame-ancestors 'none'");

/// The content policy of the embedded page. The page has no forms and takes no secrets, so other sites may frame it.
const EMBEDDED_POLICY: &str = concatcp!(SHARED_POLICY, "frame-ancestors *");

/// The parts of the content policy that both forms of the page have.
const SHARED_POLICY: &str = concatcp!(
    "default-src 'none'; script-src 'self' 'wasm-unsafe-eval' '",
    SCRIPT_HASH,
    "'; style-src 'self'; img-src 'self' data: https:; connect-src 'self'; base-uri 'none'; form-action 'none'; "
);

/// The SHA-256 of the script in the page's head. A test compares it with the page.
const SCRIPT_HASH: &str = "sha256-OHRqps/8cL5gP3C9KaUOh9GuIqpkDLXMSRqFZ3H6kcM=";

pub(super) const ROUTES: &[Route] =
    &[
        Route::get("/c/:ledgerRef/:assetId", public!(show, LedgerRef, AssetId))
            .served_by_copies()
            .answers::<api::Report>("getCertificate", "Show a certificate")
            .tag("badge")
            .details(
                "The certificate's link. A request that prefers `text/html` gets a page that \
             verifies the asset in the browser. A request that prefers \
             `application/vc+ld+json` or `application/vc` is redirected to the Open Badge \
             that the issuer uploaded, or gets 404001 if there is none. All other requests \
             get the data of `/badge.json`. With the query parameter `embed`, pages of other sites may \
             frame the page. Browsers with a link that another program changed are \
             redirected to the repaired link. Printed codes have the path in capitals, which \
             is accepted, too.",
            )
            .statuses(&[200, 302, 303])
            .errors(&[Code::BadgeDataUnavailable, Code::FileNotFound])
            .errors_between(&[(Code::BadgeAssetIdMissing, Code::BadgeLedgerMissing)]),
    ];

/// GET /c/:ledgerRef/:assetId
pub(super) async fn show(input: &Input<'_>, ledger: &str, asset: &str) -> Handled {
    let subject = subject_of(Some(ledger), Some(asset))?;
    if accepts_first(input.request, "text/html") {
        return raw(page(input, &subject).await);
    }
    let first = first_accepted(input.request);
    if CREDENTIALS
        .iter()
        .any(|kind| first.eq_ignore_ascii_case(kind))
    {
        return raw(open_badge(input, &subject).await?);
    }
    raw(varied(report_on(input, &subject).await?))
}

/// Redirects to the Open Badge with the public values. Does not check it, because its readers do.
async fn open_badge(input: &Input<'_>, subject: &Subject) -> Result<Response, Failure> {
    let path = files::badge_path(input.ctx, &subject.ledger, &subject.asset).await?;
    let path = path.ok_or_else(|| {
        let why = "the issuer has not uploaded an Open Badge of this certificate";
        Failure::one(Code::FileNotFound, "", why)
    })?;
    let response = Response::empty(StatusCode::SEE_OTHER)
        .with_text(header::LOCATION, &format!("/files/{path}"));
    Ok(varied(response))
}

/// Returns true if a query has the parameter `embed`, with any value or none.
fn is_embedded(query: &str) -> bool {
    query
        .split('&')
        .any(|part| part == "embed" || part.starts_with("embed="))
}

/// Returns the page. It contains the verdict on the public record, unless the verdict takes too long or fails.
async fn page(input: &Input<'_>, subject: &Subject) -> Response {
    let origin = input.request.origin.as_str();
    let badge = input.badge();
    let timeout = input.ctx.ports().clock.sleep(WAIT_MS);
    let asked = pin!(badge::report(&badge, origin, subject));
    let answer = match select(asked, timeout).await {
        Either::Left((answer, _)) => answer.ok(),
        Either::Right(_) => None,
    };
    let policy = if is_embedded(&input.request.query) {
        EMBEDDED_POLICY
    } else {
        POLICY
    };
    let mut response = varied(Response::empty(StatusCode::OK))
        .with(header::CONTENT_TYPE, "text/html; charset=utf-8")
        .with(header::CONTENT_SECURITY_POLICY, policy)
        .with(header::REFERRER_POLICY, "no-referrer");
    let served = Served::of(origin, subject, answer.as_ref());
    let page = with_parts(PAGE, &input.ctx.config().operator);
    response.body = served.fill(&page).into_bytes();
    // The page may be cached as long as the data of `/badge.json`, because it shows the same verdict.
    match answer {
        Some(answer) if is_kept(answer.verdict.validity()) => {
            cacheable(response, answer.fresh_seconds)
        }
        _ => response,
    }
}

/// Returns true if caches may keep a verdict. A missing or withdrawn asset may be created at any moment, and a check that failed
/// may succeed.
const fn is_kept(validity: Validity) -> bool {
    !matches!(validity, Validity::Unknown | Validity::Withdrawn)
}

/// The texts that the page contains before its script runs. They are about the public record only.
///
/// A link can have values in its fragment, which the service never sees. A forged fragment above a genuine certificate must not look
/// valid. So a favourable verdict is grey and says who states it, until the browser has checked the certificate. If the address has a
/// fragment, the script in the page's head hides all statements except [those that hold for any copy](holds_for_copies).
struct Served {
    values: Vec<(&'static str, String)>,
    /// The part of the picture's name for the verdict's look. Empty for the neutral picture.
    picture: &'static str,
    origin: String,
}

impl Served {
    fn of(origin: &str, subject: &Subject, answer: Option<&Answer>) -> Self {
        let host = origin.split_once("://").map_or(origin, |(_, host)| host);
        let statement = answer.and_then(|answer| Statement::of(answer, host));
        let data = format!(
            "/badge.json?ledgerId={}&amp;assetId={}",
            subject.ledger, subject.asset
        );
        let report = answer
            .filter(|answer| {
                is_kept(answer.verdict.validity()) && answer.report.len() <= REPORT_MAX
            })
            .map(|answer| answer.report.as_str());
        let source = match report {
            // No end tag can be inside the text.
            Some(report) => format!(
                r#"<script type="application/json" id="report">{}</script>"#,
                report.replace('<', r"\u003c")
            ),
            None => format!(r#"<link rel="preload" as="fetch" crossorigin href="{data}">"#),
        };
        let neutral = Statement::neutral();
        let Statement {
            title,
            preview,
            description,
            look,
            class,
            headline,
            picture,
        } = statement.unwrap_or(neutral);
        Self {
            values: vec![
                ("{ledger}", subject.ledger.to_string()),
                ("{asset}", subject.asset.to_string()),
                ("{source}", source),
                ("{title}", escape(&title)),
                ("{preview}", escape(&preview)),
                ("{description}", escape(&description)),
                ("{look}", look.to_owned()),
                ("{class}", class.to_owned()),
                ("{headline}", headline),
                ("{host}", escape(host)),
            ],
            picture,
            origin: origin.to_owned(),
        }
    }

    /// Replaces the placeholders of the page. Does not replace placeholders inside a value.
    fn fill(&self, page: &str) -> String {
        let picture = format!(
            "content=\"{}/preview{}.png\"",
            escape(&self.origin),
            self.picture
        );
        let page = page.replacen(PICTURE, &picture, 1);
        let mut filled = String::with_capacity(page.len());
        let mut rest = page.as_str();
        while let Some((before, _)) = rest.split_once('{') {
            filled.push_str(before);
            rest = rest.get(before.len()..).unwrap_or_default();
            let value = self
                .values
                .iter()
                .find_map(|(name, value)| Some((value, rest.strip_prefix(name)?)));
            match value {
                Some((value, behind)) => {
                    filled.push_str(value);
                    rest = behind;
                }
                None => {
                    filled.push('{');
                    rest = rest.get(1..).unwrap_or_default();
                }
            }
        }
        filled.push_str(rest);
        filled
    }
}

/// The statement about the public record.
struct Statement {
    /// The title of the page.
    title: String,
    /// The title of a link's preview.
    preview: String,
    /// The text of a link's preview.
    description: String,
    /// The colour of the verdict's box.
    look: &'static str,
    /// The classes of the box: `stated` if it has a statement, and `said` if a fragment hides the statement.
    class: &'static str,
    /// The line in the box, as HTML.
    headline: String,
    /// The end of the picture's name.
    picture: &'static str,
}

impl Statement {
    /// Returns the statement without a verdict.
    fn neutral() -> Self {
        Self {
            title: "Certificate".to_owned(),
            preview: "A certificate".to_owned(),
            description: "Open it to see whether it is genuine, in force, and who issued it."
                .to_owned(),
            look: "grey",
            class: "",
            headline: String::new(),
            picture: "",
        }
    }

    /// Returns the statement of an answer. `None` if the answer says nothing about the certificate.
    fn of(answer: &Answer, host: &str) -> Option<Self> {
        let headline = &answer.verdict.headline;
        // Any account with the ability to withdraw may have written the reason, so the page shows it only with its author.
        let reason = headline.parameters.reason.as_deref().unwrap_or_default();
        let text = match reason {
            "" => headline.text.as_str(),
            reason => {
                let without = headline.text.strip_suffix(reason).unwrap_or_default();
                without.trim_end_matches([':', ' '])
            }
        };
        let line = |text: &str| format!(r#"<p class="headline" lang="en">{}</p>"#, escape(text));
        match (answer.verdict.validity(), headline.code) {
            (_, HeadlineCode::NotChecked) => None,
            // A link that was cut inside the certificate's number looks like this, so the page accuses nobody.
            (_, HeadlineCode::NeverIssued) => Some(Self {
                description: "The link may be incomplete. Ask the sender for it again.".to_owned(),
                preview: "No certificate at this address".to_owned(),
                headline: line("No certificate at this address"),
                class: "stated said",
                ..Self::neutral()
            }),
            (Validity::Valid, _) => Some(Self {
                description: format!(
                    "The public record at {host}: {text}. Open it: your browser checks what the link shows."
                ),
                headline: line(&format!("{host} says: {text}")),
                class: "stated said",
                ..Self::neutral()
            }),
            _ => Some(Self {
                title: text.to_owned(),
                preview: text.to_owned(),
                description: format!("This is what {host} says about this certificate."),
                look: headline.look.as_str(),
                class: if holds_for_copies(headline.code) {
                    "stated"
                } else {
                    "stated said"
                },
                headline: line(text),
                picture: match headline.look {
                    Look::Red => "-red",
                    Look::GreyRed => "-gone",
                    Look::Green | Look::Amber | Look::Grey => "-amber",
                },
            }),
        }
    }
}

/// Returns true if a headline holds for every copy of the certificate. The other warnings are about the published documents.
const fn holds_for_copies(code: HeadlineCode) -> bool {
    matches!(
        code,
        HeadlineCode::Withdrawn | HeadlineCode::UnknownLedger | HeadlineCode::IssuerDisowned
    )
}

#[cfg(test)]
mod tests {
    use base64::Engine as _;
    use base64::engine::general_purpose::STANDARD;
    use sha2::{Digest as _, Sha256};

    use super::*;

    #[test]
    fn the_policy_has_the_hash_of_the_script_in_the_head() {
        let (_, script) = PAGE.split_once("<script>").unwrap();
        let (script, _) = script.split_once("</script>").unwrap();
        let hash = STANDARD.encode(Sha256::digest(script));
        assert_eq!(SCRIPT_HASH, format!("sha256-{hash}"));
    }

    #[test]
    fn placeholders_inside_values_stay() {
        let served = Served {
            values: vec![("{a}", "{b}{a}".to_owned()), ("{b}", "2".to_owned())],
            picture: "",
            origin: "https://assay.example".to_owned(),
        };
        assert_eq!(served.fill("{a}-{b}-{c}-{{a}"), "{b}{a}-2-{c}-{{b}{a}");
        assert!(with_parts(PAGE, &crate::config::Operator::default()).contains(PICTURE));
    }
}
