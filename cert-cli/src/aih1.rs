//! Operations of the profile AIH-1.

use cert_core::{
    Cert, KeyedNoncer, Noncer, Path, PathNoncer, Sha256Hasher, Value, aih2, identify,
    identify_sorted, proofs_to_value,
};

use crate::arguments::{AIH2_IMPRINT, Common, Evidence};
use crate::batch::progress::Progress;
use crate::failure::Failure;
use crate::input::Inputs;
use crate::output::{self, Answer};
use crate::{path, validate};

/// The unit of progress, in bytes.
const MEGABYTE: usize = 1_000_000;

pub(crate) fn imprint(inputs: &mut Inputs, common: &Common) -> Result<String, Failure> {
    // `--validate` and `--strict` check the parsed document, so the whole document has to be in memory.
    if !common.validate && !common.strict {
        return imprint_of_text(inputs, common);
    }
    let Ready { cert, data, .. } = certifiable(inputs, common)?;
    cert.imprint(&data).map_err(common.in_data())
}

/// Computes the imprint of a document from its text, without keeping the parsed document. Shows the progress.
fn imprint_of_text(inputs: &mut Inputs, common: &Common) -> Result<String, Failure> {
    let schema = inputs.schema(&common.schema, Value::parse)?;
    let noncer = noncer(inputs, common)?;
    let cert = Cert::with(&schema, Sha256Hasher, noncer).map_err(common.in_schema())?;
    let text = inputs.text(common.data())?;
    // Every part of the text is read twice, so `bytes` counts twice the text's length.
    let progress = Progress::new(
        "MB certified",
        text.len().checked_div(MEGABYTE).unwrap_or_default(),
    );
    let mut bytes = 0_usize;
    let read = |length: usize| {
        bytes = bytes.saturating_add(length);
        let megabytes = bytes.checked_div(2 * MEGABYTE).unwrap_or_default();
        if megabytes > 0 {
            progress.add(megabytes);
            bytes = 0;
        }
    };
    let (imprint, uncovered) = cert
        .imprint_text(&text, &mut { read })
        .map_err(common.in_data())?;
    if text.len() > MEGABYTE {
        progress.end();
    }
    output::warn_of_uncovered(common.data(), &uncovered);
    Ok(imprint)
}

pub(crate) fn notarize(
    inputs: &mut Inputs,
    common: &Common,
    wrapping: Evidence,
) -> Result<Value, Failure> {
    let Ready { cert, data, .. } = certifiable(inputs, common)?;
    let proofs = cert.notarize(&data).map_err(common.in_data())?;
    wrapping.wrap(proofs_to_value(&proofs))
}

pub(crate) fn disclose(
    inputs: &mut Inputs,
    common: &Common,
    paths: &[String],
    wrapping: Evidence,
) -> Result<Value, Failure> {
    let Ready { cert, schema, data } = certifiable(inputs, common)?;
    let paths = path::described(paths, &schema)?;
    let proofs = cert.disclose(&data, &paths).map_err(common.in_data())?;
    wrapping.wrap(proofs_to_value(&proofs))
}

pub(crate) fn expose(
    inputs: &mut Inputs,
    common: &Common,
    paths: &[String],
) -> Result<Value, Failure> {
    let Ready { cert, schema, data } = certifiable(inputs, common)?;
    let paths = path::described(paths, &schema)?;
    // A document that cannot be certified must not be published.
    cert.imprint(&data).map_err(common.in_data())?;
    Ok(cert.expose(&data, &paths))
}

/// Returns the imprint computed from the evidence. `None` if the evidence is refused or does not prove the document.
pub(crate) fn calculate(
    inputs: &mut Inputs,
    common: &Common,
    evidence: &Value,
) -> Result<Option<String>, Failure> {
    let Ready { cert, data, .. } = ready(inputs, common)?;
    cert.calculate(&data, evidence).map_err(common.in_data())
}

pub(crate) fn verify(
    inputs: &mut Inputs,
    common: &Common,
    evidence: &Value,
    imprint: &str,
) -> Result<Answer, Failure> {
    if imprint.starts_with(AIH2_IMPRINT) {
        return Err(Failure::new(
            "imprint-invalid",
            "the imprint is of AIH-2, but the evidence is of AIH-1: pass the evidence that belongs to the imprint",
        ));
    }
    let Ready { cert, data, .. } = ready(inputs, common)?;
    let report = cert
        .verify(&data, evidence, imprint)
        .map_err(common.in_data())?;
    output::summary(&report);
    Ok(Answer {
        is_proven: report.valid,
        report: report.to_value(),
    })
}

pub(crate) fn paths(inputs: &mut Inputs, schema: &str) -> Result<Vec<Path>, Failure> {
    let value = inputs.schema(schema, Value::parse)?;
    let cert = Cert::new(&value).map_err(|error| Failure::of(schema, error))?;
    let effect = "so AIH-1 cannot certify an object or array there";
    output::warn_of_whole(schema, &aih2::shown_whole(&value), effect);
    Ok(cert.paths())
}

pub(crate) fn schema_id(
    inputs: &mut Inputs,
    schema: &str,
    sorted: bool,
) -> Result<String, Failure> {
    let schema = inputs.schema(schema, Value::parse)?;
    Ok(if sorted {
        identify_sorted(&schema)
    } else {
        identify(&schema)
    })
}

/// The inputs of operations on a document.
struct Ready {
    cert: Cert<Sha256Hasher, Box<dyn Noncer>>,
    schema: Value,
    data: Value,
}

/// Reads an issuer's inputs and warns about values that the schema does not describe. Operations of verifiers use [`ready`] instead: the
/// report of `verify` lists these values.
fn certifiable(inputs: &mut Inputs, common: &Common) -> Result<Ready, Failure> {
    let ready = ready(inputs, common)?;
    output::warn_of_uncovered(common.data(), &ready.cert.uncovered(&ready.data));
    Ok(ready)
}

/// Reads schema and data. Depending on the options, validates the data and refuses values that the schema does not describe.
fn ready(inputs: &mut Inputs, common: &Common) -> Result<Ready, Failure> {
    let schema = inputs.schema(&common.schema, Value::parse)?;
    let noncer = noncer(inputs, common)?;
    let cert = Cert::with(&schema, Sha256Hasher, noncer).map_err(common.in_schema())?;
    let data = inputs.json(common.data(), Value::parse)?;
    validate(common, &schema, &data)?;
    if common.strict {
        cert.require_covered(&data).map_err(common.in_data())?;
    }
    Ok(Ready { cert, schema, data })
}

fn noncer(inputs: &mut Inputs, common: &Common) -> Result<Box<dyn Noncer>, Failure> {
    let Some(file) = &common.secret_file else {
        return Ok(Box::new(PathNoncer));
    };
    let secret = inputs.bytes(file)?;
    let keyed = match &common.asset_id {
        None => KeyedNoncer::new(&secret),
        Some(id) => KeyedNoncer::for_asset(&secret, id),
    };
    Ok(Box::new(keyed.map_err(|error| Failure::of(file, error))?))
}
