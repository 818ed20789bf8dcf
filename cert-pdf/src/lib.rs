//! Writes a certificate as PDF/A-3a, and finds the certificate in such a PDF. docs/spec/pdf.md has the rules. The tool `cert` and the pages use this crate.
//!
//! - [`write()`] makes a PDF from a certificate's file. The PDF shows the file's content and has the file attached, so it can be checked like the file.
//!   Equal input gives equal bytes, because the time of creation is an input.
//! - [`Fonts::missing`] tells which fonts a PDF needs, so that a page loads only those.
//! - [`certificate_in`] finds the attached file.
//!
//! Input is not trusted. Its bounds are [`MAX_FILE`], [`MAX_PICTURE`], [`MAX_TEXT`], [`MAX_PAGES`] and [`MAX_PDF`].

mod attachment;
mod code;
mod compose;
#[cfg(feature = "fonts")]
mod contained;
mod content;
mod error;
mod file;
mod fonts;
mod layout;
mod picture;
mod sheet;
mod shown;
mod structure;
mod texts;
mod write;

pub use attachment::{MAX_PDF, certificate_in, is_pdf};
pub use cert_core::file::MAX_FILE;
pub use code::is_printable;
pub use compose::MAX_PAGES;
pub use error::{Finding, PdfError};
pub use fonts::{FontFile, Fonts, Han};
pub use picture::{MAX_PICTURE, check_picture, picture_of};
pub use sheet::{Design, Issuer, MAX_TEXT, Options, Orientation};
pub use texts::Language;
pub use write::{Pdf, write};
