//! Tests of guessed and given mappings, and of the documents that they produce.

use std::cell::Cell as Count;

use serde_json::json;

use super::*;

thread_local! {
    /// The number of calls of [`plain`].
    pub(super) static COMPARED: Count<usize> = const { Count::new(0) };
}

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

fn mapping(columns: &[&str], given: &[(&str, &str)]) -> Result<Vec<Mapped>, Failure> {
    let columns: Vec<String> = columns.iter().map(|column| (*column).to_owned()).collect();
    let given = given
        .iter()
        .map(|(column, path)| ((*column).to_owned(), (*path).to_owned()))
        .collect();
    map(&columns, &schema(), &given)
}

fn paths(columns: &[&str], given: &[(&str, &str)]) -> Vec<Option<String>> {
    let mapped = mapping(columns, given).unwrap();
    mapped
        .into_iter()
        .map(|mapped| mapped.field.map(|field| field.path.to_string()))
        .collect()
}

fn made(columns: &[&str], given: &[(&str, &str)], cells: &[&str]) -> Result<Value, Vec<String>> {
    let row = Cell {
        row: 2,
        cells: cells.iter().map(|cell| (*cell).to_owned()).collect(),
    };
    document(&row, &schema(), &mapping(columns, given).unwrap())
        .map(Value::Object)
        .map_err(|errors| {
            errors
                .into_iter()
                .map(|error| error.column.unwrap_or_default())
                .collect()
        })
}

/// Cases that the tests of the page for issuing many certificates use, too.
#[derive(serde::Deserialize)]
struct Vectors {
    guesses: Guesses,
    /// A cell, the types of its field, and the value.
    values: Vec<(String, Vec<String>, Value)>,
    /// A cell, types that it does not fit, and the key of the page's error text.
    refused: Vec<(String, Vec<String>, String)>,
    described: Vec<Described>,
    followed: Guesses,
}

/// A field's schema, cells with their values, and cells that the field does not take, with the key of the page's error text.
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
    serde_json::from_str(include_str!("../../../../tests/vectors/batch/table.json")).unwrap()
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
fn each_column_and_each_field_is_compared_once() {
    let columns: Vec<String> = (0..1_000).map(|at| format!("c{at}")).collect();
    let property = |at| (format!("f{at}"), json!({ "title": format!("c{at}") }));
    let properties: Map<String, Value> = (0..1_000).map(property).collect();
    let schema = json!({ "type": "object", "properties": properties });
    COMPARED.set(0);
    let mapped = map(&columns, &schema, &BTreeMap::new()).unwrap();
    assert!(mapped.iter().all(|mapped| mapped.field.is_some()));
    // A field has a path, a title and a last key.
    assert_eq!(COMPARED.get(), 4_000);
}

#[test]
fn cells_become_values_or_are_refused() {
    let vectors = vectors();
    let of_types = |types: &[String]| json!({ "type": types });
    for (cell, types, expected) in vectors.values {
        assert_becomes(&cell, &of_types(&types), &expected);
    }
    for (cell, types, _) in vectors.refused {
        let schema = of_types(&types);
        assert!(value(&cell, &schema, &schema).is_err(), "{cell}");
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
        for (cell, _) in refused {
            assert!(value(&cell, &schema, &schema).is_err(), "{cell}: {schema}");
        }
    }
}

#[test]
fn given_fields_may_lie_behind_references() {
    let schema = vectors().followed.schema;
    let types = |path: &[PathStep]| {
        field_at(&schema, &Path::from(path)).map(|field| field.schema["type"].clone())
    };
    let deep = [
        "node".into(),
        "next".into(),
        "next".into(),
        PathStep::from("label"),
    ];
    assert_eq!(types(&deep), Some(json!("string")));
    let item = ["tags".into(), PathStep::from(3)];
    assert_eq!(types(&item), Some(json!("string")));
    assert_eq!(types(&["node".into(), "other".into()]), None);
    assert!(!is_field(&schema, &Path::from(&deep[..2])));
}

#[test]
fn a_name_that_fits_several_fields_is_not_guessed() {
    // `name` is the path of one field, and the last key of two fields. Paths are compared first.
    assert_eq!(paths(&["name"], &[]), [Some("name".to_owned())]);
    let mut twice = schema();
    twice["properties"]["course"] = json!({ "type": "string" });
    twice["properties"]["points"]["title"] = json!("Course");
    let columns = ["Course".to_owned()];
    assert_eq!(
        map(&columns, &twice, &BTreeMap::new()).unwrap()[0]
            .field
            .as_ref()
            .unwrap()
            .path
            .to_string(),
        "course"
    );
    twice["properties"]
        .as_object_mut()
        .unwrap()
        .remove("course");
    assert!(
        map(&columns, &twice, &BTreeMap::new()).unwrap()[0]
            .field
            .is_none()
    );
}

#[test]
fn given_fields_have_precedence_and_must_exist() {
    assert_eq!(
        paths(&["name", "x"], &[("x", "grades[0].points"), ("name", "")]),
        [None, Some("grades[0].points".to_owned())]
    );
    for (columns, given, expected) in [
        (&["a"][..], &[("b", "name")][..], "no column `b`"),
        (&["a"], &[("a", "title")], "no field `title`"),
        (&["Course", "name"], &[], "both fit the field `name`"),
        (&["a"], &[("a", "x..y")], "is not a path"),
    ] {
        let Err(message) = mapping(columns, given) else {
            panic!("{columns:?} {given:?}");
        };
        assert!(message.to_string().contains(expected), "{message}");
    }
}

#[test]
fn cells_become_values_of_the_fields_types() {
    let document = made(
        &["name", "points", "hours", "passed", "Born", "s", "p"],
        &[("s", "grades[0].subject"), ("p", "grades[0].points")],
        &["007", "97.50", " 96 ", "TRUE", "", "Hash", "1e2"],
    );
    assert_eq!(
        document.unwrap(),
        json!({ "name": "007", "points": 97.5, "hours": 96, "passed": true, "grades": [{ "subject": "Hash", "points": 1e2 }] })
    );
}

#[test]
fn errors_of_wrong_cells_name_their_columns() {
    assert_eq!(
        made(&["name", "points", "passed"], &[], &["x", "97,5", "yes"]),
        Err(vec!["points".to_owned(), "passed".to_owned()])
    );
    let holes = made(
        &["a", "b"],
        &[("a", "grades[0].subject"), ("b", "grades[2].subject")],
        &["x", "y"],
    );
    assert_eq!(holes, Err(vec!["b".to_owned()]));
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
    // Nothing is said about the inside of an object or item that is hidden, or shown as a whole.
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
