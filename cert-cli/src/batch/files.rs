//! The files of a batch: public files for the issuer's web server, private files for the holders, and the table for a mail merge.
//!
//! Only [`Site`] maps the addresses of public files to paths.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::failure::Failure;

/// The issuer's web server: an address, and the folder whose content the issuer uploads there.
#[derive(Debug)]
pub(crate) struct Site {
    address: String,
    folder: PathBuf,
    /// The parts of a metadata address before and after the asset's id, as stored in the ledger.
    pub(crate) prefix: String,
    pub(crate) postfix: String,
}

impl Site {
    /// Creates a site. `uri` has the prefix and the postfix of an existing ledger's metadata addresses. `None` selects the default values for
    /// a new ledger.
    pub(crate) fn new(
        address: &str,
        folder: PathBuf,
        uri: Option<(&str, &str)>,
    ) -> Result<Self, Failure> {
        let wrong =
            |why: String| Failure::new("option-invalid", format!("--site {address}: {why}"));
        if !address.starts_with("https://") && !address.starts_with("http://")
            || address.contains(['?', '#', ' '])
        {
            return Err(wrong(
                "expected an address without `?`, `#` or spaces, such as https://uni.example/certificates".to_owned(),
            ));
        }
        let address = address.trim_end_matches('/').to_owned();
        let (prefix, postfix) = match uri {
            None => (format!("{address}/assets/"), ".json".to_owned()),
            Some((prefix, postfix)) => (prefix.to_owned(), postfix.to_owned()),
        };
        let site = Self {
            address,
            folder,
            prefix,
            postfix,
        };
        // The ledger's owner chose prefix and postfix. They become part of a path on this machine, so only plain names are accepted.
        let example = site.metadata("1");
        let path = example
            .strip_prefix(&format!("{}/", site.address))
            .unwrap_or_default();
        let is_plain = |part: &str| {
            let known =
                |char: char| char.is_ascii_alphanumeric() || matches!(char, '.' | '_' | '-' | '~');
            !part.is_empty() && part != "." && part != ".." && part.chars().all(known)
        };
        if path.split('/').all(is_plain) {
            Ok(site)
        } else {
            Err(wrong(format!(
                "the ledger's metadata is at {example}: expected a path below this address, whose parts are neither `.` nor `..` and contain only letters, digits and `.-_~`"
            )))
        }
    }

    /// Returns the address of an asset's metadata.
    pub(crate) fn metadata(&self, asset: &str) -> String {
        format!("{}{asset}{}", self.prefix, self.postfix)
    }

    pub(crate) fn evidence(&self, asset: &str) -> String {
        format!("{}/evidence/{asset}.json", self.address)
    }

    pub(crate) fn schema(&self) -> String {
        format!("{}/schema.json", self.address)
    }

    /// Writes the file that the site serves at an address.
    pub(crate) fn put(&self, address: &str, content: &str) -> Result<(), Failure> {
        let path = address
            .strip_prefix(&format!("{}/", self.address))
            .unwrap_or_default();
        write(&self.folder.join(path), content.as_bytes(), false)
    }

    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }
}

/// Writes a file atomically: if this process crashes, the file is complete or absent. Keeps an existing file of the same length,
/// because the content of a batch's file never changes.
pub(crate) fn write(path: &Path, content: &[u8], is_private: bool) -> Result<(), Failure> {
    let length = u64::try_from(content.len()).unwrap_or(u64::MAX);
    if fs::metadata(path).is_ok_and(|known| known.len() == length) {
        return Ok(());
    }
    replace(path, content, is_private)
}

/// Writes or replaces a file atomically.
pub(crate) fn replace(path: &Path, content: &[u8], is_private: bool) -> Result<(), Failure> {
    let failed = |error: io::Error| {
        Failure::new(
            "output-failed",
            format!("{} could not be written: {error}", path.display()),
        )
    };
    let folder = path.parent().unwrap_or(Path::new("."));
    create_folder(folder, is_private)?;
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(".part");
    let part = folder.join(name);
    let mut options = fs::OpenOptions::new();
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, if is_private { 0o600 } else { 0o644 });
    let mut file = options.open(&part).map_err(failed)?;
    io::Write::write_all(&mut file, content).map_err(failed)?;
    drop(file);
    fs::rename(&part, path).map_err(failed)
}

/// Creates a folder if it is missing. On Unix, other users of the machine cannot read a new private folder.
pub(crate) fn create_folder(path: &Path, is_private: bool) -> Result<(), Failure> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, if is_private { 0o700 } else { 0o755 });
    builder.create(path).map_err(|error| {
        Failure::new(
            "output-failed",
            format!(
                "the folder {} could not be created: {error}",
                path.display()
            ),
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_map_only_to_paths_below_the_folder() {
        let site = |uri| {
            Site::new(
                "https://uni.example/certificates/",
                PathBuf::from("site"),
                uri,
            )
        };
        let own = site(None).unwrap();
        assert_eq!(
            own.metadata("7"),
            "https://uni.example/certificates/assets/7.json"
        );
        assert_eq!(
            own.evidence("7"),
            "https://uni.example/certificates/evidence/7.json"
        );
        assert!(site(Some(("https://uni.example/certificates/a/", ""))).is_ok());
        for (prefix, postfix) in [
            ("https://uni.example/other/", ".json"),
            ("https://uni.example/certificates/../", ".json"),
            ("https://uni.example/certificates/", "/../../x"),
            ("https://uni.example/certificates/", "?x"),
            ("https://uni.example/certificates/", "\\x"),
            ("https://uni.example/certificates//", ""),
            ("https://uni.example/certificatesx/", ""),
        ] {
            assert!(site(Some((prefix, postfix))).is_err(), "{prefix} {postfix}");
        }
        for address in ["ftp://uni.example", "uni.example", "https://uni.example/?a"] {
            assert!(
                Site::new(address, PathBuf::new(), None).is_err(),
                "{address}"
            );
        }
    }
}
