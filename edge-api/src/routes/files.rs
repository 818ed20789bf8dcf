//! `/files`: the files that this service hosts for ledgers and assets.

use http::{HeaderName, Method, StatusCode, header};
use order_core::{Address, Code};

use crate::api;
use crate::failure::Failure;
use crate::files::{self, Found, REMOVED_MAX, StoredFile, Upload};
use crate::routes::issuers::owned;
use crate::web::{Handled, Input, Response, Route, Success, private, public, raw};

/// Prevents a file that is opened as a page from running scripts and loading resources.
const CONTENT_POLICY: &str = "default-src 'none'; sandbox";
/// The `Cache-Control` of `/files/:hash`, whose content never changes. Caches keep a file for at most a day, because files are deleted
/// with their asset.
const IMMUTABLE: &str = "public, max-age=86400, immutable";
/// The `Cache-Control` of a named file, whose content can be replaced.
const REPLACEABLE: &str = "public, max-age=60";

pub(super) const ROUTES: &[Route] = &[
    Route::post("/files", private!(Orders, create))
        .file::<api::bodies::FileInput>()
        .answers::<api::HostedFile>("uploadFile", "Store a file")
        .details(
            "For accounts with ability 128 or 1024 (update assets) on the ledger. Accounts \
             with ability 16 or 512 (create assets) may only store files of an asset. Until \
             the asset exists, they may replace their own files, and the ledger's owner may \
             replace all of its files. A file has at most 1,000,000 bytes. Files of an \
             asset are deleted after the asset is destroyed, or if the asset is not created \
             within 30 days. A named file replaces the earlier file of this name. `GET \
             /health` has the limits.",
        )
        .statuses(&[201])
        .errors(&[
            Code::FilesNotHosted,
            Code::LedgerBlocked,
            Code::LedgerNotFound,
            Code::FilesNotAllowed,
            Code::FilesFull,
        ]),
    Route::delete(
        "/ledgers/:ledgerRef/accounts/:accountId/files",
        private!(Orders, remove, LedgerRef, AccountId),
    )
    .answers::<api::RemovedFiles>(
        "deleteAccountFiles",
        "Delete the files that an account stored for a ledger",
    )
    .tag("files")
    .details(
        "Only the ledger's owner may do this. Deletes files without an asset, and files \
             of assets that do not exist. Files of issued assets stay. A request deletes at \
             most 500 files. Repeat it while `more` is true.",
    )
    .errors(&[
        Code::LedgerNotFound,
        Code::NotTheLedgersOwner,
        Code::FieldNotValid,
    ]),
    Route::get("/files/:hash", public!(get, FileHash))
        .answers_file("getFile", "Get a file")
        .details("The hash is the SHA-256 of the content, as 64 hex digits.")
        .errors(&[Code::FileNotFound]),
    Route::get(
        "/files/:owner/:collection/:document",
        public!(get_named, FileOwner, FileCollection, FileDocument),
    )
    .answers_file(
        "getNamedFile",
        "Get the metadata, evidence or badge of an asset",
    )
    .details("Returns the last file uploaded under this name.")
    .errors(&[Code::FileNotFound]),
];

/// POST /files: stores a file for a ledger or one of its assets.
pub(super) async fn create(input: &Input<'_>, caller: Address) -> Handled {
    let upload = Upload::parse(&input.body, &input.request.body)?;
    let origin = input.request.origin.as_str();
    let decision = files::store(input.ctx, origin, &caller, &upload).await?;
    decision.answered(|stored| Success::created(view(origin, stored)))
}

fn view(origin: &str, stored: &StoredFile) -> api::HostedFile {
    let address = |path: &str| format!("{origin}/files/{path}");
    api::HostedFile {
        hash: stored.hash.clone(),
        address: address(&stored.hash),
        named_address: stored.place.as_ref().map(|place| address(place.as_str())),
        size: stored.bytes,
        content_type: stored.media_type.as_str(),
    }
}

/// DELETE /ledgers/:ledgerRef/accounts/:accountId/files
pub(super) async fn remove(
    input: &Input<'_>,
    caller: Address,
    ledger: &str,
    account: &str,
) -> Handled {
    let ledger = owned(input, &caller, ledger).await?;
    let account = account.parse::<Address>().map_err(|why| {
        Failure::one(
            Code::FieldNotValid,
            "accountId",
            format!("`accountId` {why}"),
        )
    })?;
    files::remove(&ledger.id, &account).answered_from_rows(|mut rows| {
        let removed = rows.pop().map_or(0, |rows| rows.list.len());
        Success::ok(api::RemovedFiles {
            removed,
            more: u32::try_from(removed).is_ok_and(|removed| removed >= REMOVED_MAX),
        })
    })
}

/// GET /files/:hash
pub(super) async fn get(input: &Input<'_>, hash: &str) -> Handled {
    answer(input, files::find(input.ctx, hash).await?, IMMUTABLE).await
}

/// GET /files/:owner/:collection/:document
pub(super) async fn get_named(
    input: &Input<'_>,
    owner: &str,
    collection: &str,
    document: &str,
) -> Handled {
    let found = files::find_named(input.ctx, owner, collection, document).await?;
    answer(input, found, REPLACEABLE).await
}

/// Answers with the content of a file. Reserves memory for the content before reading it.
async fn answer(input: &Input<'_>, found: Option<Found>, caching: &'static str) -> Handled {
    let missing = || Failure::code(Code::FileNotFound);
    let found = found.ok_or_else(missing)?;
    let mut response = Response::empty(StatusCode::OK)
        .with_text(header::CONTENT_TYPE, &found.content_type)
        .with(header::CONTENT_SECURITY_POLICY, CONTENT_POLICY)
        .with(header::CACHE_CONTROL, caching)
        .with_text(header::ETAG, &format!("\"{}\"", found.hash))
        // Allows pages with cross-origin isolation to show a picture.
        .with(
            HeaderName::from_static("cross-origin-resource-policy"),
            "cross-origin",
        );
    if input.request.method == Method::HEAD {
        return raw(response);
    }
    response.share = input.memory.admit(input.ctx, found.bytes)?;
    let content = files::bytes(input.ctx, &found).await?;
    response.body = content.ok_or_else(missing)?;
    raw(response)
}
