//! Certificates as PDF: `cert pdf`, `cert unpack` and `cert check`. `cert batch --pdf` uses this module, too.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::{PoisonError, RwLock};
use std::time::{SystemTime, UNIX_EPOCH};

use cert_core::file::CertificateFile;
use cert_core::{Cert, aih2};
use cert_pdf::{Finding, FontFile, Fonts, Issuer, Options, Orientation, Pdf, PdfError};

use crate::arguments::{AIH2_IMPRINT, Design, Layout};
use crate::batch::files;
use crate::compact::{self, Ids};
use crate::failure::{Failure, named};
use crate::findings;
use crate::input::Inputs;
use crate::output::{self, Answer, print_note};

/// Writes PDFs of one design.
pub(crate) struct Press {
    /// Loaded with the first PDF that needs them.
    fonts: RwLock<Fonts>,
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
        let mut fonts = Fonts::new();
        for (number, file) in design.fonts.iter().enumerate() {
            let refused = |code, why| Failure::new(code, format_args!("{} {why}", named(file)));
            let number = u8::try_from(number)
                .map_err(|_| refused("font-invalid", "is one font too many: use at most 256"))?;
            let added = fonts.add(FontFile::Given(number), inputs.bytes(file)?);
            added.map_err(|error| {
                let why = match error {
                    PdfError::FontRestricted(_) => "says that documents must not contain it",
                    _ => "is no TrueType or OpenType font",
                };
                refused(error.code(), why)
            })?;
        }
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
            fonts: RwLock::new(fonts),
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
            proving: CertificateFile::parse(file).ok().as_ref().and_then(proving),
            issuer: self.issuer.clone(),
            ..Options::default()
        };
        let fonts = || self.fonts.read().unwrap_or_else(PoisonError::into_inner);
        if !fonts().missing(file, &options)?.is_empty() {
            let mut fonts = self.fonts.write().unwrap_or_else(PoisonError::into_inner);
            fonts.add_missing(file, &options)?;
        }
        cert_pdf::write(file, &options, &fonts())
    }
}

/// Writes the PDF of a file. Prints what the PDF shows differently from the certificate.
pub(crate) fn run(inputs: &mut Inputs, options: &crate::arguments::Pdf) -> Result<(), Failure> {
    let text = inputs.text(&options.file)?;
    let file = read(&text, &options.file)?;
    // The imprint comes from the file, so this finds accidents and not forgers.
    if !verify(&file, &options.file, &file.imprint, false)?.is_proven {
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
        .print(&text, name)
        .map_err(|error| failed(&options.file, &error))?;
    warn(&pdf.findings);
    let is_printable = proving(&file).is_some_and(|link| cert_pdf::is_printable(&link));
    if !is_printable {
        print_note(
            "warning: the values do not fit into a QR code on paper, so the code opens the page with the public values, and the PDF says so",
        );
    }
    files::replace(&options.out, &pdf.bytes, true)
}

/// Prints what PDFs show differently from their certificates.
pub(crate) fn warn(findings: &BTreeSet<Finding>) {
    for finding in findings {
        print_note(&format!("warning: {finding}"));
    }
    let is_character = |finding: &Finding| matches!(finding, Finding::MissingCharacter(_));
    if findings.iter().any(is_character) {
        print_note(
            "hint: add a TrueType or OpenType font that has these characters with `--font FILE`, and write the PDF again",
        );
    }
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
    verify(&read(&text, input)?, input, imprint, true)
}

/// Verifies a file. With `is_told`, prints a line for each value.
fn verify(
    file: &CertificateFile,
    input: &str,
    imprint: &str,
    is_told: bool,
) -> Result<Answer, Failure> {
    let (schema, evidence) = (&file.schema, &file.evidence);
    let of_input = |error| Failure::of(input, error);
    let is_aih2 = evidence
        .as_object()
        .is_some_and(|evidence| evidence.get("profile").is_some());
    if is_aih2 {
        let cert = aih2::Cert::new(schema).map_err(of_input)?;
        let document = file.document.clone();
        let document = document.map(|document| cert.without_pointers(document));
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
    let document = file.document.as_ref().ok_or_else(|| {
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

/// Reads a certificate's file.
pub(crate) fn read(text: &str, input: &str) -> Result<CertificateFile, Failure> {
    CertificateFile::parse(text).map_err(|error| {
        let why = format!("{} is no certificate's file: {error}", named(input));
        Failure::new(error.code(), why)
    })
}

/// Returns the link that proves all values of a file. `None` if there is none.
fn proving(file: &CertificateFile) -> Option<String> {
    let ids = Ids {
        ledger: &file.ledger,
        asset: &file.asset,
    };
    let form = compact::form(&file.schema, file.document.as_ref()?, &file.evidence, ids)?;
    Some(format!("{}#{form}", file.page()))
}

fn failed(input: &str, error: &PdfError) -> Failure {
    Failure::new(error.code(), format_args!("{}: {error}", named(input)))
}
