//! The names of the columns that a batch adds to the table.

/// The columns that `result.csv` has after the columns of the table.
pub(crate) const COLUMN_STATUS: &str = "certificate_status";
pub(crate) const COLUMN_HOLDER: &str = "certificate_holder_link";
pub(crate) const COLUMN_PUBLIC: &str = "certificate_public_link";
pub(crate) const COLUMN_FILE: &str = "certificate_file";
/// Only with `--pdf`.
pub(crate) const COLUMN_PDF: &str = "certificate_pdf";
/// Only with `--badge-key`.
pub(crate) const COLUMN_BADGE: &str = "certificate_badge";
/// The status of a row whose certificate is issued.
pub(crate) const ISSUED: &str = "issued";
