//! Descriptions of hosted files.

use http::Method;
use order_core::Code;

use super::{Data, Operation};
use crate::api::HostedFile;
use crate::api::bodies::FileInput;

pub(super) fn operations() -> Vec<Operation> {
    vec![
        Operation::one::<HostedFile>(Method::POST, "/files", "uploadFile", "Store a file")
            .text(
                "For accounts with ability 16 or 512 (create assets), or 128 or 1024 (update assets) \
                 on the ledger. A file has at most 1,000,000 bytes. Files of an asset are deleted \
                 after the asset is destroyed, or if it is not created within 30 days. A new file replaces the \
                 asset's file of the same name. If the asset exists, replacing needs ability 128 or 1024. `GET \
                 /health` returns the bounds.",
            )
            .body::<FileInput>()
            .statuses(&[201])
            .errors(&[
                Code::FilesNotHosted,
                Code::LedgerNotFound,
                Code::FilesNotAllowed,
                Code::FilesFull,
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
