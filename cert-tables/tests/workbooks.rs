//! Reads workbooks that other software wrote: `tests/vectors/batch/workbooks`. Spreadsheets of OpenDocument come from `ods.py` there.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    reason = "a test that cannot go on should stop"
)]

use std::io::{Cursor, Write as _};

use cert_tables::{Options, Problem, Table, is_workbook, workbook};
use zip::CompressionMethod;
use zip::write::{SimpleFileOptions, ZipWriter};

const COURSE: &[u8] = include_bytes!("../../tests/vectors/batch/workbooks/course.xlsx");
const SHEETS: &[u8] = include_bytes!("../../tests/vectors/batch/workbooks/sheets.xlsx");
const HIDDEN: &[u8] = include_bytes!("../../tests/vectors/batch/workbooks/hidden.xlsx");
const MAC: &[u8] = include_bytes!("../../tests/vectors/batch/workbooks/mac.xlsx");
const FORMULA: &[u8] = include_bytes!("../../tests/vectors/batch/workbooks/formula.xlsx");
const ERRORS: &[u8] = include_bytes!("../../tests/vectors/batch/workbooks/errors.xlsx");
const ODS_COURSE: &[u8] = include_bytes!("../../tests/vectors/batch/workbooks/course.ods");
const ODS_SHEETS: &[u8] = include_bytes!("../../tests/vectors/batch/workbooks/sheets.ods");
const ODS_FORMULA: &[u8] = include_bytes!("../../tests/vectors/batch/workbooks/formula.ods");
const ODS_FAR: &[u8] = include_bytes!("../../tests/vectors/batch/workbooks/far.ods");
const ODS_WIDE: &[u8] = include_bytes!("../../tests/vectors/batch/workbooks/wide.ods");
const FAR: &[u8] = include_bytes!("../../tests/vectors/batch/workbooks/far.xlsx");

fn read(bytes: &[u8], sheet: Option<&str>) -> Result<Table, Problem> {
    assert!(is_workbook(bytes));
    workbook(bytes, sheet, Options::default())
}

fn rows(table: &Table) -> Vec<(usize, Vec<&str>)> {
    table
        .rows
        .iter()
        .map(|row| (row.row, row.cells.iter().map(String::as_str).collect()))
        .collect()
}

/// The first row of the workbook and of the spreadsheet of OpenDocument.
const FIRST: [&str; 10] = [
    "José Müller",
    "2026-11-03",
    "24.5",
    "24.5%",
    "00007",
    "true",
    "2026-11-03T09:30:00",
    "12:00:00",
    "0.3",
    "1",
];

#[test]
fn cells_are_read_as_their_formats_show_them() {
    let table = read(COURSE, None).unwrap();
    assert_eq!(table.header, 3);
    assert_eq!(table.sheet.as_deref(), Some("Teilnehmer"));
    assert_eq!(
        rows(&table),
        [
            (4, FIRST.to_vec()),
            (
                5,
                vec![
                    "Zoë; \"Ada\"",
                    "1950-05-08",
                    "1000000000000000",
                    "100%",
                    "12345",
                    "false",
                    "2026-02-28T23:59:00",
                    "18:00:00",
                    "9007199254740990",
                    "-2"
                ]
            ),
        ]
    );
}

#[test]
fn dates_of_both_epochs_are_the_same() {
    let table = read(MAC, None).unwrap();
    assert_eq!(rows(&table), [(2, vec!["Ada", "2026-11-03"])]);
}

#[test]
fn a_sheet_is_chosen_if_several_have_cells() {
    let names =
        |names: &[&str]| Problem::Sheet(names.iter().map(|name| (*name).to_owned()).collect());
    let asked = names(&["Spring", "Autumn", "Secret"]);
    assert_eq!(read(SHEETS, None).unwrap_err(), asked);
    let table = read(SHEETS, Some("Autumn")).unwrap();
    assert_eq!(rows(&table), [(2, vec!["Ada", "Autumn"])]);
    let secret = read(SHEETS, Some("Secret")).unwrap();
    assert_eq!(rows(&secret), [(2, vec!["Ada", "Secret"])]);
    let all = names(&["Notes", "Spring", "Autumn", "Secret"]);
    assert_eq!(read(SHEETS, Some("Winter")).unwrap_err(), all);
    assert_eq!(read(SHEETS, Some("Notes")).unwrap_err(), Problem::Empty);
    assert_eq!(rows(&read(HIDDEN, None).unwrap()), [(2, vec!["Ada"])]);
}

#[test]
fn formulas_without_a_stored_value_are_problems_of_their_cells() {
    let table = read(FORMULA, None).unwrap();
    let problems: Vec<_> = table
        .problems
        .iter()
        .map(|problem| (problem.row, problem.column, problem.problem.code()))
        .collect();
    assert_eq!(problems, [(2, Some(1), "cell.formula")]);
    assert_eq!(
        rows(&table),
        [
            (2, vec!["Ada", ""]),
            (3, vec!["Grace", "2"]),
            (5, vec!["Last", "#REF!"])
        ]
    );
    let errors = read(ERRORS, None).unwrap();
    assert_eq!(rows(&errors), [(2, vec!["Ada", "#DIV/0!"])]);
}

#[test]
fn a_cell_in_the_last_row_is_refused_before_its_rows_are_made() {
    assert_eq!(read(FAR, None).unwrap_err(), Problem::TooLarge);
}

/// Returns an archive with the files of a workbook, each with other content.
fn archive(files: &[(&str, &str)]) -> Vec<u8> {
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, text) in files {
        // The media type of OpenDocument is not compressed.
        let options = match *name {
            "mimetype" => {
                SimpleFileOptions::default().compression_method(CompressionMethod::Stored)
            }
            _ => SimpleFileOptions::default(),
        };
        writer.start_file(*name, options).unwrap();
        writer.write_all(text.as_bytes()).unwrap();
    }
    writer.finish().unwrap().into_inner()
}

#[test]
fn one_long_text_in_every_cell_is_refused() {
    const RELATIONS: &str = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
    const MAIN: &str = "http://schemas.openxmlformats.org/spreadsheetml/2006/main";
    let cells = "<c t=\"s\"><v>0</v></c>".repeat(400);
    let sheet = format!("<row>{cells}</row>").repeat(100);
    let package = "http://schemas.openxmlformats.org/package/2006/relationships";
    let bytes = archive(&[
        (
            "_rels/.rels",
            &format!(
                "<Relationships xmlns=\"{package}\"><Relationship Id=\"r1\" Type=\"{RELATIONS}/officeDocument\" Target=\"xl/workbook.xml\"/></Relationships>"
            ),
        ),
        (
            "xl/workbook.xml",
            &format!(
                "<workbook xmlns=\"{MAIN}\" xmlns:r=\"{RELATIONS}\"><sheets><sheet name=\"a\" sheetId=\"1\" r:id=\"r1\"/></sheets></workbook>"
            ),
        ),
        (
            "xl/_rels/workbook.xml.rels",
            &format!(
                "<Relationships xmlns=\"{package}\"><Relationship Id=\"r1\" Type=\"{RELATIONS}/worksheet\" Target=\"worksheets/a.xml\"/><Relationship Id=\"r2\" Type=\"{RELATIONS}/sharedStrings\" Target=\"sharedStrings.xml\"/></Relationships>"
            ),
        ),
        (
            "xl/sharedStrings.xml",
            &format!(
                "<sst xmlns=\"{MAIN}\"><si><t>{}</t></si></sst>",
                "x".repeat(5_000)
            ),
        ),
        (
            "xl/worksheets/a.xml",
            &format!("<worksheet xmlns=\"{MAIN}\"><sheetData>{sheet}</sheetData></worksheet>"),
        ),
    ]);
    assert!(bytes.len() < 30_000);
    assert_eq!(read(&bytes, None).unwrap_err(), Problem::TooLarge);
}

#[test]
fn damaged_workbooks_are_refused() {
    for length in (0..COURSE.len()).step_by(97) {
        let result = workbook(&COURSE[..length], None, Options::default());
        assert_eq!(result.unwrap_err(), Problem::Damaged, "{length}");
    }
    // Every byte of the directory and of the packed files may be wrong.
    for at in (0..COURSE.len()).step_by(13) {
        let mut bytes = COURSE.to_vec();
        bytes[at] ^= 0x55;
        drop(workbook(&bytes, None, Options::default()));
    }
    let text = archive(&[("xl/workbook.xml", "no workbook")]);
    assert_eq!(read(&text, None).unwrap_err(), Problem::Damaged);
    assert!(!is_workbook(&archive(&[("content.xml", "")])));
    assert!(!is_workbook(b"xl/workbook.xml"));
}

#[test]
fn an_open_document_is_read_like_a_workbook() {
    let table = read(ODS_COURSE, None).unwrap();
    assert_eq!(
        (table.header, table.sheet.as_deref()),
        (3, Some("Teilnehmer"))
    );
    let again = vec![
        "Zoë; \"Ada\"",
        "1950-05-08",
        "a   b\nc & d",
        "",
        "",
        "false",
        "",
        "",
        "",
        "",
    ];
    assert_eq!(
        rows(&table),
        [(4, FIRST.to_vec()), (5, again.clone()), (6, again),]
    );
}

#[test]
fn sheets_of_an_open_document_are_chosen_like_those_of_a_workbook() {
    let names =
        |names: &[&str]| Problem::Sheet(names.iter().map(|name| (*name).to_owned()).collect());
    let asked = names(&["Spring", "Autumn", "Secret"]);
    assert_eq!(read(ODS_SHEETS, None).unwrap_err(), asked);
    let table = read(ODS_SHEETS, Some("Autumn")).unwrap();
    assert_eq!(rows(&table), [(2, vec!["Ada", "Autumn"])]);
    let all = names(&["Notes", "Spring", "Autumn", "Secret"]);
    assert_eq!(read(ODS_SHEETS, Some("Winter")).unwrap_err(), all);
    assert_eq!(read(ODS_SHEETS, Some("Notes")).unwrap_err(), Problem::Empty);
}

#[test]
fn formulas_and_merged_cells_of_an_open_document_show_what_is_stored() {
    let table = read(ODS_FORMULA, None).unwrap();
    let problems: Vec<_> = table
        .problems
        .iter()
        .map(|problem| (problem.row, problem.column, problem.problem.code()))
        .collect();
    assert_eq!(problems, [(2, Some(1), "cell.formula")]);
    assert_eq!(
        rows(&table),
        [
            (2, vec!["Ada", ""]),
            (3, vec!["Grace", "2"]),
            (4, vec!["Ada", ""])
        ]
    );
}

/// Returns a spreadsheet with this XML in its only sheet.
fn open_document(rows: &str, manifest: &str) -> Vec<u8> {
    archive(&[
        ("mimetype", "application/vnd.oasis.opendocument.spreadsheet"),
        (
            "META-INF/manifest.xml",
            &format!("<manifest:manifest>{manifest}</manifest:manifest>"),
        ),
        (
            "content.xml",
            &format!(
                "<c><office:body><office:spreadsheet><table:table table:name=\"a\">{rows}</table:table></office:spreadsheet></office:body></c>"
            ),
        ),
    ])
}

const ODS_HEADER: &str = "<table:table-row><table:table-cell office:value-type=\"string\"><text:p>n</text:p></table:table-cell></table:table-row>";

#[test]
fn repeated_cells_are_refused_before_they_are_made() {
    assert_eq!(read(ODS_FAR, None).unwrap_err(), Problem::TooLarge);
    assert_eq!(read(ODS_WIDE, None).unwrap_err(), Problem::TooLarge);
    let cell = |columns: &str, text: &str| {
        format!(
            "<table:table-cell office:value-type=\"string\" table:number-columns-repeated=\"{columns}\"><text:p>{text}</text:p></table:table-cell>"
        )
    };
    let row = |repeats: &str, cells: &str| {
        format!(
            "<table:table-row table:number-rows-repeated=\"{repeats}\">{cells}</table:table-row>"
        )
    };
    let sheet = |rows: &str| read(&open_document(&format!("{ODS_HEADER}{rows}"), ""), None);
    // 99,999 rows of 500 columns are within the bounds of rows and columns, but not of the rectangle.
    let rectangle = row("99999", &cell("500", "x"));
    assert_eq!(sheet(&rectangle).unwrap_err(), Problem::TooLarge);
    // A long text that is repeated exceeds the bound of all texts.
    let long = row("99999", &cell("1", &"x".repeat(2_000)));
    assert_eq!(sheet(&long).unwrap_err(), Problem::TooLarge);
    let spaces = row("1", &cell("1", "<text:s text:c=\"4000000000\"/>"));
    assert_eq!(sheet(&spaces).unwrap_err(), Problem::TooLarge);
    for number in ["99999999999999999999999999", "18446744073709551615"] {
        assert_eq!(
            sheet(&row(number, &cell("1", "x"))).unwrap_err(),
            Problem::TooLarge
        );
        assert_eq!(
            sheet(&row("1", &cell(number, "x"))).unwrap_err(),
            Problem::TooLarge
        );
    }
    for number in ["-1", "1e9", " 1"] {
        assert_eq!(
            sheet(&row(number, &cell("1", "x"))).unwrap_err(),
            Problem::Damaged
        );
    }
    // Empty cells at the end of rows and below the table are no cells.
    let empty = row(
        "99999999999",
        "<table:table-cell table:number-columns-repeated=\"99999999999\"/>",
    );
    let table = sheet(&format!("{}{empty}", row("1", &cell("1", "x")))).unwrap();
    assert_eq!(rows(&table), [(2, vec!["x"])]);
}

#[test]
fn an_archive_that_unpacks_to_more_than_100_megabytes_is_refused() {
    let spaces = " ".repeat(101_000_000);
    let bomb = open_document(&spaces, "");
    assert!(bomb.len() < 1_000_000);
    assert_eq!(read(&bomb, None).unwrap_err(), Problem::TooLarge);
}

#[test]
fn damaged_and_locked_open_documents_are_refused() {
    let locked = open_document(
        "",
        "<manifest:file-entry><manifest:encryption-data/></manifest:file-entry>",
    );
    assert_eq!(read(&locked, None).unwrap_err(), Problem::Protected);
    for rows in [
        "<table:table-row>",
        "<table:table-row></table:table-cell></table:table-row>",
        "<table:table-row><table:table-cell office:value-type=\"string\"><text:p>&evil;</text:p></table:table-cell></table:table-row>",
        &format!(
            "{}{}",
            "<text:span>".repeat(200),
            "</text:span>".repeat(200)
        ),
    ] {
        let result = read(&open_document(rows, ""), None);
        assert_eq!(result.unwrap_err(), Problem::Damaged, "{rows}");
    }
    for length in (0..ODS_COURSE.len()).step_by(53) {
        let result = workbook(&ODS_COURSE[..length], None, Options::default());
        assert_eq!(result.unwrap_err(), Problem::Damaged, "{length}");
    }
    for at in (0..ODS_COURSE.len()).step_by(7) {
        let mut bytes = ODS_COURSE.to_vec();
        bytes[at] ^= 0x55;
        drop(workbook(&bytes, None, Options::default()));
    }
    let other = archive(&[("mimetype", "application/vnd.oasis.opendocument.text")]);
    assert!(!is_workbook(&other));
}
