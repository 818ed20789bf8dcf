//! Compares the catalogue with the interface specification's list.

use alloc::vec::Vec;

use serde_json::{Value, json};

use super::{Code, FieldError};

const SPECIFIED: &str = include_str!("../../../tests/vectors/claims/error-codes.json");

fn specified() -> Vec<u32> {
    let file: Value = serde_json::from_str(SPECIFIED).unwrap();
    let codes = file["codes"].as_array().unwrap();
    codes
        .iter()
        .map(|row| u32::try_from(row["code"].as_u64().unwrap()).unwrap())
        .collect()
}

#[test]
fn the_catalogue_starts_with_the_specifications_list() {
    let mut expected = specified();
    assert_eq!(expected.len(), 139);
    expected.extend([
        400100, 400101, 400103, 400104, 400105, 400106, 400107, 400108, 401001, 401002, 401003,
        403001, 403002, 403003, 403004, 403005, 403006, 403010, 403011, 403012, 403020, 403021,
        403022, 404001, 404002, 404003, 404004, 404005, 404006, 404007, 404008, 404009, 405000,
        409000, 409001, 409002, 413000, 415000, 422900, 422910, 422911, 422912, 422913, 422914,
        422915, 422916, 422920, 422930, 422940, 422941, 429000, 429001, 429002, 429003, 429004,
        503000, 503001,
    ]);
    let listed: Vec<u32> = Code::all().map(Code::number).collect();
    assert_eq!(listed, expected);
}

#[test]
fn codes_can_be_found_by_their_numbers() {
    for code in Code::all() {
        assert_eq!(Code::from_number(code.number()), Some(code));
    }
    for unknown in [
        0,
        400006,
        400015,
        422008 + 1_000_000,
        422014,
        422042,
        422143,
    ] {
        assert_eq!(Code::from_number(unknown), None, "{unknown}");
    }
}

#[test]
fn messages_are_sentences_in_lower_case_without_full_stop() {
    for code in Code::all() {
        let message = code.message();
        assert!(!message.ends_with('.'), "{code}: {message}");
        assert_eq!(message.matches(". ").count(), 0, "{code}: {message}");
        assert!(message.starts_with(char::is_lowercase), "{code}: {message}");
    }
}

#[test]
fn every_code_has_the_specified_http_status() {
    for code in Code::all() {
        let status = u32::from(code.http_status());
        let expected = match code.number() {
            400_000 => 404,
            400_009 | 400_014 => 403,
            422_116..=422_118 => 400,
            number => number / 1000,
        };
        assert_eq!(status, expected, "{code}");
    }
}

#[test]
fn reserved_codes_are_exactly_these() {
    let reserved: Vec<u32> = Code::all()
        .filter(|code| code.reserved().is_some())
        .map(Code::number)
        .collect();
    assert_eq!(reserved, [422011, 422124]);
}

#[test]
fn an_error_serializes_as_code_name_message_and_path() {
    let error = FieldError::new(Code::OrderSeedMissing, "order.seed");
    assert_eq!(
        serde_json::to_value(error).unwrap(),
        json!({"code": 422002, "name": "OrderSeedMissing", "message": "the order's seed is missing", "path": "order.seed"})
    );
}
