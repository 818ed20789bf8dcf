//! Random schemas, data and paths, drawn from bytes so that a failing case shrinks to fewer bytes.

use cert_core::{Path, PathStep, Value};

use super::{array, object};

/// Reads choices from bytes. Every choice is 0 once the bytes are used up.
pub(crate) struct Random<'a>(pub(crate) &'a [u8]);

/// Returns bytes to draw from (SplitMix64) and advances the state.
pub(crate) fn bytes(state: &mut u64) -> Vec<u8> {
    let word = |_| {
        *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = *state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)).to_le_bytes()
    };
    (0..64).flat_map(word).collect()
}

const KEYS: [&str; 16] = [
    "a",
    "b",
    "name",
    "x.y",
    "x",
    "",
    "10",
    "2",
    "é",
    "e\u{301}",
    "😀",
    "！",
    "__proto__",
    "z",
    "0",
    "A",
];

impl Random<'_> {
    pub(crate) fn below(&mut self, bound: usize) -> usize {
        let Some((first, rest)) = self.0.split_first() else {
            return 0;
        };
        self.0 = rest;
        usize::from(*first) % bound
    }

    pub(crate) fn pick<'v, T>(&mut self, values: &'v [T]) -> &'v T {
        &values[self.below(values.len())]
    }

    pub(crate) fn schema(&mut self) -> Value {
        self.object_schema(4)
    }

    fn object_schema(&mut self, levels: usize) -> Value {
        let mut properties: Vec<(String, Value)> = Vec::new();
        for _ in 0..self.below(6) {
            let key = *self.pick(&KEYS);
            let schema = self.any_schema(levels - 1);
            if !properties.iter().any(|(known, _)| known == key) {
                properties.push((key.to_owned(), schema));
            }
        }
        object([
            ("type", "object".into()),
            ("properties", Value::Object(properties.try_into().unwrap())),
        ])
    }

    fn any_schema(&mut self, levels: usize) -> Value {
        match self.below(if levels == 0 { 3 } else { 8 }) {
            0 => object([("type", "string".into())]),
            1 => object([]),
            2 => Value::Bool(true),
            3..=5 => object([
                ("type", "array".into()),
                ("items", self.any_schema(levels - 1)),
            ]),
            _ => self.object_schema(levels),
        }
    }

    pub(crate) fn data(&mut self, schema: &Value) -> Value {
        match kind(schema) {
            "object" => {
                let mut entries = Vec::new();
                for (key, schema) in properties(schema) {
                    match self.below(8) {
                        0 => {}
                        1 => entries.push((key.to_owned(), Value::Null)),
                        _ => entries.push((key.to_owned(), self.data(schema))),
                    }
                }
                if self.below(4) == 0 && !entries.iter().any(|(key, _)| key == "extra") {
                    entries.push(("extra".to_owned(), self.scalar()));
                }
                Value::Object(entries.try_into().unwrap())
            }
            "array" => {
                let length = *self.pick(&[0, 1, 2, 3, 10, 11, 12, 23, 101]);
                let length = if length > 12 && self.below(2) == 0 {
                    11
                } else {
                    length
                };
                let items = (0..length).map(|_| match self.below(8) {
                    0 => Value::Null,
                    _ => self.data(items(schema)),
                });
                array(items.collect())
            }
            _ => self.scalar(),
        }
    }

    pub(crate) fn scalar(&mut self) -> Value {
        let scalars = [
            Value::from("text"),
            "".into(),
            Value::Null,
            1.0.into(),
            "1".into(),
            0.1.into(),
            1e21.into(),
            (-0.0).into(),
            true.into(),
            "true".into(),
            "é😀".into(),
            "x".repeat(200).into(),
        ];
        self.pick(&scalars).clone()
    }

    /// Returns paths of the data. A few of them are cut short or lead to no value.
    pub(crate) fn paths(&mut self, data: &Value) -> Vec<Path> {
        let mut all = Vec::new();
        collect(data, &mut Vec::new(), &mut all);
        let count = self.below(8);
        let paths = (0..count).map(|_| {
            let low = self.below(256);
            let mut steps = all[(self.below(256) * 256 + low) % all.len()].clone();
            match self.below(12) {
                0 => steps.truncate(self.below(3)),
                1 => steps.push((*self.pick(&KEYS)).into()),
                2 => steps.push(self.below(14).into()),
                3 => {
                    // An index as text names the same element.
                    for step in &mut steps {
                        if let PathStep::Index(index) = step {
                            *step = index.to_string().into();
                        }
                    }
                }
                _ => {}
            }
            Path::from(steps)
        });
        paths.collect()
    }

    /// Returns the value with one change somewhere in it.
    pub(crate) fn mutate(&mut self, value: &Value) -> Value {
        match value {
            Value::Object(object) if !object.is_empty() => {
                let mut entries: Vec<_> = object
                    .iter()
                    .map(|(key, value)| (key.to_owned(), value.clone()))
                    .collect();
                let at = self.below(entries.len());
                match self.below(8) {
                    0 => drop(entries.remove(at)),
                    _ => entries[at].1 = self.mutate(&entries[at].1),
                }
                Value::Object(entries.try_into().unwrap())
            }
            Value::Array(values) if !values.is_empty() => {
                let mut items = values.as_slice().to_vec();
                let (at, other) = (self.below(items.len()), self.below(items.len()));
                match self.below(8) {
                    0 => drop(items.remove(at)),
                    1 => items.insert(at, items[other].clone()),
                    2 => items.swap(at, other),
                    3 => items.truncate(at),
                    _ => items[at] = self.mutate(&items[at]),
                }
                array(items)
            }
            Value::Number(number) => match self.below(4) {
                0 => (number.to_f64() + 1.0).into(),
                1 => (number.to_f64() - 1.0).into(),
                2 => (number.to_f64() * 1e6).into(),
                _ => self.scalar(),
            },
            _ => match self.below(4) {
                0 => array(vec![]),
                1 => object([]),
                _ => self.scalar(),
            },
        }
    }
}

pub(crate) fn kind(schema: &Value) -> &str {
    schema
        .as_object()
        .and_then(|schema| schema.get("type"))
        .and_then(Value::as_str)
        .unwrap_or("")
}

pub(crate) fn properties(schema: &Value) -> impl Iterator<Item = (&str, &Value)> {
    super::at(schema, "properties").as_object().unwrap().iter()
}

pub(crate) fn items(schema: &Value) -> &Value {
    super::at(schema, "items")
}

fn collect(data: &Value, at: &mut Vec<PathStep>, all: &mut Vec<Vec<PathStep>>) {
    all.push(at.clone());
    let children: Vec<(PathStep, &Value)> = match data {
        Value::Object(object) => object
            .iter()
            .map(|(key, value)| (key.into(), value))
            .collect(),
        Value::Array(array) => array
            .iter()
            .enumerate()
            .map(|(i, v)| (i.into(), v))
            .collect(),
        _ => vec![],
    };
    for (step, value) in children {
        at.push(step);
        collect(value, at, all);
        at.pop();
    }
}
