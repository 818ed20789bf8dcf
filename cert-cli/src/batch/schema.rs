//! The schema of a batch, and the fields that options name.

use cert_core::aih2::{self, Cert};
use serde_json::Value;

use super::market::{self, Market};
use crate::failure::Failure;
use crate::input::Inputs;
use crate::output::print_note;
use crate::path;

/// A schema in the forms that a batch needs.
pub(crate) struct Schema {
    pub(crate) text: String,
    pub(crate) json: Value,
    pub(crate) value: cert_core::Value,
    pub(crate) cert: Cert,
    /// The values for marketplaces. `None` without `--nft`.
    pub(crate) market: Option<Market>,
}

impl Schema {
    pub(crate) fn read(inputs: &mut Inputs, name: &str) -> Result<Self, Failure> {
        let value = inputs.schema(name, aih2::parse)?;
        let cert = Cert::new(&value).map_err(|error| Failure::of(name, error))?;
        let text = value.to_json();
        let json = serde_json::from_str(&text)
            .map_err(|error| Failure::new("json-invalid", format!("{name}: {error}")))?;
        Ok(Self {
            text,
            json,
            value,
            cert,
            market: None,
        })
    }

    pub(crate) fn id(&self) -> String {
        self.cert.schema_id().to_string()
    }

    /// Returns true if the root has this property.
    pub(crate) fn has(&self, property: &str) -> bool {
        self.json
            .get("properties")
            .is_some_and(|properties| properties.get(property).is_some())
    }
}

/// Returns the public paths: the paths of the options, and the schema's fields that the tool fills in.
pub(crate) fn public_paths(
    schema: &Schema,
    given: &[String],
    is_for_markets: bool,
) -> Result<Vec<cert_core::Path>, Failure> {
    let markets = market::FIELDS.iter().filter(|_| is_for_markets);
    let own = cert_tables::OWN_FIELDS
        .iter()
        .filter(|name| schema.has(name));
    let own = own.chain(markets).map(|name| (*name).to_owned());
    let texts: Vec<String> = given.iter().cloned().chain(own).collect();
    let paths = known_fields(schema, "--public", &texts)?;
    if !schema.has("ledgerId") || !schema.has("assetId") {
        print_note(
            "warning: the schema lacks `ledgerId` or `assetId`, so a copy of a certificate on another ledger looks like the original",
        );
    }
    Ok(paths)
}

/// Returns the paths of an option, sorted and each once. Fails if the schema lacks one of them.
pub(crate) fn known_fields(
    schema: &Schema,
    option: &str,
    given: &[String],
) -> Result<Vec<cert_core::Path>, Failure> {
    let mut texts = Vec::new();
    for text in given {
        // A path in brackets is a JSON array, whose commas do not separate paths.
        if text.starts_with('[') {
            texts.push(text.clone());
        } else {
            texts.extend(text.split(',').map(|part| part.trim().to_owned()));
        }
    }
    let mut paths = path::all(&texts)?;
    paths.sort();
    paths.dedup();
    for path in &paths {
        if !cert_tables::is_field(&schema.json, path) {
            return Err(Failure::new(
                "path-unknown",
                format!("{option}: the schema has no field `{}`", path::shown(path)),
            ));
        }
    }
    Ok(paths)
}
