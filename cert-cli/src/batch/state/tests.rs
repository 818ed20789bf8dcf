//! Tests of the state file: its lines, crashes while a line is written, and locks.

use std::fs;
use std::path::PathBuf;

use serde_json::json;

use super::*;
use crate::journal::Journal;

/// A state file that is removed at the end of the test.
struct Place(PathBuf);

impl Place {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("cert-state-{name}-{}", std::process::id()));
        drop(fs::remove_file(&path));
        Self(path)
    }

    fn lines(&self) -> Vec<String> {
        fs::read_to_string(&self.0)
            .unwrap()
            .lines()
            .map(str::to_owned)
            .collect()
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        drop(fs::remove_file(&self.0));
    }
}

const ACCOUNT: &str = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8";

fn story() -> Vec<Line> {
    let body =
        json!({ "order": { "actions": [{ "assetImprint": "aa" }, { "assetImprint": "bb" }, {}] } });
    let row = |key: &str, asset: u128| Line::Row {
        key: key.to_owned(),
        asset: asset.into(),
    };
    let order = |id: &str, rows: &[&str]| Line::Order {
        id: id.to_owned(),
        rows: rows.iter().map(|row| (*row).to_owned()).collect(),
        body: body.clone(),
    };
    vec![
        Line::Batch {
            version: 1,
            service: "http://127.0.0.1:8787".to_owned(),
            account: ACCOUNT.parse().unwrap(),
            settings: json!({}),
        },
        Line::Ledger {
            ledger: ACCOUNT.parse().unwrap(),
        },
        row("a", 1),
        row("b", 2),
        row("c", 3),
        order("one", &["a", "b"]),
        Line::Failed {
            id: "one".to_owned(),
            message: "no tokens".to_owned(),
        },
        order("two", &["a", "b"]),
        Line::Final {
            id: "two".to_owned(),
        },
        order("three", &["c"]),
    ]
}

#[test]
fn lines_have_the_documented_form() {
    let place = Place::new("form");
    let (mut journal, mut state) = Journal::open::<State>(&place.0).unwrap();
    journal.append(&mut state, &story()).unwrap();
    let lines = place.lines();
    assert_eq!(
        lines[0],
        format!(
            r#"{{"kind":"batch","version":1,"service":"http://127.0.0.1:8787","account":"{ACCOUNT}","settings":{{}}}}"#
        )
    );
    assert_eq!(lines[2], r#"{"kind":"row","key":"a","asset":"1"}"#);
    assert_eq!(
        lines[6],
        r#"{"kind":"failed","id":"one","message":"no tokens"}"#
    );
    assert_eq!(lines[8], r#"{"kind":"final","id":"two"}"#);
    assert_eq!(state.issued().into_iter().collect::<Vec<_>>(), ["a", "b"]);
    assert_eq!(state.open.keys().collect::<Vec<_>>(), ["three"]);
    assert_eq!(
        state.imprints().into_iter().collect::<Vec<_>>(),
        [("a", "aa"), ("b", "bb"), ("c", "aa")]
    );
}

#[test]
fn a_line_cut_off_by_a_crash_is_dropped() {
    let place = Place::new("torn");
    let (mut journal, mut state) = Journal::open::<State>(&place.0).unwrap();
    let story = story();
    journal.append(&mut state, &story).unwrap();
    drop(journal);
    let whole = fs::read(&place.0).unwrap();
    // Cuts the file at every length.
    for length in 0..=whole.len() {
        fs::write(&place.0, &whole[..length]).unwrap();
        let complete = whole[..length]
            .iter()
            .filter(|byte| **byte == b'\n')
            .count();
        let (mut journal, mut state) = Journal::open::<State>(&place.0).unwrap();
        assert_eq!(
            state.assets.len(),
            complete.saturating_sub(2).min(3),
            "{length}"
        );
        journal.append(&mut state, &story[complete..]).unwrap();
        drop(journal);
        assert_eq!(fs::read(&place.0).unwrap(), whole, "{length}");
    }
}

#[test]
fn contradictory_and_malformed_lines_are_refused() {
    let row = r#"{"kind":"row","key":"a","asset":"1"}"#;
    let batch = format!(
        r#"{{"kind":"batch","version":1,"service":"s","account":"{ACCOUNT}","settings":{{}}}}"#
    );
    let ledger = format!(r#"{{"kind":"ledger","ledger":"{ACCOUNT}"}}"#);
    let order = r#"{"kind":"order","id":"x","rows":["a"],"body":{}}"#;
    let end = r#"{"kind":"final","id":"x"}"#;
    for lines in [
        vec![row],
        vec![&batch, &batch],
        vec![&batch, row, row],
        vec![&batch, &ledger, &ledger],
        vec![&batch, order],
        vec![&batch, row, order, end, end],
        vec![&batch, end],
        vec![&batch, "{}"],
        vec![&batch, r#"{"kind":"row","key":"a","asset":"1","more":1}"#],
        vec![&batch, "not JSON"],
    ] {
        let place = Place::new("contradictions");
        fs::write(&place.0, format!("{}\n", lines.join("\n"))).unwrap();
        let error = Journal::open::<State>(&place.0).unwrap_err().to_string();
        assert!(
            error.contains(&format!("line {}", lines.len())),
            "{lines:?}: {error}"
        );
    }
    let place = Place::new("version");
    fs::write(
        &place.0,
        format!("{}\n", batch.replace(r#""version":1"#, r#""version":2"#)),
    )
    .unwrap();
    assert!(
        Journal::open::<State>(&place.0)
            .unwrap_err()
            .to_string()
            .contains("version 1")
    );
}

#[test]
fn an_open_file_cannot_be_opened_again() {
    let place = Place::new("lock");
    let (journal, _) = Journal::open::<State>(&place.0).unwrap();
    assert!(
        Journal::open::<State>(&place.0)
            .unwrap_err()
            .to_string()
            .contains("another process")
    );
    drop(journal);
    assert!(Journal::open::<State>(&place.0).is_ok());
}

#[cfg(unix)]
#[test]
fn only_its_owner_can_read_the_file() {
    use std::os::unix::fs::PermissionsExt as _;
    let place = Place::new("mode");
    drop(Journal::open::<State>(&place.0).unwrap());
    assert_eq!(
        fs::metadata(&place.0).unwrap().permissions().mode() & 0o077,
        0
    );
}
