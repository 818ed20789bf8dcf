//! Tests properties that hold for every schema, every document and every set of paths.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

mod support;

use cert_core::{Cert, ErrorCode, KeyedNoncer, Sha256Hasher, Status, Value, proofs_to_value};
use proptest::collection::vec;
use proptest::prelude::*;
use support::random::Random;
use support::{assert_reads_back, model};

/// Returns a schema, its `Cert`, and data for this schema. Returns `None` if the schema is ambiguous.
fn document(random: &mut Random<'_>) -> Option<(Value, Cert, Value)> {
    let schema = random.schema();
    let cert = match Cert::new(&schema) {
        Ok(cert) => cert,
        Err(error) => {
            assert_eq!(error.code(), ErrorCode::SchemaPathAmbiguous);
            return None;
        }
    };
    let data = random.data(&schema);
    Some((schema, cert, data))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn imprints_match_the_model(bytes in vec(any::<u8>(), 0..600)) {
        let Some((schema, cert, data)) = document(&mut Random(&bytes)) else { return Ok(()) };
        prop_assert_eq!(cert.imprint(&data).unwrap(), model::imprint(&schema, &data));
    }

    /// Completeness: data exposed for some paths verifies with the evidence disclosed for the same paths.
    #[test]
    fn exposed_and_disclosed_data_verifies(bytes in vec(any::<u8>(), 0..600)) {
        let mut random = Random(&bytes);
        let Some((_, cert, data)) = document(&mut random) else { return Ok(()) };
        let imprint = cert.imprint(&data).unwrap();
        let paths = random.paths(&data);
        let exposed = cert.expose(&data, &paths);
        let proofs = proofs_to_value(&cert.disclose(&data, &paths).unwrap());
        prop_assert_eq!(cert.calculate(&exposed, &proofs).unwrap(), Some(imprint.clone()));
        let report = cert.verify(&exposed, &proofs, &imprint).unwrap();
        prop_assert!(report.valid);
        prop_assert_eq!(cert.calculate(&report.proven, &proofs).unwrap(), Some(imprint.clone()));
        // The whole document verifies with all its proofs.
        let all = proofs_to_value(&cert.notarize(&data).unwrap());
        prop_assert_eq!(cert.calculate(&data, &all).unwrap(), Some(imprint.clone()));
    }

    #[test]
    fn keyed_nonces_verify_without_the_key(bytes in vec(any::<u8>(), 0..300)) {
        let mut random = Random(&bytes);
        let schema = random.schema();
        let noncer = KeyedNoncer::new(b"a secret of the issuer").unwrap();
        let Ok(keyed) = Cert::with(&schema, Sha256Hasher, noncer) else { return Ok(()) };
        let cert = Cert::new(&schema).unwrap();
        let data = random.data(&schema);
        let imprint = keyed.imprint(&data).unwrap();
        prop_assert_ne!(&imprint, &cert.imprint(&data).unwrap());
        let paths = random.paths(&data);
        let proofs = proofs_to_value(&keyed.disclose(&data, &paths).unwrap());
        let exposed = cert.expose(&data, &paths);
        prop_assert_eq!(cert.calculate(&exposed, &proofs).unwrap(), Some(imprint));
    }

    /// Soundness: after any changes to data and evidence, verified data is part of the original.
    #[test]
    fn verified_data_is_true(bytes in vec(any::<u8>(), 0..400), changes in vec(any::<u8>(), 0..60)) {
        let mut random = Random(&bytes);
        let Some((schema, cert, data)) = document(&mut random) else { return Ok(()) };
        let imprint = cert.imprint(&data).unwrap();
        let paths = random.paths(&data);
        let mut proofs = proofs_to_value(&match random.below(2) {
            0 => cert.notarize(&data).unwrap(),
            _ => cert.disclose(&data, &paths).unwrap(),
        });
        let mut claim = match random.below(2) {
            0 => data.clone(),
            _ => cert.expose(&data, &paths),
        };
        let mut changes = Random(&changes);
        for _ in 0..changes.below(3) {
            claim = changes.mutate(&claim);
        }
        for _ in 0..changes.below(3) {
            proofs = changes.mutate(&proofs);
        }
        let calculated = cert.calculate(&claim, &proofs).unwrap();
        let report = cert.verify(&claim, &proofs, &imprint).unwrap();
        assert_reads_back(&report);
        prop_assert_eq!(report.valid, calculated.as_deref() == Some(imprint.as_str()));
        if report.valid {
            prop_assert!(model::is_part_of(&schema, &claim, Some(&data)), "{} of {}", claim.to_json(), data.to_json());
        }
        prop_assert!(model::is_part_of(&schema, &report.proven, Some(&data)));
        let proven = report.entries.iter().filter(|entry| entry.status == Status::Proven);
        prop_assert!(report.reasons.is_empty() || proven.count() == 0);
    }
}

/// Nonces of short paths are computed when the schema is compiled. Nonces of long paths are computed on demand.
#[test]
fn imprints_match_the_model_for_keys_of_any_length() {
    for length in [1, 253, 254, 255, 256, 257, 300, 5_000] {
        let key = "k".repeat(length);
        let inner =
            r#"{"type":"object","properties":{"c":{},"e":{"type":"object","properties":{}}}}"#;
        let schema = format!(
            r#"{{"type":"object","properties":{{"{key}":{{"type":"object","properties":{{"a":{inner},"b":{{}}}}}}}}}}"#
        );
        let data = format!(r#"{{"{key}":{{"a":{{"c":1}},"b":2}}}}"#);
        let (schema, data) = (Value::parse(&schema).unwrap(), Value::parse(&data).unwrap());
        let imprint = Cert::new(&schema).unwrap().imprint(&data).unwrap();
        assert_eq!(imprint, model::imprint(&schema, &data), "{length}");
    }
}
