//! Tests that operations with deferred answers give the same results as direct operations.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    reason = "a test that cannot go on should stop"
)]

mod support;

use cert_core::{
    Ask, Cert, CertError, Deferred, ErrorCode, Evidence, Failure, Hasher, Input, Location, Noncer,
    Part, Path, PathNoncer, Proof, Question, Report, Role, Sha256Hasher, Value, proofs_to_value,
};
use proptest::collection::vec;
use proptest::prelude::*;
use sha2::{Digest as _, Sha256};
use support::random::Random;
use support::{json, paths};

fn sha256(text: &str) -> String {
    Sha256::digest(text)
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect()
}

/// Returns a hash that depends on everything a callback receives.
fn hash_of(value: &Option<Value>, text: &str, path: &Path, position: Role) -> String {
    let value = value.as_ref().map_or("absent".into(), Value::to_json);
    sha256(&format!(
        "{value}|{text}|{}|{}",
        path.to_value().to_json(),
        position as u8
    ))
}

fn nonce_of(path: &Path) -> String {
    format!("#{}", path.steps().len())
}

fn hasher(input: Input<'_>, place: Location<'_>) -> Result<String, Failure> {
    Ok(match input {
        Input::Value(value) => {
            hash_of(&value.map(|v| v.to_value()), "", &place.path(), Role::Value)
        }
        text => hash_of(&None, &text.text(), &place.path(), input.role()),
    })
}

fn noncer(place: Location<'_>) -> Result<String, Failure> {
    Ok(nonce_of(&place.path()))
}

/// Returns the answer to a question, or `None` if an answer that the question needs does not exist yet.
fn answer(question: &Question, answers: &[Option<String>]) -> Option<String> {
    let text = |part: &Part| match part {
        Part::Text(text) => Some(text.clone()),
        Part::Answer(number) => answers[*number].clone(),
    };
    Some(match &question.ask {
        Ask::Nonce => nonce_of(&question.path),
        Ask::Value(value) => hash_of(value, "", &question.path, Role::Value),
        Ask::Text(position, parts) => {
            let text: String = parts.iter().map(text).collect::<Option<_>>()?;
            hash_of(&None, &text, &question.path, *position)
        }
    })
}

/// Runs a task and answers its questions out of order.
fn from_outside<H: Hasher, N: Noncer>(
    cert: &Cert<H, N>,
    task: &Task,
    deferred: Deferred,
    random: &mut Random<'_>,
) -> Result<Outcome, String> {
    let questions = cert
        .questions(deferred, |cert| run(cert, task))
        .map_err(|error| error.to_string())?;
    let mut answers = vec![None; questions.len()];
    let mut takers = vec![0; questions.len()];
    let mut left: Vec<usize> = (0..questions.len()).collect();
    while !left.is_empty() {
        // If the drawn question needs answers that do not exist yet, the first unanswered question is answered instead.
        let drawn = random.below(left.len());
        let known = |at: usize| answer(&questions[left[at]], &answers);
        let (at, answer) = match known(drawn) {
            Some(answer) => (drawn, answer),
            None => (0, known(0).unwrap()),
        };
        let number = left.remove(at);
        assert!(deferred.noncer || questions[number].ask != Ask::Nonce);
        assert!(deferred.hasher || questions[number].ask == Ask::Nonce);
        if let Ask::Text(_, parts) = &questions[number].ask {
            for part in parts {
                if let Part::Answer(of) = part {
                    takers[*of] += 1;
                }
            }
        }
        answers[number] = Some(answer);
    }
    assert!(takers.iter().all(|takers| *takers <= 1));
    let answers: Vec<String> = answers.into_iter().flatten().collect();
    cert.answered(deferred, &answers, |cert| run(cert, task))
        .map_err(|error| error.to_string())
}

/// An operation with all its inputs.
enum Task {
    Imprint(Value),
    Notarize(Value),
    Disclose(Value, Vec<Path>),
    Calculate(Value, Box<dyn Evidence>),
    Verify(Value, Box<dyn Evidence>, String),
}

#[derive(Debug, PartialEq)]
enum Outcome {
    Imprint(String),
    Proofs(Vec<Proof>),
    Calculated(Option<String>),
    Report(Report),
}

fn run<H: Hasher, N: Noncer>(cert: &Cert<H, N>, task: &Task) -> Result<Outcome, CertError> {
    match task {
        Task::Imprint(data) => cert.imprint(data).map(Outcome::Imprint),
        Task::Notarize(data) => cert.notarize(data).map(Outcome::Proofs),
        Task::Disclose(data, paths) => cert.disclose(data, paths).map(Outcome::Proofs),
        Task::Calculate(data, evidence) => cert
            .calculate(data, evidence.as_ref())
            .map(Outcome::Calculated),
        Task::Verify(data, evidence, imprint) => cert
            .verify(data, evidence.as_ref(), imprint)
            .map(Outcome::Report),
    }
}

/// Runs the same task with callbacks that answer immediately.
fn directly<H: Hasher, N: Noncer>(cert: &Cert<H, N>, task: &Task) -> Result<Outcome, String> {
    run(cert, task).map_err(|error| error.to_string())
}

/// Compares direct operations with operations that have deferred answers. Each operation runs on a new `Cert`, because the first hash of a
/// `Cert` decides which hash length the `Cert` accepts in evidence.
fn check<H: Hasher, N: Noncer>(
    direct: impl Fn() -> Cert<H, N>,
    schema: &Value,
    data: &Value,
    deferred: Deferred,
    random: &mut Random<'_>,
) {
    let imprint = direct().imprint(data).unwrap();
    let paths = random.paths(data);
    let mut evidence = proofs_to_value(&direct().notarize(data).unwrap());
    if random.below(2) == 0 {
        evidence = random.mutate(&evidence);
    }
    let claim = if random.below(2) == 0 {
        random.mutate(data)
    } else {
        data.clone()
    };
    for task in [
        Task::Imprint(claim.clone()),
        Task::Notarize(data.clone()),
        Task::Disclose(data.clone(), paths),
        Task::Calculate(claim.clone(), Box::new(evidence.clone())),
        Task::Verify(claim, Box::new(evidence), imprint),
    ] {
        let expected = directly(&direct(), &task);
        // The `Cert` must not compute hashes or nonces that the caller computes.
        let failing =
            |_: Input<'_>, _: Location<'_>| -> Result<String, Failure> { Err("asked".into()) };
        let refusing = |_: Location<'_>| -> Result<String, Failure> { Err("asked".into()) };
        let found = match deferred {
            Deferred {
                hasher: true,
                noncer: true,
            } => from_outside(
                &Cert::with(schema, failing, refusing).unwrap(),
                &task,
                deferred,
                random,
            ),
            Deferred {
                hasher: true,
                noncer: false,
            } => from_outside(
                &Cert::with(schema, failing, PathNoncer).unwrap(),
                &task,
                deferred,
                random,
            ),
            Deferred {
                hasher: false,
                noncer: true,
            } => from_outside(
                &Cert::with(schema, Sha256Hasher, refusing).unwrap(),
                &task,
                deferred,
                random,
            ),
            Deferred {
                hasher: false,
                noncer: false,
            } => from_outside(&Cert::new(schema).unwrap(), &task, deferred, random),
        };
        assert_eq!(found, expected);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn deferred_answers_give_the_same_results(bytes in vec(any::<u8>(), 0..300), order in vec(any::<u8>(), 0..300)) {
        let mut random = Random(&bytes);
        let schema = random.schema();
        if Cert::new(&schema).is_err() {
            return Ok(());
        }
        let data = random.data(&schema);
        let mut order = Random(&order);
        let with = || Cert::with(&schema, hasher, noncer).unwrap();
        check(with, &schema, &data, Deferred { hasher: true, noncer: true }, &mut order);
        let hashed = || Cert::with(&schema, hasher, PathNoncer).unwrap();
        check(hashed, &schema, &data, Deferred { hasher: true, noncer: false }, &mut order);
        let nonced = || Cert::with(&schema, Sha256Hasher, noncer).unwrap();
        check(nonced, &schema, &data, Deferred { hasher: false, noncer: true }, &mut order);
        let plain = || Cert::new(&schema).unwrap();
        check(plain, &schema, &data, Deferred { hasher: false, noncer: false }, &mut order);
    }
}

const SCHEMA: &str = r#"{"type":"object","properties":{
    "a":{}, "l":{"type":"array","items":{}}, "o":{"type":"object","properties":{"x":{}}}
}}"#;

/// Untrusted texts that look like the number of a question must not be replaced by an answer.
#[test]
fn texts_are_never_confused_with_answers() {
    let deferred = Deferred {
        hasher: true,
        noncer: true,
    };
    let direct = Cert::with(&json(SCHEMA), hasher, noncer).unwrap();
    for mark in ["0", "1", "-1", "", "#1", "99999999999999999999", "answer"] {
        let text = format!(r#"{{"a":"{mark}","l":["{mark}"],"o":{{"x":"{mark}"}}}}"#);
        let data = json(&text);
        let evidence = proofs_to_value(&direct.notarize(&data).unwrap()).to_json();
        for nonces in [
            evidence.clone(),
            evidence.replace("\"#1\"", &format!("\"{mark}\"")),
        ] {
            for task in [
                Task::Notarize(data.clone()),
                Task::Disclose(data.clone(), paths(&json(r#"[["l",0]]"#))),
                Task::Calculate(data.clone(), Box::new(json(&nonces))),
                Task::Verify(
                    data.clone(),
                    Box::new(json(&nonces)),
                    direct.imprint(&data).unwrap(),
                ),
            ] {
                let expected = directly(&direct, &task);
                assert_eq!(
                    from_outside(&direct, &task, deferred, &mut Random(&[])),
                    expected,
                    "{mark}"
                );
            }
        }
    }
}

#[test]
fn deferred_nonces_need_no_other_answers() {
    let cert = Cert::new(&json(SCHEMA)).unwrap();
    let task = Task::Imprint(json(r#"{"a":1,"l":[1,2,3],"o":{"x":1}}"#));
    let deferred = Deferred {
        hasher: false,
        noncer: true,
    };
    let questions = cert.questions(deferred, |cert| run(cert, &task)).unwrap();
    // Three groups, with three, three and one members. Each member and each closing node has a nonce.
    assert_eq!(questions.len(), 4 + 4 + 2);
    let answers = vec![String::from("nonce"); 9];
    let error = cert
        .answered(deferred, &answers, |cert| run(cert, &task))
        .unwrap_err();
    assert_eq!(error.code(), ErrorCode::NoncerFailed);
    let hashes = Deferred {
        hasher: true,
        noncer: false,
    };
    let error = cert
        .answered(hashes, &answers, |cert| run(cert, &task))
        .unwrap_err();
    assert_eq!(error.code(), ErrorCode::HasherFailed);
}

#[test]
fn errors_of_the_data_come_before_any_question() {
    let cert = Cert::new(&json(SCHEMA)).unwrap();
    let deferred = Deferred {
        hasher: true,
        noncer: true,
    };
    let task = Task::Imprint(json(r#"{"a":[]}"#));
    let error = cert
        .questions(deferred, |cert| run(cert, &task))
        .unwrap_err();
    assert_eq!(error.code(), ErrorCode::DataTypeMismatch);
}
