//! Errors and findings. Each has a stable code, and a sentence for people.

use std::fmt;

/// The reason why a file has no PDF, or a PDF no certificate.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum PdfError {
    /// The certificate's file has more than [`MAX_FILE`](crate::MAX_FILE) bytes.
    FileTooLarge,
    /// The certificate's file is not JSON, or lacks a member. The text says which.
    FileInvalid(String),
    /// The content needs more than [`MAX_PAGES`](crate::MAX_PAGES) pages, or has more than [`MAX_TEXT`](crate::MAX_TEXT) characters.
    TooLong,
    /// A picture of the design is no PNG or JPEG, or is larger than the bounds.
    PictureInvalid,
    /// A needed font is missing, or a font is broken.
    FontInvalid(String),
    /// The licence of a font does not allow to embed it.
    FontRestricted(String),
    /// The writer has refused the document. This is a fault of this program.
    NotWritten(String),
    /// The PDF has more than [`MAX_PDF`](crate::MAX_PDF) bytes.
    PdfTooLarge,
    /// The bytes are no PDF.
    NotPdf,
    /// The PDF has a password.
    Encrypted,
    /// The PDF has no certificate attached.
    NoCertificate,
    /// The PDF has different certificates attached.
    SeveralCertificates,
    /// The attached certificate cannot be read.
    Broken,
}

impl PdfError {
    /// Returns the stable code.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::FileTooLarge => "file-too-large",
            Self::FileInvalid(_) => "file-invalid",
            Self::TooLong => "pdf-too-long",
            Self::PictureInvalid => "picture-invalid",
            Self::FontInvalid(_) => "font-invalid",
            Self::FontRestricted(_) => "font-restricted",
            Self::NotWritten(_) => "pdf-not-written",
            Self::PdfTooLarge => "pdf-too-large",
            Self::NotPdf => "pdf-invalid",
            Self::Encrypted => "pdf-encrypted",
            Self::NoCertificate => "pdf-no-certificate",
            Self::SeveralCertificates => "pdf-several-certificates",
            Self::Broken => "pdf-broken",
        }
    }
}

impl fmt::Display for PdfError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = match self {
            Self::FileTooLarge => "the certificate file is larger than 5 MiB",
            Self::FileInvalid(why) => {
                return write!(formatter, "this is no certificate file: {why}");
            }
            Self::TooLong => {
                "the certificate is too long for a PDF: it would have more than 40 pages or 200,000 characters"
            }
            Self::PictureInvalid => {
                "a picture is no PNG or JPEG file, is larger than 1 MB, or has more than 16 million pixels"
            }
            Self::FontInvalid(name) => {
                return write!(formatter, "the font {name} is missing or broken");
            }
            Self::FontRestricted(name) => {
                return write!(
                    formatter,
                    "the font {name} says that documents must not contain it"
                );
            }
            Self::NotWritten(why) => {
                return write!(formatter, "the PDF could not be written: {why}");
            }
            Self::PdfTooLarge => "the PDF is larger than 20 MB",
            Self::NotPdf => "this is no PDF",
            Self::Encrypted => {
                "this PDF has a password: save it without a password, or ask for the certificate's file or link"
            }
            Self::NoCertificate => {
                "this PDF has no certificate attached: it may have been printed or converted by another program. Ask for the original PDF, or for the certificate's file or link"
            }
            Self::SeveralCertificates => {
                "this PDF has several certificates attached: save the attachment that you want to check, and open it alone"
            }
            Self::Broken => {
                "the certificate attached to this PDF is damaged: ask for the original PDF"
            }
        };
        formatter.write_str(text)
    }
}

impl std::error::Error for PdfError {}

/// A difference between the pages of a PDF and the certificate.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Finding {
    /// No font has this character. The PDF shows a replacement character in its place.
    MissingCharacter(char),
    /// The picture of this field is not shown, because it is not a PNG or JPEG inside the document, or exceeds the bounds.
    PictureNotShown(String),
}

impl Finding {
    /// Returns the stable code.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::MissingCharacter(_) => "character-missing",
            Self::PictureNotShown(_) => "picture-not-shown",
        }
    }

    /// Returns the character with its code point, or the name of the field.
    #[must_use]
    pub fn subject(&self) -> String {
        match self {
            Self::MissingCharacter(char) => format!("{char} (U+{:04X})", u32::from(*char)),
            Self::PictureNotShown(field) => field.clone(),
        }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let subject = self.subject();
        match self {
            Self::MissingCharacter(_) => write!(
                formatter,
                "no font has the character {subject}: the PDF shows \u{fffd} in its place"
            ),
            Self::PictureNotShown(_) => write!(
                formatter,
                "the picture in `{subject}` is not shown: a PDF shows PNG and JPEG files inside the document, up to 1 MB and 16 million pixels"
            ),
        }
    }
}
