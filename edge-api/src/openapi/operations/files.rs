//! Descriptions of the routes of hosted files.

use http::Method;
use order_core::Code;

use super::super::description::{Data, Operation};
use crate::api::bodies::FileInput;
use crate::api::{HostedFile, RemovedFiles};

pub(super) fn operations() -> Vec<Operation> {
    vec![
        Operation::one::<HostedFile>(Method::POST, "/files", "uploadFile", "Store a file")
            .text(
                "For accounts with ability 128 or 1024 (update assets) on the ledger. Accounts with \
                 ability 16 or 512 (create assets) may only store files of an asset. Until the \
                 asset exists, they may replace their own files, and the ledger's owner may replace all of its files. A file has at most 1,000,000 bytes. Files of \
                 an asset are deleted after the asset is destroyed, or if the asset is not created within 30 \
                 days. A named file replaces the earlier file of this name. `GET /health` has the limits.",
            )
            .body::<FileInput>()
            .statuses(&[201])
            .errors(&[
                Code::FilesNotHosted,
                Code::LedgerBlocked,
                Code::LedgerNotFound,
                Code::FilesNotAllowed,
                Code::FilesFull,
            ]),
        Operation::one::<RemovedFiles>(
            Method::DELETE,
            "/ledgers/:ledgerRef/accounts/:accountId/files",
            "deleteAccountFiles",
            "Delete the files that an account stored for a ledger",
        )
        .tag("files")
        .text(
            "Only the ledger's owner may do this. Deletes files without an asset, and files of assets that do not \
             exist. Files of issued assets stay. A request deletes at most 500 files. Repeat it while \
             `more` is true.",
        )
        .errors(&[
            Code::LedgerNotFound,
            Code::NotTheLedgersOwner,
            Code::FieldNotValid,
        ]),
        Operation::new(
            (Method::GET, "/files/:hash"),
            ("getFile", "Get a file"),
            Data::File,
        )
        .text("The hash is the SHA-256 of the content, as 64 hex digits.")
        .errors(&[Code::FileNotFound]),
        Operation::new(
            (Method::GET, "/files/:owner/:collection/:document"),
            ("getNamedFile", "Get the metadata or evidence of an asset"),
            Data::File,
        )
        .text("Returns the last file uploaded under this name.")
        .errors(&[Code::FileNotFound]),
    ]
}
