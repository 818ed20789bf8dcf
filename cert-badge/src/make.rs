//! The mapping from a certificate to a badge: docs/spec/badge.md, "Members".

use cert_core::verdict::{Expiry, moment};
use cert_core::{Object, Path, Scalar, Value};
use sha2::{Digest as _, Sha256};
use uuid::Builder;

use crate::badge::{
    Achievement, Badge, Contexts, Criteria, Evidence, Identity, Image, Iri, Kind, MAX_BYTES,
    Outcome, OutcomeDescription, Profile, Schema, StatusEntry, Subject, Time,
};
use crate::did::did;
use crate::refusal::Refusal;

/// The JSON Schema of the badge format for badges.
const FORMAT: &str =
    "https://purl.imsglobal.org/spec/ob/v3p0/schema/json/ob_v3p0_achievementcredential_schema.json";
/// The member of a property's schema that names the property's part in a badge.
const MARK: &str = "x-assay-badge";
/// The maximum length of a certificate's short form in a link, in characters (docs/spec/file.md).
const MAX_FRAGMENT: usize = 8192;
/// The maximum depth of a document that is searched for expiry dates, as for the verdict.
const DEPTH_MAX: usize = 16;

/// The facts from which a badge is made. All values of `document` are proven under `imprint`, and the ledger has this imprint.
#[derive(Clone, Copy, Debug)]
pub struct Facts<'a> {
    /// The origin of the service, such as `https://certs.example`.
    pub service: &'a str,
    /// The address of the ledger: `0x` and 40 hex digits in lower case.
    pub ledger: &'a str,
    /// The id of the asset in decimal digits.
    pub asset: &'a str,
    /// The imprint with its profile, such as `aih2:be80…`.
    pub imprint: &'a str,
    /// The schema of the certificate.
    pub schema: &'a Value,
    /// The proven values that the badge may show.
    pub document: &'a Value,
    /// The confirmed issuer.
    pub issuer: Issuer<'a>,
    /// The time at which the asset was created, in milliseconds since 1970.
    pub created: u64,
    /// Where the values of the document are proven.
    pub shown: Shown<'a>,
    /// The place in the service's status list. `None` if the service has no such list.
    pub status: Option<Place>,
    /// Whether the badge has the hash of the holder's e-mail address.
    pub with_email: bool,
}

/// An issuer that a domain confirms.
#[derive(Clone, Copy, Debug)]
pub struct Issuer<'a> {
    /// The domain.
    pub domain: &'a str,
    /// The confirmed name. `None` if the domain states none.
    pub name: Option<&'a str>,
}

/// Where the values of a badge are proven.
#[derive(Clone, Copy, Debug)]
pub enum Shown<'a> {
    /// On the certificate's page.
    Public,
    /// On the certificate's page, by the short form of the certificate in the link (docs/spec/file.md).
    Link(&'a str),
}

/// A place in a status list of the ledger.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// The number of the list.
    pub list: u32,
    /// The index in the list.
    pub index: u32,
}

/// The part of a property in a badge.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    Name,
    Description,
    Criteria,
    Image,
    IssuedAt,
    Grade,
    Email,
}

impl Part {
    const ALL: [(Self, &'static str); 7] = [
        (Self::Name, "name"),
        (Self::Description, "description"),
        (Self::Criteria, "criteria"),
        (Self::Image, "image"),
        (Self::IssuedAt, "issuedAt"),
        (Self::Grade, "grade"),
        (Self::Email, "email"),
    ];

    fn named(name: &str) -> Option<Self> {
        let found = Self::ALL.iter().find(|(_, known)| *known == name);
        found.map(|(part, _)| *part)
    }
}

/// The root properties of a certificate by their part.
struct Parts<'a> {
    properties: Option<&'a Object>,
    document: Option<&'a Object>,
}

impl<'a> Parts<'a> {
    fn of(facts: &Facts<'a>) -> Self {
        let schema = facts.schema.as_object();
        Self {
            properties: schema.and_then(|schema| schema.get("properties")?.as_object()),
            document: facts.document.as_object(),
        }
    }

    /// Returns the schema and the value of the first property with a part. A mark in the schema takes precedence over the property's name.
    fn get(&self, part: Part) -> Option<(&'a Value, &'a Value)> {
        let all = || self.properties.into_iter().flat_map(Object::iter);
        let marked = all().find(|(_, schema)| mark_of(schema).and_then(Part::named) == Some(part));
        let named = || {
            all().find(|(key, schema)| mark_of(schema).is_none() && Part::named(key) == Some(part))
        };
        let (key, schema) = marked.or_else(named)?;
        Some((schema, self.document?.get(key)?))
    }

    /// Returns the text of the property with a part. An empty text counts as none.
    fn text(&self, part: Part) -> Option<&'a str> {
        let (_, value) = self.get(part)?;
        value.as_str().filter(|text| !text.trim().is_empty())
    }

    /// Returns the holder's e-mail address: the marked or equally named property, or otherwise `holder.email`.
    fn email(&self) -> Option<&'a str> {
        let holder = || {
            self.document?
                .get("holder")?
                .as_object()?
                .get("email")?
                .as_str()
        };
        self.text(Part::Email).or_else(holder)
    }
}

fn mark_of(schema: &Value) -> Option<&str> {
    schema.as_object()?.get(MARK)?.as_str()
}

/// Makes the badge of a certificate, without a signature.
///
/// # Errors
///
/// - [`Refusal::NameMissing`] without a proven name,
/// - [`Refusal::LinkTooLong`] if the link with the values is too long,
/// - [`Refusal::TooLarge`] for a badge above [`MAX_BYTES`],
/// - [`Refusal::Malformed`] if an address or date has no form that badges allow.
pub fn make(facts: &Facts<'_>) -> Result<Badge, Refusal> {
    let parts = Parts::of(facts);
    let name = parts.text(Part::Name).ok_or(Refusal::NameMissing)?;
    let description = parts.text(Part::Description);
    let criteria = parts.text(Part::Criteria).or(description).unwrap_or(name);
    let page = format!("{}/c/{}/{}", facts.service, facts.ledger, facts.asset);
    let beside = |what: &str| iri(format!("{page}#{what}"), "evidence");
    let (result, result_description) = match grade(&parts) {
        None => (None, None),
        Some(Grade { title, kind, value }) => (
            Some([Outcome {
                id: beside("result")?,
                types: vec![Kind::Result],
                result_description: beside("grade")?,
                value,
            }]),
            Some([OutcomeDescription {
                id: beside("grade")?,
                types: vec![Kind::ResultDescription],
                name: title,
                result_type: kind.to_owned(),
            }]),
        ),
    };
    let badge = Badge {
        context: Contexts,
        id: uuid(facts, "Assay badge")?,
        types: vec![Kind::VerifiableCredential, Kind::OpenBadgeCredential],
        name: plain(name),
        issuer: issuer(facts.issuer)?,
        valid_from: valid_from(facts, &parts)?,
        valid_until: valid_until(facts)?,
        credential_subject: Subject {
            id: uuid(facts, "Assay badge subject")?,
            types: vec![Kind::AchievementSubject],
            identifier: identifier(facts, &parts),
            result,
            achievement: Achievement {
                id: beside("achievement")?,
                types: vec![Kind::Achievement],
                achievement_type: achievement_type(facts.schema).to_owned(),
                name: plain(name),
                description: plain(description.unwrap_or(name)),
                criteria: Criteria {
                    id: beside("criteria")?,
                    narrative: plain(criteria),
                },
                image: image(facts, &parts),
                result_description,
            },
        },
        evidence: [Evidence {
            id: evidence(facts, &page)?,
            types: vec![Kind::Evidence],
            name: "Certificate on the ledger".to_owned(),
            description: plain(facts.imprint),
        }],
        credential_status: facts.status.map(|place| status(facts, place)).transpose()?,
        credential_schema: [Schema {
            id: iri(FORMAT.to_owned(), "credentialSchema")?,
            kind: Kind::JsonSchema,
        }],
        proof: None,
    };
    // A signature adds less than a thousand bytes.
    match badge.to_json().len() < MAX_BYTES.saturating_sub(1_000) {
        true => Ok(badge),
        false => Err(Refusal::TooLarge),
    }
}

/// Returns a text of the badge. Programs escape control characters differently before they check the signature, except tabs and line breaks. Other control
/// characters become spaces, because some programs would call the badge forged.
fn plain(text: &str) -> String {
    let is_agreed = |char: char| !char.is_control() || matches!(char, '\t' | '\n' | '\r');
    text.chars()
        .map(|char| if is_agreed(char) { char } else { ' ' })
        .collect()
}

fn iri(text: String, member: &'static str) -> Result<Iri, Refusal> {
    Iri::parse(text).ok_or(Refusal::Malformed(member))
}

/// Returns 16 bytes that depend on the certificate and a purpose only, so that a certificate that is exported again gives the same badge.
fn derived(facts: &Facts<'_>, purpose: &str) -> [u8; 16] {
    let text = [purpose, facts.ledger, facts.asset, facts.imprint].join("\n");
    let mut bytes = [0; 16];
    for (byte, hashed) in bytes.iter_mut().zip(Sha256::digest(text)) {
        *byte = hashed;
    }
    bytes
}

fn uuid(facts: &Facts<'_>, purpose: &str) -> Result<Iri, Refusal> {
    let id = Builder::from_custom_bytes(derived(facts, purpose)).into_uuid();
    iri(format!("urn:uuid:{id}"), "id")
}

fn issuer(Issuer { domain, name }: Issuer<'_>) -> Result<Profile, Refusal> {
    Ok(Profile {
        id: iri(did(domain), "issuer")?,
        types: vec![Kind::Profile],
        name: plain(name.unwrap_or(domain)),
        url: iri(format!("https://{domain}/"), "issuer")?,
    })
}

fn evidence(facts: &Facts<'_>, page: &str) -> Result<Iri, Refusal> {
    let address = match facts.shown {
        Shown::Public => page.to_owned(),
        Shown::Link(form) if form.len() > MAX_FRAGMENT => return Err(Refusal::LinkTooLong),
        Shown::Link(form) => format!("{page}#{form}"),
    };
    iri(address, "evidence")
}

fn status(facts: &Facts<'_>, Place { list, index }: Place) -> Result<StatusEntry, Refusal> {
    let address = format!("{}/status/{}/{list}", facts.service, facts.ledger);
    Ok(StatusEntry {
        id: iri(format!("{address}#{index}"), "credentialStatus")?,
        kind: Kind::BitstringStatusListEntry,
        status_purpose: "revocation".to_owned(),
        status_list_index: index.to_string(),
        status_list_credential: iri(address, "credentialStatus")?,
    })
}

/// Returns the start and the end of a certificate in milliseconds since 1970, as a badge states them.
pub(crate) fn validity(facts: &Facts<'_>) -> Result<(i64, Option<i64>), Refusal> {
    let milliseconds = |time: Time, member| time.milliseconds().ok_or(Refusal::Malformed(member));
    let from = milliseconds(valid_from(facts, &Parts::of(facts))?, "validFrom")?;
    let until = valid_until(facts)?;
    let until = until.map(|until| milliseconds(until, "validUntil"));
    Ok((from, until.transpose()?))
}

/// Returns the proven date of issue, or otherwise the time at which the asset was created.
fn valid_from(facts: &Facts<'_>, parts: &Parts<'_>) -> Result<Time, Refusal> {
    let stated = parts.text(Part::IssuedAt).and_then(moment);
    let created = i64::try_from(facts.created).ok();
    let start = stated.map(|moment| moment.start).or(created);
    start
        .and_then(Time::at)
        .ok_or(Refusal::Malformed("validFrom"))
}

/// Returns the last second before the certificate expires. `None` if no expiry date is proven.
fn valid_until(facts: &Facts<'_>) -> Result<Option<Time>, Refusal> {
    let mut expiry = Expiry::of(facts.schema);
    add_values(&mut expiry, facts.document, &Path::root(), 0);
    let Some(end) = expiry.at() else {
        return Ok(None);
    };
    let last = i64::try_from(end)
        .ok()
        .and_then(|end| end.checked_sub(1_000));
    let time = last
        .and_then(Time::at)
        .ok_or(Refusal::Malformed("validUntil"))?;
    Ok(Some(time))
}

/// Adds the values of objects, but not of lists, because no list has expiry fields.
fn add_values(expiry: &mut Expiry, value: &Value, path: &Path, depth: usize) {
    expiry.add_proven(path.steps(), Some(value));
    if let Some(object) = value.as_object().filter(|_| depth < DEPTH_MAX) {
        for (key, value) in object.iter() {
            let mut below = path.clone();
            below.push(key);
            add_values(expiry, value, &below, depth.saturating_add(1));
        }
    }
}

/// Returns the hash of the holder's e-mail address. The salt is public, as the format wants it. It differs for each certificate, so a table of hashed
/// addresses helps for one badge only.
fn identifier(facts: &Facts<'_>, parts: &Parts<'_>) -> Option<[Identity; 1]> {
    let email = parts.email().filter(|_| facts.with_email)?;
    let salt = const_hex::encode(derived(facts, "Assay badge salt"));
    let hash = Sha256::digest(format!("{}{salt}", email.trim().to_lowercase()));
    Some([Identity {
        kind: Kind::IdentityObject,
        hashed: true,
        identity_type: "emailAddress".to_owned(),
        identity_hash: format!("sha256${}", const_hex::encode(hash)),
        salt,
    }])
}

/// Returns the picture if it is part of the document, or on the issuer's domain. Readers load other addresses from strangers.
fn image(facts: &Facts<'_>, parts: &Parts<'_>) -> Option<Image> {
    const INSIDE: [&str; 2] = ["data:image/png;base64,", "data:image/jpeg;base64,"];
    let address = parts.text(Part::Image)?;
    let own = format!("https://{}/", facts.issuer.domain);
    let is_known =
        INSIDE.iter().any(|start| address.starts_with(start)) || address.starts_with(&own);
    let id = Iri::parse(address.to_owned()).filter(|_| is_known)?;
    Some(Image {
        id,
        kind: Kind::Image,
    })
}

struct Grade {
    title: String,
    kind: &'static str,
    value: String,
}

fn grade(parts: &Parts<'_>) -> Option<Grade> {
    let (schema, value) = parts.get(Part::Grade)?;
    let (kind, value) = match value.as_scalar()? {
        Scalar::Number(number) => ("RawScore", number.as_str().to_owned()),
        Scalar::String(text) if text.trim().is_empty() => return None,
        Scalar::String(text) => (
            if is_letter(text) {
                "LetterGrade"
            } else {
                "Result"
            },
            plain(text),
        ),
        Scalar::Null | Scalar::Bool(_) => return None,
    };
    let title = schema
        .as_object()
        .and_then(|schema| schema.get("title")?.as_str());
    Some(Grade {
        title: plain(title.unwrap_or("Grade")),
        kind,
        value,
    })
}

/// Returns true for grades such as `A` and `B+`.
fn is_letter(text: &str) -> bool {
    matches!(text.as_bytes(), [b'A'..=b'F'] | [b'A'..=b'F', b'+' | b'-'])
}

/// Returns the type of achievement that the root of the schema states by [`MARK`]. Otherwise the properties tell the templates of courses and memberships.
fn achievement_type(schema: &Value) -> &'static str {
    const STATED: [&str; 8] = [
        "Award",
        "Badge",
        "Certificate",
        "Course",
        "License",
        "Membership",
        "MicroCredential",
        "Certification",
    ];
    if let Some(stated) =
        mark_of(schema).and_then(|mark| STATED.iter().find(|known| **known == mark))
    {
        return stated;
    }
    let properties = schema
        .as_object()
        .and_then(|schema| schema.get("properties")?.as_object());
    let has = |key| properties.is_some_and(|properties| properties.get(key).is_some());
    match (has("hours"), has("memberSince")) {
        (true, false) => "Course",
        (false, true) => "Membership",
        _ => "Certificate",
    }
}
