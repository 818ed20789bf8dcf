//! `/badge` and its images (interface specification, "Badge").

use http::{HeaderName, HeaderValue, StatusCode, header};
use order_core::{Address, AssetId, Code};
use serde_json::{Value, json};

use crate::app::{Call, Input};
use crate::badge::{self, Image, Name, Subject, Validity};
use crate::http::{Failure, Problem, Query, Request, Response, Success};
use crate::ports::Level;

/// What the answer says of the asset.
const X_ASSET_VALIDITY: HeaderName = HeaderName::from_static("x-asset-validity");

/// GET /badge: the image that shows whether the asset is valid.
pub(super) async fn image(call: &Call<'_>, input: &Input<'_>) -> Result<Success, Failure> {
    match badge_image(call, input).await {
        Ok((validity, image)) => {
            let response = image
                .respond(StatusCode::OK)
                .with(X_ASSET_VALIDITY, validity.as_str());
            Ok(Success::Raw(cacheable(call, response)))
        }
        Err((validity, failure)) => Err(failure.header(
            X_ASSET_VALIDITY,
            HeaderValue::from_static(validity.as_str()),
        )),
    }
}

/// A failure says what is known of the asset, and is an image where an image is expected: a page shows nothing else.
pub(crate) fn as_image(
    call: &Call<'_>,
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
    if !expects_image(request) {
        return Err(failure);
    }
    let line = json!({ "event": "badge.failed", "id": call.id, "errors": failure.codes(), "why": failure.internal });
    call.log(Level::Info, line);
    let mut response = badge::bundled(Name::Unknown).respond(failure.http_status());
    for (name, value) in failure.headers {
        response.headers.insert(name, value);
    }
    Ok(Success::Raw(response))
}

/// The image, or why there is none and what is known of the asset nevertheless.
async fn badge_image(
    call: &Call<'_>,
    input: &Input<'_>,
) -> Result<(Validity, Image), (Validity, Failure)> {
    let unknown = |failure| (Validity::Unknown, failure);
    let subject = subject(&input.query).map_err(unknown)?;
    let origin = &input.request.origin;
    let verdict = badge::verdict(call, origin, &subject)
        .await
        .map_err(unknown)?;
    let parameter = match verdict.validity {
        Validity::Valid => "validImg",
        Validity::Invalid => "invalidImg",
        Validity::Unknown => {
            let problems = verdict.findings.into_iter().map(|finding| Problem {
                code: Code::BadgeDataUnavailable,
                path: finding.path,
                message: finding.message,
            });
            return Err(unknown(Failure::new(problems.collect())));
        }
    };
    let custom = input
        .query
        .get(parameter)
        .map(|address| (parameter, address));
    let image = badge::selected(call, origin, verdict.validity, custom).await;
    image
        .map(|image| (verdict.validity, image))
        .map_err(|failure| (verdict.validity, failure))
}

/// GET /badge.json: the verdict, why, and everything that it takes to verify again.
pub(super) async fn report(call: &Call<'_>, input: &Input<'_>) -> Result<Success, Failure> {
    let subject = subject(&input.query)?;
    let (validity, report) = badge::report(call, &input.request.origin, &subject).await?;
    // Written as text, because documents keep the order of their keys.
    let body = format!(
        r#"{{"id":{},"status":200,"data":{report},"meta":{{}}}}"#,
        Value::from(call.id.as_str())
    );
    let mut response = Response::empty(StatusCode::OK)
        .with(header::CONTENT_TYPE, "application/json; charset=utf-8")
        .with(X_ASSET_VALIDITY, validity.as_str());
    response.body = body.into_bytes();
    Ok(Success::Raw(if validity == Validity::Unknown {
        response
    } else {
        cacheable(call, response)
    }))
}

/// GET /images/trusted.svg
pub(super) async fn trusted(_: &Call<'_>, _: &Input<'_>) -> Result<Success, Failure> {
    Ok(own_image(Name::Trusted))
}

/// GET /images/untrusted.svg
pub(super) async fn untrusted(_: &Call<'_>, _: &Input<'_>) -> Result<Success, Failure> {
    Ok(own_image(Name::Untrusted))
}

/// GET /images/unknown.svg
pub(super) async fn unknown(_: &Call<'_>, _: &Input<'_>) -> Result<Success, Failure> {
    Ok(own_image(Name::Unknown))
}

fn own_image(name: Name) -> Success {
    let response = badge::bundled(name).respond(StatusCode::OK);
    Success::Raw(response.with(header::CACHE_CONTROL, "public, max-age=86400"))
}

/// `assetId` and `ledgerId`, or every error of theirs.
fn subject(query: &Query) -> Result<Subject, Failure> {
    let mut errors = Vec::new();
    let mut wrong = |code, path: &str, message: String| {
        errors.push(Problem {
            code,
            path: path.to_owned(),
            message,
        })
    };
    let asset = query.get("assetId").map(str::parse::<AssetId>);
    let ledger = query.get("ledgerId").map(str::parse::<Address>);
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

/// As long as a verdict is kept.
fn cacheable(call: &Call<'_>, response: Response) -> Response {
    response.with_text(
        header::CACHE_CONTROL,
        &format!("public, max-age={}", call.config().badge_cache_seconds),
    )
}

/// Whether the first type that the client accepts is an image: what browsers send for `<img>`.
fn expects_image(request: &Request) -> bool {
    let accept = request.header(&header::ACCEPT).unwrap_or_default();
    let first = accept.split([',', ';']).next().unwrap_or_default().trim();
    first
        .get(..6)
        .is_some_and(|start| start.eq_ignore_ascii_case("image/"))
}
