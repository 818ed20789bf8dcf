//! Writes or compares `docs/errors.md`, which lists every code of the catalogue, with requests that cause the code and the
//! path of the error.
//!
//! Each resource has a file, which causes the resource's codes and records them in a [`Book`]. The test fails if no
//! request causes a code that is not reserved, or if a request causes a reserved code. `ASSAY_WRITE_DOCS=1` rewrites
//! `docs/errors.md`.

mod account;
mod actions;
mod admin;
mod approvals;
mod badge;
mod books;
mod chain;
mod deployments;
mod files;
mod frame;
mod gs1;
mod ledgers;
mod links;
mod orders;
mod sessions;
mod status_lists;
mod wallet;
mod webhooks;

use std::collections::BTreeMap;
use std::fmt::Write;

use order_core::Code;
use serde_json::Value;

use crate::support::people::{Person, World};
use crate::support::{Answer, in_workerd, with};

/// Codes that need a fault, changed rows of the database, an answer of `https://example.com`, or a chain. Only the host in
/// this process can simulate these.
const IN_PROCESS: &[u32] = &[
    400_017, 400_019, 422_910, 422_911, 422_912, 422_913, 422_916, 429_001, 429_002, 429_004,
    500_000, 503_001,
];

/// A request that causes a code.
struct Entry {
    request: String,
    status: u16,
    path: String,
}

/// The errors that were caused, by code.
#[derive(Default)]
pub struct Book(BTreeMap<u32, Vec<Entry>>);

impl Book {
    /// Asserts that the answer to a request has exactly these codes, and records the request for each of them.
    #[track_caller]
    pub fn add(&mut self, codes: &[u32], request: &str, answer: &Answer) {
        let mut expected: Vec<u64> = codes.iter().copied().map(u64::from).collect();
        expected.sort_unstable();
        answer.fails(answer.status, &expected);
        for error in answer.json()["errors"].as_array().expect("errors") {
            let number = error["code"]
                .as_u64()
                .and_then(|code| u32::try_from(code).ok());
            let code = number.and_then(Code::from_number);
            let code = code.expect("a code of the catalogue");
            // The status follows from the code, with one exception in the interface specification: 400001 has status
            // 401 if it is about the Authorization header.
            let status = match code {
                Code::SignatureNotValid if error["path"] == "authorization" => 401,
                code => code.http_status(),
            };
            assert_eq!(answer.status, status, "{code} {request}");
            let entries = self.0.entry(code.number()).or_default();
            if entries.iter().any(|entry| entry.request == request) {
                continue;
            }
            entries.push(Entry {
                request: request.to_owned(),
                status: answer.status,
                path: error["path"].as_str().expect("a path").to_owned(),
            });
        }
    }

    /// For each case, sends the body with one field changed or removed, and records the expected codes.
    #[track_caller]
    pub fn fields(
        &mut self,
        world: &World,
        person: &Person,
        (method, path): (&'static str, &str),
        body: &Value,
        cases: &[(&str, Option<Value>, &[u32])],
    ) {
        for (pointer, value, codes) in cases {
            let body = with(body, pointer, value.clone());
            let call = match method {
                "POST" => person.post(path, &body),
                _ => person.put(path, &body),
            };
            let field = field(pointer);
            let how = match value {
                None => format!("{method} {path} without `{field}`"),
                Some(value) => format!("{method} {path} with `{field}` = `{value}`"),
            };
            self.add(codes, &how, &world.call(call));
        }
    }
}

/// Converts a JSON pointer such as `/order/actions/0/kind` to the path of an error, `order.actions[0].kind`.
fn field(pointer: &str) -> String {
    pointer
        .split('/')
        .skip(1)
        .fold(String::new(), |path, part| match part.parse::<usize>() {
            Ok(index) => format!("{path}[{index}]"),
            Err(_) if path.is_empty() => part.to_owned(),
            Err(_) => format!("{path}.{part}"),
        })
}

#[test]
fn every_code_is_caused_and_documented() {
    let mut book = Book::default();
    frame::provoke(&mut book);
    gs1::provoke(&mut book);
    ledgers::provoke(&mut book);
    orders::provoke(&mut book);
    actions::provoke(&mut book);
    deployments::provoke(&mut book);
    approvals::provoke(&mut book);
    account::provoke(&mut book);
    webhooks::provoke(&mut book);
    badge::provoke(&mut book);
    files::provoke(&mut book);
    books::provoke(&mut book);
    links::provoke(&mut book);
    status_lists::provoke(&mut book);
    wallet::provoke(&mut book);
    admin::provoke(&mut book);
    sessions::provoke(&mut book);
    chain::provoke(&mut book);
    for code in Code::all() {
        let provoked = book.0.contains_key(&code.number());
        let excused = in_workerd() && IN_PROCESS.contains(&code.number());
        let wanted = !(code.reserved().is_some() || excused);
        assert_eq!(
            provoked,
            wanted,
            "{code} {}: left is true if a request caused the code, right is true if a request must cause it",
            code.message()
        );
    }
    if !in_workerd() {
        compare(&document(&book));
    }
}

fn document(book: &Book) -> String {
    let mut text = "# Error codes\n\nA test causes every code and writes this file: \
                    `ASSAY_WRITE_DOCS=1 cargo test -p edge-api --test http every_code`.\n\n\
                    An error is `{code, message, path}`. The code is stable, the message is for people, and the \
                    path names the field. An answer has the errors of the first phase that fails. The phases are: \
                    path and method, the client address's rate limit, the body, the authorization, the account's \
                    rate limit, the kind of credential, the operator's restrictions, the idempotency key, identification, \
                    fields, existence, claims, the hash, and the ledger's rules. An answer lists at most twenty errors. If there are more, one more item has the code of the next \
                    error and the number of errors left out.\n\n\
                    The errors of the client library itself start at 7000001 and are listed in [its README](../pkg/client/README.md#answers-and-errors).\n\n\
                    | code | HTTP | meaning | caused by | path |\n|---|---|---|---|---|\n"
        .to_owned();
    let mut row = |code: Code, status: u16, request: &str, path: &str| {
        let path = if path.is_empty() {
            String::new()
        } else {
            format!("`{path}`")
        };
        writeln!(
            text,
            "| {code} | {status} | {} | {request} | {path} |",
            code.message()
        )
        .expect("writing to a String succeeds");
    };
    for code in Code::all() {
        for entry in book.0.get(&code.number()).into_iter().flatten() {
            row(
                code,
                entry.status,
                &entry.request.replace('|', "\\|"),
                &entry.path,
            );
        }
        if let Some(why) = code.reserved() {
            row(code, code.http_status(), &format!("reserved: {why}"), "");
        }
    }
    text
}

fn compare(document: &str) {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/errors.md");
    if std::env::var_os("ASSAY_WRITE_DOCS").is_some() {
        std::fs::create_dir_all(concat!(env!("CARGO_MANIFEST_DIR"), "/../docs")).expect("a folder");
        std::fs::write(file, document).expect("the document is written");
    }
    let stored = std::fs::read_to_string(file).unwrap_or_default();
    assert!(
        stored == document,
        "docs/errors.md differs from the service's answers: run this test with ASSAY_WRITE_DOCS=1 and check the difference"
    );
}
