//! AIH-1, and what is the same for both profiles.

use std::fs;
use std::path::Path;
use std::process::Command;

use cert_core::{Value, convention, identify};

use crate::support::{DATA, Folder, SCHEMA, of_data, part, vectors, verify};

fn cases() -> Vec<Value> {
    let all = Value::parse(&vectors("cert/reference.json")).unwrap();
    let cases = part(&all, "cases").as_array().unwrap();
    cases.as_slice().to_vec()
}

#[test]
fn vectors_through_every_operation() {
    let folder = Folder::new("vectors");
    for case in cases().iter().step_by(9) {
        folder.file("schema.json", part(case, "schema").to_json());
        folder.file("data.json", part(case, "data").to_json());
        let imprint = part(case, "imprint").as_str().unwrap();
        // Some vectors hold values that no schema describes; the tool warns about them.
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
            run.err.contains("PROVEN: the imprint stands for"),
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
fn what_is_not_proven_exits_with_one() {
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
fn what_a_report_leaves_out_is_counted() {
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
fn places_in_a_long_list_that_is_cut_short_are_doubted() {
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
        // The items whose places have gone are not connected any more.
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
            "books: there may be more items than are shown; if the list has more than ten items, those shown from the third on may be later ones"
        ),
        "{}",
        run.err
    );
}

#[test]
fn a_document_writes_no_lines_of_its_own() {
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

#[test]
fn standard_input_secrets_and_paths() {
    let folder = Folder::new("inputs");
    let imprint = folder.ok(&of_data("imprint", &[]));
    assert_eq!(
        folder.feed(&["imprint", "-s", "schema.json"], DATA).out,
        imprint
    );
    assert_eq!(
        folder
            .feed(&["imprint", "data.json", "--schema", "-"], SCHEMA)
            .out,
        imprint
    );
    let both = folder.wrong(&["imprint", "-s", "-"], SCHEMA);
    assert!(both.starts_with("error[input-twice]: "), "{both}");

    folder.file("secret", [0_u8; 32]);
    let keyed = of_data("imprint", &["--secret-file", "secret"]);
    let one = folder.ok(&keyed);
    let two = folder.ok(&[&keyed[..], &["--asset-id", "100"]].concat());
    assert!(one != imprint && two != imprint && one != two);
    folder.file("secret", "short");
    assert!(
        folder
            .wrong(&keyed, "")
            .starts_with("error[secret-too-short]: secret: ")
    );
    folder.wrong(&of_data("imprint", &["--asset-id", "100"]), "");

    let expose = |paths: &[&str]| folder.ok(&of_data("expose", paths));
    assert_eq!(
        expose(&[r#"["a.b"]"#, "age"]),
        "{\"a.b\":\"dotted\",\"age\":36}\n"
    );
    assert_eq!(
        expose(&["books[1]"]),
        "{\"books\":[null,{\"title\":\"Letters\"}]}\n"
    );
    assert_eq!(expose(&["--pretty", "age"]), "{\n  \"age\": 36\n}\n");
    for (path, code) in [
        ("a.b", "path-unknown"),
        ("books[0].titel", "path-unknown"),
        ("name.x", "path-unknown"),
        ("books[x]", "paths-invalid"),
    ] {
        let error = folder.wrong(&of_data("disclose", &[path]), "");
        assert!(error.starts_with(&format!("error[{code}]: ")), "{error}");
    }
}

#[test]
fn what_nothing_certifies_is_warned_of_or_refused() {
    let folder = Folder::new("uncovered");
    let misspelt =
        r#"{ "nmae": "Ada", "books": [{ "title": "Notes" }, { "titel\u001b[2J": "Letters" }] }"#;
    for operation in ["imprint", "notarize", "disclose", "expose"] {
        let arguments = [operation, "-s", "schema.json"];
        let run = folder.feed(&arguments, misspelt);
        assert_eq!(run.code, 0, "{}", run.err);
        assert_eq!(
            run.err,
            "warning[data-uncovered]: standard input: the schema does not describe these values, so nothing certifies them: \
             nmae, [\"books\",1,\"titel\\u001b[2J\"] (with --strict this is an error)\n",
        );
        let strict = [&arguments[..], &["--strict"]].concat();
        let error = folder.wrong(&strict, misspelt);
        assert_eq!(
            error,
            "error[data-uncovered]: standard input: the schema does not describe the value, so nothing would certify it (at `nmae`)\n"
        );
        assert_eq!(folder.feed(&strict, DATA).code, 0);
    }
    let many: Vec<String> = (0..50).map(|at| format!(r#""x{at}":1"#)).collect();
    let run = folder.feed(
        &["imprint", "-s", "schema.json"],
        &format!("{{{}}}", many.join(",")),
    );
    assert!(run.err.contains("x9, and more (with"), "{}", run.err);

    // A verifier sees the uncovered value in the report, and may ask for strictness.
    let imprint = folder.ok(&of_data("imprint", &[]));
    folder.file("evidence.json", folder.ok(&of_data("notarize", &[])));
    let more = DATA.replacen('{', r#"{ "nmae": 1,"#, 1);
    let run = folder.feed(&verify(&imprint), &more);
    assert_eq!(run.code, 0, "{}", run.err);
    assert!(
        run.err
            .starts_with("not covered  nmae: the schema does not describe the value\n"),
        "{}",
        run.err
    );
    let error = folder.wrong(&[&verify(&imprint)[..], &["--strict"]].concat(), &more);
    assert!(error.starts_with("error[data-uncovered]: "), "{error}");
}

/// The README's commands, as a shell runs them: they work, and hide what they hide.
#[cfg(unix)]
#[test]
fn the_readme_runs_and_hides() {
    const README: &str = include_str!("../../README.md");
    let folder = Folder::new("readme");
    let blocks: Vec<&str> = README
        .split("```sh\n")
        .skip(1)
        .filter_map(|block| block.split("```").next())
        .filter(|block| block.contains("-s schema.json"))
        .collect();
    let tool = Path::new(env!("CARGO_BIN_EXE_cert"));
    let search = format!(
        "{}:{}",
        tool.parent().unwrap().display(),
        std::env::var("PATH").unwrap()
    );
    let output = Command::new("sh")
        .args(["-ec", &blocks.concat()])
        .current_dir(&folder.0)
        .env("PATH", search)
        .output()
        .unwrap();
    let told = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success(), "{told}");
    assert!(told.contains("PROVEN: the imprint stands for"), "{told}");

    // Guessing a hidden value under public nonces yields no hash in the evidence.
    let evidence = fs::read_to_string(folder.0.join("evidence.json")).unwrap();
    let proofs = Value::parse(&folder.ok(&of_data("notarize", &[]))).unwrap();
    for proof in proofs.as_array().unwrap() {
        for node in part(proof, "nodes").as_array().unwrap() {
            let hash = part(node, "hash").as_str().unwrap();
            assert!(!evidence.contains(hash), "{hash}");
        }
    }
}

#[test]
fn conventions_by_number_and_id() {
    let folder = Folder::new("conventions");
    let id = folder.ok(&["identify", "88"]);
    let text = convention(id.trim()).unwrap();
    assert_eq!(identify(&Value::parse(text).unwrap()), id.trim());
    assert_eq!(folder.ok(&["identify", id.trim()]), id);
    let asset = r#"{ "name": "Nighthawks" }"#;
    let imprint = folder.feed(&["imprint", "-s", "88"], asset).out;
    assert_eq!(
        folder.feed(&["imprint", "-s", id.trim()], asset).out,
        imprint
    );
    assert!(
        folder
            .wrong(&["identify", "89"], "")
            .starts_with("error[input-unreadable]: 89 could not be read")
    );
}

#[test]
fn paths_of_a_schema_can_be_disclosed() {
    let folder = Folder::new("paths");
    folder.file(
        "list.json",
        r#"{"type":"object","properties":{"b.c":{},"a":{"type":"array","items":{"type":"object","properties":{"x":{}}}}}}"#,
    );
    folder.file("own.json", r#"{"b.c":1,"a":[{"x":2}]}"#);
    let paths = folder.ok(&["paths", "-s", "list.json"]);
    assert_eq!(paths, "[\"a\"]\n[\"a\",0]\n[\"a\",0,\"x\"]\n[\"b.c\"]\n");
    for path in paths.lines() {
        folder.ok(&["disclose", "-s", "list.json", "own.json", path]);
    }
}

#[test]
fn wrong_input_says_what_and_where() {
    let folder = Folder::new("wrong");
    folder.file("utf16.json", [0xff, 0xfe, 0x7b, 0x00]);
    let deep = format!(
        r#"{{"name":{}1{}}}"#,
        "[".repeat(100_000),
        "]".repeat(100_000)
    );
    for (stdin, expected) in [
        (
            r#"{"name":1,"name":2}"#,
            "error[key-duplicate]: standard input: ",
        ),
        (
            deep.as_str(),
            "error[json-too-deep]: standard input: JSON may be nested at most 256 levels deep",
        ),
        ("{", "error[json-invalid]: standard input: "),
        (
            "\u{feff}{}",
            "error[json-invalid]: standard input: the text starts with a byte order mark",
        ),
        (
            r#"{"name":"\ud800"}"#,
            "error[surrogate-unpaired]: standard input: ",
        ),
        (
            r#"{"books":[{"title":{}}]}"#,
            "error[data-type-mismatch]: standard input: the schema says a single value",
        ),
        (
            r#"{"age":1e999}"#,
            "error[number-not-finite]: standard input: ",
        ),
    ] {
        let error = folder.wrong(&["imprint", "-s", "schema.json"], stdin);
        assert!(error.starts_with(expected), "{error}");
    }
    let error = folder.wrong(
        &["imprint", "-s", "schema.json"],
        r#"{"books":[{"title":{}}]}"#,
    );
    assert!(error.ends_with("(at `books[0].title`)\n"), "{error}");
    for (arguments, expected) in [
        (
            &["imprint", "-s", "schema.json", "utf16.json"][..],
            "error[json-invalid]: utf16.json: JSON has to be UTF-8, and the text is not from byte 0 on",
        ),
        (
            &["imprint", "-s", "none.json", "data.json"],
            "error[input-unreadable]: none.json could not be read",
        ),
        (
            &["imprint", "-s", "data.json", "data.json"],
            "error[schema-root-not-object]: data.json: ",
        ),
        (&["imprint", "data.json"], "error: "),
        (&["notarise"], "error: "),
    ] {
        let error = folder.wrong(arguments, "");
        assert!(error.starts_with(expected), "{error}");
    }
}

#[test]
fn validation() {
    let folder = Folder::new("validation");
    let imprint = ["imprint", "-s", "schema.json", "--validate"];
    assert_eq!(folder.feed(&imprint, DATA).code, 0);
    // One imprint, but not one document.
    let same = DATA.replace("36", "\"36\"");
    assert_eq!(
        folder.feed(&imprint[..3], &same).out,
        folder.feed(&imprint[..3], DATA).out
    );
    let error = folder.wrong(&imprint, &same);
    assert_eq!(
        error,
        "error[data-invalid]: standard input: the value is not of type \"integer\" (at `age`)\n"
    );
    let error = folder.wrong(&imprint, r#"{ "name": 1, "age": "x" }"#);
    assert_eq!(error.lines().count(), 2, "{error}");
    folder.file(
        "schema.json",
        SCHEMA.replace(
            "\"integer\"",
            "\"integer\", \"$ref\": \"https://example.com/age.json\"",
        ),
    );
    let error = folder.wrong(&imprint, DATA);
    assert!(
        error.starts_with(
            "error[schema-reference-unresolved]: schema.json: `https://example.com/age.json`"
        ),
        "{error}"
    );
}
