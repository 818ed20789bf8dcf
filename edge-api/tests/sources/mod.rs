//! The service's source files.

use std::path::{Path, PathBuf};

/// Returns the path below `src` and the text of each source file, without its tests.
pub(crate) fn sources() -> Vec<(PathBuf, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut found = Vec::new();
    let mut folders = vec![root.clone()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            if path.extension().is_none_or(|end| end != "rs") || path.ends_with("tests.rs") {
                continue;
            }
            let text = std::fs::read_to_string(&path).expect("a string");
            let text = text.split("\n#[cfg(test)]\nmod ").next().unwrap();
            found.push((
                path.strip_prefix(&root).unwrap().to_owned(),
                text.to_owned(),
            ));
        }
    }
    found
}
