//! Runs every target on its seeds and on reproducible random changes of the seeds, without a fuzzing engine.

use crate::support::random::{Random, bytes};
use crate::{TARGETS, Target, seeds};

/// The number of changed inputs for each target.
const CHANGED: usize = 4_000;

/// Pieces of JSON, and numbers at limits.
const PIECES: [&str; 24] = [
    "{",
    "}",
    "[",
    "]",
    "\"",
    ":",
    ",",
    "null",
    "true",
    "0",
    "-1",
    "1e999",
    "9007199254740993",
    "4294967296",
    "0.5",
    "\\u0000",
    "\\ud800",
    "\"__proto__\"",
    "\"index\":",
    "\"value\":",
    "\"nodes\":",
    "\"path\":",
    "\"type\":\"object\",",
    "\u{feff}",
];

/// Returns a random number below `bound`. `bound` may exceed the range of a byte.
fn far(random: &mut Random<'_>, bound: usize) -> usize {
    (random.below(256) * 256 + random.below(256)) % bound.max(1)
}

fn change(random: &mut Random<'_>, input: &mut Vec<u8>, other: &[u8]) {
    let at = far(random, input.len() + 1);
    let end = (at + random.below(24)).min(input.len());
    match random.below(6) {
        0 => drop(input.drain(at..end)),
        1 => drop(input.splice(at..at, random.pick(&PIECES).bytes())),
        2 => drop(input.splice(at..end, random.pick(&PIECES).bytes())),
        3 => {
            let from = far(random, other.len());
            let to = (from + random.below(200)).min(other.len());
            drop(input.splice(at..end, other[from..to].iter().copied()));
        }
        4 if at < input.len() => input[at] ^= 1 << random.below(8),
        _ => {
            let copy = input[at..end].to_vec();
            drop(input.splice(at..at, copy));
        }
    }
}

fn run(name: &str) {
    let found = TARGETS.iter().find(|(known, _)| *known == name);
    let target: Target = found.map_or_else(|| panic!("no target `{name}`"), |(_, target)| *target);
    let seeds = seeds(name);
    assert!(seeds.len() > 20);
    seeds.iter().for_each(|seed| target(seed));
    let mut state = 1;
    for _ in 0..CHANGED {
        let drawn = bytes(&mut state);
        let mut random = Random(&drawn);
        let mut input = random.pick(&seeds).clone();
        for _ in 0..=random.below(4) {
            let other = random.pick(&seeds);
            change(&mut random, &mut input, other);
        }
        // Prints the input after a panic, because most messages of the targets do not contain it.
        let shown = input.clone();
        if std::panic::catch_unwind(|| target(&input)).is_err() {
            panic!(
                "the target `{name}` fails on {:?}",
                String::from_utf8_lossy(&shown)
            );
        }
    }
}

#[test]
fn the_target_data_passes() {
    run("data");
}

#[test]
fn the_target_schema_passes() {
    run("schema");
}

#[test]
fn the_target_evidence_passes() {
    run("evidence");
}

#[test]
fn the_target_imprint_passes() {
    run("imprint");
}

#[test]
fn the_target_aih2_passes() {
    run("aih2");
}

#[test]
fn the_target_badge_passes() {
    run("badge");
}

#[test]
fn the_target_validate_passes() {
    run("validate");
}
