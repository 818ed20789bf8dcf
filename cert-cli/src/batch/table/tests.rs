//! Tests of reading tables: tables as spreadsheets save them, and broken tables.

use super::*;

/// Cases that the tests of the page for issuing many certificates use, too.
#[derive(serde::Deserialize)]
#[serde(rename_all = "camelCase")]
struct Vectors {
    decoded: Vec<Decoded>,
    undecoded: Vec<Undecoded>,
    tables: Vec<Table>,
    broken: Vec<Broken>,
    broken_rows: Vec<BrokenRows>,
    /// A cell of the input, and the same cell in the result.
    cells: Vec<(String, String)>,
}

#[derive(serde::Deserialize)]
struct Decoded {
    bytes: String,
    encoding: Option<String>,
    text: String,
}

#[derive(serde::Deserialize)]
struct Undecoded {
    bytes: String,
    encoding: Option<String>,
    /// Words that the message contains.
    words: String,
}

#[derive(serde::Deserialize)]
struct Table {
    text: String,
    delimiter: char,
    columns: Vec<String>,
    rows: Vec<(usize, Vec<String>)>,
}

#[derive(serde::Deserialize)]
struct Broken {
    text: String,
    words: String,
}

#[derive(serde::Deserialize)]
struct BrokenRows {
    text: String,
    rows: Vec<usize>,
}

fn vectors() -> Vectors {
    serde_json::from_str(include_str!("../../../../tests/vectors/batch/table.json")).unwrap()
}

fn bytes(hex: &str) -> Vec<u8> {
    hex.as_bytes()
        .chunks(2)
        .map(|pair| u8::from_str_radix(std::str::from_utf8(pair).unwrap(), 16).unwrap())
        .collect()
}

fn encoding(name: Option<&str>) -> Option<Encoding> {
    name.map(|name| {
        assert_eq!(name, "windows-1252");
        Encoding::Windows1252
    })
}

fn refused(bytes: &[u8], encoding: Option<Encoding>) -> String {
    decode("t", bytes, encoding).unwrap_err().to_string()
}

#[test]
fn bytes_become_text_or_are_refused_with_a_message() {
    let vectors = vectors();
    for case in &vectors.decoded {
        let text = decode("t", &bytes(&case.bytes), encoding(case.encoding.as_deref()));
        assert_eq!(text.unwrap(), case.text);
    }
    for case in &vectors.undecoded {
        let message = refused(&bytes(&case.bytes), encoding(case.encoding.as_deref()));
        assert!(message.contains(&case.words), "{message}");
    }
}

#[test]
fn a_given_encoding_has_to_fit() {
    let message = refused(b"name\nM\xfcller \x80\n", None);
    assert!(message.contains("--encoding windows-1252"), "{message}");
    assert!(
        refused(b"name\nM\xfcller\n", Some(Encoding::Utf8)).contains("not UTF-8 from byte 6 on")
    );
    assert!(refused("Müller".as_bytes(), Some(Encoding::Windows1252)).contains("UTF-8"));
}

#[test]
fn tables_are_read_with_their_delimiter_and_row_numbers() {
    for case in vectors().tables {
        let expected = Cells {
            delimiter: Delimiter::ALL
                .into_iter()
                .find(|delimiter| char::from(delimiter.byte()) == case.delimiter)
                .unwrap(),
            columns: case.columns,
            rows: case
                .rows
                .into_iter()
                .map(|(row, cells)| Cell { row, cells })
                .collect(),
        };
        assert_eq!(csv("t", &case.text, None).unwrap().unwrap(), expected);
    }
    let table = csv("t", "a;b,c\n1;2\n", Some(Delimiter::Semicolon))
        .unwrap()
        .unwrap();
    assert_eq!(table.columns, ["a", "b,c"]);
}

#[test]
fn broken_tables_are_refused_and_broken_rows_are_all_reported() {
    let vectors = vectors();
    for case in &vectors.broken {
        let message = csv("t", &case.text, None).unwrap_err().to_string();
        assert!(message.contains(&case.words), "{}: {message}", case.text);
    }
    for case in &vectors.broken_rows {
        let errors = csv("t", &case.text, None).unwrap().unwrap_err();
        let rows: Vec<usize> = errors.iter().map(|error| error.row).collect();
        assert_eq!(rows, case.rows, "{}", case.text);
    }
}

/// If each column were compared with all columns before it, this test would take hours.
#[test]
fn many_columns_are_read_in_linear_time() {
    let columns: Vec<String> = (0..700_000).map(|at| at.to_string()).collect();
    let text = format!("{},0\n", columns.join(","));
    let message = csv("t", &text, None).unwrap_err().to_string();
    assert!(message.contains("two columns are called `0`"), "{message}");
}

#[test]
fn every_line_is_one_document() {
    let documents = ndjson("t", "{\"a\":1}\n\n{\"a\":2}\n").unwrap().unwrap();
    assert_eq!(
        documents
            .iter()
            .map(|document| document.row)
            .collect::<Vec<_>>(),
        [1, 3]
    );
    let errors = ndjson("t", "{\"a\":1,\"a\":2}\n[]\n{\n{\"a\":9007199254740993}\n")
        .unwrap()
        .unwrap_err();
    assert_eq!(
        errors.iter().map(|error| error.row).collect::<Vec<_>>(),
        [1, 2, 3, 4]
    );
    assert!(ndjson("t", "\n").is_err());
}

#[test]
fn no_cell_of_the_result_is_a_formula() {
    for (cell, written) in vectors().cells {
        assert_eq!(harmless(&cell), written);
    }
}

mod properties {
    use proptest::prelude::*;

    use super::super::*;

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
            match super::super::csv("t", &written, None) {
                Ok(Ok(read)) => {
                    prop_assert_eq!(read.delimiter, delimiter);
                    let cells: Vec<&Vec<String>> = read.rows.iter().map(|row| &row.cells).collect();
                    prop_assert_eq!(cells, filled);
                }
                other => prop_assert!(filled.is_empty(), "{:?}", other),
            }
        }

        /// The reader never panics, whatever bytes it reads.
        #[test]
        fn any_bytes_are_read_or_refused(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            for encoding in [None, Some(Encoding::Utf8), Some(Encoding::Windows1252)] {
                if let Ok(text) = decode("t", &bytes, encoding) {
                    drop(super::super::csv("t", &text, None));
                    drop(ndjson("t", &text));
                }
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
}
