//! The content of a certificate as a tree, as `pkg/view/src/model.ts` arranges it: title, description, picture, and the other fields in the schema's order.

use std::collections::BTreeSet;

use cert_core::text::visible;
use cert_core::{Object, Value};
use krilla::image::Image;

use crate::error::Finding;
use crate::picture::Pictures;
use crate::shown::value_text;
use crate::texts::Texts;

/// The paths of the person or organisation that a certificate is for.
const HOLDERS: [&[&str]; 3] = [&["holder"], &["holder", "name"], &["owner"]];
/// The top-level keys with the ids of the asset and the addresses of its files, which a sheet does not list.
const TECHNICAL: [&str; 4] = ["ledgerId", "assetId", "$schema", "$evidence"];
/// A list of objects with more keys than this is not shown as a table.
const MAX_COLUMNS: usize = 4;
/// The keyword of a schema that asks for separators in a number, such as `20,231`.
const GROUPED: &str = "x-assay-grouped";

/// A label and a text.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Entry {
    pub(crate) label: Option<String>,
    pub(crate) text: String,
}

/// A field, or a part of the certificate.
#[derive(Clone, Debug)]
pub(crate) enum Node {
    Value(Entry),
    Picture(Option<String>, Image),
    Group(Option<String>, Vec<Node>),
    List(Option<String>, Vec<Node>),
    Table {
        label: Option<String>,
        columns: Vec<String>,
        rows: Vec<Vec<String>>,
    },
}

/// The content of a certificate.
#[derive(Debug, Default)]
pub(crate) struct Content {
    /// The schema's title.
    pub(crate) kind: Option<String>,
    pub(crate) title: Option<String>,
    pub(crate) description: Option<String>,
    pub(crate) image: Option<Image>,
    pub(crate) holder: Option<Entry>,
    pub(crate) nodes: Vec<Node>,
}

/// Arranges a document. `findings` gets the pictures that cannot be shown.
pub(crate) fn content(
    schema: &Value,
    document: &Value,
    texts: &Texts,
    findings: &mut BTreeSet<Finding>,
) -> Content {
    let mut content = Content {
        kind: title_of(schema),
        ..Content::default()
    };
    let mut reader = Reader {
        texts,
        findings,
        pictures: Pictures::default(),
    };
    let Some(document) = document.as_object() else {
        return content;
    };
    let properties = properties(schema);
    let text_at = |key: &str| {
        let value = document.get(key)?;
        let node = properties.and_then(|properties| properties.get(key));
        let is_single = value.as_scalar().is_some() && !is_picture(value);
        is_single.then(|| value_text(value, is_grouped(node), texts))
    };
    content.title = text_at("name");
    content.description = text_at("description");
    let mut left_out: Vec<&str> = TECHNICAL.to_vec();
    if content.title.is_some() {
        left_out.push("name");
    }
    if content.description.is_some() {
        left_out.push("description");
    }
    if let Some(Value::String(address)) = document.get("image") {
        match reader.pictures.of_address(address.as_str()) {
            Some(image) => content.image = Some(image),
            None => {
                let name = name_of(properties.and_then(|all| all.get("image")), "image");
                reader.findings.insert(Finding::PictureNotShown(name));
            }
        }
        left_out.push("image");
    }
    let holder = HOLDERS
        .into_iter()
        .find_map(|path| holder_at(schema, document, path));
    let skipped = holder.as_ref().map_or(&[][..], |(path, _)| *path);
    content.holder = holder.map(|(_, entry)| entry);
    content.nodes = reader.members(schema, document, &left_out, skipped);
    content
}

/// Returns the holder's name at a path, if it is a text.
fn holder_at<'p>(
    schema: &Value,
    document: &Object,
    path: &'p [&'p str],
) -> Option<(&'p [&'p str], Entry)> {
    let (first, rest) = path.split_first()?;
    let mut node = properties(schema).and_then(|all| all.get(first));
    let mut value = document.get(first)?;
    // A group with one field has the group's label.
    let mut label = name_of(node, first);
    for key in rest {
        let group = value.as_object()?;
        node = node.and_then(properties).and_then(|all| all.get(key));
        value = group.get(key)?;
        if group.len() > 1 {
            label = name_of(node, key);
        }
    }
    let text = value.as_str().filter(|text| !text.trim().is_empty())?;
    let entry = Entry {
        label: Some(label),
        text: crate::shown::lines_of(text),
    };
    Some((path, entry))
}

struct Reader<'a> {
    texts: &'a Texts,
    findings: &'a mut BTreeSet<Finding>,
    pictures: Pictures,
}

impl Reader<'_> {
    /// Returns the members of an object in the schema's order, then the others by name. `left_out` are keys, and `skipped` is the path of the holder.
    fn members(
        &mut self,
        schema: &Value,
        object: &Object,
        left_out: &[&str],
        skipped: &[&str],
    ) -> Vec<Node> {
        let known = properties(schema);
        let mut keys: Vec<&str> = known
            .into_iter()
            .flat_map(Object::iter)
            .map(|(key, _)| key)
            .filter(|key| object.get(key).is_some())
            .collect();
        let mut others: Vec<&str> = object
            .iter()
            .map(|(key, _)| key)
            .filter(|key| known.is_none_or(|known| known.get(key).is_none()))
            .collect();
        others.sort_unstable();
        keys.append(&mut others);
        let mut nodes = Vec::new();
        for key in keys {
            if left_out.contains(&key) || skipped == [key] {
                continue;
            }
            let Some(value) = object.get(key) else {
                continue;
            };
            let inside = match skipped.split_first() {
                Some((first, rest)) if *first == key => rest,
                _ => &[],
            };
            let node = known.and_then(|known| known.get(key));
            nodes.extend(self.node(node, Some(name_of(node, key)), value, inside));
        }
        nodes
    }

    fn node(
        &mut self,
        schema: Option<&Value>,
        label: Option<String>,
        value: &Value,
        skipped: &[&str],
    ) -> Option<Node> {
        match (value, schema) {
            (Value::Object(object), Some(schema))
                if properties(schema).is_some() && !object.is_empty() =>
            {
                let nodes = self.members(schema, object, &[], skipped);
                joined(label, nodes, object)
            }
            (Value::Array(items), Some(schema))
                if items_of(schema).is_some() && !items.is_empty() =>
            {
                let inner = items_of(schema);
                if let Some((columns, rows)) = self.table(inner, items.as_slice()) {
                    return Some(Node::Table {
                        label,
                        columns,
                        rows,
                    });
                }
                let title = inner.and_then(title_of);
                let nodes = items
                    .iter()
                    .filter(|item| !matches!(item, Value::Null))
                    .filter_map(|item| self.node(inner, title.clone(), item, &[]))
                    .collect();
                Some(Node::List(label, nodes))
            }
            _ => Some(self.leaf(schema, label, value)),
        }
    }

    fn leaf(&mut self, schema: Option<&Value>, label: Option<String>, value: &Value) -> Node {
        if let Some(address) = value.as_str().filter(|_| is_picture(value)) {
            if let Some(image) = self.pictures.of_address(address) {
                return Node::Picture(label, image);
            }
            let name = label.clone().unwrap_or_else(|| self.texts.item.to_owned());
            self.findings.insert(Finding::PictureNotShown(name));
            // The address of a picture is no text for people.
            let text = self.texts.picture.to_owned();
            return Node::Value(Entry { label, text });
        }
        Node::Value(Entry {
            label,
            text: value_text(value, is_grouped(schema), self.texts),
        })
    }

    /// Returns the columns and rows of a list whose items are all objects of single values. `None` for other lists.
    fn table(
        &mut self,
        schema: Option<&Value>,
        items: &[Value],
    ) -> Option<(Vec<String>, Vec<Vec<String>>)> {
        let known = schema.and_then(properties)?;
        if items.len() < 2 {
            return None;
        }
        let mut used = BTreeSet::new();
        for item in items {
            for (key, value) in item.as_object()?.iter() {
                if value.as_scalar().is_none() || is_picture(value) {
                    return None;
                }
                used.insert(key);
            }
        }
        let columns: Vec<&str> = known
            .iter()
            .map(|(key, _)| key)
            .filter(|key| used.contains(key))
            .collect();
        if columns.is_empty() || columns.len() != used.len() || columns.len() > MAX_COLUMNS {
            return None;
        }
        let cell = |item: &Value, key: &str| {
            let value = item.as_object().and_then(|item| item.get(key));
            value.map_or_else(String::new, |value| {
                value_text(value, is_grouped(known.get(key)), self.texts)
            })
        };
        let rows = items
            .iter()
            .map(|item| columns.iter().map(|key| cell(item, key)).collect())
            .collect();
        let names = columns.iter().map(|key| name_of(known.get(key), key));
        Some((names.collect(), rows))
    }
}

/// Returns a group, or its only field with the group's label: `Holder` if that field is `name`, otherwise `Holder · Email`. `None` without fields.
fn joined(label: Option<String>, mut nodes: Vec<Node>, object: &Object) -> Option<Node> {
    if nodes.is_empty() {
        return None;
    }
    if nodes.len() > 1 || object.len() > 1 {
        return Some(Node::Group(label, nodes));
    }
    match (nodes.pop()?, label) {
        (Node::Value(entry), Some(label)) => {
            let is_name = object.get("name").is_some();
            let own = entry.label.unwrap_or_default();
            let label = if is_name {
                label
            } else {
                format!("{label} · {own}")
            };
            Some(Node::Value(Entry {
                label: Some(label),
                text: entry.text,
            }))
        }
        (node, label) => Some(Node::Group(label, vec![node])),
    }
}

fn is_picture(value: &Value) -> bool {
    value
        .as_str()
        .is_some_and(|text| text.starts_with("data:image/"))
}

fn is_grouped(schema: Option<&Value>) -> bool {
    let keyword = schema
        .and_then(Value::as_object)
        .and_then(|node| node.get(GROUPED));
    matches!(keyword, Some(Value::Bool(true)))
}

fn properties(schema: &Value) -> Option<&Object> {
    schema.as_object()?.get("properties")?.as_object()
}

fn items_of(schema: &Value) -> Option<&Value> {
    let items = schema.as_object()?.get("items")?;
    items.as_object().map(|_| items)
}

fn title_of(schema: &Value) -> Option<String> {
    let title = schema.as_object()?.get("title")?.as_str()?;
    (!title.trim().is_empty()).then(|| visible(title).into_owned())
}

/// Returns the title of a schema, or otherwise the key.
fn name_of(schema: Option<&Value>, key: &str) -> String {
    let title = schema.and_then(title_of);
    title.unwrap_or_else(|| visible(key).into_owned())
}
