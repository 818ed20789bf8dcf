//! The reasons for which there is no badge.

use core::fmt;

/// A reason for which no badge is made or read. [`Refusal::code`] is stable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// The certificate has no proven text that can be the badge's name.
    NameMissing,
    /// The link that proves the badge's values is longer than programs pass on.
    LinkTooLong,
    /// The badge would be larger than [`MAX_BYTES`](crate::MAX_BYTES).
    TooLarge,
    /// An address or a date of the certificate has characters that the badge format forbids.
    Malformed(&'static str),
    /// The text is not a badge of the form that this crate makes.
    Foreign,
    /// The picture is damaged, or is neither PNG nor SVG.
    Picture,
    /// The picture has no badge.
    Unbaked,
    /// The picture has more than one badge.
    Repeated,
    /// The badge in the picture is compressed.
    Compressed,
    /// A key or a signature is malformed.
    Key,
    /// The certificate's file does not open the whole document.
    NotPrivate,
    /// A field of the certificate has the name of a claim that the format of SD-JWTs defines.
    ReservedName,
}

impl Refusal {
    /// Returns the stable code.
    #[must_use]
    pub const fn code(self) -> &'static str {
        match self {
            Self::NameMissing => "name-missing",
            Self::LinkTooLong => "link-too-long",
            Self::TooLarge => "badge-too-large",
            Self::Malformed(_) => "badge-value-malformed",
            Self::Foreign => "badge-foreign",
            Self::Picture => "picture-damaged",
            Self::Unbaked => "picture-without-badge",
            Self::Repeated => "picture-with-badges",
            Self::Compressed => "picture-compressed",
            Self::Key => "badge-key-malformed",
            Self::NotPrivate => "file-not-private",
            Self::ReservedName => "field-name-reserved",
        }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NameMissing => formatter.write_str(
                "the certificate proves no `name`, which is the title of a badge: show this field too",
            ),
            Self::LinkTooLong => {
                formatter.write_str("the link that proves the values is too long: show fewer fields")
            }
            Self::TooLarge => formatter.write_str(
                "the badge would be larger than 5 MiB: leave out the picture, or show fewer fields",
            ),
            Self::Malformed(member) => write!(
                formatter,
                "`{member}` has characters that an address or a date in a badge cannot have"
            ),
            Self::Foreign => formatter.write_str(
                "this is not a badge of an Assay certificate: ask its issuer which program checks it",
            ),
            Self::Picture => formatter.write_str("the picture is damaged, or is neither PNG nor SVG"),
            Self::Unbaked => formatter.write_str(
                "the picture has no badge inside: programs that change pictures often drop it, so ask for the original file",
            ),
            Self::Repeated => formatter.write_str("the picture has more than one badge inside"),
            Self::Compressed => formatter.write_str("the badge in the picture is compressed, which is not supported"),
            Self::Key => formatter.write_str("the key or signature of the badge is malformed"),
            Self::NotPrivate => formatter.write_str(
                "the file shows only a part of the certificate: use the private file, and leave out fields of the finished SD-JWT on the page `/share/`",
            ),
            Self::ReservedName => formatter.write_str(
                "a field of the certificate has a name with another meaning in an SD-JWT, such as `status`, `exp` or `_sd`: make a badge instead",
            ),
        }
    }
}

impl core::error::Error for Refusal {}
