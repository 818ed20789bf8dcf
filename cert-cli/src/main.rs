//! `cert`: certifies JSON assets on the command line. README.md describes its use.

mod aih1;
mod aih2;
mod arguments;
mod batch;
mod compact;
mod export;
mod failure;
mod findings;
mod http;
mod input;
mod journal;
mod keys;
mod output;
mod path;
mod pdf;
mod send;
mod table;

use std::process::ExitCode;

use cert_core::{Validator, Value};
use clap::Parser as _;

use crate::arguments::{Arguments, Common, Operation, Profile, Profiled};
use crate::failure::Failure;
use crate::input::{Evidence, Inputs};

/// The exit code if not everything is proven.
const NOT_PROVEN: u8 = 1;
/// The exit code for every other failure. clap uses the same code for wrong usage.
const FAILED: u8 = 2;

fn main() -> ExitCode {
    match run(Arguments::parse()) {
        Ok(code) => code,
        Err(failure) => {
            output::print_note(&failure.to_string());
            ExitCode::from(FAILED)
        }
    }
}

fn run(arguments: Arguments) -> Result<ExitCode, Failure> {
    let mut inputs = Inputs::default();
    let inputs = &mut inputs;
    let pretty = arguments.pretty;
    match arguments.operation {
        Operation::Key { credential: true } => output::line(&export::draw_credential_key()?)?,
        Operation::Key { .. } => output::line(&keys::draw()?)?,
        Operation::Batch(options) => {
            if !batch::run(inputs, &options)? {
                return Ok(ExitCode::from(FAILED));
            }
        }
        Operation::Send(options) => {
            if !send::run(inputs, &options)? {
                return Ok(ExitCode::from(FAILED));
            }
        }
        Operation::BadgeKey(options) => {
            output::line(&export::entry(inputs, &options)?)?;
        }
        Operation::CredentialKey(options) => {
            output::line(&export::credential_entry(inputs, &options)?)?;
        }
        Operation::CheckBadge(options) => {
            if !export::check(inputs, &options, pretty)? {
                return Ok(ExitCode::from(NOT_PROVEN));
            }
        }
        Operation::Export(options) => export::run(inputs, &options)?,
        Operation::Pdf(options) => pdf::run(inputs, &options)?,
        Operation::Unpack { pdf } => output::line(&pdf::unpack(inputs, &pdf)?)?,
        Operation::Check { file, imprint } => {
            let answer = pdf::check(inputs, &file, &imprint)?;
            output::json(&answer.report, pretty)?;
            if !answer.is_proven {
                return Ok(ExitCode::from(NOT_PROVEN));
            }
        }
        Operation::Identify {
            schema,
            sorted,
            profile,
        } => output::line(&match profile {
            Profile::Aih1 => aih1::schema_id(inputs, &schema, sorted)?,
            Profile::Aih2 => aih2::schema_id(inputs, &schema)?,
        })?,
        Operation::Paths { schema, profile } => {
            let paths = match profile {
                Profile::Aih1 => aih1::paths(inputs, &schema)?,
                Profile::Aih2 => aih2::paths(inputs, &schema)?,
            };
            for path in paths {
                output::line(&path.to_value().to_json())?;
            }
        }
        Operation::Imprint { common, profile } => output::line(&match profile.checked()? {
            Profile::Aih1 => aih1::imprint(inputs, &common)?,
            Profile::Aih2 => aih2::imprint(inputs, &common, profile.key())?,
        })?,
        Operation::Notarize {
            common,
            profile,
            evidence,
        } => {
            let evidence = match profile.checked()? {
                Profile::Aih1 => aih1::notarize(inputs, &common, evidence)?,
                Profile::Aih2 => {
                    let made = aih2::notarize(inputs, &common, profile.key())?;
                    evidence.address(made).to_value()
                }
            };
            output::json(&evidence, pretty)?;
        }
        Operation::Disclose {
            common,
            profile,
            paths,
            detached,
            evidence,
        } => {
            let evidence = match profile.checked()? {
                Profile::Aih1 => aih1::disclose(inputs, &common, &paths, evidence)?,
                Profile::Aih2 => {
                    let key = profile.key();
                    let made = aih2::disclose(inputs, &common, key, &paths, detached)?;
                    evidence.address(made).to_value()
                }
            };
            output::json(&evidence, pretty)?;
        }
        Operation::Reduce(reduce) => {
            output::json(&aih2::reduce(inputs, &reduce)?.to_value(), pretty)?;
        }
        Operation::Expose {
            common,
            profile,
            paths,
        } => {
            let shown = match profile {
                Profile::Aih1 => aih1::expose(inputs, &common, &paths)?,
                Profile::Aih2 => aih2::expose(inputs, &common, &paths)?,
            };
            output::json(&shown, pretty)?;
        }
        Operation::Calculate { common, evidence } => {
            let imprint = match inputs.evidence(&evidence)? {
                Evidence::Aih1(evidence) => aih1::calculate(inputs, &common, &evidence)?,
                Evidence::Aih2(evidence) => aih2::calculate(inputs, &common, evidence)?,
            };
            let Some(imprint) = imprint else {
                output::print_note(output::NOT_PROVEN);
                return Ok(ExitCode::from(NOT_PROVEN));
            };
            output::line(&imprint)?;
        }
        Operation::Verify {
            common,
            imprint,
            evidence,
        } => {
            let answer = match inputs.evidence(&evidence)? {
                Evidence::Aih1(evidence) => aih1::verify(inputs, &common, &evidence, &imprint)?,
                Evidence::Aih2(evidence) => aih2::verify(inputs, &common, evidence, &imprint)?,
            };
            output::json(&answer.report, pretty)?;
            if !answer.is_proven {
                return Ok(ExitCode::from(NOT_PROVEN));
            }
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Validates a document against the schema if the option `--validate` is set.
fn validate(common: &Common, schema: &Value, data: &Value) -> Result<(), Failure> {
    if !common.validate {
        return Ok(());
    }
    let validator = Validator::new(schema).map_err(common.in_schema())?;
    let found = validator.validate(data).map_err(common.in_data())?;
    if found.is_empty() {
        return Ok(());
    }
    Err(Failure::violations(common.data(), &found))
}

impl Profiled {
    /// Returns the profile. A key for AIH-1 is an error, because AIH-1 would silently ignore it and leave hidden values unprotected.
    fn checked(&self) -> Result<Profile, Failure> {
        if self.profile == Profile::Aih1 && self.key.is_some() {
            return Err(Failure::new(
                "option-invalid",
                "--key needs --profile AIH-2: for AIH-1, use --secret-file",
            ));
        }
        Ok(self.profile)
    }

    fn key(&self) -> Option<&str> {
        self.key.as_deref()
    }
}
