//! Reads the table of a command: a workbook, or text with cells.

use cert_tables::{Delimiter, Options, Problem, Table};
use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use encoding_rs::Encoding;

use crate::failure::Failure;

/// How a table is read.
#[derive(Debug, Args)]
pub(crate) struct Reading {
    /// The character between cells; by default, the rows decide
    #[arg(long, value_name = "NAME", value_parser = delimiter())]
    pub(crate) delimiter: Option<Delimiter>,
    /// The sheet of the workbook; by default, the only sheet with cells
    #[arg(long, value_name = "NAME")]
    pub(crate) sheet: Option<String>,
    /// The character encoding of the table, such as windows-1252; by default, UTF-8 or UTF-16
    #[arg(long, value_name = "LABEL", value_parser = encoding)]
    pub(crate) encoding: Option<&'static Encoding>,
}

fn delimiter() -> impl TypedValueParser<Value = Delimiter> {
    let named = |name: String| Delimiter::ALL.into_iter().find(|one| one.name() == name);
    PossibleValuesParser::new(Delimiter::ALL.map(Delimiter::name))
        .try_map(move |name| named(name).ok_or("an unknown delimiter"))
}

fn encoding(label: &str) -> Result<&'static Encoding, String> {
    cert_tables::encoding(label).ok_or_else(|| {
        "no encoding has this label: examples are windows-1252, macintosh and ibm866".to_owned()
    })
}

/// Reads a table. [`Table::problems`] has the rows that cannot be read.
///
/// # Errors
/// If the table as a whole cannot be read.
pub(crate) fn read(name: &str, bytes: &[u8], reading: &Reading) -> Result<Table, Failure> {
    let options = Options {
        delimiter: reading.delimiter,
        ..Options::default()
    };
    let table = if cert_tables::is_workbook(bytes) {
        cert_tables::workbook(bytes, reading.sheet.as_deref(), options)
    } else {
        cert_tables::decode(bytes, reading.encoding)
            .and_then(|text| cert_tables::read(&text, options))
    };
    table.map_err(|problem| refused(name, &problem))
}

/// Returns the failure of a table that cannot be read, with the option that may help.
pub(crate) fn refused(name: &str, problem: &Problem) -> Failure {
    let hint = match problem {
        Problem::Encoding { encoding, .. } => {
            format!(": if that is right, add --encoding {encoding}")
        }
        Problem::NotEncoded { .. } => ": correct or leave out --encoding".to_owned(),
        Problem::Sheet(_) => ": add --sheet \"NAME\"".to_owned(),
        Problem::Delimiter => ": add --delimiter comma, semicolon or tab".to_owned(),
        _ => String::new(),
    };
    Failure::new("table-invalid", format!("{name}: {problem}{hint}"))
}
