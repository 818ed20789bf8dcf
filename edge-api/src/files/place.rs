//! The names of files, and their addresses.

use order_core::{Address, AssetId};

use crate::ledger::projection::LedgerRow;
use crate::text::account_key;

/// Maximum characters of a collection.
const COLLECTION_MAX: usize = 64;
/// Maximum characters of the last segment: an asset id of 78 digits, a postfix and an ending.
const DOCUMENT_MAX: usize = 150;

/// The name of a file. A named file has an address that is known before its content.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Name {
    /// The document at the asset's URI.
    Metadata,
    /// The evidence, whose address is in the document that it proves.
    Evidence,
    /// The Open Badge with the public values, for programs that get the certificate's link.
    Badge,
}

impl Name {
    pub(crate) fn parse(text: &str) -> Option<Self> {
        [Self::Metadata, Self::Evidence, Self::Badge]
            .into_iter()
            .find(|name| name.as_str() == text)
    }

    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Metadata => "metadata",
            Self::Evidence => "evidence",
            Self::Badge => "badge",
        }
    }

    /// Returns the end of the address, which follows the asset's URI.
    fn ending(self) -> &'static str {
        match self {
            Self::Metadata => "",
            Self::Evidence => ".evidence",
            Self::Badge => ".badge",
        }
    }
}

/// The path of a named file below `/files/`: `<account>/<collection>/<asset id><postfix>`, with `.evidence` or `.badge` at its
/// end for evidence and badges. The account is the owner of the ledger, so no other account can choose the same path. A collection belongs to one
/// ledger, so ledgers with the same `uriPrefix` do not serve each other's files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Place(String);

impl Place {
    /// Returns the place of an asset's file. `None` if the ledger's URIs do not have the form
    /// `<origin>/files/<owner>/<collection>/<asset id><postfix>`, or if [`Self::parse`] refuses a segment.
    pub(crate) fn of(
        origin: &str,
        ledger: &LedgerRow,
        asset: &AssetId,
        name: Name,
    ) -> Option<Self> {
        let behind = ledger.uri_prefix.strip_prefix(origin)?;
        let (account, collection) = behind.strip_prefix("/files/")?.split_once('/')?;
        let account: Address = account.parse().ok()?;
        if account != ledger.owner {
            return None;
        }
        let document = format!("{asset}{}{}", ledger.uri_postfix, name.ending());
        Self::parse(&account, collection.strip_suffix('/')?, &document)
    }

    /// Parses the segments of a path. `None` if a segment is empty or too long, or has a character that is not allowed. Only
    /// letters, digits, `-`, `_` and, in the last segment, `.` are allowed, so a path needs no escapes and has one spelling.
    pub(crate) fn parse(account: &Address, collection: &str, document: &str) -> Option<Self> {
        let is_letter = |byte: u8| byte.is_ascii_alphanumeric() || b"-_".contains(&byte);
        let is_collection =
            (1..=COLLECTION_MAX).contains(&collection.len()) && collection.bytes().all(is_letter);
        let is_document = (1..=DOCUMENT_MAX).contains(&document.len())
            && document.bytes().all(|byte| is_letter(byte) || byte == b'.');
        let account = account_key(account);
        (is_collection && is_document).then(|| Self(format!("{account}/{collection}/{document}")))
    }

    /// Returns the path below `/files/`.
    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns a string that sorts before all paths of the collection.
    pub(super) fn collection_start(&self) -> String {
        format!("{}/", self.collection())
    }

    /// Returns a string that sorts after all paths of the collection: `0` is the character after `/`.
    pub(super) fn collection_end(&self) -> String {
        format!("{}0", self.collection())
    }

    /// Returns `<account>/<collection>`.
    fn collection(&self) -> &str {
        self.0
            .rsplit_once('/')
            .map_or("", |(collection, _)| collection)
    }
}
