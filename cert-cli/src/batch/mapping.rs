//! Maps the columns of a table to the schema's fields, by the options and by their names.

use std::collections::{BTreeMap, BTreeSet};

use cert_tables::{Field, Names, Question, Reading, Table, field_at, fields};
use serde_json::Value;

use crate::arguments::Batch;
use crate::failure::Failure;
use crate::input::Inputs;
use crate::path;

/// A column, and the field that its cells fill.
pub(crate) struct Mapped {
    pub(crate) column: String,
    /// `None` if the column is not certified.
    pub(crate) field: Option<Field>,
    /// True if the user's mapping contains the column.
    pub(crate) is_given: bool,
}

/// Maps each column to a field: by the given mapping, otherwise by the column's name.
///
/// # Errors
/// If a given column does not exist, a given path is malformed or not in the schema, or two columns have the same field.
pub(crate) fn map(
    columns: &[String],
    schema: &Value,
    given: &BTreeMap<String, String>,
) -> Result<Vec<Mapped>, Failure> {
    let wrong = |message: String| Failure::new("mapping-invalid", message);
    let known: BTreeSet<&String> = columns.iter().collect();
    if let Some(unknown) = given.keys().find(|name| !known.contains(name)) {
        return Err(wrong(format!(
            "the table has no column `{unknown}`: its columns are {}",
            columns.join(", ")
        )));
    }
    let fields = fields(schema);
    let names = Names::of(&fields);
    let mut columns_of = BTreeMap::new();
    let mut mapped: Vec<Mapped> = Vec::new();
    for column in columns {
        let field = match given.get(column) {
            Some(text) if text.is_empty() => None,
            Some(text) => {
                let path = path::all(std::slice::from_ref(text))?
                    .pop()
                    .unwrap_or_default();
                Some(
                    field_at(schema, &path)
                        .ok_or_else(|| wrong(format!("the schema has no field `{text}`")))?,
                )
            }
            None => names.guess(column).cloned(),
        };
        if let Some(field) = &field
            && let Some(other) = columns_of.insert(field.path.clone(), column)
        {
            return Err(wrong(format!(
                "the columns `{}` and `{column}` both fit the field `{}`: choose one with --map \"{column}={}\", and leave the other out with --map \"{}=\"",
                other,
                path::shown(&field.path),
                path::shown(&field.path),
                other,
            )));
        }
        mapped.push(Mapped {
            column: column.clone(),
            field,
            is_given: given.contains_key(column),
        });
    }
    Ok(mapped)
}

/// Sets the readings that the user confirmed. Fails if a column needs a reading and has none.
pub(crate) fn read(
    table: &Table,
    schema: &Value,
    mapped: &mut [Mapped],
    confirmed: &[String],
) -> Result<(), Failure> {
    for text in confirmed {
        let wrong =
            |message: String| Failure::new("reading-invalid", format!("--read {text}: {message}"));
        let (column, name) = text
            .rsplit_once('=')
            .ok_or_else(|| wrong("write COLUMN=READING".to_owned()))?;
        let reading = Reading::named(name.trim())
            .ok_or_else(|| wrong(format!("there is no reading `{}`", name.trim())))?;
        let field = mapped
            .iter_mut()
            .find(|mapped| mapped.column == column.trim())
            .and_then(|mapped| mapped.field.as_mut())
            .ok_or_else(|| wrong(format!("no column `{}` is mapped", column.trim())))?;
        field.reading = Some(reading);
    }
    let given: Vec<Option<Field>> = mapped.iter().map(|mapped| mapped.field.clone()).collect();
    let open: Vec<String> = cert_tables::questions(&table.rows, schema, &given)
        .iter()
        .filter(|question| {
            let field = given.get(question.column).and_then(Option::as_ref);
            field.is_some_and(|field| field.reading.is_none())
        })
        .map(|question| asked(question, &table.columns))
        .collect();
    if open.is_empty() {
        return Ok(());
    }
    Err(Failure::new("reading-not-confirmed", open.join("\n")))
}

/// Returns the sentence that asks for a column's reading.
fn asked(question: &Question, columns: &[String]) -> String {
    let column = columns.get(question.column).map_or("", String::as_str);
    let ways: Vec<String> = question
        .readings
        .iter()
        .map(|(reading, texts)| {
            let shown: Vec<String> = question
                .examples
                .iter()
                .zip(texts)
                .map(|(cell, text)| format!("`{cell}` is {text}"))
                .collect();
            format!(
                "{}, add --read \"{column}={}\"",
                shown.join(", "),
                reading.name()
            )
        })
        .collect();
    format!("column `{column}`: if {}", ways.join("; if "))
}

/// Returns the paths that --map-file and --map give to columns. --map takes precedence.
pub(crate) fn given_mapping(
    inputs: &mut Inputs,
    options: &Batch,
) -> Result<BTreeMap<String, String>, Failure> {
    let mut given = BTreeMap::new();
    if let Some(file) = &options.map_file {
        let read: BTreeMap<String, String> = serde_json::from_str(&inputs.text(file)?).map_err(|error| {
            Failure::new("mapping-invalid", format!("{file}: a mapping is a JSON object such as {{\"Column\": \"field\"}}: {error}"))
        })?;
        given.extend(read);
    }
    for text in &options.map {
        let Some((column, path)) = text.rsplit_once('=') else {
            return Err(Failure::new(
                "mapping-invalid",
                format!("--map {text}: write COLUMN=PATH, or COLUMN= to leave a column out"),
            ));
        };
        given.insert(column.trim().to_owned(), path.trim().to_owned());
    }
    Ok(given)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn schema() -> Value {
        let grade = json!({ "type": "object", "properties": { "points": { "type": "number" } } });
        json!({
            "type": "object",
            "properties": {
                "name": { "type": "string", "title": "Course" },
                "points": { "type": "number" },
                "grades": { "type": "array", "items": grade }
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

    fn table() -> Table {
        let text = "Course;Points\n03.11.2026;24,5\n";
        cert_tables::read(text, cert_tables::Options::default()).unwrap()
    }

    #[test]
    fn a_column_with_local_numbers_needs_a_confirmed_reading() {
        let table = table();
        let confirmed = |readings: &[&str]| {
            let mut mapped = map(&table.columns, &schema(), &BTreeMap::new()).unwrap();
            let readings: Vec<String> = readings.iter().map(|text| (*text).to_owned()).collect();
            read(&table, &schema(), &mut mapped, &readings)
                .map(|()| mapped[1].field.as_ref().unwrap().reading)
                .map_err(|failure| failure.to_string())
        };
        let asked = confirmed(&[]).unwrap_err();
        assert!(
            asked.ends_with(
                "column `Points`: if `24,5` is 24.5, add --read \"Points=decimal-comma\""
            ),
            "{asked}"
        );
        assert_eq!(
            confirmed(&["Points = decimal-comma"]),
            Ok(Some(Reading::DecimalComma))
        );
        for (wrong, expected) in [
            ("Points", "write COLUMN=READING"),
            ("Points=roman", "there is no reading `roman`"),
            ("Other=percent", "no column `Other` is mapped"),
        ] {
            let message = confirmed(&[wrong]).unwrap_err();
            assert!(message.contains(expected), "{message}");
        }
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
}
