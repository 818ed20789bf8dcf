//! `/badge` and its images (`docs/interface.md`, "Badge").

use http::{HeaderName, HeaderValue, StatusCode, header};
use order_core::{Address, AssetId, Code};
use serde_json::{Value, json};

use crate::api;
use crate::badge::{self, Answer, Asked, Image, Name, Subject, Validity};
use crate::context::Context;
use crate::failure::{Failure, Problem};
use crate::ports::Level;
use crate::web::{
    Handled, Input, Link, Query, Request, Required, Response, Route, Success, public, query, raw,
};

query! {
    /// The parameters that name an asset.
    pub(super) struct BadgeQuery {
        /// The asset's id.
        asset ("assetId"): Required<AssetId>,
        /// The ledger's address.
        ledger ("ledgerId"): Required<Address>,
    }
}

query! {
    /// The parameters of the badge's image.
    pub(super) struct ImageQuery {
        ..subject: BadgeQuery,
        /// The image for a valid asset: an https address of an `image/*` of at most 512 KiB. Defaults to the service's own image,
        /// such as `/images/trusted.svg` if the issuer is confirmed.
        valid ("validImg"): Link,
        /// The image for an asset that is not valid. Defaults to the service's own image, such as `/images/untrusted.svg`.
        invalid ("invalidImg"): Link,
    }
}

/// Prevents an image that is opened as a page from running scripts and loading resources.
const CONTENT_POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; sandbox";

/// The header with the asset's validity.
const X_ASSET_VALIDITY: HeaderName = HeaderName::from_static("x-asset-validity");

pub(super) const ROUTES: &[Route] = &[
    // If a client expects an image, errors are images too.
    Route::get("/badge", public!(image))
        .query::<ImageQuery>()
        .on_failure(as_image)
        .served_by_copies()
        .answers_image("image/*", "getBadge", "Show whether an asset is valid")
        .details(
            "The header `x-asset-validity` is `valid`, `invalid`, `withdrawn`, `expired`, \
             `replaced` or `unknown`. A request that prefers images always gets an image. \
             For a withdrawn asset, this image is `invalidImg` if the request has this \
             parameter. A request that prefers `text/html` is redirected to the \
             certificate's page.",
        )
        .statuses(&[200, 302])
        .errors(&[
            Code::BadgeAssetNotFound,
            Code::BadgeDataUnavailable,
            Code::BadgeImageUnavailable,
        ])
        .errors_between(&[(Code::BadgeAssetIdMissing, Code::BadgeLedgerMissing)]),
    Route::get("/badge.json", public!(report))
        .query::<BadgeQuery>()
        .served_by_copies()
        .answers::<api::Report>(
            "getValidity",
            "Get the verdict on an asset, with its reasons and documents",
        )
        .tag("badge")
        .errors(&[Code::BadgeDataUnavailable])
        .errors_between(&[(Code::BadgeAssetIdMissing, Code::BadgeLedgerMissing)]),
    Route::get("/images/trusted.svg", public!(trusted)).answers_image(
        "image/svg+xml",
        "getTrustedImage",
        "The badge of a valid asset whose issuer is confirmed",
    ),
    Route::get("/images/unconfirmed.svg", public!(unconfirmed)).answers_image(
        "image/svg+xml",
        "getUnconfirmedImage",
        "The badge of a valid asset whose issuer is not confirmed",
    ),
    Route::get("/images/untrusted.svg", public!(untrusted)).answers_image(
        "image/svg+xml",
        "getUntrustedImage",
        "The badge of an asset that is not valid",
    ),
    Route::get("/images/withdrawn.svg", public!(withdrawn)).answers_image(
        "image/svg+xml",
        "getWithdrawnImage",
        "The badge of a withdrawn asset",
    ),
    Route::get("/images/not-issued.svg", public!(not_issued)).answers_image(
        "image/svg+xml",
        "getNotIssuedImage",
        "The badge of an asset that was never issued",
    ),
    Route::get("/images/unknown.svg", public!(unknown)).answers_image(
        "image/svg+xml",
        "getUnknownImage",
        "The badge of an asset that could not be checked",
    ),
    Route::get("/images/disowned.svg", public!(disowned)).answers_image(
        "image/svg+xml",
        "getDisownedImage",
        "The badge of an asset whose issuer a domain disowns",
    ),
    Route::get("/images/expired.svg", public!(expired)).answers_image(
        "image/svg+xml",
        "getExpiredImage",
        "The badge of an expired asset",
    ),
    Route::get("/images/replaced.svg", public!(replaced)).answers_image(
        "image/svg+xml",
        "getReplacedImage",
        "The badge of an asset whose published documents the issuer has replaced",
    ),
    Route::get(
        "/images/no-longer-confirmed.svg",
        public!(no_longer_confirmed),
    )
    .answers_image(
        "image/svg+xml",
        "getNoLongerConfirmedImage",
        "The badge of a valid asset whose issuer is no longer confirmed",
    ),
];

/// GET /badge: answers with the image that shows the asset's validity. If a browser opens the address as a page,
/// redirects to the page of the certificate.
pub(super) async fn image(input: &Input<'_>) -> Handled {
    if accepts_first(input.request, "text/html")
        && let Ok(subject) = subject(&input.query)
    {
        return raw(certificate_page(&subject));
    }
    match badge_image(input).await {
        Ok((validity, image, fresh_seconds)) => {
            let response = image
                .respond(StatusCode::OK)
                .with(X_ASSET_VALIDITY, validity.as_str());
            raw(cacheable(varied(response), fresh_seconds))
        }
        Err((validity, failure)) => Err(failure.header(
            X_ASSET_VALIDITY,
            HeaderValue::from_static(validity.as_str()),
        )),
    }
}

/// Redirects to the page of the certificate.
fn certificate_page(subject: &Subject) -> Response {
    let Subject { ledger, asset } = subject;
    let page = format!("/c/{ledger}/{asset}");
    let response = Response::empty(StatusCode::FOUND).with_text(header::LOCATION, &page);
    varied(response.with(header::CACHE_CONTROL, "no-store"))
}

/// Tells caches that the answer depends on the request's `Accept`.
pub(super) fn varied(response: Response) -> Response {
    response.with(header::VARY, "accept")
}

/// Adds the validity `unknown` to a failure that has no validity yet. If the client expects an image, answers the failure
/// with an image, because an `<img>` cannot show anything else.
pub(crate) fn as_image(
    ctx: &Context<'_>,
    request: &Request,
    mut failure: Failure,
) -> Result<Success, Failure> {
    if !failure
        .headers
        .iter()
        .any(|(name, _)| *name == X_ASSET_VALIDITY)
    {
        let unknown = HeaderValue::from_static(Validity::Unknown.as_str());
        failure = failure.header(X_ASSET_VALIDITY, unknown);
    }
    if !accepts_first(request, "image/") {
        return Err(failure);
    }
    let line = json!({ "event": "badge.failed", "id": ctx.id, "errors": failure.codes(), "why": failure.internal });
    ctx.log(Level::Info, line);
    // A missing asset and an asset that could not be checked have different images.
    let own = match failure.errors.first().map(|error| error.code) {
        Some(Code::BadgeAssetNotFound) => Name::NotIssued,
        _ => Name::Unknown,
    };
    let mut response = varied(badge::bundled(own).respond(failure.http_status()));
    for (name, value) in failure.headers {
        response.headers.insert(name, value);
    }
    Ok(Success::Raw(response))
}

/// Returns the validity, the image that shows it, and the number of seconds for which caches may keep the image. If the answer
/// has no image, returns the validity and the failure.
async fn badge_image(input: &Input<'_>) -> Result<(Validity, Image, u64), (Validity, Failure)> {
    let unknown = |failure| (Validity::Unknown, failure);
    let query: ImageQuery = input.query.parsed().map_err(unknown)?;
    let subject = query.subject.subject().map_err(unknown)?;
    let origin = &input.request.origin;
    let Answer {
        verdict,
        fresh_seconds,
        ..
    } = badge::verdict(&input.badge(), origin, &subject)
        .await
        .map_err(unknown)?;
    let validity = verdict.validity();
    let own = verdict.image();
    let (parameter, custom) = match validity {
        Validity::Valid => ("validImg", query.valid),
        Validity::Invalid | Validity::Expired | Validity::Replaced => ("invalidImg", query.invalid),
        // Programs get the error that the interface specification has for a missing asset. Clients that expect an
        // image get the image for a withdrawn asset.
        Validity::Withdrawn if accepts_first(input.request, "image/") => {
            ("invalidImg", query.invalid)
        }
        Validity::Withdrawn | Validity::Unknown => {
            let problems = verdict.findings.into_iter().map(|finding| Problem {
                code: finding
                    .code
                    .and_then(Code::from_number)
                    .unwrap_or(Code::BadgeDataUnavailable),
                path: finding.path,
                message: finding.message,
            });
            return Err((validity, Failure::new(problems.collect())));
        }
    };
    let asked = Asked {
        origin,
        client_address: input.request.client_address.as_deref(),
        custom: custom.as_deref().map(|address| (parameter, address)),
    };
    let image = badge::selected(&input.badge(), own, asked).await;
    image
        .map(|image| (validity, image, fresh_seconds))
        .map_err(|failure| (validity, failure))
}

/// GET /badge.json: answers with the verdict, its reasons, and all data with which a client can verify the asset itself.
pub(super) async fn report(input: &Input<'_>) -> Handled {
    raw(report_on(input, &subject(&input.query)?).await?)
}

/// Returns the answer with the verdict on an asset, and all data with which a client can verify the asset itself.
pub(super) async fn report_on(input: &Input<'_>, subject: &Subject) -> Result<Response, Failure> {
    let Answer {
        verdict,
        report,
        fresh_seconds,
    } = badge::report(&input.badge(), &input.request.origin, subject).await?;
    let validity = verdict.validity();
    // The report is inserted as a string, so documents keep the order of their keys.
    let body = format!(
        r#"{{"id":{},"status":200,"data":{report},"meta":{{}}}}"#,
        Value::from(input.ctx.id.as_str())
    );
    let mut response = Response::empty(StatusCode::OK)
        .with(header::CONTENT_TYPE, "application/json; charset=utf-8")
        .with(X_ASSET_VALIDITY, validity.as_str());
    response.body = body.into_bytes();
    // A missing or withdrawn asset may be created at any moment, and a check that failed may succeed. Such an answer is not cached.
    Ok(
        if matches!(validity, Validity::Unknown | Validity::Withdrawn) {
            response
        } else {
            cacheable(response, fresh_seconds)
        },
    )
}

/// GET /images/trusted.svg
pub(super) async fn trusted(_: &Input<'_>) -> Handled {
    raw(own_image(Name::Trusted))
}

/// GET /images/unconfirmed.svg
pub(super) async fn unconfirmed(_: &Input<'_>) -> Handled {
    raw(own_image(Name::Unconfirmed))
}

/// GET /images/untrusted.svg
pub(super) async fn untrusted(_: &Input<'_>) -> Handled {
    raw(own_image(Name::Untrusted))
}

/// GET /images/withdrawn.svg
pub(super) async fn withdrawn(_: &Input<'_>) -> Handled {
    raw(own_image(Name::Withdrawn))
}

/// GET /images/not-issued.svg
pub(super) async fn not_issued(_: &Input<'_>) -> Handled {
    raw(own_image(Name::NotIssued))
}

/// GET /images/unknown.svg
pub(super) async fn unknown(_: &Input<'_>) -> Handled {
    raw(own_image(Name::Unknown))
}

/// GET /images/disowned.svg
pub(super) async fn disowned(_: &Input<'_>) -> Handled {
    raw(own_image(Name::Disowned))
}

/// GET /images/expired.svg
pub(super) async fn expired(_: &Input<'_>) -> Handled {
    raw(own_image(Name::Expired))
}

/// GET /images/replaced.svg
pub(super) async fn replaced(_: &Input<'_>) -> Handled {
    raw(own_image(Name::Replaced))
}

/// GET /images/no-longer-confirmed.svg
pub(super) async fn no_longer_confirmed(_: &Input<'_>) -> Handled {
    raw(own_image(Name::NoLongerConfirmed))
}

fn own_image(name: Name) -> Response {
    let response = badge::bundled(name).respond(StatusCode::OK);
    response.with(header::CACHE_CONTROL, "public, max-age=86400")
}

impl BadgeQuery {
    /// Parses the parameters, or returns all errors in them.
    fn subject(&self) -> Result<Subject, Failure> {
        subject_of(self.ledger.as_deref(), self.asset.as_deref())
    }
}

/// Parses the asset that a query names, or returns all errors in it.
fn subject(query: &Query) -> Result<Subject, Failure> {
    query.parsed::<BadgeQuery>()?.subject()
}

/// Parses the ids of an asset, or returns all errors in them.
pub(super) fn subject_of(ledger: Option<&str>, asset: Option<&str>) -> Result<Subject, Failure> {
    let mut errors = Vec::new();
    let mut wrong = |code, path: &str, message: String| {
        errors.push(Problem {
            code,
            path: path.to_owned(),
            message,
        })
    };
    let asset = asset.map(str::parse::<AssetId>);
    let ledger = ledger.map(str::parse::<Address>);
    match &asset {
        None => wrong(
            Code::BadgeAssetIdMissing,
            "assetId",
            "`assetId` is missing".to_owned(),
        ),
        Some(Err(why)) => wrong(
            Code::BadgeAssetIdMissing,
            "assetId",
            format!("`assetId` {why}"),
        ),
        Some(Ok(_)) => {}
    }
    match &ledger {
        None => wrong(
            Code::BadgeLedgerMissing,
            "ledgerId",
            "`ledgerId` is missing".to_owned(),
        ),
        Some(Err(why)) => wrong(
            Code::BadgeLedgerNotValid,
            "ledgerId",
            format!("`ledgerId` {why}"),
        ),
        Some(Ok(_)) => {}
    }
    match (ledger, asset) {
        (Some(Ok(ledger)), Some(Ok(asset))) => Ok(Subject { ledger, asset }),
        _ => Err(Failure::new(errors)),
    }
}

/// Lets caches keep the answer for this many seconds.
pub(super) fn cacheable(response: Response, seconds: u64) -> Response {
    response.with_text(header::CACHE_CONTROL, &format!("public, max-age={seconds}"))
}

/// Returns true if the first media type in `Accept` begins with `start`. For `<img>`, browsers send an `image/` type first.
/// For a page, they send `text/html` first.
pub(super) fn accepts_first(request: &Request, start: &str) -> bool {
    first_accepted(request)
        .get(..start.len())
        .is_some_and(|first| first.eq_ignore_ascii_case(start))
}

/// Returns the first media type in `Accept`, without parameters. Empty if there is none.
pub(super) fn first_accepted(request: &Request) -> &str {
    let accept = request.header(&header::ACCEPT).unwrap_or_default();
    accept.split([',', ';']).next().unwrap_or_default().trim()
}

impl Image {
    /// Returns the image as an answer.
    fn respond(self, status: StatusCode) -> Response {
        let mut response = Response::empty(status)
            .with_text(header::CONTENT_TYPE, &self.content_type)
            .with(header::CONTENT_SECURITY_POLICY, CONTENT_POLICY)
            .with(header::X_CONTENT_TYPE_OPTIONS, "nosniff")
            // Allows pages with cross-origin isolation to show the image.
            .with(
                HeaderName::from_static("cross-origin-resource-policy"),
                "cross-origin",
            );
        response.body = self.bytes;
        response
    }
}
