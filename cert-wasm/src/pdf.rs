//! Bindings of cert-pdf for the pages. Options and findings cross as JSON text. A problem is thrown as the code of [`PdfError`].

use std::collections::BTreeMap;

use cert_pdf::{
    Design, Finding, FontFile, Fonts, Issuer, Language, Options, Orientation, PdfError,
};
use serde::{Deserialize, Serialize};
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Given {
    language: String,
    layout: String,
    /// `#` and 6 hexadecimal digits.
    colour: String,
    /// Pictures as `data:` addresses, or null.
    logo: Option<String>,
    signature: Option<String>,
    signer: String,
    name: String,
    created: i64,
    proving: Option<String>,
    issuer: Option<GivenIssuer>,
    issued_at: Option<String>,
    hidden: Vec<String>,
    titles: Option<String>,
}

#[derive(Deserialize)]
struct GivenIssuer {
    account: String,
    domain: Option<String>,
    name: Option<String>,
}

fn options(json: &str) -> Result<Options, JsValue> {
    let given: Given =
        serde_json::from_str(json).map_err(|error| JsValue::from(error.to_string()))?;
    let picture = |address: Option<String>| {
        let read = |address: String| cert_pdf::picture_of(&address).ok_or(PdfError::PictureInvalid);
        address
            .map(read)
            .transpose()
            .map_err(|error| thrown(&error))
    };
    let plain = Design::default();
    let colour = given
        .colour
        .strip_prefix('#')
        .filter(|digits| digits.len() == 6);
    let colour = colour.and_then(|digits| u32::from_str_radix(digits, 16).ok());
    let colour = colour.map_or(plain.colour, |number| {
        let [_, red, green, blue] = number.to_be_bytes();
        [red, green, blue]
    });
    Ok(Options {
        language: Language::of_tag(&given.language).unwrap_or_default(),
        design: Design {
            orientation: if given.layout == "landscape" {
                Orientation::Landscape
            } else {
                Orientation::Portrait
            },
            colour,
            logo: picture(given.logo)?,
            signature: picture(given.signature)?,
            signer: given.signer,
        },
        name: given.name,
        created: given.created,
        proving: given.proving,
        issuer: given.issuer.map(|issuer| Issuer {
            account: issuer.account,
            domain: issuer.domain,
            name: issuer.name,
        }),
        issued_at: given.issued_at,
        hidden: given.hidden,
        titles: given.titles,
    })
}

fn thrown(error: &PdfError) -> JsValue {
    JsValue::from(error.code())
}

/// Writes PDFs with the fonts that were added.
#[wasm_bindgen]
#[derive(Default)]
pub struct Press {
    fonts: Fonts,
    /// The names of fonts that were asked for.
    asked: BTreeMap<String, FontFile>,
}

#[wasm_bindgen]
impl Press {
    /// Creates a press without fonts.
    #[wasm_bindgen(constructor)]
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns the names of the fonts that the PDF of a file needs and that were not added yet, as a JSON list. Further fonts may be missing when these
    /// were added.
    pub fn missing(&mut self, file: &str, given: &str) -> Result<String, JsValue> {
        let missing = self.fonts.missing(file, &options(given)?);
        let missing = missing.map_err(|error| thrown(&error))?;
        let named = |font: FontFile| (font.name().into_owned(), font);
        self.asked = missing.into_iter().map(named).collect();
        let names: Vec<&String> = self.asked.keys().collect();
        serde_json::to_string(&names).map_err(|error| JsValue::from(error.to_string()))
    }

    /// Adds the bytes of a font that was missing. Ignores other names.
    pub fn add(&mut self, name: &str, bytes: Vec<u8>) -> Result<(), JsValue> {
        match self.asked.get(name) {
            Some(font) => self.fonts.add(*font, bytes),
            None => Ok(()),
        }
        .map_err(|error| thrown(&error))
    }

    /// Returns the PDF of a file.
    pub fn print(&self, file: &str, given: &str) -> Result<Printed, JsValue> {
        let pdf = cert_pdf::write(file, &options(given)?, &self.fonts);
        let pdf = pdf.map_err(|error| thrown(&error))?;
        let findings: Vec<Found> = pdf.findings.iter().map(Found::from).collect();
        let findings =
            serde_json::to_string(&findings).map_err(|error| JsValue::from(error.to_string()))?;
        Ok(Printed {
            bytes: pdf.bytes,
            findings,
        })
    }
}

/// A PDF.
#[wasm_bindgen]
pub struct Printed {
    bytes: Vec<u8>,
    findings: String,
}

#[wasm_bindgen]
impl Printed {
    /// Returns the bytes of the file.
    #[must_use]
    pub fn bytes(&self) -> Vec<u8> {
        self.bytes.clone()
    }

    /// Returns what the PDF shows differently from the certificate, as a JSON list of `{ code, subject }`.
    #[must_use]
    pub fn findings(&self) -> String {
        self.findings.clone()
    }
}

#[derive(Serialize)]
struct Found {
    code: &'static str,
    subject: String,
}

impl From<&Finding> for Found {
    fn from(finding: &Finding) -> Self {
        Self {
            code: finding.code(),
            subject: finding.subject(),
        }
    }
}
