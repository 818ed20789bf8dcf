//! Source files of a crate.

use std::path::{Path, PathBuf};

/// Returns the path below `src` and the text of each source file of the service, without its tests.
pub(crate) fn sources() -> Vec<(PathBuf, String)> {
    let without_tests = |(path, text): (PathBuf, String)| {
        let text = text.split("\n#[cfg(test)]\nmod ").next().unwrap();
        (path, text.to_owned())
    };
    let all = sources_of(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"));
    all.into_iter().map(without_tests).collect()
}

/// Returns the path below the folder `root` and the text of each source file. Leaves out files that have only tests.
pub(crate) fn sources_of(root: &Path) -> Vec<(PathBuf, String)> {
    let mut found = Vec::new();
    let mut folders = vec![root.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.ends_with("tests") || path.ends_with("tests.rs") {
                continue;
            }
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|end| end == "rs") {
                let text = std::fs::read_to_string(&path).expect("a string");
                found.push((path.strip_prefix(root).unwrap().to_owned(), text));
            }
        }
    }
    found
}
