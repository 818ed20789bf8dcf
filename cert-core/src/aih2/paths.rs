//! Finds the paths that can be disclosed under a schema, and the keys of a document that the schema does not have.

use alloc::vec::Vec;
use core::ops::ControlFlow;

use crate::aih2::cert::Cert;
use crate::aih2::shape::{ObjectShape, Shape, Split};
use crate::json::path::{Path, PathStep, Step};
use crate::json::value::{Object, Value};
use crate::schema::paths::{Disclosable, MAX_UNCOVERED, Uncovered};

impl Cert {
    /// Returns the paths of all properties and items of the schema. These are the paths that can be disclosed. Each object and list comes
    /// before its content, and keys are in the order of their slots. The index 0 represents every index of a list. The paths to the ends of
    /// lists (`"-"`) and the empty path of the whole document are left out.
    ///
    /// The result has at most [`MAX_ENTRIES`](crate::MAX_ENTRIES) paths. Their total size is at most
    /// [`MAX_PATH_BYTES`](crate::MAX_PATH_BYTES).
    ///
    /// ```
    /// use cert_core::aih2::{self, Cert};
    /// use cert_core::{Path, PathStep};
    ///
    /// let schema = aih2::parse(
    ///     r#"{ "type": "object", "properties": { "name": {}, "books": { "type": "array", "items": {} } } }"#,
    /// )?;
    /// let item = Path::from([PathStep::from("books"), 0.into()]);
    /// assert_eq!(Cert::new(&schema)?.paths(), [["books"].into(), item, ["name"].into()]);
    /// # Ok::<(), cert_core::CertError>(())
    /// ```
    #[must_use]
    pub fn paths(&self) -> Vec<Path> {
        let mut found = Disclosable::default();
        // The walk stops at the bound.
        let _ = inside(&mut found, &self.shape);
        found.paths
    }

    /// Returns the paths of keys that the schema does not have, such as misspelt keys. Certification refuses a document that has such a key
    /// ([`ErrorCode::NotInSchema`](crate::ErrorCode::NotInSchema)). The result has the first [`MAX_UNCOVERED`] paths, in the order of the
    /// data.
    ///
    /// ```
    /// use cert_core::Path;
    /// use cert_core::aih2::{self, Cert};
    ///
    /// let schema = aih2::parse(r#"{ "type": "object", "properties": { "name": {} } }"#)?;
    /// let misspelt = aih2::parse(r#"{ "nmae": "Nighthawks" }"#)?;
    /// assert_eq!(Cert::new(&schema)?.uncovered(&misspelt), [Path::from(["nmae"])]);
    /// # Ok::<(), cert_core::CertError>(())
    /// ```
    #[must_use]
    pub fn uncovered(&self, data: &Value) -> Vec<Path> {
        let mut found = Uncovered::new(MAX_UNCOVERED);
        // The walk stops at the limit.
        let _ = described(&mut found, &self.shape, data);
        found.paths
    }
}

fn inside(found: &mut Disclosable, shape: &Shape) -> ControlFlow<()> {
    if let Some(object) = &shape.object {
        for (name, shape) in &object.slots {
            found.add(PathStep::Key(name.clone()), |found| inside(found, shape))?;
        }
    }
    if let Some(list) = &shape.list {
        found.add(PathStep::Index(0), |found| inside(found, &list.items))?;
    }
    ControlFlow::Continue(())
}

fn described<'a>(found: &mut Uncovered<'a>, shape: &'a Shape, value: &'a Value) -> ControlFlow<()> {
    match shape.split(value) {
        Some(Split::Object(shape, object)) => keys(found, shape, object),
        Some(Split::List(shape, items)) => {
            found.each(items, |found, item| described(found, &shape.items, item))
        }
        // A leaf is certified with everything in it.
        None => ControlFlow::Continue(()),
    }
}

fn keys<'a>(
    found: &mut Uncovered<'a>,
    shape: &'a ObjectShape,
    object: &'a Object,
) -> ControlFlow<()> {
    for (key, value) in object.iter() {
        let slot = shape.slot(key).and_then(|slot| shape.slots.get(slot));
        found.at(Step::Key(key), |found| match slot {
            Some((_, shape)) => described(found, shape, value),
            None => found.add(),
        })?;
    }
    ControlFlow::Continue(())
}
