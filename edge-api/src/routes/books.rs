//! `/account/book-key` and `/ledgers/:ledgerRef/book`: the register books of offices, which the service cannot read.

use order_core::{Address, Code};

use crate::api;
use crate::books::{self, BOOK_MAX, BookDraft};
use crate::failure::Failure;
use crate::web::{Handled, Input, Route, Success, ok, private};

pub(super) const ROUTES: &[Route] = &[
    Route::put("/account/book-key", private!(Account, set_key))
        .json::<api::bodies::BookKeyInput>()
        .unidentified()
        .answers::<api::BookKey>("setBookKey", "Publish the key for register books")
        .tag("books")
        .details(
            "An X25519 public key, to which colleagues encrypt register books for the caller. The \
             signature is by `personal_sign` over three lines: `<service name>: my key for \
             register books`, `Account: <address in EIP-55>` and `Key: <key>`. Accounts with an \
             ability on a ledger on which the caller has one can read it. A new key replaces the \
             earlier one. The erasure of personal data deletes it.",
        )
        .errors(&[Code::FieldNotValid, Code::SignatureNotValid]),
    Route::get("/ledgers/:ledgerRef/book-keys", private!(Read, keys, LedgerRef))
        .answers::<api::MemberKeys>("getLedgerBookKeys", "Get the keys of a ledger's members")
        .tag("books")
        .details(
            "For accounts with an ability on the ledger. Check each signature before you encrypt \
             to a key: the service could give you another one.",
        )
        .errors(&[Code::LedgerNotFound, Code::BookNotAllowed]),
    Route::put("/ledgers/:ledgerRef/book", private!(Account, write, LedgerRef))
        .file_up_to::<api::bodies::BookInput>(BODY_MAX)
        .answers::<api::BookVersion>("putLedgerBook", "Store the next version of a register book")
        .tag("books")
        .details(
            "For accounts with ability 2, 512 or 1024 (set abilities, create or update assets) on \
             the ledger, if the service hosts files. The cipher text has at most 4,194,304 bytes. \
             `version` is the number after the last version, from 1; 409002 if another version was \
             stored meanwhile. The signature is by `personal_sign` over five lines: `<service \
             name>: register book`, `Ledger: <address in EIP-55>`, `Version: <version>`, \
             `SHA-256: <hex>` and `Readers: <addresses in EIP-55, separated by commas>`. The last \
             five versions are kept. They count in the limits of the ledger's and the writer's files.",
        )
        .errors(&[
            Code::FilesNotHosted,
            Code::LedgerNotFound,
            Code::LedgerBlocked,
            Code::BookNotAllowed,
            Code::BookChanged,
            Code::FieldNotValid,
            Code::SignatureNotValid,
            Code::FilesFull,
        ]),
    Route::get("/ledgers/:ledgerRef/book", private!(Read, versions, LedgerRef))
        .answers::<api::Book>("getLedgerBook", "Get the versions of a register book")
        .tag("books")
        .details(
            "For accounts with an ability on the ledger. Such an account sees who wrote and who can \
             read each version, also if it is no reader itself. Check the writer's signature, and \
             refuse a version older than the last one that you have seen.",
        )
        .errors(&[Code::LedgerNotFound, Code::BookNotAllowed, Code::BookNotFound]),
    Route::get(
        "/ledgers/:ledgerRef/book/:version",
        private!(Read, content, LedgerRef, BookVersion),
    )
    .answers::<api::BookContent>("getLedgerBookContent", "Get the cipher text of a version")
    .tag("books")
    .details("For accounts with an ability on the ledger.")
    .errors(&[Code::LedgerNotFound, Code::BookNotAllowed, Code::BookNotFound]),
];

/// Maximum bytes of a form with a book. Its other parts have at most 100 addresses and a signature.
const BODY_MAX: usize = BOOK_MAX + (16 << 10);

/// PUT /account/book-key
pub(super) async fn set_key(input: &Input<'_>, caller: Address) -> Handled {
    let decision = books::set_key(input.ctx, &caller, &input.body)?;
    decision.answered(|key| Success::ok(key))
}

/// GET /ledgers/:ledgerRef/book-keys
pub(super) async fn keys(input: &Input<'_>, caller: Address, ledger: &str) -> Handled {
    ok(books::keys(input.ctx.db(), ledger, &caller).await?)
}

/// PUT /ledgers/:ledgerRef/book
pub(super) async fn write(input: &Input<'_>, caller: Address, ledger: &str) -> Handled {
    let draft = BookDraft::parse(&input.body, &input.request.body)?;
    let decision = books::write(input.ctx, ledger, &caller, &draft, &input.body).await?;
    decision.answered(|written| Success::ok(written))
}

/// GET /ledgers/:ledgerRef/book
pub(super) async fn versions(input: &Input<'_>, caller: Address, ledger: &str) -> Handled {
    ok(books::versions(input.ctx.db(), ledger, &caller).await?)
}

/// GET /ledgers/:ledgerRef/book/:version
pub(super) async fn content(
    input: &Input<'_>,
    caller: Address,
    ledger: &str,
    version: &str,
) -> Handled {
    let stored = books::find(input.ctx.db(), ledger, version, &caller).await?;
    // The cipher text and its base64url are in memory at once.
    let _room = input
        .memory
        .admit(input.ctx, stored.bytes.saturating_mul(3))?;
    let content = books::content(input.ctx, stored).await?;
    ok(content.ok_or_else(|| Failure::code(Code::BookNotFound))?)
}
