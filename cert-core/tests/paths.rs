//! Tests the paths that can be disclosed under a schema.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

mod support;

use cert_core::{Cert, MAX_ENTRIES, MAX_PATH_BYTES, Path};
use support::json;

fn paths(properties: &str) -> Vec<Path> {
    let schema = format!(r#"{{"type":"object","properties":{properties}}}"#);
    Cert::new(&json(&schema)).unwrap().paths()
}

fn texts(properties: &str) -> Vec<String> {
    let paths = paths(properties);
    paths.iter().map(|path| path.to_value().to_json()).collect()
}

#[test]
fn objects_and_lists_come_before_their_content() {
    assert_eq!(texts("{}"), [""; 0]);
    assert_eq!(
        texts(
            r#"{"b":{"type":"object","properties":{"y.z":{},"x":true}},
                "a":{"type":"array","items":{"type":"array","items":{"type":"object","properties":{"k":{}}}}}}"#
        ),
        [
            r#"["a"]"#,
            r#"["a",0]"#,
            r#"["a",0,0]"#,
            r#"["a",0,0,"k"]"#,
            r#"["b"]"#,
            r#"["b","x"]"#,
            r#"["b","y.z"]"#,
        ]
    );
}

#[test]
fn objects_without_leaves_have_no_paths() {
    const NOTHING: &str = r#"{"type":"object","properties":{}}"#;
    assert_eq!(
        texts(&format!(
            r#"{{"a":{NOTHING},"b":{{"type":"object","properties":{{"c":{NOTHING}}}}},"d":{{"type":"array","items":{NOTHING}}},"e":{{}}}}"#
        )),
        [r#"["d"]"#, r#"["e"]"#]
    );
}

#[test]
fn every_path_discloses_something_of_a_whole_document() {
    let schema = json(
        r#"{"type":"object","properties":{"a":{"type":"array","items":{"type":"object","properties":{"x":{},"y":{}}}},"b":{}}}"#,
    );
    let data = json(r#"{"a":[{"x":1,"y":2},{"x":3,"y":4}],"b":5}"#);
    let cert = Cert::new(&schema).unwrap();
    let paths = cert.paths();
    for path in &paths {
        let shown = cert.expose(&data, std::slice::from_ref(path));
        let proofs = cert.disclose(&data, std::slice::from_ref(path)).unwrap();
        assert_eq!(
            cert.calculate(&shown, &proofs).unwrap(),
            Some(cert.imprint(&data).unwrap())
        );
        assert_ne!(shown.to_json(), "{}");
    }
}

#[test]
fn a_long_list_of_paths_is_bounded() {
    let many = |count: usize| {
        let members = (0..count).map(|at| format!(r#""{at}":{{}}"#));
        format!("{{{}}}", members.collect::<Vec<_>>().join(","))
    };
    assert_eq!(paths(&many(MAX_ENTRIES - 1)).len(), MAX_ENTRIES - 1);
    assert_eq!(paths(&many(MAX_ENTRIES + 1)).len(), MAX_ENTRIES);
    // The text of a key counts once for each path that contains it.
    let key = "k".repeat(MAX_PATH_BYTES / 100);
    let long = format!(
        r#"{{"{key}":{{"type":"object","properties":{}}}}}"#,
        many(1_000)
    );
    assert_eq!(paths(&long).len(), 99);
}
