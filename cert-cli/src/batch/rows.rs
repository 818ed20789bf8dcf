//! Reads, maps, checks and certifies the rows of a batch, and writes the result table.

use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::panic::resume_unwind;
use std::path::Path as FilePath;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::{available_parallelism, scope};

use cert_core::aih2::{self, DocumentKey, Keys, Secret};
use cert_core::{Path, Validator};
use order_core::{Address, AssetId, Imprint};
use serde_json::{Map, Value, json};
use time::OffsetDateTime;

use super::doubts::{self, Doubt, Kind};
use super::files::{self, Site};
use super::mapping::{self, Mapped};
use super::progress::Progress;
use super::table::{self, Delimiter, RowError};
use super::{Schema, given_mapping, is_ndjson, private_name};
use crate::arguments::Batch;
use crate::failure::Failure;
use crate::input::Inputs;
use crate::output::print_note;
use crate::path::shown;

/// Placeholders for the ledger and the asset of a document that is only checked or previewed.
const EXAMPLE_LEDGER: &str = "0x0000000000000000000000000000000000000001";
const EXAMPLE_ASSET: &str = "1";

/// A row to certify.
pub(crate) struct Row {
    pub(crate) row: usize,
    /// The identity of the row within the batch.
    pub(crate) key: String,
    document: Map<String, Value>,
    /// The cells of the input row, which the result repeats. A row of NDJSON has only its key here.
    cells: Vec<String>,
}

/// All rows of a batch. Their keys are distinct.
pub(crate) struct Rows {
    pub(crate) rows: Vec<Row>,
    columns: Vec<String>,
    mapped: Vec<Mapped>,
    delimiter: Delimiter,
}

impl Rows {
    /// Reads a table. The inner error lists the rows that cannot be read.
    pub(crate) fn read(
        inputs: &mut Inputs,
        options: &Batch,
        schema: &Schema,
    ) -> Result<Result<Self, Vec<RowError>>, Failure> {
        let name = &options.table;
        let text = table::decode(name, &inputs.bytes(name)?, options.encoding)?;
        let given = given_mapping(inputs, options)?;
        if is_ndjson(name) {
            if let Some(column) = given.keys().next() {
                return Err(Failure::new(
                    "mapping-invalid",
                    format!(
                        "the documents of an NDJSON file have no columns: leave out the mapping of `{column}`"
                    ),
                ));
            }
            return Ok(table::ndjson(name, &text)?
                .and_then(|documents| of_documents(documents, options.key_column.as_deref())));
        }
        let cells = match table::csv(name, &text, options.delimiter)? {
            Ok(cells) => cells,
            Err(errors) => return Ok(Err(errors)),
        };
        let mapped = mapping::map(&cells.columns, &schema.json, &given)?;
        if mapped.iter().all(|mapped| mapped.field.is_none()) {
            return Err(Failure::new(
                "mapping-invalid",
                format!(
                    "{name}: no column is mapped to a field: map columns with --map \"COLUMN=FIELD\""
                ),
            ));
        }
        let key = match &options.key_column {
            None => None,
            Some(key) => Some(
                cells
                    .columns
                    .iter()
                    .position(|column| column == key)
                    .ok_or_else(|| {
                        Failure::new(
                            "option-invalid",
                            format!("--key-column: the table has no column `{key}`"),
                        )
                    })?,
            ),
        };
        Ok(of_cells(cells, &schema.json, mapped, key))
    }

    /// Prints the field of each column.
    pub(crate) fn print_mapping(&self) {
        for Mapped {
            column,
            field,
            is_given,
        } in &self.mapped
        {
            let how = if *is_given { "given" } else { "guessed" };
            match field {
                Some(field) => print_note(&format!(
                    "column `{column}` is the field `{}` ({how})",
                    shown(&field.path)
                )),
                None if *is_given => print_note(&format!("column `{column}` is left out (given)")),
                None => print_note(&format!(
                    "column `{column}` is left out, because its name does not fit exactly one field: to certify it, add --map \"{column}=FIELD\""
                )),
            }
        }
    }

    /// Checks every document against the schema, and returns the errors in the order of the rows. If a check of a row
    /// finds errors, the later checks of this row are skipped. A schema that cannot be compiled is one error, for row 0.
    pub(crate) fn check(&self, schema: &Schema, public: &[Path]) -> Vec<RowError> {
        let validator = match Validator::new(&schema.value) {
            Ok(validator) => validator,
            Err(error) => return vec![RowError::new(0, None, format!("the schema: {error}"))],
        };
        let example = Keys::Key(DocumentKey::from([0; 32]));
        let check = |row: &Row| -> Vec<RowError> {
            let document = row.document(
                schema,
                EXAMPLE_LEDGER,
                EXAMPLE_ASSET,
                (
                    "https://example.com/evidence.json",
                    "https://example.com/schema.json",
                ),
            );
            let wrong =
                |error: cert_core::CertError| vec![self.error(row, error.path(), error.message())];
            let document = match aih2::parse(&document.to_string()) {
                Ok(document) => document,
                Err(error) => return wrong(error),
            };
            let unknown = schema.cert.uncovered(&document);
            if !unknown.is_empty() {
                return unknown
                    .iter()
                    .map(|path| self.error(row, path, "the schema does not have this field"))
                    .collect();
            }
            match validator.validate(&document) {
                Ok(found) if found.is_empty() => {}
                Ok(found) => {
                    return found
                        .iter()
                        .map(|violation| self.error(row, &violation.path, &violation.message))
                        .collect();
                }
                Err(error) => return wrong(error),
            }
            schema
                .cert
                .disclose(&document, &example, public, aih2::Values::Detach)
                .map_or_else(wrong, |_| Vec::new())
        };
        let mut errors: Vec<RowError> = everywhere(&self.rows, check)
            .into_iter()
            .flatten()
            .collect();
        errors.sort();
        errors
    }

    /// Returns the doubts about all rows, in the order of the kinds and the rows. The column of each doubt is the column of its value.
    pub(crate) fn doubts(&self, schema: &Value) -> Vec<(Kind, RowError)> {
        self.doubts_at(schema, OffsetDateTime::now_utc())
            .into_iter()
            .map(|(row, path, doubt)| {
                let error = self.error(row, &path, &doubt.message());
                (doubt.kind(), error)
            })
            .collect()
    }

    fn doubts_at(&self, schema: &Value, now: OffsetDateTime) -> Vec<(&Row, Path, Doubt)> {
        let of_row = |row: &Row| {
            let document = Value::Object(row.document.clone());
            let mut found = doubts::of_document(schema, &document, now);
            found.extend(
                self.mapped
                    .iter()
                    .zip(&row.cells)
                    .filter_map(|(mapped, cell)| {
                        let path = &mapped.field.as_ref()?.path;
                        let is_number = mapping::value_at(&document, path.steps())?.is_number();
                        let doubt = doubts::of_number(cell).filter(|_| is_number)?;
                        Some((path.clone(), doubt))
                    }),
            );
            let text = document.to_string();
            // The numbers 1 and 1.0 are certified as equal values, so they are compared as the library writes them.
            let text = aih2::parse(&text).map_or(text, |document| document.to_json());
            (text, found)
        };
        let mut first_rows: HashMap<String, usize> = HashMap::new();
        let mut all = Vec::new();
        for (row, (text, found)) in self.rows.iter().zip(everywhere(&self.rows, of_row)) {
            all.extend(found.into_iter().map(|(path, doubt)| (row, path, doubt)));
            match first_rows.entry(text) {
                Entry::Vacant(entry) => {
                    entry.insert(row.row);
                }
                Entry::Occupied(first) => {
                    let first = *first.get();
                    all.push((row, Path::root(), Doubt::Equal { first }));
                }
            }
        }
        all.sort_by(|(row, path, doubt), (other_row, other_path, other)| {
            (doubt.kind(), row.row, path).cmp(&(other.kind(), other_row.row, other_path))
        });
        all
    }

    /// Returns an error for the value at a path. Its column is the column of the value, or the path if no column has the value.
    fn error(&self, row: &Row, path: &Path, message: &str) -> RowError {
        let is_from = |mapped: &&Mapped| {
            let field = mapped.field.as_ref();
            field.is_some_and(|field| path.steps().starts_with(field.path.steps()))
        };
        let column = self
            .mapped
            .iter()
            .find(is_from)
            .map(|mapped| mapped.column.clone());
        let column = column.or_else(|| (!path.is_empty()).then(|| shown(path)));
        RowError::new(row.row, column.as_deref(), message)
    }

    /// Returns the public part of the first certificate and the names of its hidden fields, as JSON.
    pub(crate) fn preview(
        &self,
        schema: &Schema,
        public: &[Path],
        site: &Site,
    ) -> Result<String, Failure> {
        let row = self
            .rows
            .first()
            .ok_or_else(|| Failure::new("table-invalid", "there are no rows"))?;
        let addresses = (site.evidence(EXAMPLE_ASSET), site.schema());
        let document = row.document(
            schema,
            EXAMPLE_LEDGER,
            EXAMPLE_ASSET,
            (&addresses.0, &addresses.1),
        );
        let value = aih2::parse(&document.to_string())
            .map_err(|error| Failure::of("the first row", error))?;
        let shown_part = schema.cert.expose(&value, public).to_json();
        let shown_part: Value = serde_json::from_str(&shown_part)
            .map_err(|error| Failure::new("json-invalid", error))?;
        let whole = mapping::Whole::of(public);
        let hidden: Vec<String> = mapping::leaves(&document)
            .into_iter()
            .filter(|leaf| !whole.contains(leaf))
            .map(|leaf| shown(&leaf))
            .collect();
        let preview =
            json!({ "row": row.row, "key": row.key, "public": shown_part, "hidden": hidden });
        serde_json::to_string_pretty(&preview).map_err(|error| Failure::new("output-failed", error))
    }

    /// Returns the result table as CSV: the input's cells, then each certificate's status, link and file.
    pub(crate) fn result(
        &self,
        issued: &BTreeSet<&str>,
        assets: &BTreeMap<String, AssetId>,
        service: &str,
        ledger: Address,
    ) -> Result<Vec<u8>, Failure> {
        let failed = |error: csv::Error| Failure::new("output-failed", error);
        // A byte order mark makes spreadsheets read the file as UTF-8.
        let mut writer = csv::WriterBuilder::new()
            .delimiter(self.delimiter.byte())
            .terminator(csv::Terminator::CRLF)
            .from_writer("\u{feff}".as_bytes().to_vec());
        let own = ["certificate_status", "certificate_link", "certificate_file"].map(str::to_owned);
        let header = self
            .columns
            .iter()
            .map(|cell| table::harmless(cell))
            .chain(own);
        writer.write_record(header).map_err(failed)?;
        for row in &self.rows {
            let asset = assets
                .get(&row.key)
                .filter(|_| issued.contains(row.key.as_str()));
            let own = match asset {
                Some(asset) => [
                    "issued".to_owned(),
                    format!("{service}/c/{ledger}/{asset}"),
                    private_name(asset),
                ],
                None => ["not issued".to_owned(), String::new(), String::new()],
            };
            let cells = row
                .cells
                .iter()
                .map(|cell| table::harmless(cell))
                .chain(own);
            writer.write_record(cells).map_err(failed)?;
        }
        writer
            .into_inner()
            .map_err(|error| Failure::new("output-failed", error))
    }
}

fn of_cells(
    cells: table::Cells,
    schema: &Value,
    mapped: Vec<Mapped>,
    key: Option<usize>,
) -> Result<Rows, Vec<RowError>> {
    let (mut rows, mut errors) = (Vec::new(), Vec::new());
    for (number, cell) in (1_usize..).zip(cells.rows) {
        let own = match key {
            Some(index) => cell.cells.get(index).cloned().unwrap_or_default(),
            None => number.to_string(),
        };
        match mapping::document(&cell, schema, &mapped) {
            Ok(document) => rows.push(Row {
                row: cell.row,
                key: own.trim().to_owned(),
                document,
                cells: cell.cells,
            }),
            Err(wrong) => errors.extend(wrong),
        }
    }
    let key = key.and_then(|index| cells.columns.get(index)).cloned();
    errors.extend(duplicates(&rows, key.as_deref()));
    errors.sort();
    let rows = Rows {
        rows,
        columns: cells.columns,
        mapped,
        delimiter: cells.delimiter,
    };
    if errors.is_empty() {
        Ok(rows)
    } else {
        Err(errors)
    }
}

fn of_documents(documents: Vec<table::Document>, key: Option<&str>) -> Result<Rows, Vec<RowError>> {
    let (mut rows, mut errors) = (Vec::new(), Vec::new());
    for (number, table::Document { row, document }) in (1_usize..).zip(documents) {
        let own = match key.map(|key| document.get(key)) {
            None => number.to_string(),
            Some(Some(Value::String(text))) => text.trim().to_owned(),
            Some(Some(Value::Number(number))) => number.to_string(),
            Some(_) => {
                errors.push(RowError::new(
                    row,
                    key,
                    "this member identifies the row, so it must be present and a string or a number",
                ));
                continue;
            }
        };
        if let Value::Object(document) = document {
            rows.push(Row {
                row,
                cells: vec![own.clone()],
                key: own,
                document,
            });
        }
    }
    errors.extend(duplicates(&rows, key));
    errors.sort();
    let rows = Rows {
        rows,
        columns: vec!["key".to_owned()],
        mapped: Vec::new(),
        delimiter: Delimiter::Comma,
    };
    if errors.is_empty() {
        Ok(rows)
    } else {
        Err(errors)
    }
}

/// Returns an error for each row whose key is empty or equals the key of an earlier row.
fn duplicates(rows: &[Row], column: Option<&str>) -> Vec<RowError> {
    let mut known: BTreeMap<&str, usize> = BTreeMap::new();
    let mut errors = Vec::new();
    for row in rows {
        if row.key.is_empty() {
            errors.push(RowError::new(row.row, column, "the key is empty"));
        } else if let Some(first) = known.get(row.key.as_str()) {
            errors.push(RowError::new(
                row.row,
                column,
                format!("row {first} has the same key"),
            ));
        } else {
            known.insert(&row.key, row.row);
        }
    }
    errors
}

impl Row {
    /// Returns the document with the fields that the tool fills in, if the schema has them.
    fn document(
        &self,
        schema: &Schema,
        ledger: &str,
        asset: &str,
        (evidence, schema_address): (&str, &str),
    ) -> Value {
        let mut document = self.document.clone();
        for (name, value) in [
            ("ledgerId", ledger),
            ("assetId", asset),
            ("$evidence", evidence),
            ("$schema", schema_address),
        ] {
            if schema.has(name) {
                document.insert(name.to_owned(), Value::from(value));
            }
        }
        Value::Object(document)
    }
}

/// The content of a holder's file, `<asset>.private.assay.json`: evidence that opens the whole certificate, its document, schema and asset.
#[derive(serde::Serialize)]
struct HolderFile<'a> {
    /// The version of the format.
    assay: u8,
    service: &'a str,
    ledger: &'a str,
    asset: &'a str,
    imprint: &'a str,
    schema: &'a cert_core::Value,
    document: &'a Value,
    evidence: &'a cert_core::Value,
}

/// Certifies rows, and writes the public and private files of each certificate.
pub(crate) struct Certifier<'a> {
    pub(crate) schema: &'a Schema,
    pub(crate) public: &'a [Path],
    pub(crate) site: &'a Site,
    pub(crate) service: &'a str,
    pub(crate) ledger: Address,
    pub(crate) secret: &'a [u8],
    /// The folder of the holders' files.
    pub(crate) private: &'a FilePath,
}

impl Certifier<'_> {
    /// Certifies all rows on all cores. Returns their imprints, in the order of the rows.
    pub(crate) fn certify_all(
        &self,
        rows: &Rows,
        assets: &BTreeMap<String, AssetId>,
        progress: &Progress,
    ) -> Result<Vec<Imprint>, Failure> {
        files::create_folder(self.private, true)?;
        let certify = |row: &Row| {
            let asset = assets.get(&row.key).ok_or_else(super::no_asset)?;
            let imprint = self.certify(row, &asset.to_string());
            progress.add(1);
            imprint
        };
        everywhere(&rows.rows, certify).into_iter().collect()
    }

    fn certify(&self, row: &Row, asset: &str) -> Result<Imprint, Failure> {
        let failed = |error: cert_core::CertError| {
            Failure::new(error.code().as_str(), format!("row {}: {error}", row.row))
        };
        let not_json = |error: serde_json::Error| {
            Failure::new("json-invalid", format!("row {}: {error}", row.row))
        };
        let (cert, ledger) = (&self.schema.cert, self.ledger.to_string());
        let addresses = (self.site.evidence(asset), self.site.schema());
        let json = row.document(self.schema, &ledger, asset, (&addresses.0, &addresses.1));
        let document = aih2::parse(&json.to_string()).map_err(failed)?;
        let keys = Keys::Secret(Secret::new(self.secret, asset).map_err(failed)?);
        let imprint = Imprint::from(*cert.imprint(&document, &keys).map_err(failed)?.as_bytes());
        let empty = mapping::empty(&self.schema.json, &json, self.public);
        let open = [self.public, &empty].concat();
        let evidence = cert
            .disclose(&document, &keys, &open, aih2::Values::Detach)
            .map_err(failed)?;
        let whole = cert.notarize(&document, &keys).map_err(failed)?;

        let shown_part = cert.expose(&document, self.public).to_json();
        let mut metadata: Map<String, Value> =
            serde_json::from_str(&shown_part).map_err(not_json)?;
        metadata.insert("$evidence".to_owned(), addresses.0.as_str().into());
        metadata.insert("$schema".to_owned(), addresses.1.as_str().into());
        self.site
            .put(&addresses.0, &evidence.to_value().to_json())?;
        self.site.put(
            &self.site.metadata(asset),
            &Value::Object(metadata).to_string(),
        )?;

        let holder = HolderFile {
            assay: 1,
            service: self.service,
            ledger: &ledger,
            asset,
            imprint: &imprint.to_string(),
            schema: &self.schema.value,
            document: &json,
            evidence: &whole.to_value(),
        };
        let text = serde_json::to_string_pretty(&holder).map_err(not_json)?;
        files::write(
            &self.private.join(private_name(asset)),
            text.as_bytes(),
            true,
        )?;
        Ok(imprint)
    }
}

/// Calls a function for each item, on all cores. Returns the results in the order of the items.
fn everywhere<T: Sync, R: Send>(items: &[T], call: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let next = AtomicUsize::new(0);
    let cores = available_parallelism().map_or(1, usize::from);
    let mut results: Vec<(usize, R)> = scope(|scope| {
        let work = || {
            let mut own = Vec::new();
            loop {
                let index = next.fetch_add(1, Ordering::Relaxed);
                let Some(item) = items.get(index) else {
                    return own;
                };
                own.push((index, call(item)));
            }
        };
        let threads: Vec<_> = (0..cores).map(|_| scope.spawn(work)).collect();
        threads
            .into_iter()
            .flat_map(|thread| thread.join().unwrap_or_else(|panic| resume_unwind(panic)))
            .collect()
    });
    results.sort_by_key(|(index, _)| *index);
    results.into_iter().map(|(_, result)| result).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Cases that the tests of the page for issuing many certificates use, too.
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

    #[test]
    fn doubtful_rows_are_those_of_the_vectors() {
        let text = include_str!("../../../tests/vectors/batch/doubts.json");
        let vectors: Vectors = serde_json::from_str(text).unwrap();
        let now = doubts::moment(&vectors.now);
        for case in vectors.tables {
            let cells = table::csv("rows.csv", &case.csv, None).unwrap().unwrap();
            let mapped = mapping::map(&cells.columns, &case.schema, &BTreeMap::new()).unwrap();
            let rows = of_cells(cells, &case.schema, mapped, None).ok().unwrap();
            let found: Vec<Value> = rows
                .doubts_at(&case.schema, now)
                .into_iter()
                .map(|(row, path, doubt)| {
                    let mut found = json!({ "kind": doubt.kind().name(), "row": row.row, "path": path.to_string(), "code": doubt.code() });
                    if let Doubt::Equal { first } = doubt {
                        found["first"] = json!(first);
                    }
                    found
                })
                .collect();
            assert_eq!(found, case.doubts, "{}", case.name);
        }
    }
}
