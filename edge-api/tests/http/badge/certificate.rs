//! Certified assets for tests.

use cert_core::{Cert, Path, Value, identify, proofs_to_value};

/// The schema of most assets in these tests.
const SCHEMA: &str = r#"{"type":"object","title":"Person","properties":{
    "name":{"type":"string"},"born":{"type":"number"},"$schema":{"type":"string"},"$evidence":{"type":"string"},
    "tags":{"type":"array","items":{"type":"string"}},
    "book":{"type":"object","properties":{"title":{"type":"string"},"year":{"type":"integer"}}}
}}"#;
const DATA: &str = r#"{"name":"Ada","born":1815,"$schema":"schema.json","$evidence":"evidence.json",
    "tags":["a","b"],"book":{"title":"Notes","year":1843}}"#;

pub fn json(text: &str) -> Value {
    Value::parse(text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

/// An asset with all documents that its verification needs.
#[derive(Clone, Debug)]
pub struct Certificate {
    pub schema: Value,
    pub metadata: Value,
    pub evidence: Value,
    pub imprint: String,
}

impl Certificate {
    /// Certifies `data`, which follows `schema`. Makes the members with these `keys` public.
    pub fn of(schema: &str, data: &str, keys: &[&str]) -> Self {
        let (schema, data) = (json(schema), json(data));
        let cert = Cert::new(&schema).expect("a schema");
        let paths: Vec<Path> = keys.iter().map(|key| key.split('.').collect()).collect();
        let proofs = proofs_to_value(&cert.disclose(&data, &paths).expect("proofs"));
        let evidence = json(&format!(
            r#"{{"$schema":"https://example.org/87.json","data":{}}}"#,
            proofs.to_json()
        ));
        let imprint = cert.imprint(&data).expect("an imprint");
        Self {
            metadata: cert.expose(&data, &paths),
            schema,
            evidence,
            imprint,
        }
    }

    /// Certifies a person. Makes `keys` public, in addition to `$schema` and `$evidence`.
    pub fn with_public(keys: &[&str]) -> Self {
        Self::of(SCHEMA, DATA, &[&["$schema", "$evidence"], keys].concat())
    }

    /// Certifies a person whose name and book are public.
    pub fn new() -> Self {
        Self::with_public(&["name", "book"])
    }

    pub fn schema_id(&self) -> String {
        identify(&self.schema)
    }

    /// Replaces all occurrences of a string in the metadata.
    pub fn altered(&self, from: &str, to: &str) -> Self {
        let text = self.metadata.to_json();
        assert!(text.contains(from), "{from} is not in {text}");
        Self {
            metadata: json(&text.replace(from, to)),
            ..self.clone()
        }
    }
}
