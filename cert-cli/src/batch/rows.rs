//! Reads, maps, checks and certifies the rows of a batch, and writes the result table.

use std::collections::{BTreeMap, BTreeSet};
use std::iter;
use std::panic::resume_unwind;
use std::path::Path as FilePath;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::{available_parallelism, scope};

use cert_core::aih2::{self, DocumentKey, Keys, Secret};
use cert_core::{Path, Validator};
use cert_tables::doubts::{self, Kind};
use cert_tables::{Delimiter, Field, RowProblem, Table};
use order_core::{Address, AssetId, Imprint, ProductItem};
use serde_json::{Map, Value, json};
use time::OffsetDateTime;

use super::columns::{COLUMN_FILE, COLUMN_HOLDER, COLUMN_PUBLIC, COLUMN_STATUS, ISSUED};
use super::files::{self, Site};
use super::mapping::{self, Mapped};
use super::market::Market;
use super::progress::Progress;
use super::report::RowError;
use super::schema::Schema;
use super::{link, ndjson};
use crate::arguments::Batch;
use crate::failure::Failure;
use crate::input::Inputs;
use crate::output::print_note;
use crate::path::shown;
use crate::table;

/// Placeholders for the ledger and the asset of a document that is only checked or previewed.
pub(crate) const EXAMPLE_LEDGER: &str = "0x0000000000000000000000000000000000000001";
pub(crate) const EXAMPLE_ASSET: &str = "1";

/// A row to certify.
pub(crate) struct Row {
    pub(crate) row: usize,
    /// The identity of the row within the batch.
    pub(crate) key: String,
    pub(crate) document: Map<String, Value>,
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
        let bytes = inputs.bytes(name)?;
        let given = mapping::given_mapping(inputs, options)?;
        if ndjson::is_ndjson(name) {
            if let Some(column) = given.keys().next() {
                return Err(Failure::new(
                    "mapping-invalid",
                    format!(
                        "the documents of an NDJSON file have no columns: leave out the mapping of `{column}`"
                    ),
                ));
            }
            let text = cert_tables::decode(&bytes, options.reading.encoding)
                .map_err(|problem| table::refused(name, &problem))?;
            return Ok(ndjson::read(name, &text)?
                .and_then(|documents| of_documents(documents, options.key_column.as_deref())));
        }
        let table = table::read(name, &bytes, &options.reading)?;
        if table.header > 1 {
            print_note(&format!(
                "the header is row {}: the rows above it are left out",
                table.header
            ));
        }
        if !table.problems.is_empty() {
            let wrong = |problem| RowError::of(problem, &table.columns);
            return Ok(Err(table.problems.into_iter().map(wrong).collect()));
        }
        let mut mapped = mapping::map(&table.columns, &schema.json, &given)?;
        if mapped.iter().all(|mapped| mapped.field.is_none()) {
            return Err(Failure::new(
                "mapping-invalid",
                format!(
                    "{name}: no column is mapped to a field: map columns with --map \"COLUMN=FIELD\""
                ),
            ));
        }
        mapping::read(&table, &schema.json, &mut mapped, &options.read)?;
        let key = match &options.key_column {
            None => None,
            Some(key) => Some(
                table
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
        Ok(of_table(table, &schema.json, mapped, key))
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
            let wrong = |error: cert_core::CertError| {
                vec![self.error(row.row, error.path(), error.message())]
            };
            let document = match row.example(schema) {
                Ok(document) => document,
                Err(error) => return wrong(error),
            };
            if schema.market.is_some() && !Market::is_described(&row.document) {
                let path = Path::from(["description"]);
                return vec![self.error(row.row, &path, "marketplaces need a description")];
            }
            let unknown = schema.cert.uncovered(&document);
            if !unknown.is_empty() {
                return unknown
                    .iter()
                    .map(|path| self.error(row.row, path, "the schema does not have this field"))
                    .collect();
            }
            match validator.validate(&document) {
                Ok(found) if found.is_empty() => {}
                Ok(found) => {
                    return found
                        .iter()
                        .map(|violation| self.error(row.row, &violation.path, &violation.message))
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
        let rules = doubts::Rules::of(schema, OffsetDateTime::now_utc());
        let fields: Vec<Option<Field>> = self
            .mapped
            .iter()
            .map(|mapped| mapped.field.clone())
            .collect();
        let of_row = |row: &Row| {
            let document = Value::Object(row.document.clone());
            doubts::of_row(&rules, &document, &row.cells, &fields)
        };
        let numbers = self.rows.iter().map(|row| row.row);
        doubts::of_rows(numbers.zip(everywhere(&self.rows, of_row)))
            .into_iter()
            .map(|(row, path, doubt)| (doubt.kind(), self.error(row, &path, &doubt.message())))
            .collect()
    }

    /// Returns an error for the value at a path. Its column is the column of the value, or the path if no column has the value.
    pub(crate) fn error(&self, row: usize, path: &Path, message: &str) -> RowError {
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
        RowError::new(row, column.as_deref(), message)
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
        let whole = cert_tables::Whole::of(public);
        let hidden: Vec<String> = cert_tables::leaves(&document)
            .into_iter()
            .filter(|leaf| !whole.contains(leaf))
            .map(|leaf| shown(&leaf))
            .collect();
        let preview =
            json!({ "row": row.row, "key": row.key, "public": shown_part, "hidden": hidden });
        serde_json::to_string_pretty(&preview).map_err(|error| Failure::new("output-failed", error))
    }

    /// Returns the result table as CSV: the input's cells, then each certificate's status, links and file. `more` has further columns with names of files.
    pub(crate) fn result(
        &self,
        certified: &[Certified],
        issued: &BTreeSet<&str>,
        assets: &BTreeMap<String, AssetId>,
        (service, ledger): (&str, Address),
        more: &[(&str, &Written)],
    ) -> Result<Vec<u8>, Failure> {
        let own = [COLUMN_STATUS, COLUMN_HOLDER, COLUMN_PUBLIC, COLUMN_FILE].map(str::to_owned);
        let columns: Vec<String> = more
            .iter()
            .map(|(column, _)| (*column).to_owned())
            .collect();
        let header = [self.columns.as_slice(), &own, &columns].concat();
        let line = |(index, (row, certified)): (usize, (&Row, &Certified))| {
            let asset = assets
                .get(&row.key)
                .filter(|_| issued.contains(row.key.as_str()));
            let own = match asset {
                Some(asset) => {
                    let public = format!("{service}/c/{ledger}/{asset}");
                    let fragment = certified.fragment.as_ref();
                    let holder = fragment.map(|fragment| format!("{public}#{fragment}"));
                    [
                        ISSUED.to_owned(),
                        holder.unwrap_or_default(),
                        public,
                        certified.file.clone(),
                    ]
                }
                None => ["not issued", "", "", ""].map(str::to_owned),
            };
            let name = |(_, written): &(&str, &Written)| {
                written
                    .names
                    .get(index)
                    .cloned()
                    .flatten()
                    .unwrap_or_default()
            };
            let names: Vec<String> = more.iter().map(name).collect();
            [row.cells.as_slice(), &own, &names].concat()
        };
        let certificates = self.rows.iter().zip(certified);
        let lines = iter::once(header).chain(certificates.enumerate().map(line));
        cert_tables::write(lines, self.delimiter)
            .map(String::into_bytes)
            .map_err(|error| Failure::new("output-failed", error))
    }
}

fn of_table(
    table: Table,
    schema: &Value,
    mapped: Vec<Mapped>,
    key: Option<usize>,
) -> Result<Rows, Vec<RowError>> {
    let (mut rows, mut problems) = (Vec::new(), Vec::new());
    let fields: Vec<Option<Field>> = mapped.iter().map(|mapped| mapped.field.clone()).collect();
    for (number, row) in (1_usize..).zip(table.rows) {
        let own = match key {
            Some(index) => row.cells.get(index).cloned().unwrap_or_default(),
            None => number.to_string(),
        };
        match cert_tables::document(&row, schema, &fields) {
            Ok(document) => rows.push(Row {
                row: row.row,
                key: own.trim().to_owned(),
                document,
                cells: row.cells,
            }),
            Err(wrong) => problems.extend(wrong),
        }
    }
    let keys = cert_tables::wrong_keys(rows.iter().map(|row| (row.row, row.key.as_str())));
    problems.extend(keys.into_iter().map(|(row, problem)| RowProblem {
        row,
        column: key,
        problem,
    }));
    if !problems.is_empty() {
        let errors = problems.into_iter();
        let mut errors: Vec<RowError> = errors
            .map(|problem| RowError::of(problem, &table.columns))
            .collect();
        errors.sort();
        return Err(errors);
    }
    Ok(Rows {
        rows,
        columns: table.columns,
        mapped,
        delimiter: table.delimiter,
    })
}

fn of_documents(
    documents: Vec<ndjson::Document>,
    key: Option<&str>,
) -> Result<Rows, Vec<RowError>> {
    let (mut rows, mut errors) = (Vec::new(), Vec::new());
    for (number, ndjson::Document { row, document }) in (1_usize..).zip(documents) {
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
    let wrong = cert_tables::wrong_keys(rows.iter().map(|row| (row.row, row.key.as_str())));
    errors.extend(
        wrong
            .into_iter()
            .map(|(row, problem)| RowError::new(row, key, problem.to_string())),
    );
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
        if let Some(market) = &schema.market {
            market.add_to(&mut document, ledger, asset);
        }
        Value::Object(document)
    }

    /// Returns the document with examples in the fields that the tool fills in.
    pub(crate) fn example(
        &self,
        schema: &Schema,
    ) -> Result<cert_core::Value, cert_core::CertError> {
        let addresses = (
            "https://example.com/evidence.json",
            "https://example.com/schema.json",
        );
        let document = self.document(schema, EXAMPLE_LEDGER, EXAMPLE_ASSET, addresses);
        aih2::parse(&document.to_string())
    }
}

/// The content of a holder's file: evidence that opens the whole certificate, its document, schema and asset.
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

/// A certified row.
pub(crate) struct Certified {
    pub(crate) imprint: Imprint,
    /// The short form that shows the whole certificate in a link, or `None` if it would be too long.
    fragment: Option<String>,
    /// The name of the holder's file.
    pub(crate) file: String,
}

impl Certified {
    /// Returns the name of another file of the certificate, with this extension.
    pub(crate) fn beside(&self, extension: &str) -> String {
        let stem = self.file.split(".private.").next().unwrap_or_default();
        format!("{stem}.{extension}")
    }
}

/// The files of one kind that a batch writes beside the private files, such as PDFs.
pub(crate) struct Written {
    /// The name of each row's file, in the order of the rows. `None` for rows without one.
    pub(crate) names: Vec<Option<String>>,
    /// The issued rows that got no file.
    pub(crate) errors: Vec<RowError>,
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
    /// Certifies all rows on all cores. Returns the certificates in the order of the rows.
    pub(crate) fn certify_all(
        &self,
        rows: &Rows,
        assets: &BTreeMap<String, AssetId>,
        progress: &Progress,
    ) -> Result<Vec<Certified>, Failure> {
        files::create_folder(self.private, true)?;
        let documents: Vec<Value> = rows
            .rows
            .iter()
            .map(|row| Value::Object(row.document.clone()))
            .collect();
        let names = cert_tables::short_names(&documents.iter().collect::<Vec<_>>());
        drop(documents);
        let named: Vec<(&Row, String)> = rows.rows.iter().zip(names).collect();
        let certify = |(row, name): &(&Row, String)| {
            let asset = assets.get(&row.key).ok_or_else(super::state::no_asset)?;
            let certified = self.certify(row, name, &asset.to_string());
            progress.add(1);
            certified
        };
        everywhere(&named, certify).into_iter().collect()
    }

    fn certify(&self, row: &Row, name: &str, asset: &str) -> Result<Certified, Failure> {
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
        let empty = cert_tables::empty(&self.schema.json, &json, self.public);
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
        let file = private_name(name, asset);
        files::write(&self.private.join(&file), text.as_bytes(), true)?;
        Ok(Certified {
            imprint,
            fragment: link::fragment(&link::Copy {
                schema: holder.schema,
                document: holder.document,
                evidence: holder.evidence,
            })
            .map_err(not_json)?,
            file,
        })
    }
}

/// The number of digits of an asset's id in the name of a file. Ids of products are not random, so they get more digits.
const DIGITS: usize = 10;
const PRODUCT_DIGITS: usize = 20;

/// Returns the name of the private file for a certificate's holder. The last digits of the asset's id tell people of the same name apart.
fn private_name(name: &str, asset: &str) -> String {
    let name = if name.is_empty() { "certificate" } else { name };
    let is_product = asset
        .parse()
        .is_ok_and(|asset| ProductItem::of_asset(&asset).is_some());
    let count = if is_product { PRODUCT_DIGITS } else { DIGITS };
    let start = asset.len().saturating_sub(count);
    let digits = asset.get(start..).unwrap_or(asset);
    format!("{name}-{digits}.private.assay.json")
}

/// Calls a function for each item, on all cores. Returns the results in the order of the items.
pub(crate) fn everywhere<T: Sync, R: Send>(items: &[T], call: impl Fn(&T) -> R + Sync) -> Vec<R> {
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
