//! Random schemas, documents and paths. Equal seeds give equal results.

use serde_json::{Value as Json, json};

/// A random number generator (xorshift64*).
pub(crate) struct Random(u64);

/// A case: all inputs of certification, and paths that can be disclosed.
#[derive(Debug)]
pub(crate) struct Case {
    pub(crate) schema: Json,
    pub(crate) data: Json,
    pub(crate) key: [u8; 32],
    pub(crate) paths: Vec<Vec<Json>>,
}

const NAMES: [&str; 12] = [
    "",
    "a",
    "b",
    "-",
    "0",
    "é",
    "😀",
    "\u{ff01}",
    "__proto__",
    "a.b",
    "\"\\",
    "length",
];

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        let mut random = Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
        random.below(2);
        random
    }

    pub(crate) fn below(&mut self, count: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        ((self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) as usize) % count
    }

    pub(crate) fn pick<'c, T>(&mut self, choices: &'c [T]) -> &'c T {
        &choices[self.below(choices.len())]
    }

    pub(crate) fn bytes(&mut self) -> [u8; 32] {
        std::array::from_fn(|_| self.below(256) as u8)
    }

    /// Returns a schema, a document that can be certified under this schema, a key, and paths.
    pub(crate) fn case(&mut self) -> Case {
        let schema = self.object_schema(3);
        let data = self.value(&schema, true);
        let mut all = vec![];
        collect(&schema, &data, &mut vec![], &mut all);
        let count = 1 + self.below(4);
        let paths = (0..count).map(|_| self.pick(&all).clone()).collect();
        Case {
            schema,
            data,
            key: self.bytes(),
            paths,
        }
    }

    fn object_schema(&mut self, levels: usize) -> Json {
        let count = *self.pick(&[0, 1, 1, 2, 2, 3, 4, 5, 7]);
        let properties: serde_json::Map<_, _> = (0..count)
            .map(|_| ((*self.pick(&NAMES)).to_owned(), self.schema(levels - 1)))
            .collect();
        let kind = self
            .pick(&[json!("object"), json!(["null", "object"])])
            .clone();
        json!({ "type": kind, "properties": properties })
    }

    fn schema(&mut self, levels: usize) -> Json {
        if levels == 0 {
            return self
                .pick(&[
                    json!({}),
                    json!(true),
                    json!({ "type": "array" }),
                    json!({ "type": "string" }),
                ])
                .clone();
        }
        match self.below(6) {
            0 | 1 => self.object_schema(levels),
            2 | 3 => {
                let mut schema = json!({ "type": "array", "items": self.schema(levels - 1) });
                if !schema["items"].is_object() {
                    schema["items"] = json!({});
                }
                if self.below(2) == 0 {
                    // `maxItems` may be the number of items or more. A value that is not a valid count has no effect.
                    schema["maxItems"] = self
                        .pick(&[
                            json!(6),
                            json!(7),
                            json!(8),
                            json!(20),
                            json!(-1),
                            json!("6"),
                            json!(0.5),
                        ])
                        .clone();
                }
                if self.below(6) == 0 {
                    schema["type"] = json!(["array", "object"]);
                    schema["properties"] = self.object_schema(levels)["properties"].clone();
                }
                schema
            }
            _ => self.schema(0),
        }
    }

    pub(crate) fn value(&mut self, schema: &Json, is_root: bool) -> Json {
        let properties = schema["properties"].as_object();
        let items = schema["items"].as_object();
        let is_list = items.is_some() && (properties.is_none() || self.below(2) == 0);
        if !is_root && self.below(8) == 0 {
            // Values that need not have the type that the schema states.
            let other = [json!(null), json!("0"), json!(1), json!({}), json!([])];
            return self.pick(&other).clone();
        }
        if is_list {
            let count = *self.pick(&[0, 0, 1, 1, 2, 3, 4, 5, 6]);
            return (0..count)
                .map(|_| self.value(&schema["items"], false))
                .collect();
        }
        match properties {
            Some(properties) => {
                let mut object = serde_json::Map::new();
                for (name, schema) in properties {
                    if self.below(4) > 0 {
                        object.insert(name.clone(), self.value(schema, false));
                    }
                }
                Json::Object(object)
            }
            None => self.scalar(),
        }
    }

    pub(crate) fn scalar(&mut self) -> Json {
        let scalars = [
            json!(null),
            json!(true),
            json!(0),
            json!("0"),
            json!(""),
            json!({}),
            json!([]),
            json!(-7),
            json!(0.5),
            json!("é😀"),
            json!([1, { "b": 1, "a": [null] }]),
            json!("a text of more than one block of SHA-256, which has sixty-four bytes"),
        ];
        self.pick(&scalars).clone()
    }
}

/// Collects all paths that can be disclosed: of values, absences and ends.
fn collect(schema: &Json, value: &Json, path: &mut Vec<Json>, all: &mut Vec<Vec<Json>>) {
    all.push(path.clone());
    match crate::model::split(schema, value) {
        Some('O') => {
            for (name, schema) in schema["properties"].as_object().unwrap() {
                path.push(json!(name));
                match value.get(name) {
                    Some(value) => collect(schema, value, path, all),
                    None => all.push(path.clone()),
                }
                path.pop();
            }
        }
        Some(_) => {
            for (index, item) in value.as_array().unwrap().iter().enumerate() {
                path.push(json!(index));
                collect(&schema["items"], item, path, all);
                path.pop();
            }
            all.push([&path[..], &[json!("-")]].concat());
        }
        None => {}
    }
}
