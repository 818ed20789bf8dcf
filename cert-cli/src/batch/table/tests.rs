//! Tables as spreadsheets save them, and broken ones.

use super::*;

fn cells(text: &str) -> Cells {
    csv("t", text, None).unwrap().unwrap()
}

fn row(row: usize, cells: &[&str]) -> Cell {
    Cell {
        row,
        cells: cells.iter().map(|cell| (*cell).to_owned()).collect(),
    }
}

fn refused(bytes: &[u8], encoding: Option<Encoding>) -> String {
    decode("t", bytes, encoding).unwrap_err().to_string()
}

#[test]
fn the_delimiter_is_read_from_the_header() {
    for (text, delimiter) in [
        ("a,b\n1,2;3\n", Delimiter::Comma),
        ("a;b\n1;2,3\n", Delimiter::Semicolon),
        ("a\tb\n1\t2,3\n", Delimiter::Tab),
        ("\"a,x\";b\n1;2\n", Delimiter::Semicolon),
        ("\"a\nx,y\";b\n1;2\n", Delimiter::Semicolon),
        ("a\n1\n", Delimiter::Comma),
    ] {
        assert_eq!(cells(text).delimiter, delimiter, "{text}");
    }
    let ambiguous = csv("t", "a;b,c\n1;2\n", None).unwrap_err().to_string();
    assert!(ambiguous.contains("--delimiter"), "{ambiguous}");
    let told = csv("t", "a;b,c\n1;2\n", Some(Delimiter::Semicolon))
        .unwrap()
        .unwrap();
    assert_eq!(told.columns, ["a", "b,c"]);
}

#[test]
fn rows_are_numbered_as_in_a_spreadsheet() {
    let table =
        cells("name,grade,,\r\n\"Ada\r\nByron\",\"1,0 \"\"A\"\"\"\r\n,\r\n\r\nGrace,,,\r\n");
    assert_eq!(table.columns, ["name", "grade"]);
    assert_eq!(
        table.rows,
        [
            row(2, &["Ada\r\nByron", "1,0 \"A\""]),
            row(4, &["Grace", ""])
        ]
    );
}

#[test]
fn every_row_with_a_wrong_number_of_cells_is_reported() {
    let errors = csv("t", "a,b\n1\n1,2\n1,2,3\n", None).unwrap().unwrap_err();
    assert_eq!(
        errors.iter().map(|error| error.row).collect::<Vec<_>>(),
        [2, 4]
    );
}

#[test]
fn broken_tables_are_refused_with_a_sentence() {
    for (text, expected) in [
        ("", "empty"),
        ("a,b\n", "no rows"),
        ("a,b\n,\n", "no rows"),
        ("a,,b\n1,2,3\n", "column 2 has no name"),
        ("a,a\n1,2\n", "two columns are called `a`"),
        ("a,b\n\"1,2\n3,4\n", "not closed"),
    ] {
        let message = csv("t", text, None).unwrap_err().to_string();
        assert!(message.contains(expected), "{text}: {message}");
    }
}

#[test]
fn windows_1252_is_detected_and_has_to_be_confirmed() {
    let bytes = b"name\nM\xfcller \x80\n";
    let message = refused(bytes, None);
    assert!(
        message.contains("Müller €") && message.contains("--encoding windows-1252"),
        "{message}"
    );
    assert_eq!(
        decode("t", bytes, Some(Encoding::Windows1252)).unwrap(),
        "name\nMüller €\n"
    );
    assert_eq!(decode("t", b"\xef\xbb\xbfname\n", None).unwrap(), "name\n");
    assert!(refused(bytes, Some(Encoding::Utf8)).contains("not UTF-8 from byte 6 on"));
    assert!(refused("Müller".as_bytes(), Some(Encoding::Windows1252)).contains("UTF-8"));
    // Undefined in Windows-1252.
    assert!(refused(b"a\x81", Some(Encoding::Windows1252)).contains("U+0081"));
}

#[test]
fn other_kinds_of_files_are_named() {
    for (bytes, kind) in [
        (&b"PK\x03\x04..."[..], "workbook"),
        (b"\xd0\xcf\x11\xe0", "old Excel"),
        (b"%PDF-1.7", "PDF"),
        (b"\xff\xfea\0", "UTF-16"),
        (b"a\0b", "U+0000"),
    ] {
        let message = refused(bytes, None);
        assert!(message.contains(kind), "{message}");
    }
}

#[test]
fn documents_come_one_in_a_line() {
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
    for cell in [
        "=1+1",
        "@SUM(A1)",
        "+A1",
        "-A1",
        "=cmd|'/C calc'!A0",
        "-2+3+cmd|' /C calc'!A0",
        "\t=1",
        "\r=1",
        "+1e5",
    ] {
        assert_eq!(harmless(cell), format!("'{cell}"));
    }
    for cell in [
        "",
        "Ada",
        "-5",
        "+49 (30) 123-456/7",
        "1,5",
        "-1.5",
        "a=b",
        "'=x",
    ] {
        assert_eq!(harmless(cell), cell);
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
        /// Any table that a writer of CSV makes is read as it was.
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

        /// Any bytes are a table or a refusal.
        #[test]
        fn any_bytes_are_read_or_refused(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            for encoding in [None, Some(Encoding::Utf8), Some(Encoding::Windows1252)] {
                if let Ok(text) = decode("t", &bytes, encoding) {
                    drop(super::super::csv("t", &text, None));
                    drop(ndjson("t", &text));
                }
            }
        }

        /// A cell of the result begins a formula only if it is a number.
        #[test]
        fn cells_of_the_result_are_harmless(cell in "[=+@\\-\t\r]?[=+@\\-0-9A-C!|(),. ]{0,8}") {
            let safe = harmless(&cell);
            let quoted = ["'", &cell].concat();
            prop_assert!(safe == cell || safe == quoted);
            if safe.starts_with(['=', '@', '\t', '\r']) || safe.starts_with(['+', '-']) {
                prop_assert!(!safe.contains(|char: char| char.is_alphabetic() || matches!(char, '=' | '@' | '|' | '!' | '\t' | '\r')), "{}", safe);
            }
        }
    }
}
