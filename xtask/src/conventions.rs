//! The published asset conventions as a module for JavaScript, from the crate that holds their texts.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use cert_core::CONVENTIONS;
use serde_json::json;

/// Writes a module whose default export is a list of `[number, id, id with sorted keys, text]`.
pub(crate) fn write(file: &Path) -> Result<()> {
    let mut module = String::from("export default [\n");
    for known in CONVENTIONS {
        let line = json!([known.number, known.literal, known.sorted, known.text]);
        writeln!(module, "  {line},")?;
    }
    module.push_str("];\n");
    fs::write(file, module).with_context(|| format!("writing `{}`", file.display()))
}
