//! Runs the program in a folder of files.

use std::fs;
use std::io::Write as _;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use cert_core::Value;

pub struct Run {
    pub code: i32,
    pub out: String,
    pub err: String,
}

/// A folder for a test's files, removed at the end of the test.
pub struct Folder(pub PathBuf);

impl Folder {
    pub fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("cert-cli-{name}-{}", std::process::id()));
        fs::create_dir_all(&path).unwrap();
        let folder = Self(path);
        folder.file("schema.json", SCHEMA);
        folder.file("data.json", DATA);
        folder
    }

    pub fn file(&self, name: &str, content: impl AsRef<[u8]>) {
        fs::write(self.0.join(name), content).unwrap();
    }

    pub fn run(&self, arguments: &[&str]) -> Run {
        self.feed(arguments, "")
    }

    pub fn feed(&self, arguments: &[&str], stdin: &str) -> Run {
        self.with(arguments, stdin, &[])
    }

    /// The program with arguments, in this folder and without keys in environment variables.
    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_cert"));
        command
            .args(arguments)
            .env_remove("CERT_KEY")
            .env_remove("CERT_ACCOUNT_KEY")
            .current_dir(&self.0);
        command
    }

    /// Runs the program with environment variables. `CERT_KEY` is unset unless `variables` contains it.
    pub fn with(&self, arguments: &[&str], stdin: &str, variables: &[(&str, &str)]) -> Run {
        let mut child = self
            .command(arguments)
            .envs(variables.iter().copied())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        // Writing fails if the program ends before it reads its input.
        let _ = child.stdin.take().unwrap().write_all(stdin.as_bytes());
        let output = child.wait_with_output().unwrap();
        Run {
            code: output.status.code().unwrap(),
            out: String::from_utf8(output.stdout).unwrap(),
            err: String::from_utf8(output.stderr).unwrap(),
        }
    }

    /// The output of a run that succeeds.
    pub fn ok(&self, arguments: &[&str]) -> String {
        let run = self.run(arguments);
        assert_eq!((run.code, run.err.as_str()), (0, ""), "{arguments:?}");
        run.out
    }

    /// The error of a run whose usage or input is wrong.
    pub fn wrong(&self, arguments: &[&str], stdin: &str) -> String {
        let run = self.feed(arguments, stdin);
        assert_eq!(
            (run.code, run.out.as_str()),
            (2, ""),
            "{arguments:?}: {}",
            run.err
        );
        run.err
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

pub const SCHEMA: &str = r#"{ "type": "object", "properties": {
    "name": { "type": "string" }, "age": { "type": "integer" }, "a.b": { "type": "string" },
    "books": { "type": "array", "items": { "type": "object", "properties": { "title": { "type": "string" } } } }
} }"#;
pub const DATA: &str = r#"{ "name": "Ada", "age": 36, "a.b": "dotted", "books": [{ "title": "Notes" }, { "title": "Letters" }] }"#;

/// Returns the text of a file of vectors.
pub fn vectors(file: &str) -> String {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/vectors");
    fs::read_to_string(format!("{folder}/{file}")).unwrap()
}

pub fn part<'v>(value: &'v Value, key: &str) -> &'v Value {
    value.as_object().unwrap().get(key).unwrap()
}

/// The arguments of an operation on the folder's document.
pub fn of_data<'a>(operation: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    [&[operation, "-s", "schema.json", "data.json"], more].concat()
}

/// The arguments that verify standard input against an imprint and the folder's evidence.
pub fn verify(imprint: &str) -> [&str; 7] {
    let imprint = imprint.trim();
    let evidence = "evidence.json";
    [
        "verify",
        "-s",
        "schema.json",
        "--imprint",
        imprint,
        "--evidence",
        evidence,
    ]
}
