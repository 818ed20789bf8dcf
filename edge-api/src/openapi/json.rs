//! JSON that keeps the order of its keys, put together from parts.

use cert_core::{Array, Object, Value};

/// What a part of the document is, or what is wrong with its source.
pub(super) type Built<T = Value> = Result<T, String>;

/// Keys and values of an object to be.
#[derive(Default)]
pub(super) struct Fields(Vec<(String, Value)>);

impl Fields {
    pub(super) fn new() -> Self {
        Self::default()
    }

    pub(super) fn with(mut self, key: impl Into<String>, value: impl Into<Value>) -> Self {
        self.0.push((key.into(), value.into()));
        self
    }

    /// Adds the key where there is a value.
    pub(super) fn with_some(self, key: &str, value: Option<impl Into<Value>>) -> Self {
        match value {
            Some(value) => self.with(key, value),
            None => self,
        }
    }

    pub(super) fn push(&mut self, key: impl Into<String>, value: impl Into<Value>) {
        self.0.push((key.into(), value.into()));
    }

    pub(super) fn build(self) -> Built {
        Object::try_from(self.0)
            .map(Value::Object)
            .map_err(|error| error.to_string())
    }
}

/// An array.
pub(super) fn array(items: impl IntoIterator<Item = Value>) -> Built {
    Array::try_from(items.into_iter().collect::<Vec<_>>())
        .map(Value::Array)
        .map_err(|error| error.to_string())
}

/// A whole number.
pub(super) fn number(value: impl Into<u32>) -> Value {
    Value::Number(f64::from(value.into()).into())
}

/// The object that `source` must have under `key`.
pub(super) fn object_at<'a>(source: &'a Object, key: &str) -> Built<&'a Object> {
    source
        .get(key)
        .and_then(Value::as_object)
        .ok_or_else(|| format!("`{key}` is no object"))
}

/// The text under `key`; empty where there is none.
pub(super) fn text_at<'a>(source: &'a Object, key: &str) -> &'a str {
    source.get(key).and_then(Value::as_str).unwrap_or_default()
}

/// Parses a source of the document.
pub(super) fn parse(text: &str) -> Built<Object> {
    match Value::parse(text) {
        Ok(Value::Object(object)) => Ok(object),
        Ok(_) => Err("a source is no object".to_owned()),
        Err(error) => Err(error.to_string()),
    }
}
