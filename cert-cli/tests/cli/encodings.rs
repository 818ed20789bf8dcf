//! Text in the encodings and forms that editors and shells on Windows write.

use crate::support::{DATA, Folder, SCHEMA, of_data};

const KEY: &str = "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff";

fn utf16(text: &str, bytes: fn(u16) -> [u8; 2]) -> Vec<u8> {
    let marked = format!("\u{feff}{text}");
    marked.encode_utf16().flat_map(bytes).collect()
}

/// Returns the forms of a text in which PowerShell and Notepad save it.
fn forms(text: &str) -> Vec<(&'static str, Vec<u8>)> {
    let crlf = format!("{}\r\n", text.replace('\n', "\r\n"));
    vec![
        ("UTF-8", text.into()),
        ("UTF-8 with CRLF", crlf.clone().into()),
        ("UTF-8 with a mark", format!("\u{feff}{crlf}").into()),
        ("UTF-16 LE", utf16(&crlf, u16::to_le_bytes)),
        ("UTF-16 BE", utf16(&crlf, u16::to_be_bytes)),
    ]
}

/// Returns bytes that are text in none of the encodings that the program reads.
fn not_text(text: &str) -> Vec<(&'static str, Vec<u8>)> {
    let bare = |bytes: Vec<u8>| bytes[2..].to_vec();
    let mut half = utf16(text, u16::to_le_bytes);
    half.push(b' ');
    let mut unpaired = utf16(text, u16::to_le_bytes);
    unpaired.extend([0x00, 0xd8]);
    let wide = |text: &str| -> Vec<u8> {
        let chars = text.chars();
        chars
            .flat_map(|char| u32::from(char).to_le_bytes())
            .collect()
    };
    vec![
        ("Windows-1252", [text.as_bytes(), b"\xe9"].concat()),
        (
            "UTF-8 with a mark, then Windows-1252",
            [b"\xef\xbb\xbf", text.as_bytes(), b"\xfc"].concat(),
        ),
        (
            "UTF-16 LE without a mark",
            bare(utf16(text, u16::to_le_bytes)),
        ),
        (
            "UTF-16 BE without a mark",
            bare(utf16(text, u16::to_be_bytes)),
        ),
        ("UTF-16 with half a unit", half),
        ("UTF-16 with an unpaired surrogate", unpaired),
        ("UTF-32", wide(&format!("\u{feff}{text}"))),
        ("UTF-32 without a mark", wide(text)),
    ]
}

#[test]
fn json_is_read_in_each_form_that_windows_writes() {
    let folder = Folder::new("encodings");
    let data = DATA.replace("Ada", "Zoë Müller 😀");
    let sealed = ["--profile", "AIH-2", "--key", "key"];
    folder.file("key", KEY);
    folder.file("data.json", &data);
    let imprint = folder.ok(&of_data("imprint", &[]));
    let imprint2 = folder.ok(&of_data("imprint", &sealed));
    let proofs = folder.ok(&of_data("disclose", &["name"]));
    let evidence = folder.ok(&of_data("disclose", &[&sealed[..], &["name"]].concat()));
    let public = folder.ok(&of_data("expose", &["name"]));
    folder.file("public.json", &public);
    for (schema, ((data, proofs), (evidence, public))) in forms(SCHEMA).into_iter().zip(
        forms(&data)
            .into_iter()
            .zip(forms(&proofs))
            .zip(forms(&evidence).into_iter().zip(forms(&public))),
    ) {
        let form = schema.0;
        folder.file("schema.json", schema.1);
        folder.file("data.json", data.1);
        folder.file("proofs.json", proofs.1);
        folder.file("evidence.json", evidence.1);
        folder.file("public.json", public.1);
        assert_eq!(folder.ok(&of_data("imprint", &[])), imprint, "{form}");
        assert_eq!(
            folder.ok(&of_data("imprint", &["--strict"])),
            imprint,
            "{form}"
        );
        assert_eq!(folder.ok(&of_data("imprint", &sealed)), imprint2, "{form}");
        for (imprint, inputs) in [
            (&imprint, &["--evidence", "proofs.json", "public.json"][..]),
            (&imprint2, &["--evidence", "evidence.json"]),
        ] {
            let imprint = imprint.trim();
            let verify = [
                &["verify", "-s", "schema.json", "--imprint", imprint],
                inputs,
            ]
            .concat();
            let run = folder.run(&verify);
            assert_eq!(run.code, 0, "{form}: {}", run.err);
        }
    }
}

#[test]
fn keys_are_read_in_each_form_that_windows_writes() {
    let folder = Folder::new("key-encodings");
    folder.file("key", KEY);
    let sealed = of_data("imprint", &["--profile", "AIH-2", "--key", "key"]);
    let imprint = folder.ok(&sealed);
    let upper = KEY.to_uppercase();
    for digits in [
        KEY.to_owned(),
        upper.clone(),
        format!("0x{KEY}"),
        format!("0X{upper}"),
        format!(" {KEY}\t"),
    ] {
        for (form, bytes) in forms(&digits) {
            folder.file("key", bytes);
            assert_eq!(folder.ok(&sealed), imprint, "{digits:?} as {form}");
        }
        let variable = folder.with(&sealed[..6], "", &[("CERT_KEY", &digits)]);
        assert_eq!(variable.out, imprint, "{digits:?}: {}", variable.err);
    }
    for digits in [
        &KEY[1..],
        &format!("0x0x{KEY}"),
        &format!("{KEY}\r\n{KEY}"),
        "",
    ] {
        folder.file("key", digits);
        let error = folder.wrong(&sealed, "");
        assert!(error.starts_with("error[option-invalid]: key: "), "{error}");
    }
}

#[test]
fn an_account_key_is_read_in_each_form_that_windows_writes() {
    let folder = Folder::new("account-encodings");
    folder.file("rows.csv", "name,age\nAda,36\n");
    // The command checks the service's address after it has read the key.
    let batch = [
        "batch",
        "rows.csv",
        "-s",
        "schema.json",
        "--public",
        "name",
        "--site",
        "https://uni.example/c",
        "--out",
        "out",
        "--service",
        "http://uni.example",
        "--account-key",
        "key",
    ];
    for digits in [KEY.to_owned(), format!("0X{}", KEY.to_uppercase())] {
        for (form, bytes) in forms(&digits) {
            folder.file("key", bytes);
            let error = folder.run(&batch).err;
            assert!(
                error.contains("error[option-invalid]: --service "),
                "{digits} as {form}: {error}"
            );
        }
    }
    for (form, bytes) in not_text(KEY) {
        folder.file("key", bytes);
        let error = folder.run(&batch).err;
        assert!(
            error.contains("error[input-not-text]: key: not readable as text: "),
            "{form}: {error}"
        );
    }
}

#[test]
fn an_imprint_is_read_in_upper_case_and_with_a_line_end() {
    let folder = Folder::new("imprint-forms");
    folder.file("key", KEY);
    for (sealed, prefixes) in [
        (&[][..], &["", "0x", "0X"][..]),
        (
            &["--profile", "AIH-2", "--key", "key"],
            &["", "0x", "0X", "aih2:", "AIH2:"],
        ),
    ] {
        let imprint = folder.ok(&of_data("imprint", sealed));
        let digits = imprint.trim().trim_start_matches("aih2:").to_uppercase();
        let name = [sealed, &["name"]].concat();
        folder.file("evidence.json", folder.ok(&of_data("disclose", &name)));
        folder.file("public.json", folder.ok(&of_data("expose", &["name"])));
        for prefix in prefixes {
            let imprint = format!("{prefix}{digits}\r\n");
            let run = folder.run(&[
                "verify",
                "-s",
                "schema.json",
                "public.json",
                "--evidence",
                "evidence.json",
                "--imprint",
                &imprint,
            ]);
            assert_eq!(run.code, 0, "{imprint:?}: {}", run.err);
        }
    }
}

#[test]
fn an_input_that_is_not_text_is_refused_as_such() {
    let folder = Folder::new("not-text");
    folder.file("key", KEY);
    folder.file("proofs.json", folder.ok(&of_data("disclose", &["name"])));
    let sealed = ["--profile", "AIH-2", "--key", "key"];
    let name = [&sealed[..], &["name"]].concat();
    folder.file("evidence.json", folder.ok(&of_data("disclose", &name)));
    let read = |file: &str| std::fs::read_to_string(folder.0.join(file)).unwrap();
    let verify = |inputs: &[&'static str]| {
        [&["verify", "-s", "schema.json", "--imprint", KEY], inputs].concat()
    };
    let proofs = ["data.json", "--evidence", "proofs.json"];
    for (file, commands) in [
        (
            "data.json",
            vec![
                of_data("imprint", &[]),
                of_data("notarize", &[]),
                of_data("imprint", &sealed),
                verify(&proofs),
            ],
        ),
        (
            "schema.json",
            vec![
                of_data("imprint", &[]),
                of_data("imprint", &sealed),
                vec!["identify", "schema.json"],
            ],
        ),
        ("proofs.json", vec![verify(&proofs)]),
        (
            "evidence.json",
            vec![verify(&["--evidence", "evidence.json"])],
        ),
        ("key", vec![of_data("imprint", &sealed)]),
    ] {
        let text = read(file);
        for (form, bytes) in not_text(&text) {
            folder.file(file, bytes);
            for command in &commands {
                let error = folder.wrong(command, "");
                let expected = format!("error[input-not-text]: {file}: not readable as text: ");
                assert!(error.starts_with(&expected), "{form}, {command:?}: {error}");
                assert!(error.ends_with(". Save it as UTF-8\n"), "{error}");
            }
        }
        folder.file(file, text);
    }
}
