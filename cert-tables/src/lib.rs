//! Reads the tables from which certificates are issued, and turns their rows into documents. docs/batch.md has the rules. The tool `cert batch` and the
//! pages use this crate. It opens no files and knows no service.
//!
//! 1. [`decode()`] turns a file's bytes into text, and [`read()`] reads the text as a [`Table`].
//! 2. [`fields()`] lists the fields of a schema, and [`Names::guess`] finds the field of a column by its name.
//! 3. [`questions()`] asks how the cells of a column write dates and numbers. [`document()`] turns a row into a document.
//! 4. [`doubts`] lists values that can hardly be meant.
//! 5. [`write()`] writes a table that no spreadsheet runs as a formula, and [`short_names()`] names the files of its rows.
//!
//! A table or a row that cannot be read is a [`Problem`], with a code, values and an English sentence.

mod accepts;
mod cells;
mod decode;
mod document;
pub mod doubts;
mod fields;
mod layout;
mod names;
mod ods;
mod problem;
mod reading;
mod shown;
mod workbook;
mod write;

pub use cells::{Delimiter, MAX_ROWS, Options, Row, Table, read};
pub use decode::{decode, encoding, is_workbook};
pub use document::{document, leaves, value, value_at, wrong_keys};
pub use fields::{Field, Names, OWN_FIELDS, field_at, fields};
pub use names::short_names;
pub use problem::{Foreign, Problem, RowProblem};
pub use reading::{Question, Reading, questions};
pub use shown::{Whole, empty, is_field};
pub use workbook::workbook;
pub use write::{harmless, write};
