//! Standard output that cannot be written: a pipe whose reader is gone, and a full disk.

use std::process::{Output, Stdio};

use crate::support::{Folder, of_data};

const KEY: &str = "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff";

fn run(folder: &Folder, arguments: &[&str], out: impl Into<Stdio>) -> Output {
    let mut command = folder.command(arguments);
    command.stdin(Stdio::null()).stdout(out).output().unwrap()
}

/// Runs the program with a pipe that is closed before the program writes.
fn run_closed(folder: &Folder, arguments: &[&str]) -> Output {
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    run(folder, arguments, writer)
}

#[test]
fn a_closed_pipe_changes_neither_exit_code_nor_messages() {
    let folder = Folder::new("pipe");
    folder.file("key", KEY);
    folder.file("rows.csv", "name,age\nAda,36\n");
    folder.file("wrong.csv", "name,age\nAda,old\n");
    folder.file("other.json", r#"{ "name": "Bob" }"#);
    let imprint = folder.ok(&of_data("imprint", &[]));
    let sealed = ["--profile", "AIH-2", "--key", "key"];
    let all = [&sealed[..], &["name"]].concat();
    let imprint2 = folder.ok(&of_data("imprint", &sealed));
    folder.file("evidence.json", folder.ok(&of_data("disclose", &["name"])));
    folder.file("evidence2.json", folder.ok(&of_data("disclose", &all)));
    let one = ["-s", "schema.json", "--evidence", "evidence.json"];
    let two = ["-s", "schema.json", "--evidence", "evidence2.json"];
    let batch = |table| {
        let site = "https://uni.example/c";
        [
            "batch",
            table,
            "-s",
            "schema.json",
            "--public",
            "name",
            "--site",
            site,
            "--out",
            "out",
            "--preview",
        ]
    };
    folder.file("public.json", folder.ok(&of_data("expose", &["name"])));
    let verify = [
        &["verify", "public.json", "--imprint", imprint.trim()],
        &one[..],
    ]
    .concat();
    let changed = [
        &["verify", "other.json", "--imprint", imprint.trim()],
        &one[..],
    ]
    .concat();
    for (code, arguments) in [
        (0, vec!["key"]),
        (0, vec!["--help"]),
        (0, vec!["--version"]),
        (0, of_data("imprint", &[])),
        (0, of_data("imprint", &sealed)),
        (0, of_data("notarize", &[])),
        (0, of_data("notarize", &sealed)),
        (0, of_data("disclose", &["--pretty", "name"])),
        (0, of_data("disclose", &all)),
        (0, of_data("expose", &["name"])),
        (0, vec!["paths", "-s", "schema.json"]),
        (0, vec!["identify", "schema.json"]),
        (0, [&["calculate", "public.json"], &one[..]].concat()),
        (0, [&["calculate"], &two[..]].concat()),
        (0, [&["reduce", "name"], &two[..]].concat()),
        (0, verify),
        (
            0,
            [&["verify", "--imprint", imprint2.trim()], &two[..]].concat(),
        ),
        (1, changed),
        (1, [&["verify", "--imprint", KEY], &two[..]].concat()),
        (0, batch("rows.csv").to_vec()),
        (2, batch("wrong.csv").to_vec()),
    ] {
        let open = run(&folder, &arguments, Stdio::piped());
        let closed = run_closed(&folder, &arguments);
        assert!(!open.stdout.is_empty(), "{arguments:?}: {open:?}");
        for run in [&open, &closed] {
            assert_eq!(run.status.code(), Some(code), "{arguments:?}: {run:?}");
        }
        assert_eq!(
            String::from_utf8(closed.stderr).unwrap(),
            String::from_utf8(open.stderr).unwrap(),
            "{arguments:?}"
        );
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_an_error() {
    let folder = Folder::new("full");
    let full = std::fs::OpenOptions::new().write(true).open("/dev/full");
    let run = run(&folder, &of_data("imprint", &[]), full.unwrap());
    let err = String::from_utf8(run.stderr).unwrap();
    assert_eq!(run.status.code(), Some(2), "{err}");
    assert!(
        err.starts_with("error[output-failed]: standard output could not be written: "),
        "{err}"
    );
}
