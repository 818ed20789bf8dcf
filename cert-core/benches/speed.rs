//! Times the operations, and counts the compressions of SHA-256 that each of them needs.
//!
//! `cargo xtask bench cert` runs it and shows it beside the npm package. It writes a JSON object per
//! line; `tests/bench/cert.mjs` measures the same cases, made by the same rules.
#![allow(missing_docs, reason = "a program, whose functions nobody else calls")]
#![allow(
    clippy::unwrap_used,
    clippy::arithmetic_side_effects,
    reason = "a measurement that cannot go on should stop"
)]

use std::cell::Cell;
use std::hint::black_box;
use std::time::{Duration, Instant};

use cert_core::{
    Cert, Failure, Hash, Hasher, Input, Location, Noncer, Path, PathNoncer, PathStep, Sha256Hasher,
    Step, Value, aih2,
};
use sha2::{Digest, Sha256};

/// How long one operation is measured.
const TIME: Duration = Duration::from_millis(300);
/// The least that a sample takes, for the clock to count for nothing.
const SAMPLE: Duration = Duration::from_millis(2);

fn main() {
    println!(r#"{{"compressionNs":{}}}"#, compression());
    for rows in [false, true] {
        for count in if rows {
            [100, 1000, 10_000]
        } else {
            [10, 100, 1000]
        } {
            measure(rows, count);
        }
    }
}

/// The time that one compression takes in a long text.
fn compression() -> f64 {
    let text = vec![b'x'; 1 << 20];
    nanoseconds(|| {
        black_box(Sha256::digest(black_box(&text)));
    }) / (blocks(text.len()) as f64)
}

fn measure(rows: bool, count: usize) {
    let (schema, data, path) = case(rows, count);
    let name = format!("{} {count}", if rows { "rows" } else { "flat" });
    eprintln!("  native   {name}");
    let cert = Cert::new(&schema).unwrap();
    let count = Cell::new(0);
    let counting = Cert::with(&schema, Counting(&count), Counting(&count)).unwrap();
    let imprint = cert.imprint(&data).unwrap();
    let proofs = cert.notarize(&data).unwrap();
    assert_eq!(
        cert.calculate(&data, &proofs).unwrap().as_ref(),
        Some(&imprint)
    );
    let paths = [path];
    measure_second(&name, &schema, &data, &paths);

    let show = |operation: &str, ns: f64| {
        let compressions = count.take();
        println!(
            r#"{{"case":"{name}","operation":"{operation}","imprint":"{imprint}","compressions":{compressions},"ns":{ns}}}"#
        );
    };
    counting.imprint(&data).unwrap();
    show(
        "imprint",
        nanoseconds(|| drop(black_box(cert.imprint(black_box(&data))))),
    );
    counting.notarize(&data).unwrap();
    show(
        "notarize",
        nanoseconds(|| drop(black_box(cert.notarize(black_box(&data))))),
    );
    counting.disclose(&data, &paths).unwrap();
    show(
        "disclose",
        nanoseconds(|| drop(black_box(cert.disclose(black_box(&data), &paths)))),
    );
    counting.calculate(&data, &proofs).unwrap();
    show(
        "calculate",
        nanoseconds(|| drop(black_box(cert.calculate(black_box(&data), &proofs)))),
    );
}

/// The same document in AIH-2: the imprint and the evidence of one field made from the holder's key, and that evidence verified.
fn measure_second(name: &str, schema: &Value, data: &Value, paths: &[Path]) {
    let cert = aih2::Cert::new(schema).unwrap();
    let keys = aih2::Keys::Key([7; 32].into());
    let imprint = cert.imprint(data, &keys).unwrap();
    let evidence = cert.disclose(data, &keys, paths, true).unwrap();
    assert_eq!(cert.calculate(None, &evidence).unwrap(), imprint);
    let (evidence, text) = (evidence.to_value(), imprint.to_string());
    let show = |operation: &str, ns: f64| {
        println!(r#"{{"case":"{name}","profile":"AIH-2","operation":"{operation}","ns":{ns}}}"#);
    };
    show(
        "imprint",
        nanoseconds(|| drop(black_box(cert.imprint(black_box(data), &keys)))),
    );
    show(
        "disclose",
        nanoseconds(|| {
            drop(black_box(cert.disclose(
                black_box(data),
                &keys,
                paths,
                true,
            )))
        }),
    );
    show(
        "verify",
        nanoseconds(|| drop(black_box(cert.verify(None, black_box(&evidence), &text)))),
    );
}

/// Schema, data and the path to disclose.
fn case(rows: bool, count: usize) -> (Value, Value, Path) {
    let members = |member: &dyn Fn(usize) -> String| {
        let members: Vec<_> = (0..count).map(member).collect();
        members.join(",")
    };
    let half = count / 2;
    let (schema, data, path) = if rows {
        (
            r#"{"rows":{"type":"array","items":{"type":"object","properties":{"id":{"type":"integer"},"name":{"type":"string"}}}}}"#.into(),
            format!(r#"{{"rows":[{}]}}"#, members(&|n| format!(r#"{{"id":{n},"name":"row number {n}"}}"#))),
            [PathStep::from("rows"), half.into(), "name".into()].into_iter().collect(),
        )
    } else {
        (
            format!(
                "{{{}}}",
                members(&|n| format!(r#""property{n}":{{"type":"string"}}"#))
            ),
            format!(
                "{{{}}}",
                members(&|n| format!(r#""property{n}":"value number {n}""#))
            ),
            Path::from([format!("property{half}")]),
        )
    };
    let schema = format!(r#"{{"type":"object","properties":{schema}}}"#);
    (
        Value::parse(&schema).unwrap(),
        Value::parse(&data).unwrap(),
        path,
    )
}

/// The time of one run: the least of many samples, since whatever else the machine does only adds.
fn nanoseconds(mut run: impl FnMut()) -> f64 {
    let started = Instant::now();
    run();
    let once = started.elapsed().max(Duration::from_nanos(1));
    let runs = (SAMPLE.as_nanos() / once.as_nanos()).max(1);
    let mut least = f64::INFINITY;
    let mut samples = 0;
    let all = Instant::now();
    while all.elapsed() < TIME || samples < 3 {
        let started = Instant::now();
        for _ in 0..runs {
            run();
        }
        least = least.min(started.elapsed().as_nanos() as f64 / runs as f64);
        samples += 1;
    }
    least
}

/// FIPS 180-4, section 5.1.1: a text is followed by one bit and its length in eight bytes.
fn blocks(length: usize) -> usize {
    (length + 9).div_ceil(64)
}

/// The defaults, and how many compressions they come to.
struct Counting<'c>(&'c Cell<usize>);

impl Counting<'_> {
    fn add(&self, length: usize) {
        self.0.set(self.0.get() + blocks(length));
    }
}

impl Hasher for Counting<'_> {
    fn hash(&self, input: Input<'_>, place: Location<'_>) -> Result<Hash, Failure> {
        self.add(input.text().len());
        Sha256Hasher.hash(input, place)
    }

    fn can_be(&self, text: &[u8]) -> bool {
        Sha256Hasher.can_be(text)
    }
}

impl Noncer for Counting<'_> {
    fn nonce(&self, place: Location<'_>) -> Result<Hash, Failure> {
        self.add(place.prefix().len() + place.position().to_string().len());
        PathNoncer.nonce(place)
    }

    fn extend_prefix(&self, text: &mut String, step: Step<'_>) {
        PathNoncer.extend_prefix(text, step);
    }
}
