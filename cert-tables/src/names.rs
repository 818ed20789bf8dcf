//! Names of files that people recognise.

use std::collections::BTreeSet;

use cert_core::Path;
use serde_json::Value;

use crate::document::{leaves, value_at};

/// Words in the keys of fields that have the holder, in the languages of the pages.
const HOLDERS: [&str; 6] = [
    "holder",
    "recipient",
    "titulaire",
    "titular",
    "inhaber",
    "empfänger",
];
/// Words in the keys of fields that have a name. It can also be the name of a course.
const NAMES: [&str; 3] = ["name", "nom", "nombre"];
/// The maximum number of characters of a text that names its document, and of the name.
const MAX_TEXT: usize = 80;
const MAX_NAME: usize = 40;

/// Returns a name for each document, such as `ada-lovelace`: letters, digits and hyphens. It is made of the first text that differs between the documents.
/// Fields whose keys have a word for the holder come first, then those with a word for names. A document without such a text has an empty name.
pub fn short_names(documents: &[&Value]) -> Vec<String> {
    let path = naming(documents);
    let name = |document: &&Value| {
        let path = path.as_ref()?;
        text_at(document, path).map(name_of)
    };
    documents
        .iter()
        .map(|document| name(document).unwrap_or_default())
        .collect()
}

/// Returns the path of the text that names the documents.
fn naming(documents: &[&Value]) -> Option<Path> {
    let mut paths = leaves(documents.first()?);
    paths.sort_by_cached_key(|path| {
        let key = path.to_value().to_json().to_lowercase();
        let has = |words: &[&str]| words.iter().any(|word| key.contains(word));
        (!has(&HOLDERS), !has(&NAMES), key)
    });
    let differs = |path: &Path| {
        let texts: BTreeSet<&str> = documents
            .iter()
            .filter_map(|document| text_at(document, path))
            .collect();
        texts.len() > usize::from(documents.len() > 1)
    };
    paths.into_iter().find(differs)
}

/// Returns a text that can name a document: it has letters, and is no address.
fn text_at<'d>(document: &'d Value, path: &Path) -> Option<&'d str> {
    let text = value_at(document, path.steps())?.as_str()?;
    let is_name = text.chars().count() <= MAX_TEXT
        && text.chars().any(char::is_alphabetic)
        && !text.contains(['@', '/'])
        && !text.starts_with("0x");
    is_name.then_some(text)
}

fn name_of(text: &str) -> String {
    let mut name = String::new();
    let words = text.split(|char: char| !char.is_alphanumeric());
    for word in words.filter(|word| !word.is_empty()) {
        let separator = if name.is_empty() { "" } else { "-" };
        name.push_str(separator);
        name.push_str(&word.to_lowercase());
    }
    let short: String = name.chars().take(MAX_NAME).collect();
    short.trim_end_matches('-').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn named(documents: &[Value]) -> Vec<String> {
        short_names(&documents.iter().collect::<Vec<_>>())
    }

    #[test]
    fn documents_are_named_by_the_text_that_differs() {
        let of = |holder: &str, city: &str| json!({ "name": "Course certificate", "assetId": "1", "city": city, "holder": { "email": "a@b.example", "name": holder } });
        assert_eq!(
            named(&[of("Ada Lovelace", "London"), of("Éva Őry-Kis", "Pécs")]),
            ["ada-lovelace", "éva-őry-kis"]
        );
        let of = |holder: &str, course: &str| json!({ "course": { "name": course }, "holder": { "name": holder } });
        assert_eq!(
            named(&[of("Ada Lovelace", "Logic"), of("Grace Hopper", "Sets")]),
            ["ada-lovelace", "grace-hopper"]
        );
        // Texts in other fields name documents if no field is called like a name.
        let of = |city: &str| json!({ "grade": "A", "city": city });
        assert_eq!(named(&[of("London"), of("Pécs")]), ["london", "pécs"]);
    }

    #[test]
    fn addresses_numbers_and_long_texts_name_no_document() {
        for value in [
            "ada@example.com",
            "https://a.example",
            "0xab",
            "2026-11-03",
            "",
            &"a".repeat(81),
        ] {
            assert_eq!(named(&[json!({ "name": value })]), [""], "{value}");
        }
        assert_eq!(named(&[json!({ "name": "../\u{202e}x" })]), [""]);
        assert_eq!(named(&[json!({ "name": "a.b \u{202e}c:d" })]), ["a-b-c-d"]);
        assert_eq!(named(&[json!({}), json!({ "name": "Ada" })]), ["", ""]);
        assert_eq!(named(&[]), [""; 0]);
    }
}
