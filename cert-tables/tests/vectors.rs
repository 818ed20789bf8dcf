//! Runs the cases of tests/vectors/batch.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    reason = "a test that cannot go on should stop"
)]

use cert_core::verdict::moment;
use cert_core::{Path, PathStep};
use cert_tables::doubts::{self, Doubt, Rules, time_at};
use cert_tables::{
    Delimiter, Field, Names, Options, Row, decode, document, field_at, fields, harmless, is_field,
    read, value,
};
use serde_json::{Value, json};

/// The cases of `table.json`.
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
    guesses: Guesses,
    /// A cell, the types of its field, and the value.
    values: Vec<(String, Vec<String>, Value)>,
    /// A cell, types that it does not fit, and the code of the problem.
    refused: Vec<(String, Vec<String>, String)>,
    described: Vec<Described>,
    followed: Guesses,
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
    code: String,
    /// Words that the message contains.
    words: String,
}

#[derive(serde::Deserialize)]
struct Table {
    text: String,
    delimiter: char,
    header: Option<usize>,
    columns: Vec<String>,
    rows: Vec<(usize, Vec<String>)>,
}

#[derive(serde::Deserialize)]
struct Broken {
    text: String,
    code: String,
    words: String,
}

#[derive(serde::Deserialize)]
struct BrokenRows {
    text: String,
    rows: Vec<usize>,
}

/// A field's schema, cells with their values, and cells that the field does not take, with the code of the problem.
#[derive(serde::Deserialize)]
struct Described {
    schema: Value,
    values: Vec<(String, Value)>,
    refused: Vec<(String, String)>,
}

#[derive(serde::Deserialize)]
struct Guesses {
    schema: Value,
    columns: Vec<(String, Option<String>)>,
}

fn vectors() -> Vectors {
    serde_json::from_str(include_str!("../../tests/vectors/batch/table.json")).unwrap()
}

fn bytes(hex: &str) -> Vec<u8> {
    hex.as_bytes()
        .chunks(2)
        .map(|pair| u8::from_str_radix(std::str::from_utf8(pair).unwrap(), 16).unwrap())
        .collect()
}

fn decoded(hex: &str, label: Option<&str>) -> Result<String, cert_tables::Problem> {
    let encoding = label.map(|label| cert_tables::encoding(label).unwrap());
    decode(&bytes(hex), encoding)
}

#[test]
fn bytes_become_text_or_are_refused() {
    let vectors = vectors();
    for case in &vectors.decoded {
        let text = decoded(&case.bytes, case.encoding.as_deref()).unwrap();
        assert_eq!(text, case.text, "{}", case.bytes);
    }
    for case in &vectors.undecoded {
        let problem = decoded(&case.bytes, case.encoding.as_deref()).unwrap_err();
        assert_eq!(problem.code(), case.code, "{}", case.bytes);
        let message = format!("{problem} {:?}", problem.values());
        assert!(message.contains(&case.words), "{message}");
    }
}

#[test]
fn tables_are_read_with_their_delimiter_and_row_numbers() {
    for case in vectors().tables {
        let table = read(&case.text, Options::default()).unwrap();
        assert_eq!(
            char::from(table.delimiter.byte()),
            case.delimiter,
            "{}",
            case.text
        );
        assert_eq!(table.header, case.header.unwrap_or(1), "{}", case.text);
        assert_eq!(table.columns, case.columns, "{}", case.text);
        let rows = case.rows.into_iter().map(|(row, cells)| Row { row, cells });
        assert_eq!(table.rows, rows.collect::<Vec<_>>(), "{}", case.text);
        assert_eq!(table.problems, [], "{}", case.text);
    }
    let chosen = Options {
        delimiter: Some(Delimiter::Semicolon),
        ..Options::default()
    };
    assert_eq!(read("a;b,c\n1;2\n", chosen).unwrap().columns, ["a", "b,c"]);
}

#[test]
fn broken_tables_are_refused_and_broken_rows_are_all_reported() {
    let vectors = vectors();
    for case in &vectors.broken {
        let problem = read(&case.text, Options::default()).unwrap_err();
        assert_eq!(problem.code(), case.code, "{}", case.text);
        assert!(problem.to_string().contains(&case.words), "{problem}");
    }
    for case in &vectors.broken_rows {
        let table = read(&case.text, Options::default()).unwrap();
        let rows: Vec<usize> = table.problems.iter().map(|problem| problem.row).collect();
        assert_eq!(rows, case.rows, "{}", case.text);
    }
}

#[test]
fn a_table_has_at_most_as_many_rows_as_its_reader_takes() {
    let few = Options {
        max_rows: 2,
        ..Options::default()
    };
    assert_eq!(read("a\n1\n2\n", few).unwrap().rows.len(), 2);
    assert_eq!(
        read("a\n1\n2\n\n3\n", few).unwrap_err().code(),
        "table.rows"
    );
}

/// If each column were compared with all columns before it, this test would take hours.
#[test]
fn many_columns_are_read_in_linear_time() {
    let columns: Vec<String> = (0..700_000).map(|at| at.to_string()).collect();
    let text = format!("{},0\n", columns.join(","));
    let problem = read(&text, Options::default()).unwrap_err();
    assert_eq!(problem.to_string(), "two columns are called `0`");
}

#[test]
fn no_cell_of_the_result_is_a_formula() {
    for (cell, written) in vectors().cells {
        assert_eq!(harmless(&cell), written);
    }
}

#[test]
fn columns_are_guessed_by_path_title_and_last_key() {
    let Vectors {
        guesses, followed, ..
    } = vectors();
    for Guesses { schema, columns } in [guesses, followed] {
        let fields = fields(&schema);
        let names = Names::of(&fields);
        for (column, path) in columns {
            let found = names.guess(&column).map(|field| field.path.to_string());
            assert_eq!(found, path, "{column}");
        }
    }
}

/// Asserts that a cell becomes a value. The numbers 100 and 100.0 are equal values.
fn assert_becomes(cell: &str, schema: &Value, expected: &Value) {
    let made = value(cell, schema, schema).unwrap();
    let is_equal = made == *expected
        || made
            .as_f64()
            .is_some_and(|number| Some(number) == expected.as_f64());
    assert!(is_equal, "{cell} of {schema}: {made}");
}

#[test]
fn cells_become_values_or_are_refused() {
    let vectors = vectors();
    let of_types = |types: &[String]| json!({ "type": types });
    for (cell, types, expected) in vectors.values {
        assert_becomes(&cell, &of_types(&types), &expected);
    }
    for (cell, types, code) in vectors.refused {
        let schema = of_types(&types);
        assert_eq!(
            value(&cell, &schema, &schema).unwrap_err().code(),
            code,
            "{cell}"
        );
    }
}

#[test]
fn cells_become_values_that_their_schemas_accept() {
    for Described {
        schema,
        values,
        refused,
    } in vectors().described
    {
        for (cell, expected) in values {
            assert_becomes(&cell, &schema, &expected);
        }
        for (cell, code) in refused {
            let problem = value(&cell, &schema, &schema).unwrap_err();
            assert_eq!(problem.code(), code, "{cell}: {schema}");
        }
    }
}

#[test]
fn given_fields_may_lie_behind_references() {
    let schema = vectors().followed.schema;
    let has = |path: &[PathStep]| field_at(&schema, &Path::from(path)).is_some();
    let deep = [
        "node".into(),
        "next".into(),
        "next".into(),
        PathStep::from("label"),
    ];
    assert!(has(&deep));
    let item = ["tags".into(), PathStep::from(3)];
    assert!(has(&item));
    assert!(!has(&["node".into(), "other".into()]));
    assert!(!is_field(&schema, &Path::from(&deep[..2])));
}

#[test]
fn doubtful_rows_are_those_of_the_vectors() {
    #[derive(serde::Deserialize)]
    struct Vectors {
        now: String,
        tables: Vec<Table>,
    }
    #[derive(serde::Deserialize)]
    struct Table {
        name: String,
        schema: Value,
        csv: String,
        doubts: Vec<Value>,
    }
    let text = include_str!("../../tests/vectors/batch/doubts.json");
    let vectors: Vectors = serde_json::from_str(text).unwrap();
    let now = time_at(moment(&vectors.now).unwrap().start);
    for case in vectors.tables {
        let table = read(&case.csv, Options::default()).unwrap();
        let all = fields(&case.schema);
        let names = Names::of(&all);
        let guess = |column: &String| names.guess(column).cloned();
        let mapped: Vec<Option<Field>> = table.columns.iter().map(guess).collect();
        let rules = Rules::of(&case.schema, now);
        let of_row = |row: &Row| {
            let made = Value::Object(document(row, &case.schema, &mapped).unwrap());
            (row.row, doubts::of_row(&rules, &made, &row.cells, &mapped))
        };
        let found: Vec<Value> = doubts::of_rows(table.rows.iter().map(of_row))
            .into_iter()
            .map(|(row, path, doubt)| {
                let mut found = json!({ "kind": doubt.kind().name(), "row": row, "path": path.to_string(), "code": doubt.code() });
                if let Doubt::Equal { first } = doubt {
                    found["first"] = json!(first);
                }
                found
            })
            .collect();
        assert_eq!(found, case.doubts, "{}", case.name);
    }
}
