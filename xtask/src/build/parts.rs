//! Inserts the parts that all pages share, such as the navigation, into the pages of `www`.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result, bail};

use crate::stamp;

/// The parts by their names: the HTML files in `www/parts`. The Worker inserts the same files into its own pages.
pub(super) struct Parts(BTreeMap<String, String>);

impl Parts {
    pub(super) fn read(folder: &Path) -> Result<Self> {
        let files = stamp::tree(&[folder.to_owned()])?;
        let named = files
            .iter()
            .filter(|path| path.extension().is_some_and(|end| end == "html"));
        let parts = named.map(|path| {
            let name = path.file_stem().context("a part has a name")?;
            let text = fs::read_to_string(path)?.trim_end().to_owned();
            Ok((name.to_string_lossy().into_owned(), text))
        });
        parts.collect::<Result<_>>().map(Self)
    }

    /// Returns a page in which each `<!-- part: NAME -->` is replaced by the part. `address` is the page's own path, such as `/verify/`. In the
    /// inserted parts, links to this path are marked as the current page. Fails if the page names an unknown part.
    pub(super) fn insert(&self, page: &str, address: &str) -> Result<String> {
        let own = format!("<a href=\"{address}\"");
        let current = format!("{own} aria-current=\"page\"");
        let mut whole = page.to_owned();
        for (name, part) in &self.0 {
            let mark = format!("<!-- part: {name} -->");
            whole = whole.replace(&mark, &part.replace(&own, &current));
        }
        if let Some((_, rest)) = whole.split_once("<!-- part:") {
            let name = rest.split("-->").next().unwrap_or_default().trim();
            bail!("the page `{address}` has the part `{name}`, which is not in www/parts");
        }
        Ok(whole)
    }
}

#[cfg(test)]
mod tests {
    use super::Parts;

    fn parts() -> Parts {
        let nav = r#"<nav><a href="/">Home</a><a href="/verify/">Verify</a></nav>"#;
        Parts([("nav".to_owned(), nav.to_owned())].into())
    }

    #[test]
    fn a_part_marks_the_link_to_its_own_page() {
        let page = parts().insert("<body><!-- part: nav --><a href=\"/verify/\">", "/verify/");
        assert_eq!(
            page.ok().as_deref(),
            Some(
                r#"<body><nav><a href="/">Home</a><a href="/verify/" aria-current="page">Verify</a></nav><a href="/verify/">"#
            )
        );
    }

    #[test]
    fn an_unknown_part_fails_the_build() {
        let failed = parts().insert("<!-- part: footer -->", "/").unwrap_err();
        assert_eq!(
            failed.to_string(),
            "the page `/` has the part `footer`, which is not in www/parts"
        );
    }
}
