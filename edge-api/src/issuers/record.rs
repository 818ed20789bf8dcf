//! A domain's TXT records at `_assay.<domain>`, read through DNS over HTTPS in its JSON form. See `docs/spec/issuer.md`.

use order_core::{Address, json};
use serde_json::Value;

use super::file::caip10;
use super::problem::{Problem, Reason};

/// Maximum bytes of a resolver's answer. A DNS message has 64 KiB at most (RFC 1035, section 4.2.2).
pub(super) const ANSWER_MAX: usize = 64 << 10;
/// Start of a record, before the account in CAIP-10 (did:pkh).
const PREFIX: &str = "did=did:pkh:";
/// Type of a TXT record (RFC 1035, section 3.2.2).
const TXT: u64 = 16;
/// Response codes (RFC 1035, section 4.1.1): success, and a name that does not exist.
const NO_ERROR: u64 = 0;
const NO_SUCH_NAME: u64 = 3;

/// The account in a record, or `None` if the record is malformed.
type Record = Option<Address>;

/// Checks that the resolver's answer has a record for this account. Fails with the problem.
pub(super) fn confirms(answer: &[u8], account: &Address) -> Result<(), Problem> {
    let records = records(answer)?;
    if records.contains(&Some(*account)) {
        return Ok(());
    }
    Err(if records.is_empty() {
        let message =
            "DNS has no such TXT record: publish it, and wait until its name servers have it";
        Problem::new(Reason::NoRecord, message)
    } else if records.contains(&None) {
        let message =
            "a TXT record at this name is malformed: its value must be exactly the text below";
        Problem::new(Reason::MalformedRecord, message)
    } else {
        let message =
            "the TXT records at this name are for other accounts: add one for this account";
        Problem::new(Reason::NotListed, message)
    })
}

fn records(answer: &[u8]) -> Result<Vec<Record>, Problem> {
    let failed = || {
        let message = "the DNS resolver did not answer the question: try again in a few minutes";
        Problem::new(Reason::ResolverFailed, message)
    };
    let answer = json::parse(answer).map_err(|_| failed())?;
    let number = |value: &Value, key: &str| value.get(key).and_then(Value::as_u64);
    if !matches!(number(&answer, "Status"), Some(NO_ERROR | NO_SUCH_NAME)) {
        return Err(failed());
    }
    let answers = answer.get("Answer").and_then(Value::as_array);
    // If the name is an alias, the answer also contains the alias record itself.
    let texts = answers.into_iter().flatten();
    let texts = texts.filter(|record| number(record, "type") == Some(TXT));
    let record = |record: &Value| {
        let text = text(record.get("data")?.as_str()?)?;
        caip10(text.strip_prefix(PREFIX)?)
    };
    Ok(texts.map(record).collect())
}

/// Returns the text of a record. Resolvers send it unchanged, or as quoted strings with escapes (RFC 1035, section 5.1).
/// Returns `None` if the quotes or escapes are malformed.
fn text(data: &str) -> Option<String> {
    let data = data.trim();
    if !data.starts_with('"') {
        return Some(data.to_owned());
    }
    let mut bytes = data.bytes();
    let (mut text, mut is_quoted) = (String::new(), false);
    while let Some(byte) = bytes.next() {
        match byte {
            b'"' => is_quoted = !is_quoted,
            b' ' if !is_quoted => {}
            _ if !is_quoted => return None,
            b'\\' => {
                let first = bytes.next()?;
                if !first.is_ascii_digit() {
                    text.push(char::from(first));
                    continue;
                }
                let digits = [first, bytes.next()?, bytes.next()?];
                let code: u8 = std::str::from_utf8(&digits).ok()?.parse().ok()?;
                text.push(char::from(code));
            }
            byte => text.push(char::from(byte)),
        }
    }
    (!is_quoted).then_some(text)
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;

    use super::*;

    #[derive(Deserialize)]
    struct Vectors {
        account: Address,
        answers: Vec<Vector>,
    }

    #[derive(Deserialize)]
    struct Vector {
        name: String,
        result: String,
        reason: Option<String>,
        answer: Value,
    }

    #[test]
    fn the_answers_of_the_vectors_have_the_expected_results() {
        let vectors = include_str!("../../../tests/vectors/issuer/vectors.json");
        let Vectors { account, answers } = json::from_text(vectors).unwrap();
        assert!(answers.len() >= 26);
        for vector in answers {
            let found = confirms(vector.answer.to_string().as_bytes(), &account);
            let (result, reason) = match &found {
                Ok(()) => ("confirmed", None),
                Err(problem) if problem.reason.is_transient() => {
                    ("unclear", Some(problem.reason.as_str()))
                }
                Err(problem) => ("notConfirmed", Some(problem.reason.as_str())),
            };
            assert_eq!(
                (result, reason),
                (vector.result.as_str(), vector.reason.as_deref()),
                "{}",
                vector.name
            );
        }
        let page = confirms(b"<!doctype html>", &account).unwrap_err();
        assert_eq!(page.reason, Reason::ResolverFailed);
    }

    #[test]
    fn quoted_strings_are_joined_and_unescaped() {
        for (data, expected) in [
            ("a b", Some("a b")),
            (r#""a b""#, Some("a b")),
            (r#""a" "b""#, Some("ab")),
            (r#""a""b""#, Some("ab")),
            (r#""\"\\\065""#, Some("\"\\A")),
            (r#""""#, Some("")),
            (r#""a"#, None),
            (r#""a" b"#, None),
            (r#""\25""#, None),
            (r#""\256""#, None),
            (r#""\"#, None),
        ] {
            assert_eq!(text(data).as_deref(), expected, "{data}");
        }
    }
}
