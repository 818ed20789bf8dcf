//! Operations of the profile AIH-2.

use cert_core::aih2::{self, Cert, DocumentKey, Keys};
use cert_core::{CertError, Path, Value};

use crate::arguments::{Common, Reduce};
use crate::failure::{Failure, named};
use crate::input::{Evidence, Inputs};
use crate::keys;
use crate::output::{self, Answer, ONLY_WHOLE};
use crate::{findings, path, validate};

pub(crate) fn imprint(
    inputs: &mut Inputs,
    common: &Common,
    key: Option<&str>,
) -> Result<String, Failure> {
    let (cert, data, keys) = certifying(inputs, common, key)?;
    let imprint = cert.imprint(&data, &keys).map_err(common.in_data())?;
    Ok(imprint.to_string())
}

pub(crate) fn notarize(
    inputs: &mut Inputs,
    common: &Common,
    key: Option<&str>,
) -> Result<aih2::Evidence, Failure> {
    let (cert, data, keys) = certifying(inputs, common, key)?;
    cert.notarize(&data, &keys).map_err(common.in_data())
}

pub(crate) fn disclose(
    inputs: &mut Inputs,
    common: &Common,
    key: Option<&str>,
    paths: &[String],
    is_detached: bool,
) -> Result<aih2::Evidence, Failure> {
    let (cert, data, keys) = certifying(inputs, common, key)?;
    let paths = path::all(paths)?;
    cert.disclose(&data, &keys, &paths, values(is_detached))
        .map_err(common.in_data())
}

pub(crate) fn expose(
    inputs: &mut Inputs,
    common: &Common,
    paths: &[String],
) -> Result<Value, Failure> {
    let (cert, _, data) = document(inputs, common)?;
    let paths = path::all(paths)?;
    // `expose` refuses nothing, so `disclose` checks the document and the paths. The result of this check does not depend on the key.
    let any = Keys::Key(DocumentKey::from([0; 32]));
    cert.disclose(&data, &any, &paths, aih2::Values::Detach)
        .map_err(common.in_data())?;
    Ok(cert.expose(&data, &paths))
}

/// Maps the option `--detached`.
fn values(is_detached: bool) -> aih2::Values {
    if is_detached {
        aih2::Values::Detach
    } else {
        aih2::Values::Attach
    }
}

/// Reduces evidence to fewer values.
pub(crate) fn reduce(inputs: &mut Inputs, reduce: &Reduce) -> Result<aih2::Evidence, Failure> {
    let Evidence::Aih2(evidence) = inputs.evidence(&reduce.evidence)? else {
        return Err(Failure::new(
            "profile-unknown",
            format_args!(
                "{}: only evidence of AIH-2 can be reduced",
                named(&reduce.evidence)
            ),
        ));
    };
    let in_evidence = |error| Failure::of(&reduce.evidence, error);
    let evidence = evidence.map_err(in_evidence)?;
    let cert = schema(inputs, &reduce.schema)?.0;
    let document = match &reduce.document {
        Some(file) => Some(cert.without_pointers(inputs.json(file, aih2::parse)?)),
        None => None,
    };
    let paths = path::all(&reduce.paths)?;
    let values = values(reduce.detached);
    cert.reduce(document.as_ref(), &evidence, &paths, values)
        .map_err(in_evidence)
}

/// Returns the imprint computed from the evidence. If the evidence is refused, prints the reason and returns `None`.
pub(crate) fn calculate(
    inputs: &mut Inputs,
    common: &Common,
    evidence: Result<aih2::Evidence, CertError>,
) -> Result<Option<String>, Failure> {
    let shown = Shown::read(inputs, common, &evidence)?;
    let document = shown.document.as_ref();
    let imprint = evidence.and_then(|evidence| shown.cert.calculate(document, &evidence));
    match imprint {
        Ok(imprint) => Ok(Some(imprint.to_string())),
        Err(error) => {
            findings::refused(&error);
            Ok(None)
        }
    }
}

pub(crate) fn verify(
    inputs: &mut Inputs,
    common: &Common,
    evidence: Result<aih2::Evidence, CertError>,
    imprint: &str,
) -> Result<Answer, Failure> {
    let shown = Shown::read(inputs, common, &evidence)?;
    let read = evidence.and_then(|evidence| Ok((evidence, imprint.parse()?)));
    let report = match read {
        Ok((evidence, imprint)) => {
            let document = shown.document.as_ref();
            let report = shown.cert.verify_read(document, &evidence, &imprint);
            report.map_err(common.in_data())?
        }
        Err(error) => shown.cert.refused(shown.document.as_ref(), &error),
    };
    findings::summary(&report);
    Ok(Answer {
        is_proven: report.valid,
        report: report.to_value(),
    })
}

pub(crate) fn paths(inputs: &mut Inputs, name: &str) -> Result<Vec<Path>, Failure> {
    let (cert, schema) = schema(inputs, name)?;
    output::warn_of_whole(name, &aih2::shown_whole(&schema), ONLY_WHOLE);
    Ok(cert.paths())
}

pub(crate) fn schema_id(inputs: &mut Inputs, name: &str) -> Result<String, Failure> {
    Ok(schema(inputs, name)?.0.schema_id().to_string())
}

/// The verifier's inputs, apart from the evidence.
struct Shown {
    cert: Cert,
    /// The document. `None` if no file is named, and the evidence either contains the values or cannot be read.
    document: Option<Value>,
}

impl Shown {
    fn read(
        inputs: &mut Inputs,
        common: &Common,
        evidence: &Result<aih2::Evidence, CertError>,
    ) -> Result<Self, Failure> {
        // Unreadable evidence is refused in any case, so it needs no document.
        let stands_alone = evidence.as_ref().map_or(true, |read| !read.is_detached());
        if common.data.is_none() && stands_alone {
            let cert = schema(inputs, &common.schema)?.0;
            let document = None;
            return Ok(Self { cert, document });
        }
        let (cert, _, document) = document(inputs, common)?;
        let document = Some(document);
        Ok(Self { cert, document })
    }
}

fn certifying(
    inputs: &mut Inputs,
    common: &Common,
    key: Option<&str>,
) -> Result<(Cert, Value, Keys), Failure> {
    let keys = keys::read(inputs, common, key)?;
    let (cert, schema, data) = document(inputs, common)?;
    output::warn_of_whole(&common.schema, &aih2::shown_whole(&schema), ONLY_WHOLE);
    Ok((cert, data, keys))
}

fn schema(inputs: &mut Inputs, name: &str) -> Result<(Cert, Value), Failure> {
    let schema = inputs.schema(name, aih2::parse)?;
    let cert = Cert::new(&schema).map_err(|error| Failure::of(name, error))?;
    Ok((cert, schema))
}

/// Reads schema and document. Removes the document's root keys `$schema` and `$evidence`, unless the schema has them. Then validates the
/// document if the options request it.
fn document(inputs: &mut Inputs, common: &Common) -> Result<(Cert, Value, Value), Failure> {
    let (cert, schema) = schema(inputs, &common.schema)?;
    let document = cert.without_pointers(inputs.json(common.data(), aih2::parse)?);
    validate(common, &schema, &document)?;
    Ok((cert, schema, document))
}
