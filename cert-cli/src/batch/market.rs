//! The values that marketplaces for tokens show besides name, description and picture: a link, and the public fields as traits (docs/batch.md). They are certified
//! like all other values.

use cert_core::{Path, PathStep};
use serde_json::{Map, Value, json};

use crate::failure::Failure;

const LINK: &str = "external_url";
const TRAITS: &str = "attributes";
/// The fields that the tool fills in.
pub(crate) const FIELDS: [&str; 2] = [LINK, TRAITS];
/// The fields that marketplaces show by themselves.
const SHOWN: [&str; 3] = ["name", "description", "image"];
/// The fields about the certificate, which are no traits.
const NO_TRAITS: [&str; 4] = ["ledgerId", "assetId", "$evidence", "$schema"];

/// The values for marketplaces.
pub(crate) struct Market {
    /// The origin of the service.
    service: String,
    /// The public fields that become traits, with their titles.
    traits: Vec<(Path, String)>,
}

impl Market {
    /// Prepares the values. Fails if the schema lacks a field that marketplaces need, or if name or description are not public.
    pub(crate) fn new(schema: &Value, public: &[Path], service: String) -> Result<Self, Failure> {
        let wrong = |why: String| Failure::new("option-invalid", format!("--nft: {why}"));
        for name in ["name", "description"] {
            if !public.contains(&Path::from([name])) {
                return Err(wrong(format!(
                    "marketplaces show the field `{name}`: add it to --public"
                )));
            }
        }
        let items = schema.pointer("/properties/attributes/items/properties");
        let has = |name: &str| items.is_some_and(|items| items.get(name).is_some());
        if !has("trait_type") || !has("value") {
            return Err(wrong(
                "the items of the schema's field `attributes` need the properties `trait_type` and `value`".to_owned(),
            ));
        }
        let is_trait = |path: &&Path| match path.steps().first() {
            Some(PathStep::Key(key)) => ![SHOWN.as_slice(), &NO_TRAITS, &FIELDS]
                .concat()
                .contains(&&**key),
            _ => false,
        };
        let traits = public.iter().filter(is_trait);
        Ok(Self {
            service,
            traits: traits
                .map(|path| (path.clone(), title_of(schema, path)))
                .collect(),
        })
    }

    /// Returns true if a document has a description.
    pub(crate) fn is_described(document: &Map<String, Value>) -> bool {
        let text = document.get("description").and_then(Value::as_str);
        text.is_some_and(|text| !text.trim().is_empty())
    }

    /// Adds the link of the certificate, and the texts, numbers and truth values of the public fields.
    pub(crate) fn add_to(&self, document: &mut Map<String, Value>, ledger: &str, asset: &str) {
        let traits: Vec<Value> = self
            .traits
            .iter()
            .filter_map(|(path, title)| {
                let value = text_at(document, path)?;
                Some(json!({ "trait_type": title, "value": value }))
            })
            .collect();
        let ledger = ledger.to_ascii_lowercase();
        let link = format!("{}/c/{ledger}/{asset}", self.service);
        document.insert(LINK.to_owned(), Value::from(link));
        document.insert(TRAITS.to_owned(), Value::from(traits));
    }
}

/// Returns the title of a field in the schema, or otherwise its key.
fn title_of(schema: &Value, path: &Path) -> String {
    let mut place = Some(schema);
    let mut key = String::new();
    for step in path.steps() {
        let PathStep::Key(name) = step else {
            continue;
        };
        key = name.to_string();
        place = place.and_then(|schema| schema.get("properties")?.get(&key));
    }
    let title = place.and_then(|schema| schema.get("title")?.as_str());
    title.map_or(key, str::to_owned)
}

/// Returns the text, number or truth value at a path, as text.
pub(crate) fn text_at(document: &serde_json::Map<String, Value>, path: &Path) -> Option<String> {
    let mut steps = path.steps().iter();
    let PathStep::Key(key) = steps.next()? else {
        return None;
    };
    let value = steps.try_fold(document.get(&**key)?, |value, step| match step {
        PathStep::Key(key) => value.get(&**key),
        PathStep::Index(index) => value.get(index),
    })?;
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        Value::Bool(truth) => Some(truth.to_string()),
        Value::Null | Value::Array(_) | Value::Object(_) => None,
    }
}
