//! `deploy/<env>.log`: wrangler appends a line of JSON for each deployment. This program appends a line for each version that passed its smoke
//! test.

use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::Path;

use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};

use super::platform::Deployed;

/// A version that passed the smoke test at an address.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Tested {
    #[serde(rename = "type")]
    kind: String,
    pub(super) version_id: String,
    pub(super) address: String,
}

/// The value of `type` in the lines of this program.
const TESTED: &str = "tested";

/// Returns wrangler's last deployment.
///
/// # Errors
/// If the record has no deployment.
pub(super) fn last_deployed(record: &Path) -> Result<Deployed> {
    let found: Option<Deployed> = last(record, "deploy", |_| true)?;
    found.with_context(|| format!("wrangler wrote no deployment into {}", record.display()))
}

/// Returns the last version that passed its smoke test and is not `active`. `None` if there is no such version or no record.
pub(super) fn last_tested(record: &Path, active: Option<&str>) -> Result<Option<Tested>> {
    last(record, TESTED, |tested: &Tested| {
        Some(tested.version_id.as_str()) != active
    })
}

/// Appends a version that passed its smoke test.
pub(super) fn passed(record: &Path, version_id: &str, address: &str) -> Result<()> {
    let line = serde_json::to_string(&Tested {
        kind: TESTED.to_owned(),
        version_id: version_id.to_owned(),
        address: address.to_owned(),
    })?;
    let mut file = OpenOptions::new().create(true).append(true).open(record)?;
    writeln!(file, "{line}").with_context(|| format!("writing {}", record.display()))
}

/// Returns the last line of the type `kind` that meets a condition, or `None`. Other lines are ignored, because wrangler writes several types.
fn last<T: for<'de> Deserialize<'de>>(
    record: &Path,
    kind: &str,
    meets: impl Fn(&T) -> bool,
) -> Result<Option<T>> {
    let text = match fs::read_to_string(record) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        text => text.with_context(|| format!("reading {}", record.display()))?,
    };
    let lines = text.lines().rev().filter_map(|line| {
        let value: serde_json::Value = serde_json::from_str(line).ok()?;
        let is_of_kind = value.get("type").and_then(serde_json::Value::as_str) == Some(kind);
        is_of_kind.then(|| serde_json::from_value(value).ok())?
    });
    Ok(lines.into_iter().find(meets))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_tested_version_other_than_the_active_one_is_found() {
        let record = std::env::temp_dir().join(format!("assay-record-{}", std::process::id()));
        assert_eq!(last_tested(&record, None).unwrap(), None);
        let line = |version: &str| {
            format!(
                "{{\"type\":\"deploy\",\"version_id\":\"{version}\",\"targets\":[\"schedule: * * * * *\",\"https://{version}.example.workers.dev\"]}}\n"
            )
        };
        for version in ["one", "two", "three"] {
            let mut file = OpenOptions::new()
                .create(true)
                .append(true)
                .open(&record)
                .unwrap();
            write!(
                file,
                "{}not JSON\n{{\"type\":\"wrangler-session\"}}\n",
                line(version)
            )
            .unwrap();
            if version != "three" {
                passed(&record, version, "https://example.org").unwrap();
            }
        }
        let tested = |active| last_tested(&record, active).unwrap().unwrap().version_id;
        assert_eq!(tested(Some("three")), "two");
        assert_eq!(tested(Some("two")), "one");
        let deployed = last_deployed(&record).unwrap();
        fs::remove_file(&record).unwrap();
        assert_eq!(deployed.version_id.as_deref(), Some("three"));
        assert_eq!(
            deployed.address().as_deref(),
            Some("https://three.example.workers.dev")
        );
    }
}
