//! Files, standard input, secrets, paths and schemas, valid and invalid, under both profiles.

use cert_core::{Value, convention, identify};

use crate::support::{DATA, Folder, SCHEMA, of_data};

#[test]
fn standard_input_secrets_and_paths_are_read() {
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
fn conventions_are_found_by_number_and_id() {
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
fn wrong_input_is_reported_with_its_place() {
    let folder = Folder::new("wrong");
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
            "\u{feff}\u{feff}{}",
            "error[json-invalid]: standard input: ",
        ),
        (
            r#"{"name":"\ud800"}"#,
            "error[surrogate-unpaired]: standard input: ",
        ),
        (
            r#"{"books":[{"title":{}}]}"#,
            "error[data-type-mismatch]: standard input: the schema requires a single value",
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
            &["imprint", "-s", "none.json", "data.json"][..],
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
fn documents_are_validated_on_request() {
    let folder = Folder::new("validation");
    let imprint = ["imprint", "-s", "schema.json", "--validate"];
    assert_eq!(folder.feed(&imprint, DATA).code, 0);
    // Both documents have the same imprint. Only validation distinguishes them.
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
