//! AIH-1: vectors, and reports on evidence.

use cert_core::Value;

use crate::support::{Folder, of_data, part, vectors, verify};

fn cases() -> Vec<Value> {
    let all = Value::parse(&vectors("cert/reference.json")).unwrap();
    let cases = part(&all, "cases").as_array().unwrap();
    cases.as_slice().to_vec()
}

#[test]
fn every_operation_agrees_with_the_vectors() {
    let folder = Folder::new("vectors");
    for case in cases().iter().step_by(9) {
        folder.file("schema.json", part(case, "schema").to_json());
        folder.file("data.json", part(case, "data").to_json());
        let imprint = part(case, "imprint").as_str().unwrap();
        // The tool warns about values that the vector's schema does not describe.
        let ran = |operation: &str, more: &[&str]| {
            let run = folder.run(&of_data(operation, more));
            let is_warned = run.err.starts_with("warning[data-uncovered]: ");
            assert!(
                run.code == 0 && (run.err.is_empty() || is_warned),
                "{}",
                run.err
            );
            run.out
        };
        assert_eq!(ran("imprint", &[]), format!("{imprint}\n"));
        let id = part(part(case, "schemaId"), "literal").as_str().unwrap();
        assert_eq!(folder.ok(&["identify", "schema.json"]), format!("0x{id}\n"));
        let sorted = part(part(case, "schemaId"), "sorted").as_str().unwrap();
        assert_eq!(
            folder.ok(&["identify", "--sorted", "schema.json"]),
            format!("0x{sorted}\n")
        );
        folder.file(
            "evidence.json",
            ran(
                "notarize",
                &["--evidence-schema", "https://example.com/87.json"],
            ),
        );
        let verified = |file: &str| folder.run(&[&verify(imprint)[..], &[file]].concat());
        let run = verified("data.json");
        assert_eq!(run.code, 0, "{}", run.err);
        assert!(
            run.err.contains("PROVEN: the imprint certifies"),
            "{}",
            run.err
        );
        assert_eq!(
            part(&Value::parse(&run.out).unwrap(), "valid"),
            &Value::Bool(true)
        );

        for set in part(case, "disclose").as_array().unwrap() {
            let paths: Vec<String> = part(set, "paths")
                .as_array()
                .unwrap()
                .iter()
                .map(Value::to_json)
                .collect();
            let paths: Vec<&str> = paths.iter().map(String::as_str).collect();
            folder.file("evidence.json", ran("disclose", &paths));
            folder.file("shown.json", ran("expose", &paths));
            assert_eq!(verified("shown.json").code, 0);
        }
    }
}

#[test]
fn unproven_documents_exit_with_status_1() {
    let folder = Folder::new("refused");
    let imprint = folder.ok(&of_data("imprint", &[]));
    folder.file(
        "evidence.json",
        folder.ok(&of_data("disclose", &["name", "books[0].title"])),
    );
    let verified = |data: &str, imprint: &str| folder.feed(&verify(imprint), data);
    let run = verified(
        r#"{ "name": "Ada", "books": [{ "title": "Notes" }] }"#,
        &imprint,
    );
    assert_eq!(run.code, 0, "{}", run.err);
    assert!(
        run.err.contains("books: there may be more items"),
        "{}",
        run.err
    );
    assert_eq!(
        verified(
            r#"{ "name": "Ada" }"#,
            &format!("0x{}", imprint.to_uppercase())
        )
        .code,
        0
    );

    let run = verified(r#"{ "name": "Eve", "age": 36 }"#, &imprint);
    assert_eq!(run.code, 1);
    assert!(
        run.err.starts_with(
            "not proven   name: the value differs from the proven one\nnot covered  age: no proof"
        ),
        "{}",
        run.err
    );
    let report = Value::parse(&run.out).unwrap();
    assert_eq!(part(&report, "valid"), &Value::Bool(false));
    assert_eq!(part(&report, "proven").to_json(), "{}");
    let run = verified(r#"{ "name": "Ada" }"#, &"0".repeat(64));
    assert_eq!(run.code, 1);
    assert!(
        run.err
            .contains("refused      the evidence belongs to another imprint\nNOT PROVEN"),
        "{}",
        run.err
    );
    folder.file("evidence.json", "[]");
    assert_eq!(verified("{}", &imprint).code, 1);
    let run = verified("{}", "ef72");
    assert!(
        run.code == 2 && run.err.contains("an imprint is 64 hexadecimal digits"),
        "{}",
        run.err
    );
}

#[test]
fn omitted_findings_are_counted() {
    let folder = Folder::new("omitted");
    let imprint = folder.ok(&of_data("imprint", &[]));
    folder.file("evidence.json", folder.ok(&of_data("notarize", &[])));
    let many: Vec<String> = (0..10_050).map(|at| format!(r#""x{at}":1"#)).collect();
    let run = folder.feed(&verify(&imprint), &format!("{{{}}}", many.join(",")));
    assert_eq!(run.code, 0);
    assert!(
        run.err.contains("\nnot covered  … 50 more\nPROVEN: "),
        "{}",
        run.err.lines().last().unwrap()
    );
}

#[test]
fn items_shown_of_a_long_list_may_have_other_positions() {
    let folder = Folder::new("cut");
    let items: Vec<String> = (0..14).map(|n| format!(r#"{{"title":"{n}"}}"#)).collect();
    folder.file("data.json", format!(r#"{{"books":[{}]}}"#, items.join(",")));
    let all = folder.ok(&of_data("notarize", &[]));
    let proofs = Value::parse(&all).unwrap();
    let cut: Vec<String> = proofs
        .as_array()
        .unwrap()
        .iter()
        .map(|proof| {
            let path = part(proof, "path").to_json();
            if path != r#"["books"]"# {
                return proof.to_json();
            }
            let values = &part(proof, "values").as_array().unwrap().as_slice()[..3];
            let values: Vec<String> = values.iter().map(Value::to_json).collect();
            let nodes = part(proof, "nodes").as_array().unwrap();
            let end = nodes
                .iter()
                .find(|node| part(node, "index").to_json() == "6");
            let end = end.unwrap().to_json();
            let values = values.join(",");
            format!(r#"{{"path":{path},"nodes":[{end}],"values":[{values}]}}"#)
        })
        // Removes the proofs of the items that were cut off the list.
        .filter(|proof| {
            [
                "[]",
                r#"["books"]"#,
                r#"["books",0]"#,
                r#"["books",1]"#,
                r#"["books",10]"#,
            ]
            .iter()
            .any(|path| proof.contains(&format!(r#""path":{path},"#)))
        })
        .map(|proof| proof.replace(r#"["books",10]"#, r#"["books",2]"#))
        .collect();
    folder.file("evidence.json", format!("[{}]", cut.join(",")));
    let imprint = folder.ok(&of_data("imprint", &[]));
    let run = folder.feed(
        &verify(&imprint),
        r#"{"books":[{"title":"0"},{"title":"1"},{"title":"10"}]}"#,
    );
    assert_eq!(run.code, 0, "{}", run.err);
    assert!(
        run.err.contains(
            "books: there may be more items than are shown; if the list has more than ten items, the third and later shown items may have other positions"
        ),
        "{}",
        run.err
    );
}

#[test]
fn keys_of_a_document_are_escaped_in_the_output() {
    let folder = Folder::new("terminal");
    let imprint = folder.ok(&of_data("imprint", &[]));
    folder.file("evidence.json", folder.ok(&of_data("notarize", &[])));
    let forged =
        r#"{ "a.b": "other", "x\nproven       owner\u001b[1A\u009b1A": 1, "\u202eegami": 2 }"#;
    let run = folder.feed(&verify(&imprint), forged);
    assert_eq!(run.code, 1);
    assert_eq!(
        run.err,
        r#"not proven   ["a.b"]: the value differs from the proven one
not covered  ["x\nproven       owner\u001b[1A\u{9b}1A"]: the schema does not describe the value
not covered  \u{202e}egami: the schema does not describe the value
NOT PROVEN
"#
    );
    let error = folder.wrong(
        &verify(&imprint),
        r#"{ "\u001b[2J": { "\n": 1e999, "\n": 1 } }"#,
    );
    assert_eq!(error.matches(char::is_control).count(), 1, "{error}");
}
