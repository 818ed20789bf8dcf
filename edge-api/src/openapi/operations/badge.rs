//! Descriptions of the routes of badge and certificate.

use http::Method;
use order_core::Code;

use super::super::description::Operation;
use crate::api::Report;

pub(super) fn operations() -> Vec<Operation> {
    vec![
        Operation::image("/badge", "image/*", "getBadge", "Show whether an asset is valid")
            .text(
                "The header `x-asset-validity` is `valid`, `invalid`, `withdrawn`, `expired`, `replaced` or `unknown`. A \
                 request that prefers images always gets an image. For a withdrawn asset, this image is `invalidImg` if \
                 the request has this parameter. A request that prefers `text/html` is redirected to the \
                 certificate's page.",
            )
            .statuses(&[200, 302])
            .errors(&[
                Code::BadgeAssetNotFound,
                Code::BadgeDataUnavailable,
                Code::BadgeImageUnavailable,
            ])
            .errors_between(Code::BadgeAssetIdMissing, Code::BadgeLedgerMissing),
        Operation::one::<Report>(
            Method::GET,
            "/badge.json",
            "getValidity",
            "Get the verdict on an asset, with its reasons and documents",
        )
        .tag("badge")
        .errors(&[Code::BadgeDataUnavailable])
        .errors_between(Code::BadgeAssetIdMissing, Code::BadgeLedgerMissing),
        Operation::one::<Report>(
            Method::GET,
            "/c/:ledgerRef/:assetId",
            "getCertificate",
            "Show a certificate",
        )
        .tag("badge")
        .text(
            "The certificate's link. A request that prefers `text/html` gets a page that verifies the asset in the \
             browser. All other requests get the data of `/badge.json`. With the query parameter `embed`, pages of \
             other sites may frame the page. Browsers with a link that another program changed are redirected to the \
             repaired link.",
        )
        .statuses(&[200, 302])
        .errors(&[Code::BadgeDataUnavailable])
        .errors_between(Code::BadgeAssetIdMissing, Code::BadgeLedgerMissing),
        Operation::image(
            "/images/trusted.svg",
            "image/svg+xml",
            "getTrustedImage",
            "The badge of a valid asset whose issuer is confirmed",
        ),
        Operation::image(
            "/images/unconfirmed.svg",
            "image/svg+xml",
            "getUnconfirmedImage",
            "The badge of a valid asset whose issuer is not confirmed",
        ),
        Operation::image(
            "/images/untrusted.svg",
            "image/svg+xml",
            "getUntrustedImage",
            "The badge of an asset that is not valid",
        ),
        Operation::image(
            "/images/withdrawn.svg",
            "image/svg+xml",
            "getWithdrawnImage",
            "The badge of a withdrawn asset",
        ),
        Operation::image(
            "/images/not-issued.svg",
            "image/svg+xml",
            "getNotIssuedImage",
            "The badge of an asset that was never issued",
        ),
        Operation::image(
            "/images/unknown.svg",
            "image/svg+xml",
            "getUnknownImage",
            "The badge of an asset that could not be checked",
        ),
        Operation::image(
            "/images/disowned.svg",
            "image/svg+xml",
            "getDisownedImage",
            "The badge of an asset whose issuer a domain disowns",
        ),
        Operation::image(
            "/images/expired.svg",
            "image/svg+xml",
            "getExpiredImage",
            "The badge of an expired asset",
        ),
        Operation::image(
            "/images/replaced.svg",
            "image/svg+xml",
            "getReplacedImage",
            "The badge of an asset whose published documents the issuer has replaced",
        ),
        Operation::image(
            "/images/no-longer-confirmed.svg",
            "image/svg+xml",
            "getNoLongerConfirmedImage",
            "The badge of a valid asset whose issuer is no longer confirmed",
        ),
    ]
}
