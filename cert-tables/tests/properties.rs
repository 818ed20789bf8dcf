//! Tests the reader and the writer with random tables.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    reason = "a test that cannot go on should stop"
)]

use cert_tables::{Delimiter, Options, Problem, decode, encoding, harmless, read, write};
use proptest::prelude::*;

fn text() -> impl Strategy<Value = String> {
    proptest::collection::vec(
        prop_oneof![
            Just(','),
            Just(';'),
            Just('"'),
            Just('\n'),
            Just('\t'),
            Just('='),
            Just('ü'),
            Just(' '),
            proptest::char::range('a', 'c')
        ],
        0..6,
    )
    .prop_map(|chars| chars.into_iter().collect())
}

proptest! {
    /// A table that the CSV library writes is read back unchanged, apart from rows with only blank cells.
    #[test]
    fn tables_are_read_as_they_were_written(
        rows in proptest::collection::vec(proptest::collection::vec(text(), 3), 1..6),
        delimiter in prop_oneof![Just(Delimiter::Comma), Just(Delimiter::Semicolon), Just(Delimiter::Tab)],
    ) {
        let mut writer = csv::WriterBuilder::new().delimiter(delimiter.byte()).from_writer(Vec::new());
        writer.write_record(["x", "y", "z"]).unwrap();
        for row in &rows {
            writer.write_record(row).unwrap();
        }
        let written = String::from_utf8(writer.into_inner().unwrap()).unwrap();
        let filled: Vec<&Vec<String>> = rows.iter().filter(|row| row.iter().any(|cell| !cell.trim().is_empty())).collect();
        match read(&written, Options::default()) {
            Ok(read) => {
                prop_assert_eq!(read.delimiter, delimiter);
                let cells: Vec<&Vec<String>> = read.rows.iter().map(|row| &row.cells).collect();
                prop_assert_eq!(cells, filled);
            }
            Err(problem) => {
                prop_assert_eq!(problem, Problem::NoRows);
                prop_assert!(filled.is_empty());
            }
        }
    }

    /// The reader never panics, whatever bytes it reads.
    #[test]
    fn any_bytes_are_read_or_refused(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        for chosen in [None, encoding("utf-8"), encoding("windows-1252"), encoding("shift_jis"), encoding("utf-16le")] {
            if let Ok(text) = decode(&bytes, chosen) {
                drop(read(&text, Options::default()));
            }
        }
    }

    /// A written table is read back, whatever the delimiter and the cells, apart from apostrophes and blank rows.
    #[test]
    fn written_tables_are_read_back(
        rows in proptest::collection::vec(proptest::collection::vec(text(), 2), 1..6),
        delimiter in prop_oneof![Just(Delimiter::Comma), Just(Delimiter::Semicolon), Just(Delimiter::Tab)],
    ) {
        let header = [vec!["x".to_owned(), "y".to_owned()]];
        let written = write(header.iter().chain(&rows), delimiter).unwrap();
        let text = decode(written.as_bytes(), None).unwrap();
        let harmless: Vec<Vec<String>> = rows.iter().map(|row| row.iter().map(|cell| harmless(cell)).collect()).collect();
        let filled: Vec<&Vec<String>> = harmless.iter().filter(|row| row.iter().any(|cell| !cell.trim().is_empty())).collect();
        if let Ok(read) = read(&text, Options::default()) {
            let cells: Vec<&Vec<String>> = read.rows.iter().map(|row| &row.cells).collect();
            prop_assert_eq!(cells, filled);
        } else {
            prop_assert!(filled.is_empty());
        }
    }

    /// No part of a result's cell begins like a formula, unless the part is a number. Only apostrophes are added.
    #[test]
    fn cells_of_the_result_are_harmless(cell in "[=+@＝\\-\t\r]?[=+@＝\\-0-9A-C!|(),;\"\t\r\n. ]{0,8}") {
        let safe = harmless(&cell);
        prop_assert_eq!(safe.replace('\'', ""), cell.as_str());
        prop_assert!(!safe.starts_with(['\t', '\r', '\n']));
        for part in safe.split([',', ';', '"', '\t', '\r', '\n']) {
            if part.starts_with(['=', '@', '＝', '+', '-']) {
                prop_assert!(!part.contains(|char: char| char.is_alphabetic() || matches!(char, '=' | '＝' | '@' | '|' | '!')), "{}", safe);
            }
        }
    }
}
