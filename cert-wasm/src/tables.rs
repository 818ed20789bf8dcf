//! Tables of certificates, for the pages. Values cross as JSON text, because `serde-wasm-bindgen` loses keys such as `__proto__`. A table that cannot be
//! read throws the JSON text of `{ key, values }`, where `key` is the key of a text in `pkg/view/texts`.

use cert_core::{Path, PathStep};
use cert_tables::Options;
use cert_tables::doubts::{self, Doubt, Rules, time_at};
use cert_tables::{
    Delimiter, Field, Names, Problem, Question, Reading, Row, RowProblem, field_at, fields,
};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use wasm_bindgen::JsError;
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;

/// A step of a path: a key or an index.
#[derive(Clone, Deserialize, Serialize)]
#[serde(untagged)]
enum Step {
    Index(usize),
    Key(String),
}

fn path_of(steps: Vec<Step>) -> Path {
    let step = |step| match step {
        Step::Index(index) => PathStep::from(index),
        Step::Key(key) => PathStep::from(key),
    };
    Path::from(steps.into_iter().map(step).collect::<Vec<_>>())
}

fn steps_of(path: &Path) -> Vec<Step> {
    let step = |step: &PathStep| match step {
        PathStep::Index(index) => Step::Index(*index),
        PathStep::Key(key) => Step::Key(key.as_str().to_owned()),
    };
    path.steps().iter().map(step).collect()
}

#[derive(Serialize)]
struct Refusal {
    key: &'static str,
    values: Map<String, Value>,
}

impl From<&Problem> for Refusal {
    fn from(problem: &Problem) -> Self {
        Self {
            key: problem.code(),
            values: problem.values(),
        }
    }
}

#[derive(Serialize)]
struct Wrong {
    row: usize,
    /// The index of the column, or null.
    column: Option<usize>,
    #[serde(flatten)]
    refusal: Refusal,
}

impl From<RowProblem> for Wrong {
    fn from(problem: RowProblem) -> Self {
        Self {
            row: problem.row,
            column: problem.column,
            refusal: Refusal::from(&problem.problem),
        }
    }
}

#[derive(Deserialize, Serialize)]
struct Cells {
    row: usize,
    cells: Vec<String>,
}

impl From<Row> for Cells {
    fn from(Row { row, cells }: Row) -> Self {
        Self { row, cells }
    }
}

impl From<Cells> for Row {
    fn from(Cells { row, cells }: Cells) -> Self {
        Self { row, cells }
    }
}

fn given<T: for<'de> Deserialize<'de>>(json: &str) -> Result<T, JsError> {
    Ok(serde_json::from_str(json)?)
}

fn returned(value: &impl Serialize) -> Result<String, JsError> {
    Ok(serde_json::to_string(value)?)
}

fn thrown(problem: &Problem) -> JsValue {
    returned(&Refusal::from(problem)).map_or_else(JsValue::from, JsValue::from)
}

fn delimiter(text: &str) -> Option<Delimiter> {
    let is_same = |one: &Delimiter| text.as_bytes() == [one.byte()];
    Delimiter::ALL.into_iter().find(is_same)
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Choices {
    encoding: Option<String>,
    delimiter: Option<String>,
    sheet: Option<String>,
    max_rows: usize,
}

#[derive(Serialize)]
struct Read {
    delimiter: String,
    sheet: Option<String>,
    header: usize,
    columns: Vec<String>,
    rows: Vec<Cells>,
    errors: Vec<Wrong>,
}

/// Reads a table: `{ delimiter, sheet, header, columns, rows, errors }`, where a row is `{ row, cells }`, and an error `{ row, column, key, values }`.
/// `options` is `{ encoding, delimiter, sheet, maxRows }`. Each of the first three is null unless a person chose it.
#[wasm_bindgen(js_name = readTable)]
pub fn read_table(bytes: &[u8], options: &str) -> Result<String, JsValue> {
    let Choices {
        encoding,
        delimiter: separator,
        sheet,
        max_rows,
    } = given(options)?;
    let options = Options {
        delimiter: separator.and_then(|text| delimiter(&text)),
        max_rows,
    };
    let table = if cert_tables::is_workbook(bytes) {
        cert_tables::workbook(bytes, sheet.as_deref(), options)
    } else {
        let encoding = encoding.and_then(|label| cert_tables::encoding(&label));
        cert_tables::decode(bytes, encoding).and_then(|text| cert_tables::read(&text, options))
    }
    .map_err(|problem| thrown(&problem))?;
    Ok(returned(&Read {
        delimiter: char::from(table.delimiter.byte()).to_string(),
        sheet: table.sheet,
        header: table.header,
        columns: table.columns,
        rows: table.rows.into_iter().map(Cells::from).collect(),
        errors: table.problems.into_iter().map(Wrong::from).collect(),
    })?)
}

/// Writes lines of cells as CSV that no spreadsheet runs as a formula.
#[wasm_bindgen(js_name = writeTable)]
pub fn write_table(lines: &str, separator: &str) -> Result<String, JsError> {
    let lines: Vec<Vec<String>> = given(lines)?;
    let delimiter = delimiter(separator).unwrap_or(Delimiter::Comma);
    Ok(cert_tables::write(lines, delimiter)?)
}

/// Returns a name for the files of each document, such as `ada-lovelace`, or an empty text.
#[wasm_bindgen(js_name = shortNames)]
pub fn short_names(documents: &str) -> Result<String, JsError> {
    let documents: Vec<Value> = given(documents)?;
    returned(&cert_tables::short_names(
        &documents.iter().collect::<Vec<_>>(),
    ))
}

#[derive(Serialize)]
struct Named {
    path: Vec<Step>,
    title: Option<String>,
}

/// Returns the fields of a schema to which columns can be mapped: `{ path, title }`. A field without a title has null.
#[wasm_bindgen(js_name = fieldsOf)]
pub fn fields_of(schema: &str) -> Result<String, JsError> {
    let schema: Value = given(schema)?;
    let named = |field: Field| Named {
        path: steps_of(&field.path),
        title: field.title,
    };
    returned(&fields(&schema).into_iter().map(named).collect::<Vec<_>>())
}

/// Returns the index in `fieldsOf` of the field of each column, or null.
#[wasm_bindgen(js_name = guessFields)]
pub fn guess_fields(columns: &str, schema: &str) -> Result<String, JsError> {
    let (columns, schema): (Vec<String>, Value) = (given(columns)?, given(schema)?);
    let all = fields(&schema);
    let names = Names::of(&all);
    let guess = |column: &String| {
        let found = names.guess(column)?;
        all.iter().position(|field| field.path == found.path)
    };
    returned(&columns.iter().map(guess).collect::<Vec<Option<usize>>>())
}

#[derive(Deserialize)]
struct Filling {
    schema: Value,
    rows: Vec<Cells>,
    /// The path of each column's field, or null.
    paths: Vec<Option<Vec<Step>>>,
    /// The name of each column's reading, or null.
    readings: Vec<Option<String>>,
    /// The index of the column that identifies the rows, or null.
    key: Option<usize>,
}

#[derive(Serialize)]
struct Filled {
    /// The document of each row, or null if the row has errors.
    documents: Vec<Option<Map<String, Value>>>,
    keys: Vec<String>,
    errors: Vec<Wrong>,
}

/// Turns rows into documents: `{ documents, keys, errors }`. Without a key's column, a row is identified by its position.
#[wasm_bindgen]
pub fn documents(input: &str) -> Result<String, JsError> {
    let Filling {
        schema,
        rows,
        paths,
        readings,
        key,
    } = given(input)?;
    let mut fields = fields_at(&schema, paths);
    for (field, reading) in fields.iter_mut().zip(readings) {
        if let Some(field) = field {
            field.reading = reading.and_then(|name| Reading::named(&name));
        }
    }
    let (mut documents, mut keys, mut problems) = (Vec::new(), Vec::new(), Vec::new());
    let mut numbers = Vec::new();
    for (number, row) in (1_usize..).zip(rows.into_iter().map(Row::from)) {
        keys.push(match key {
            Some(column) => row
                .cells
                .get(column)
                .map_or("", |cell| cell.trim())
                .to_owned(),
            None => number.to_string(),
        });
        numbers.push(row.row);
        match cert_tables::document(&row, &schema, &fields) {
            Ok(document) => documents.push(Some(document)),
            Err(found) => {
                documents.push(None);
                problems.extend(found);
            }
        }
    }
    let wrong = cert_tables::wrong_keys(numbers.into_iter().zip(keys.iter().map(String::as_str)));
    problems.extend(wrong.into_iter().map(|(row, problem)| RowProblem {
        row,
        column: key,
        problem,
    }));
    returned(&Filled {
        documents,
        keys,
        errors: problems.into_iter().map(Wrong::from).collect(),
    })
}

#[derive(Deserialize)]
struct Asking {
    schema: Value,
    rows: Vec<Cells>,
    paths: Vec<Option<Vec<Step>>>,
}

#[derive(Serialize)]
struct Asked {
    column: usize,
    examples: Vec<String>,
    readings: Vec<Meant>,
}

/// A reading, and the text that each example stands for.
#[derive(Serialize)]
struct Meant {
    name: &'static str,
    texts: Vec<String>,
}

impl From<Question> for Asked {
    fn from(question: Question) -> Self {
        let meant = |(reading, texts): (Reading, Vec<String>)| Meant {
            name: reading.name(),
            texts,
        };
        Self {
            column: question.column,
            examples: question.examples,
            readings: question.readings.into_iter().map(meant).collect(),
        }
    }
}

/// Returns a question for each column that writes dates or numbers in another way: `{ column, examples, readings }`, where a reading is
/// `{ name, texts }`.
#[wasm_bindgen]
pub fn questions(input: &str) -> Result<String, JsError> {
    let Asking {
        schema,
        rows,
        paths,
    } = given(input)?;
    let fields = fields_at(&schema, paths);
    let rows: Vec<Row> = rows.into_iter().map(Row::from).collect();
    let asked = cert_tables::questions(&rows, &schema, &fields);
    returned(&asked.into_iter().map(Asked::from).collect::<Vec<_>>())
}

fn fields_at(schema: &Value, paths: Vec<Option<Vec<Step>>>) -> Vec<Option<Field>> {
    let field = |path: Option<Vec<Step>>| field_at(schema, &path_of(path?));
    paths.into_iter().map(field).collect()
}

#[derive(Serialize)]
struct Doubtful {
    #[serde(skip_serializing_if = "Option::is_none")]
    row: Option<usize>,
    path: Vec<Step>,
    kind: &'static str,
    code: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    first: Option<usize>,
}

impl Doubtful {
    fn of(row: Option<usize>, path: &Path, doubt: Doubt) -> Self {
        Self {
            row,
            path: steps_of(path),
            kind: doubt.kind().name(),
            code: doubt.code(),
            first: match doubt {
                Doubt::Equal { first } => Some(first),
                _ => None,
            },
        }
    }
}

#[derive(Deserialize)]
struct DoubtingOne {
    schema: Value,
    document: Value,
    /// The time of the browser's clock, in milliseconds since 1970.
    now: i64,
}

/// Returns the doubts about a document at a time: `{ path, kind, code }`, in the order of the kinds and the paths.
#[wasm_bindgen(js_name = doubtsOfDocument)]
pub fn doubts_of_document(input: &str) -> Result<String, JsError> {
    let DoubtingOne {
        schema,
        document,
        now,
    } = given(input)?;
    let mut found = doubts::of_document(&Rules::of(&schema, time_at(now)), &document);
    found.sort_by(|(path, doubt), (other_path, other)| {
        (doubt.kind(), path).cmp(&(other.kind(), other_path))
    });
    let doubtful = |(path, doubt): &(Path, Doubt)| Doubtful::of(None, path, *doubt);
    returned(&found.iter().map(doubtful).collect::<Vec<_>>())
}

#[derive(Deserialize)]
struct Doubting {
    schema: Value,
    rows: Vec<Certified>,
    paths: Vec<Option<Vec<Step>>>,
    now: i64,
}

#[derive(Deserialize)]
struct Certified {
    row: usize,
    cells: Vec<String>,
    document: Value,
}

/// Returns the doubts about rows `{ row, cells, document }` at a time, in the order of the kinds, the rows and the paths. A doubt is
/// `{ row, path, kind, code, first }`. `first` is the earlier row of an equal row.
#[wasm_bindgen(js_name = doubtsOfRows)]
pub fn doubts_of_rows(input: &str) -> Result<String, JsError> {
    let Doubting {
        schema,
        rows,
        paths,
        now,
    } = given(input)?;
    let (fields, rules) = (fields_at(&schema, paths), Rules::of(&schema, time_at(now)));
    let of_row = |one: &Certified| {
        let found = doubts::of_row(&rules, &one.document, &one.cells, &fields);
        (one.row, found)
    };
    let found = doubts::of_rows(rows.iter().map(of_row));
    let doubtful =
        |(row, path, doubt): &(usize, Path, Doubt)| Doubtful::of(Some(*row), path, *doubt);
    returned(&found.iter().map(doubtful).collect::<Vec<_>>())
}
