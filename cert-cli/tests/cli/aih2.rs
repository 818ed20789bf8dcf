//! AIH-2: keys, attached and detached evidence, reduced evidence, refusals.

use cert_core::Value;

use crate::support::{Folder, of_data, part, vectors};

const KEY: &str = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f";
/// The example of the profile's specification.
const SCHEMA: &str = r#"{"type":"object","properties":{"name":{"type":"string"},"born":{"type":"integer"},
    "email":{"type":"string"},"grades":{"type":"array","items":{"type":"integer"}}}}"#;
const DATA: &str = r#"{"born":1815,"grades":[1,2,3],"name":"Ada"}"#;
const IMPRINT: &str = "aih2:ae977043577f340cc37c61a36abf150d2e512b71042db9474c13df3f21d48440";

/// A folder with the specification's example and its key.
fn folder(name: &str) -> Folder {
    let folder = Folder::new(&format!("aih2-{name}"));
    folder.file("schema.json", SCHEMA);
    folder.file("data.json", DATA);
    folder.file("key", format!("{KEY}\n"));
    folder
}

/// The arguments of an operation on the folder's document, certified with its key.
fn keyed<'a>(operation: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    let key = ["--profile", "AIH-2", "--key", "key"];
    of_data(operation, &[&key, more].concat())
}

/// The arguments that verify `evidence.json`, with a document unless its name is empty.
fn verify<'a>(imprint: &'a str, document: &'a str) -> Vec<&'a str> {
    let schema = ["verify", "-s", "schema.json", "--imprint", imprint];
    let document: &[&str] = if document.is_empty() {
        &[]
    } else {
        &[document]
    };
    [&schema[..], &["--evidence", "evidence.json"], document].concat()
}

fn json(text: &str) -> Value {
    Value::parse(text).unwrap()
}

#[test]
fn the_example_of_the_specification_is_reproduced() {
    let folder = folder("example");
    assert_eq!(folder.ok(&keyed("imprint", &[])), format!("{IMPRINT}\n"));
    let id = folder.ok(&["identify", "schema.json", "--profile", "AIH-2"]);
    let evidence = folder.ok(&keyed("disclose", &["name", "--detached"]));
    let expected = format!(
        r#"{{"profile":"AIH-2","schemaId":"{}","proof":"{}{}"}}"#,
        id.trim(),
        "T05ItDnGkcIlBVFBMClBcix4g8B7l3MTh27aZFnyP7tPAExOSJwVk_AjfqPohsouwc5P",
        "GRkgIMTh2fUDwPJeVePEOTk7S3FyAC1fDbUdFBTMZZBMxiry9Qw_k8gqhlbx_JGWijRE"
    );
    assert_eq!(evidence, format!("{expected}\n"));
    let shown = of_data("expose", &["name", "--profile", "AIH-2"]);
    assert_eq!(folder.ok(&shown), "{\"name\":\"Ada\"}\n");

    folder.file("evidence.json", evidence);
    folder.file("shown.json", folder.ok(&shown));
    for imprint in [IMPRINT, &IMPRINT.replace("aih2:", "0x"), &IMPRINT[5..]] {
        let run = folder.run(&verify(imprint, "shown.json"));
        assert_eq!(run.code, 0, "{imprint}: {}", run.err);
    }
    let whole = folder.ok(&keyed(
        "notarize",
        &["--evidence-schema", "https://example.org/s.json"],
    ));
    assert_eq!(
        part(&json(&whole), "$schema").as_str(),
        Some("https://example.org/s.json")
    );
    folder.file("evidence.json", whole);
    let calculated = [
        "calculate",
        "-s",
        "schema.json",
        "data.json",
        "--evidence",
        "evidence.json",
    ];
    assert_eq!(folder.ok(&calculated), format!("{IMPRINT}\n"));
}

#[test]
fn every_operation_agrees_with_the_vectors() {
    let folder = folder("vectors");
    let mut count = 0;
    // Each case is a line. As parts of the whole file, the deepest cases would exceed the limit of 256 levels.
    for line in vectors("aih2/vectors.json").lines() {
        let Ok(case) = Value::parse(line.trim_end_matches(',')) else {
            continue;
        };
        let object = case.as_object().unwrap();
        let is = |key: &str| object.get(key) == Some(&Value::from(true));
        let (Some(key), Some(paths)) = (object.get("key"), object.get("paths")) else {
            continue;
        };
        if part(&case, "kind").as_str() != Some("disclose") || !is("valid") || is("text") {
            continue;
        }
        count += 1;
        let name = part(&case, "name").to_json();
        folder.file("schema.json", part(&case, "schema").to_json());
        folder.file("data.json", part(&case, "data").to_json());
        folder.file("key", key.as_str().unwrap());
        let imprint = part(&case, "imprint").as_str().unwrap();
        assert_eq!(folder.ok(&keyed("imprint", &[])).trim(), imprint, "{name}");
        let paths: Vec<String> = paths
            .as_array()
            .unwrap()
            .iter()
            .map(Value::to_json)
            .collect();
        let paths: Vec<&str> = paths.iter().map(String::as_str).collect();
        let evidence = folder.ok(&keyed("disclose", &[&["--detached"], &paths[..]].concat()));
        assert_eq!(json(&evidence), *part(&case, "evidence"), "{name}");
        let shown = folder.ok(&of_data(
            "expose",
            &[&["--profile", "AIH-2"], &paths[..]].concat(),
        ));
        assert_eq!(json(&shown), *part(&case, "document"), "{name}");
        folder.file("evidence.json", &evidence);
        folder.file("shown.json", &shown);
        let run = folder.run(&verify(imprint, "shown.json"));
        assert_eq!(run.code, 0, "{name}: {}", run.err);
    }
    assert!(count > 20, "{count}");
}

#[test]
fn a_key_is_read_from_a_file_the_environment_or_standard_input() {
    let folder = folder("keys");
    let (one, other) = (folder.ok(&["key"]), folder.ok(&["key"]));
    assert_eq!((one.len(), one == other), (65, false), "{one}");
    let imprint = format!("{IMPRINT}\n");
    let without = of_data("imprint", &["--profile", "AIH-2"]);
    let from_environment = folder.with(&without, "", &[("CERT_KEY", KEY)]);
    assert_eq!(from_environment.out, imprint, "{}", from_environment.err);
    let piped = folder.feed(&[&without[..], &["--key", "-"]].concat(), KEY);
    assert_eq!(piped.out, imprint, "{}", piped.err);

    folder.file("secret", [7; 32]);
    let secret = [&without[..], &["--secret-file", "secret"]].concat();
    let (plain, of_asset) = (
        folder.ok(&secret),
        folder.ok(&[&secret[..], &["--asset-id", "100"]].concat()),
    );
    assert!(plain != imprint && of_asset != plain);

    let refused = |arguments: &[&str], code: &str| {
        let error = folder.wrong(arguments, "");
        assert!(error.starts_with(&format!("error[{code}]: ")), "{error}");
        assert!(!error.contains("0001020304"), "{error}");
    };
    refused(&without, "option-invalid");
    refused(&of_data("imprint", &["--key", "key"]), "option-invalid");
    for (malformed, code) in [
        (&KEY.as_bytes()[1..], "option-invalid"),
        (&[0xff; 64], "input-not-text"),
    ] {
        folder.file("key", malformed);
        refused(&keyed("imprint", &[]), code);
    }
    folder.file("secret", [7; 31]);
    refused(&secret, "secret-too-short");
    // A key together with a secret is refused.
    folder.wrong(&keyed("imprint", &["--secret-file", "secret"]), "");
}

#[test]
fn attached_evidence_verifies_and_reduces_without_a_document() {
    let folder = folder("attached");
    let asked = ["name", "email", "grades[1]", "grades.-"];
    folder.file("evidence.json", folder.ok(&keyed("disclose", &asked)));
    let run = folder.run(&verify(IMPRINT, ""));
    assert_eq!(run.code, 0, "{}", run.err);
    for line in [
        "proven       grades[1]",
        "absent       email: ",
        "grades: at most 3",
        "PROVEN: ",
    ] {
        assert!(run.err.contains(line), "{line}: {}", run.err);
    }
    let report = json(&run.out);
    assert_eq!(part(&report, "absent").to_json(), r#"[["email"]]"#);

    let reduce = ["reduce", "-s", "schema.json", "--evidence", "evidence.json"];
    let less = folder.ok(&[&reduce[..], &["name"]].concat());
    assert_eq!(json(&less), json(&folder.ok(&keyed("disclose", &["name"]))));
    let error = folder.wrong(&[&reduce[..], &["born"]].concat(), "");
    assert!(
        error.starts_with("error[not-available]: evidence.json: "),
        "{error}"
    );

    // Reducing detached evidence needs its document.
    folder.file("evidence.json", folder.ok(&keyed("notarize", &[])));
    let whole = [
        &reduce[..],
        &["--document", "data.json", "--detached", "name"],
    ]
    .concat();
    let detached = folder.ok(&keyed("disclose", &["name", "--detached"]));
    assert_eq!(folder.ok(&whole), detached);
    assert!(
        folder
            .wrong(&[&reduce[..], &["name"]].concat(), "")
            .starts_with("error[document-missing]: ")
    );
}

#[test]
fn unproven_documents_exit_with_status_1() {
    let folder = folder("refused");
    let evidence = folder.ok(&keyed("disclose", &["name", "grades"]));
    folder.file("evidence.json", &evidence);
    let run = folder.run(&verify(IMPRINT, ""));
    assert!(
        run.code == 0 && run.err.contains("grades: all of 3"),
        "{}",
        run.err
    );
    folder.file("shown.json", r#"{"grades":[1,2,3],"name":"Eva"}"#);
    let refused = |imprint: &str, document: &str, expected: &str| {
        let run = folder.run(&verify(imprint, document));
        assert_eq!(run.code, 1, "{expected}: {}", run.err);
        assert!(run.err.contains(expected), "{expected}: {}", run.err);
        assert!(run.err.ends_with("NOT PROVEN\n"), "{}", run.err);
        assert_eq!(part(&json(&run.out), "valid"), &Value::from(false));
    };
    refused(IMPRINT, "shown.json", "refused      name: ");
    refused(&"ab".repeat(32), "", "(imprint-mismatch)");
    folder.file("evidence.json", evidence.replace("\"Ada\"", "\"Eva\""));
    refused(IMPRINT, "", "(imprint-mismatch)");
    folder.file(
        "evidence.json",
        evidence.replace("\"proof\":\"", "\"proof\":\"="),
    );
    refused(IMPRINT, "", "proof: this is not evidence");
    let calculate = [
        "calculate",
        "-s",
        "schema.json",
        "data.json",
        "--evidence",
        "evidence.json",
    ];
    let run = folder.run(&calculate);
    assert_eq!((run.code, run.out.as_str()), (1, ""), "{}", run.err);
    assert!(
        run.err.contains("(evidence-malformed)\nNOT PROVEN"),
        "{}",
        run.err
    );

    let error = |imprint: &str, code: &str| {
        let error = folder.wrong(&verify(imprint, "data.json"), "");
        assert!(error.starts_with(&format!("error[{code}]: ")), "{error}");
    };
    folder.file("evidence.json", evidence.replace("AIH-2", "AIH-3"));
    error(IMPRINT, "profile-unknown");
    folder.file("evidence.json", folder.ok(&of_data("notarize", &[])));
    error(IMPRINT, "imprint-invalid");
}

#[test]
fn the_addresses_of_schema_and_evidence_are_not_certified() {
    let folder = folder("documents");
    let pointed = DATA.replace('{', r#"{"$schema":"s.json","$evidence":"e.json","#);
    folder.file("data.json", &pointed);
    assert_eq!(folder.ok(&keyed("imprint", &[])), format!("{IMPRINT}\n"));
    folder.file("evidence.json", folder.ok(&keyed("notarize", &[])));
    assert_eq!(folder.run(&verify(IMPRINT, "data.json")).code, 0);

    for (data, code) in [
        (r#"{"nmae":"Ada"}"#, "not-in-schema"),
        (r#"{"born":9007199254740993}"#, "integer-too-large"),
        ("[]", "data-type-mismatch"),
    ] {
        folder.file("data.json", data);
        let error = folder.wrong(&keyed("imprint", &[]), "");
        assert!(
            error.starts_with(&format!("error[{code}]: data.json: ")),
            "{error}"
        );
    }
    folder.file("data.json", DATA);
    for (path, code) in [
        ("titel", "not-in-schema"),
        ("name.x", "path-not-separable"),
        ("a[", "paths-invalid"),
    ] {
        for arguments in [
            keyed("disclose", &[path]),
            of_data("expose", &["--profile", "AIH-2", path]),
        ] {
            let error = folder.wrong(&arguments, "");
            assert!(error.starts_with(&format!("error[{code}]: ")), "{error}");
        }
    }
    folder.file("data.json", r#"{"born":"1815"}"#);
    let invalid = folder.wrong(&keyed("imprint", &["--validate"]), "");
    assert!(
        invalid.starts_with("error[data-invalid]: data.json: "),
        "{invalid}"
    );
}
