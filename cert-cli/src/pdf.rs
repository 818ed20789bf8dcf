//! Certificates as PDF: `cert pdf`, `cert unpack` and `cert check`. `cert batch --pdf` uses this module, too.

use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use cert_core::{Cert, Object, Value, aih2};
use cert_pdf::{Fonts, Issuer, Options, Orientation, Pdf, PdfError};

use crate::arguments::{AIH2_IMPRINT, Design, Layout};
use crate::batch::files;
use crate::compact::{self, Ids};
use crate::failure::{Failure, named};
use crate::findings;
use crate::input::Inputs;
use crate::output::{self, Answer, print_note};

/// Writes PDFs of one design.
pub(crate) struct Press {
    fonts: Fonts<'static>,
    design: cert_pdf::Design,
    language: cert_pdf::Language,
    created: i64,
    /// The issuer as the service knows it. By default, the one of each file's confirmation.
    pub(crate) issuer: Option<Issuer>,
}

impl Press {
    /// Reads the pictures of a design. The default time of creation is the current one.
    pub(crate) fn new(
        inputs: &mut Inputs,
        design: &Design,
        created: Option<i64>,
    ) -> Result<Self, Failure> {
        let mut picture = |file: &Option<String>| {
            let read = |file: &str| {
                let bytes = inputs.bytes(file)?;
                cert_pdf::check_picture(&bytes).map_err(|error| failed(file, &error))?;
                Ok(bytes)
            };
            file.as_deref().map(read).transpose()
        };
        let now = || {
            let passed = SystemTime::now()
                .duration_since(UNIX_EPOCH)
                .unwrap_or_default();
            i64::try_from(passed.as_secs()).unwrap_or_default()
        };
        Ok(Self {
            fonts: Fonts::contained().map_err(|error| failed("the fonts", &error))?,
            design: cert_pdf::Design {
                orientation: match design.layout {
                    Layout::Portrait => Orientation::Portrait,
                    Layout::Landscape => Orientation::Landscape,
                },
                colour: design.colour,
                logo: picture(&design.logo)?,
                signature: picture(&design.signature)?,
                signer: design.signer.clone(),
            },
            language: design.lang,
            created: created.unwrap_or_else(now),
            issuer: None,
        })
    }

    /// Returns the PDF of a certificate's file, which gets this name as attachment. Its QR code proves all values of the file if they fit into a code that
    /// can be read from paper.
    pub(crate) fn print(&self, file: &str, name: &str) -> Result<Pdf, PdfError> {
        let options = Options {
            language: self.language,
            design: self.design.clone(),
            name: name.to_owned(),
            created: self.created,
            proving: proving(file),
            issuer: self.issuer.clone(),
            ..Options::default()
        };
        cert_pdf::write(file, &options, &self.fonts)
    }
}

/// Writes the PDF of a file. Prints what the PDF shows differently from the certificate.
pub(crate) fn run(inputs: &mut Inputs, options: &crate::arguments::Pdf) -> Result<(), Failure> {
    let file = inputs.text(&options.file)?;
    if !consistent(&file, &options.file)? {
        return Err(Failure::new(
            "certificate-changed",
            format_args!(
                "{}: its values and its evidence do not belong together, so there is no PDF of it",
                named(&options.file)
            ),
        ));
    }
    let press = Press::new(inputs, &options.design, options.created)?;
    let name = Path::new(&options.file)
        .file_name()
        .and_then(|name| name.to_str());
    let name = name
        .filter(|name| name.ends_with(".assay.json"))
        .unwrap_or("certificate.assay.json");
    let pdf = press
        .print(&file, name)
        .map_err(|error| failed(&options.file, &error))?;
    for finding in &pdf.findings {
        print_note(&format!("warning: {finding}"));
    }
    let is_printable = proving(&file).is_some_and(|link| cert_pdf::is_printable(&link));
    if !is_printable {
        print_note(
            "warning: the values do not fit into a QR code on paper, so the code opens the page with the public values, and the PDF says so",
        );
    }
    files::replace(&options.out, &pdf.bytes, true)
}

/// Returns the certificate's file that is attached to a PDF.
pub(crate) fn unpack(inputs: &mut Inputs, input: &str) -> Result<String, Failure> {
    let bytes = inputs.bytes(input)?;
    cert_pdf::certificate_in(&bytes).map_err(|error| failed(input, &error))
}

/// Verifies a certificate's file, or the one that is attached to a PDF, under an imprint.
pub(crate) fn check(inputs: &mut Inputs, input: &str, imprint: &str) -> Result<Answer, Failure> {
    let bytes = inputs.bytes(input)?;
    let text = if cert_pdf::is_pdf(&bytes) {
        cert_pdf::certificate_in(&bytes).map_err(|error| failed(input, &error))?
    } else {
        inputs.decoded(input, bytes)?
    };
    answer(&text, input, imprint, true)
}

/// Returns true if the values of a file belong to its evidence and its imprint. The imprint comes from the file, so this finds accidents and not forgers.
fn consistent(text: &str, input: &str) -> Result<bool, Failure> {
    let file = object(text, input)?;
    let imprint = file
        .get("imprint")
        .and_then(Value::as_str)
        .unwrap_or_default();
    let imprint = imprint.to_owned();
    Ok(answer(text, input, &imprint, false)?.is_proven)
}

/// Verifies a file. With `is_told`, prints a line for each value.
fn answer(text: &str, input: &str, imprint: &str, is_told: bool) -> Result<Answer, Failure> {
    let file = object(text, input)?;
    let member = |name: &str| {
        let missing = || {
            let why = format!("{}: the member `{name}` is missing", named(input));
            Failure::new("file-invalid", why)
        };
        file.get(name).ok_or_else(missing)
    };
    let (schema, evidence) = (member("schema")?, member("evidence")?);
    let document = Some(member("document")?).filter(|document| !matches!(document, Value::Null));
    let of_input = |error| Failure::of(input, error);
    let is_aih2 = evidence
        .as_object()
        .is_some_and(|evidence| evidence.get("profile").is_some());
    if is_aih2 {
        let cert = aih2::Cert::new(schema).map_err(of_input)?;
        let document = document.map(|document| cert.without_pointers(document.clone()));
        let report = cert
            .verify(document.as_ref(), evidence, imprint)
            .map_err(of_input)?;
        if is_told {
            findings::summary(&report);
        }
        return Ok(Answer {
            is_proven: report.valid,
            report: report.to_value(),
        });
    }
    let document = document.ok_or_else(|| {
        let why = format!("{}: evidence of AIH-1 needs a document", named(input));
        Failure::new("file-invalid", why)
    })?;
    let cert = Cert::new(schema).map_err(of_input)?;
    let imprint = imprint.strip_prefix(AIH2_IMPRINT).unwrap_or(imprint);
    let report = cert.verify(document, evidence, imprint).map_err(of_input)?;
    if is_told {
        output::summary(&report);
    }
    Ok(Answer {
        is_proven: report.valid,
        report: report.to_value(),
    })
}

fn object(text: &str, input: &str) -> Result<Object, Failure> {
    let value = aih2::parse(text).map_err(|error| Failure::of(input, error))?;
    match value {
        Value::Object(object) => Ok(object),
        _ => Err(Failure::new(
            "file-invalid",
            format_args!("{}: a certificate's file is a JSON object", named(input)),
        )),
    }
}

/// Returns the link that proves all values of a file. `None` if there is none.
fn proving(file: &str) -> Option<String> {
    let file = Value::parse(file).ok()?;
    let file = file.as_object()?;
    let text = |name: &str| file.get(name).and_then(Value::as_str);
    let (service, ledger, asset) = (text("service")?, text("ledger")?, text("asset")?);
    let ids = Ids { ledger, asset };
    let form = compact::form(
        file.get("schema")?,
        file.get("document")?,
        file.get("evidence")?,
        ids,
    )?;
    Some(format!("{service}/c/{ledger}/{asset}#{form}"))
}

fn failed(input: &str, error: &PdfError) -> Failure {
    Failure::new(error.code(), format_args!("{}: {error}", named(input)))
}
