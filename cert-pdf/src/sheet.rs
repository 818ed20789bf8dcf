//! The texts and pictures of a sheet, before they are laid out.

use std::collections::BTreeSet;

use krilla::image::Image;

use crate::code;
use crate::content::{self, Content, Entry, Node};
use crate::error::{Finding, PdfError};
use crate::file::Certificate;
use crate::picture;
use crate::shown::moment;
use crate::texts::{Language, Texts};

/// The most characters of a sheet.
pub const MAX_TEXT: usize = 200_000;
/// The names of hidden fields that are listed. The others are left out.
const MAX_HIDDEN: usize = 8;
/// The most characters of the name below the signature.
const MAX_SIGNER: usize = 120;

/// Portrait or landscape.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Orientation {
    /// A4, upright.
    #[default]
    Portrait,
    /// A4, wide.
    Landscape,
}

/// How an issuer's certificates look.
#[derive(Clone, Debug)]
pub struct Design {
    /// Portrait or landscape.
    pub orientation: Orientation,
    /// The colour of frame and lines: red, green and blue.
    pub colour: [u8; 3],
    /// The bytes of a PNG or JPEG picture above the issuer's name.
    pub logo: Option<Vec<u8>>,
    /// The bytes of a PNG or JPEG picture of the signature.
    pub signature: Option<Vec<u8>>,
    /// The name below the signature, and the signer's role.
    pub signer: String,
}

impl Default for Design {
    fn default() -> Self {
        Self {
            orientation: Orientation::Portrait,
            colour: [0x8a, 0x6d, 0x1f],
            logo: None,
            signature: None,
            signer: String::new(),
        }
    }
}

/// The issuer, as the service knows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Issuer {
    /// The account's address.
    pub account: String,
    /// The confirmed domain. Without one, the name is not shown either.
    pub domain: Option<String>,
    /// The name that the domain states.
    pub name: Option<String>,
}

/// The input of a PDF besides the certificate's file.
#[derive(Clone, Debug)]
pub struct Options {
    /// The language of the sheet's own words, dates and numbers.
    pub language: Language,
    /// How the sheet looks.
    pub design: Design,
    /// The name of the attached file, which ends in `.assay.json`.
    pub name: String,
    /// The time in the document's properties, in seconds since 1970. Equal input gives equal bytes.
    pub created: i64,
    /// A link that proves all values of the file, for the QR code. Without one, or if its code could not be read from paper, the code opens the page with the
    /// public values, and the sheet says so.
    pub proving: Option<String>,
    /// The issuer. By default, the one of the file's confirmation.
    pub issuer: Option<Issuer>,
    /// The time of the record on the ledger, in ISO 8601.
    pub issued_at: Option<String>,
    /// The names of fields that the file does not show.
    pub hidden: Vec<String>,
    /// The certificate's schema with its titles in the language, as JSON. By default, the file's own schema.
    pub titles: Option<String>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            language: Language::English,
            design: Design::default(),
            name: "certificate.assay.json".to_owned(),
            created: 0,
            proving: None,
            issuer: None,
            issued_at: None,
            hidden: Vec::new(),
            titles: None,
        }
    }
}

/// The texts and pictures of a sheet.
pub(crate) struct Sheet {
    pub(crate) language: Language,
    pub(crate) texts: &'static Texts,
    pub(crate) orientation: Orientation,
    pub(crate) colour: [u8; 3],
    pub(crate) logo: Option<Image>,
    pub(crate) signature: Option<Image>,
    pub(crate) signer: String,
    pub(crate) issuer_name: Option<String>,
    /// The domain, or the account of an issuer that is not confirmed.
    pub(crate) issuer_id: Option<String>,
    pub(crate) kicker: Option<String>,
    pub(crate) heading: String,
    pub(crate) holder: Option<Entry>,
    pub(crate) description: Option<String>,
    pub(crate) image: Option<Image>,
    pub(crate) nodes: Vec<Node>,
    pub(crate) notes: Vec<String>,
    pub(crate) check: String,
    pub(crate) address: String,
    pub(crate) number: String,
    /// The text of the QR code, and the target of links.
    pub(crate) link: String,
    pub(crate) findings: BTreeSet<Finding>,
}

impl Sheet {
    pub(crate) fn of(certificate: &Certificate, options: &Options) -> Result<Self, PdfError> {
        let texts = options.language.texts();
        let mut findings = BTreeSet::new();
        let titled = options
            .titles
            .as_deref()
            .map(Certificate::schema_of)
            .transpose()?;
        let schema = titled.as_ref().unwrap_or(&certificate.schema);
        let Content {
            kind,
            title,
            description,
            image,
            holder,
            nodes,
        } = content::content(schema, &certificate.document, texts, &mut findings);
        let (kicker, heading) = match (kind, title) {
            (kind, Some(title)) => (kind, title),
            (Some(kind), None) => (None, kind),
            (None, None) => (None, texts.untitled.to_owned()),
        };
        let page = &certificate.page;
        let proving = options
            .proving
            .as_ref()
            .filter(|link| code::is_printable(link));
        let host = &certificate.host;
        let words = if proving.is_some() {
            texts.check
        } else {
            texts.check_public
        };
        let (issuer_name, issuer_id) = issuer(certificate, options, texts);
        let mut notes = Vec::new();
        if let Some(date) = &options.issued_at {
            let day = date.get(..10).and_then(|day| moment(day, texts));
            notes.extend(day.map(|day| texts.issued_on.replace("{date}", &day)));
        }
        if !options.hidden.is_empty() {
            let fields = listed(options.hidden.iter().take(MAX_HIDDEN), texts);
            notes.push(texts.hidden.replace("{fields}", &fields));
        }
        let read = |bytes: &Option<Vec<u8>>| bytes.as_deref().map(picture::picture).transpose();
        let sheet = Self {
            language: options.language,
            texts,
            orientation: options.design.orientation,
            colour: options.design.colour,
            logo: read(&options.design.logo)?,
            signature: read(&options.design.signature)?,
            signer: shown(&options.design.signer)
                .chars()
                .take(MAX_SIGNER)
                .collect(),
            issuer_name,
            issuer_id,
            kicker,
            heading,
            holder,
            description,
            image,
            nodes,
            notes,
            check: words.replace("{host}", host),
            address: page
                .split_once("://")
                .map_or(page.as_str(), |(_, rest)| rest)
                .to_owned(),
            number: texts.number.replace("{number}", &certificate.asset),
            link: proving.cloned().unwrap_or_else(|| page.clone()),
            findings,
        };
        let length: usize = sheet
            .strings()
            .iter()
            .map(|text| text.chars().count())
            .sum();
        if length > MAX_TEXT {
            return Err(PdfError::TooLong);
        }
        Ok(sheet)
    }

    /// Returns all texts of the sheet.
    pub(crate) fn strings(&self) -> Vec<&str> {
        let mut all = vec![
            self.signer.as_str(),
            &self.heading,
            &self.check,
            &self.address,
            &self.number,
            self.texts.unnamed_issuer,
            self.texts.item,
        ];
        let optional = [
            &self.issuer_name,
            &self.issuer_id,
            &self.kicker,
            &self.description,
        ];
        all.extend(optional.into_iter().flatten().map(String::as_str));
        all.extend(self.notes.iter().map(String::as_str));
        all.extend(self.holder.iter().flat_map(entry_strings));
        strings_of(&self.nodes, &mut all);
        all
    }
}

fn entry_strings(entry: &Entry) -> impl Iterator<Item = &str> {
    let label = entry.label.as_deref().into_iter();
    label.chain([entry.text.as_str()])
}

fn strings_of<'n>(nodes: &'n [Node], all: &mut Vec<&'n str>) {
    for node in nodes {
        match node {
            Node::Value(entry) => all.extend(entry_strings(entry)),
            Node::Picture(label, _) => all.extend(label.as_deref()),
            Node::Group(label, nodes) | Node::List(label, nodes) => {
                all.extend(label.as_deref());
                strings_of(nodes, all);
            }
            Node::Table {
                label,
                columns,
                rows,
            } => {
                all.extend(label.as_deref());
                all.extend(columns.iter().map(String::as_str));
                all.extend(rows.iter().flatten().map(String::as_str));
            }
        }
    }
}

/// Returns the name and the domain of a confirmed issuer, otherwise a warning and the account. Returns `None` twice if the issuer is unknown.
fn issuer(
    certificate: &Certificate,
    options: &Options,
    texts: &Texts,
) -> (Option<String>, Option<String>) {
    let known = options.issuer.as_ref().or(certificate.issuer.as_ref());
    let Some(issuer) = known else {
        return (None, None);
    };
    match &issuer.domain {
        Some(domain) => (issuer.name.as_deref().map(shown), Some(shown(domain))),
        None => (
            Some(texts.unnamed_issuer.to_owned()),
            Some(shown(&issuer.account)),
        ),
    }
}

fn shown(text: &str) -> String {
    crate::shown::lines_of(text).replace('\n', " ")
}

/// Returns names as a list: `a, b and c`. Isolates keep the direction of each name to itself.
fn listed<'n>(names: impl Iterator<Item = &'n String>, texts: &Texts) -> String {
    let mut names: Vec<String> = names
        .map(|name| format!("\u{2068}{}\u{2069}", shown(name)))
        .collect();
    match names.pop() {
        Some(last) if !names.is_empty() => format!("{} {} {last}", names.join(", "), texts.and),
        Some(only) => only,
        None => String::new(),
    }
}
