//! Tests of documents made from rows, and of the parts of documents.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    reason = "a test that cannot go on should stop"
)]

use cert_core::{Path, PathStep};
use cert_tables::{
    Field, Names, Problem, Reading, Row, document, empty, field_at, fields, leaves, questions,
    wrong_keys,
};
use serde_json::{Value, json};

fn schema() -> Value {
    json!({
        "type": "object",
        "properties": {
            "name": { "type": "string", "title": "Course" },
            "issuedAt": { "type": "string" },
            "holder": { "type": "object", "properties": { "name": { "type": "string" }, "born": { "type": "string" } } },
            "points": { "type": "number" },
            "hours": { "type": "integer" },
            "passed": { "type": "boolean" },
            "grades": { "type": "array", "items": { "type": "object", "properties": { "subject": { "type": "string" }, "points": { "type": "number" } } } },
            "assetId": { "type": "string" }
        }
    })
}

/// Returns a row's document, or the columns of its problems. A column is the path of its field.
fn made(columns: &[&[PathStep]], cells: &[&str]) -> Result<Value, Vec<(usize, &'static str)>> {
    let at = |path: &&[PathStep]| field_at(&schema(), &Path::from(*path));
    let mapped: Vec<Option<Field>> = columns.iter().map(at).collect();
    let row = Row {
        row: 2,
        cells: cells.iter().map(|cell| (*cell).to_owned()).collect(),
    };
    let code = |problem: cert_tables::RowProblem| (problem.column.unwrap(), problem.problem.code());
    document(&row, &schema(), &mapped)
        .map(Value::Object)
        .map_err(|problems| problems.into_iter().map(code).collect())
}

fn key(name: &str) -> Vec<PathStep> {
    vec![name.into()]
}

fn grade(index: usize, name: &str) -> Vec<PathStep> {
    vec!["grades".into(), index.into(), name.into()]
}

#[test]
fn cells_become_values_of_the_fields_types() {
    let born = ["holder".into(), "born".into()];
    let columns: &[&[PathStep]] = &[
        &key("name"),
        &key("points"),
        &key("hours"),
        &key("passed"),
        &born,
        &grade(0, "subject"),
        &grade(0, "points"),
    ];
    let cells = ["007", "97.50", " 96 ", "TRUE", "", "Hash", "1e2"];
    assert_eq!(
        made(columns, &cells).unwrap(),
        json!({ "name": "007", "points": 97.5, "hours": 96, "passed": true, "grades": [{ "subject": "Hash", "points": 1e2 }] })
    );
}

#[test]
fn problems_of_wrong_cells_name_their_columns() {
    let columns: &[&[PathStep]] = &[&key("name"), &key("points"), &key("passed")];
    assert_eq!(
        made(columns, &["x", "97,5", "yes"]),
        Err(vec![(1, "cell.number"), (2, "cell.boolean")])
    );
    let holes: &[&[PathStep]] = &[&grade(0, "subject"), &grade(2, "subject")];
    assert_eq!(made(holes, &["x", "y"]), Err(vec![(1, "cell.gap")]));
}

#[test]
fn a_name_that_fits_several_fields_is_not_guessed() {
    let guess = |schema: &Value, column: &str| {
        let all = fields(schema);
        let names = Names::of(&all);
        names.guess(column).map(|field| field.path.to_string())
    };
    // `name` is the path of one field, and the last key of two fields. Paths are compared first.
    assert_eq!(guess(&schema(), "name").as_deref(), Some("name"));
    let mut twice = schema();
    twice["properties"]["course"] = json!({ "type": "string" });
    twice["properties"]["points"]["title"] = json!("Course");
    assert_eq!(guess(&twice, "Course").as_deref(), Some("course"));
    let properties = twice["properties"].as_object_mut().unwrap();
    properties.remove("course");
    assert_eq!(guess(&twice, "Course"), None);
}

#[test]
fn empty_and_repeated_keys_are_problems_of_their_rows() {
    let keys = ["a", "b", "", "a"];
    assert_eq!(
        wrong_keys((2..).zip(keys)),
        [(4, Problem::KeyEmpty), (5, Problem::KeyTwice(2))]
    );
}

#[test]
fn leaves_are_the_scalar_values() {
    let found = leaves(&json!({ "a": 1, "b": { "c": [true, null] }, "d": {} }));
    let texts: Vec<String> = found.iter().map(Path::to_string).collect();
    assert_eq!(texts, ["a", "b.c[0]", "b.c[1]"]);
}

#[test]
fn empty_fields_beside_the_shown_ones_are_found() {
    let empty_of = |document: &Value, shown: &[Path]| -> Vec<String> {
        empty(&schema(), document, shown)
            .iter()
            .map(Path::to_string)
            .collect()
    };
    let document = json!({ "name": "Logic", "assetId": "1", "holder": { "name": "Ada" }, "grades": [{ "subject": "Sets" }] });
    let at_root = ["hours", "issuedAt", "passed", "points"];
    assert_eq!(empty_of(&document, &[Path::from(["name"])]), at_root);
    // Fields inside an object or item count only if a part of it is shown.
    let mut all = empty_of(
        &document,
        &[
            Path::from(["holder", "name"]),
            Path::from([PathStep::from("grades"), 0.into(), "subject".into()]),
            Path::from(["hours"]),
        ],
    );
    all.sort();
    let expected = [
        "grades[0].points",
        "holder.born",
        "issuedAt",
        "passed",
        "points",
    ];
    assert_eq!(all, expected);
    assert_eq!(empty_of(&document, &[Path::from(["holder"])]), at_root);
}

#[test]
fn columns_with_local_dates_and_numbers_are_asked_about_once() {
    let schema = json!({
        "type": "object",
        "properties": {
            "day": { "type": "string", "format": "date" },
            "end": { "anyOf": [{ "type": "string", "format": "date" }, { "type": "null" }] },
            "points": { "type": "number" },
            "share": { "type": "number" },
            "code": { "type": "string" },
            "free": { "type": "number" }
        }
    });
    let mut mapped: Vec<Option<Field>> = ["day", "end", "points", "share", "code", "free"]
        .iter()
        .map(|key| field_at(&schema, &Path::from([*key])))
        .collect();
    let row = |row, cells: [&str; 6]| Row {
        row,
        cells: cells.map(str::to_owned).into(),
    };
    let rows = [
        row(
            2,
            [
                "03.11.2026",
                "2026-11-03",
                "24,5",
                "24.5%",
                "03.11.2026",
                "7",
            ],
        ),
        row(3, ["2026-12-24", "", "1.234", "3%", "1,5", "1.5"]),
        row(4, ["05.11.2026", "11/25/2026", "7", "", "", ""]),
    ];
    let asked: Vec<_> = questions(&rows, &schema, &mapped)
        .into_iter()
        .map(|question| (question.column, question.readings, question.examples))
        .collect();
    let meant = |reading, texts: &[&str]| {
        (
            reading,
            texts
                .iter()
                .map(|text| (*text).to_owned())
                .collect::<Vec<_>>(),
        )
    };
    assert_eq!(
        asked,
        [
            (
                0,
                vec![
                    meant(Reading::DayMonthYear, &["2026-11-03", "2026-11-05"]),
                    meant(Reading::MonthDayYear, &["2026-03-11", "2026-05-11"])
                ],
                vec!["03.11.2026".to_owned(), "05.11.2026".to_owned()]
            ),
            (
                1,
                vec![meant(Reading::MonthDayYear, &["2026-11-25"])],
                vec!["11/25/2026".to_owned()]
            ),
            (
                2,
                vec![meant(Reading::DecimalComma, &["24.5"])],
                vec!["24,5".to_owned()]
            ),
            (
                3,
                vec![
                    meant(Reading::Percent, &["24.5", "3"]),
                    meant(Reading::Fraction, &["0.245", "0.03"])
                ],
                vec!["24.5%".to_owned(), "3%".to_owned()]
            ),
        ]
    );
    let answers = [
        Some(Reading::DayMonthYear),
        Some(Reading::MonthDayYear),
        Some(Reading::DecimalComma),
        Some(Reading::Fraction),
        None,
        None,
    ];
    for (field, reading) in mapped.iter_mut().zip(answers) {
        field.as_mut().unwrap().reading = reading;
    }
    let made: Vec<Value> = rows
        .iter()
        .map(|row| Value::Object(document(row, &schema, &mapped).unwrap()))
        .collect();
    assert_eq!(
        made,
        [
            json!({ "day": "2026-11-03", "end": "2026-11-03", "points": 24.5, "share": 0.245, "code": "03.11.2026", "free": 7 }),
            json!({ "day": "2026-12-24", "points": 1234, "share": 0.03, "code": "1,5", "free": 1.5 }),
            json!({ "day": "2026-11-05", "end": "2026-11-25", "points": 7 }),
        ]
    );
}

#[test]
fn a_column_that_no_reading_fits_has_no_question() {
    let schema = json!({ "type": "object", "properties": { "points": { "type": "number" } } });
    let mapped = [field_at(&schema, &Path::from(["points"]))];
    for cells in [
        &["24,5", "24.5"][..],
        &["24,5", "x"],
        &["24", "1.5"],
        &["", " "],
    ] {
        let rows: Vec<Row> = (2..)
            .zip(cells)
            .map(|(row, cell)| Row {
                row,
                cells: vec![(*cell).to_owned()],
            })
            .collect();
        assert_eq!(questions(&rows, &schema, &mapped), [], "{cells:?}");
    }
}
