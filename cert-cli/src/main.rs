//! `cert`: certification of JSON assets on the command line. README.md says how it is used.

mod arguments;
mod failure;
mod input;
mod output;
mod path;

use std::process::ExitCode;

use cert_core::{
    Cert, KeyedNoncer, Noncer, PathNoncer, Sha256Hasher, Validator, Value, identify,
    identify_sorted, proofs_to_value,
};
use clap::Parser as _;

use crate::arguments::{Arguments, Common, Operation};
use crate::failure::Failure;
use crate::input::Inputs;

/// Not everything is proven. Errors of usage and input are 2, as clap's own.
const NOT_PROVEN: u8 = 1;
const FAILED: u8 = 2;

fn main() -> ExitCode {
    match run(Arguments::parse()) {
        Ok(code) => code,
        Err(failure) => {
            output::told(&failure.to_string());
            ExitCode::from(FAILED)
        }
    }
}

fn run(arguments: Arguments) -> Result<ExitCode, Failure> {
    let mut inputs = Inputs::default();
    let pretty = arguments.pretty;
    match arguments.operation {
        Operation::Identify { schema, sorted } => {
            let schema = inputs.schema(&schema)?;
            let id = if sorted {
                identify_sorted(&schema)
            } else {
                identify(&schema)
            };
            output::line(&id)?;
        }
        Operation::Paths { schema: name } => {
            let cert = Cert::new(&inputs.schema(&name)?);
            let cert = cert.map_err(|error| Failure::of(&name, error))?;
            for path in cert.paths() {
                output::line(&path.to_value().to_json())?;
            }
        }
        Operation::Imprint { common } => {
            let Ready { cert, data, .. } = certifiable(&mut inputs, &common)?;
            output::line(&cert.imprint(&data).map_err(common.in_data())?)?;
        }
        Operation::Notarize { common, evidence } => {
            let Ready { cert, data, .. } = certifiable(&mut inputs, &common)?;
            let proofs = cert.notarize(&data).map_err(common.in_data())?;
            output::json(&evidence.wrap(proofs_to_value(&proofs))?, pretty)?;
        }
        Operation::Disclose {
            common,
            paths,
            evidence,
        } => {
            let Ready { cert, schema, data } = certifiable(&mut inputs, &common)?;
            let paths = path::all(&paths, &schema)?;
            let proofs = cert.disclose(&data, &paths).map_err(common.in_data())?;
            output::json(&evidence.wrap(proofs_to_value(&proofs))?, pretty)?;
        }
        Operation::Expose { common, paths } => {
            let Ready { cert, schema, data } = certifiable(&mut inputs, &common)?;
            let paths = path::all(&paths, &schema)?;
            // What cannot be certified is not to be published either.
            cert.imprint(&data).map_err(common.in_data())?;
            output::json(&cert.expose(&data, &paths), pretty)?;
        }
        Operation::Verify {
            common,
            imprint,
            evidence,
        } => {
            let Ready { cert, data, .. } = ready(&mut inputs, &common)?;
            let evidence = inputs.json(&evidence)?;
            let report = cert
                .verify(&data, &evidence, &imprint)
                .map_err(common.in_data())?;
            output::summary(&report);
            output::json(&report.to_value(), pretty)?;
            if !report.valid {
                return Ok(ExitCode::from(NOT_PROVEN));
            }
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// What every operation on a document needs.
struct Ready {
    cert: Cert<Sha256Hasher, Box<dyn Noncer>>,
    schema: Value,
    data: Value,
}

/// Reads an issuer's inputs and warns of values that the schema does not describe; `verify` reports those itself.
fn certifiable(inputs: &mut Inputs, common: &Common) -> Result<Ready, Failure> {
    let ready = ready(inputs, common)?;
    output::warn_of_uncovered(&common.data, &ready.cert.uncovered(&ready.data));
    Ok(ready)
}

/// Reads schema and data. Validates the data, or refuses undescribed values, if the options ask for it.
fn ready(inputs: &mut Inputs, common: &Common) -> Result<Ready, Failure> {
    let schema = inputs.schema(&common.schema)?;
    let in_schema = |error| Failure::of(&common.schema, error);
    let cert = Cert::with(&schema, Sha256Hasher, noncer(inputs, common)?).map_err(in_schema)?;
    let data = inputs.json(&common.data)?;
    if common.validate {
        let validator = Validator::new(&schema).map_err(in_schema)?;
        let found = validator.validate(&data).map_err(common.in_data())?;
        if !found.is_empty() {
            return Err(Failure::violations(&common.data, &found));
        }
    }
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
