//! Values that a schema does not describe, and the paths that it can disclose.

use crate::support::{DATA, Folder, of_data, verify};

#[test]
fn uncovered_values_cause_a_warning_or_an_error() {
    let folder = Folder::new("uncovered");
    let misspelt =
        r#"{ "nmae": "Ada", "books": [{ "title": "Notes" }, { "titel\u001b[2J": "Letters" }] }"#;
    for operation in ["imprint", "notarize", "disclose", "expose"] {
        let arguments = [operation, "-s", "schema.json"];
        let run = folder.feed(&arguments, misspelt);
        assert_eq!(run.code, 0, "{}", run.err);
        assert_eq!(
            run.err,
            "warning[data-uncovered]: standard input: the schema does not describe these values, so they are not certified: \
             nmae, [\"books\",1,\"titel\\u001b[2J\"] (with --strict this is an error)\n",
        );
        let strict = [&arguments[..], &["--strict"]].concat();
        let error = folder.wrong(&strict, misspelt);
        assert_eq!(
            error,
            "error[data-uncovered]: standard input: the schema does not describe the value, so it would not be certified (at `nmae`)\n"
        );
        assert_eq!(folder.feed(&strict, DATA).code, 0);
    }
    let many: Vec<String> = (0..50).map(|at| format!(r#""x{at}":1"#)).collect();
    let run = folder.feed(
        &["imprint", "-s", "schema.json"],
        &format!("{{{}}}", many.join(",")),
    );
    assert!(run.err.contains("x9, and more (with"), "{}", run.err);

    // A verifier sees the uncovered value in the report, and can make it an error with `--strict`.
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

#[test]
fn paths_of_a_schema_can_be_disclosed() {
    let folder = Folder::new("paths");
    folder.file(
        "list.json",
        r#"{"type":"object","properties":{"b.c":{},"a":{"type":"array","items":{"type":"object","properties":{"x":{}}}}}}"#,
    );
    folder.file("own.json", r#"{"b.c":1,"a":[{"x":2}]}"#);
    folder.file("key", "ab".repeat(32));
    for profile in [&[][..], &["--profile", "AIH-2"]] {
        let paths = folder.ok(&[&["paths", "-s", "list.json"], profile].concat());
        assert_eq!(paths, "[\"a\"]\n[\"a\",0]\n[\"a\",0,\"x\"]\n[\"b.c\"]\n");
        let keyed: &[&str] = if profile.is_empty() {
            &[]
        } else {
            &["--key", "key"]
        };
        for path in paths.lines() {
            let disclose = ["disclose", "-s", "list.json", "own.json", path];
            folder.ok(&[&disclose, profile, keyed].concat());
        }
    }
    // An object without properties contributes nothing under AIH-1; under AIH-2 it has a slot.
    folder.file(
        "leaf.json",
        r#"{"type":"object","properties":{"a":{"type":"object","properties":{}}}}"#,
    );
    let leaf = ["paths", "-s", "leaf.json"];
    assert_eq!(folder.ok(&leaf), "");
    assert_eq!(
        folder.ok(&[&leaf[..], &["--profile", "AIH-2"]].concat()),
        "[\"a\"]\n"
    );
}

#[test]
fn parts_behind_a_reference_cause_a_warning_of_a_batch() {
    let folder = Folder::new("batch-reference");
    folder.file(
        "ref.json",
        r##"{"type":"object","properties":{"name":{"type":"string"},"holder":{"$ref":"#/$defs/person"}},
            "$defs":{"person":{"type":"object","properties":{"first":{"type":"string"}}}}}"##,
    );
    folder.file("rows.csv", "name,first\nA,Ada\n");
    let site = "https://uni.example/c";
    let run = folder.run(&[
        "batch",
        "rows.csv",
        "-s",
        "ref.json",
        "--public",
        "name",
        "--site",
        site,
        "--out",
        "out",
        "--preview",
    ]);
    assert_eq!(run.code, 0, "{}", run.err);
    let warning = "warning[path-not-separable]: ref.json: ";
    let line = run.err.lines().find(|line| line.starts_with(warning));
    assert!(
        line.is_some_and(|line| line.ends_with("so they can only be shown as a whole: holder")),
        "{}",
        run.err
    );
    assert!(
        run.err
            .contains("column `first` is the field `holder.first`"),
        "{}",
        run.err
    );
}

#[test]
fn parts_behind_a_reference_cause_a_warning() {
    let folder = Folder::new("reference");
    folder.file(
        "ref.json",
        r##"{"type":"object","properties":{
            "nam":{"$ref":"#/$defs/person"}, "dob":{"anyOf":[{"type":"string"},{"type":"null"}]},
            "v":{"type":"array","items":{"allOf":[{"$ref":"#/$defs/entry"}]}}
        },"$defs":{
            "person":{"type":"object","properties":{"fn":{},"gn":{}}},
            "entry":{"anyOf":[{"$ref":"#/$defs/entry"},{"$ref":"#/$defs/person"}]}
        }}"##,
    );
    folder.file("key", "ab".repeat(32));
    let data = r#"{"nam":{"fn":"A"},"v":[{"gn":"B"}]}"#;
    let whole = "warning[path-not-separable]: ref.json: the schema describes these values by a keyword that certification does not read, \
                 such as `$ref` or `anyOf`, so they can only be shown as a whole: nam, v[0]\n";
    let paths = folder.feed(&["paths", "-s", "ref.json", "--profile", "AIH-2"], "");
    assert_eq!((paths.code, &*paths.err), (0, whole));
    let second = ["--profile", "AIH-2", "--key", "key"];
    for operation in ["imprint", "notarize"] {
        let run = folder.feed(
            &[&[operation, "-s", "ref.json"], &second[..]].concat(),
            data,
        );
        assert_eq!((run.code, &*run.err), (0, whole), "{operation}");
    }
    let run = folder.feed(&["paths", "-s", "ref.json"], "");
    assert_eq!(run.code, 0);
    assert!(
        run.err
            .ends_with("so AIH-1 cannot certify an object or array there: nam, v[0]\n"),
        "{}",
        run.err
    );
    let error = folder.wrong(&["imprint", "-s", "ref.json"], data);
    assert_eq!(
        error,
        "error[data-type-mismatch]: standard input: AIH-1 does not read `$ref`, so it cannot certify an object: \
         write out its `type`, or use AIH-2 (at `nam`)\n"
    );
    // A schema whose parts can all be shown has no warning.
    assert_eq!(
        folder
            .feed(&["paths", "-s", "schema.json", "--profile", "AIH-2"], "")
            .err,
        ""
    );
}
