//! The members of a badge. The types have exactly the members that [`make()`](crate::make()) writes. Other credentials do not parse, so each member that
//! is read is also signed ([`quads`](crate::quads)).

use core::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::key::Signature;
use crate::make::Place;
use crate::refusal::Refusal;

/// The maximum size of a badge in bytes.
pub const MAX_BYTES: usize = 5 << 20;

/// The contexts of every badge, in this order. They define the members of the badge for readers of JSON-LD. A status list has the first one.
pub const CONTEXTS: [&str; 3] = [
    "https://www.w3.org/ns/credentials/v2",
    "https://purl.imsglobal.org/spec/ob/v3p0/context-3.0.3.json",
    "https://purl.imsglobal.org/spec/ob/v3p0/extensions.json",
];

/// An Open Badge 3.0, by the order of its members in JSON.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct Badge {
    #[serde(rename = "@context")]
    pub(crate) context: Contexts<3>,
    pub(crate) id: Iri,
    #[serde(rename = "type")]
    pub(crate) types: Vec<Kind>,
    pub(crate) name: String,
    pub(crate) issuer: Profile,
    pub(crate) valid_from: Time,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) valid_until: Option<Time>,
    pub(crate) credential_subject: Subject,
    pub(crate) evidence: [Evidence; 1],
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) credential_status: Option<StatusEntry>,
    pub(crate) credential_schema: [Schema; 1],
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) proof: Option<Proof>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Profile {
    pub(crate) id: Iri,
    #[serde(rename = "type")]
    pub(crate) types: Vec<Kind>,
    pub(crate) name: String,
    pub(crate) url: Iri,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Subject {
    pub(crate) id: Iri,
    #[serde(rename = "type")]
    pub(crate) types: Vec<Kind>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) identifier: Option<[Identity; 1]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) result: Option<[Outcome; 1]>,
    pub(crate) achievement: Achievement,
}

/// The holder's e-mail address, hashed. The format forbids an `id` here, so this is the only blank node of a badge.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(crate) struct Identity {
    #[serde(rename = "type")]
    pub(crate) kind: Kind,
    pub(crate) hashed: bool,
    pub(crate) identity_type: String,
    pub(crate) identity_hash: String,
    pub(crate) salt: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(crate) struct Outcome {
    pub(crate) id: Iri,
    #[serde(rename = "type")]
    pub(crate) types: Vec<Kind>,
    pub(crate) result_description: Iri,
    pub(crate) value: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(crate) struct Achievement {
    pub(crate) id: Iri,
    #[serde(rename = "type")]
    pub(crate) types: Vec<Kind>,
    pub(crate) achievement_type: String,
    pub(crate) name: String,
    pub(crate) description: String,
    pub(crate) criteria: Criteria,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) image: Option<Image>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) result_description: Option<[OutcomeDescription; 1]>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Criteria {
    pub(crate) id: Iri,
    pub(crate) narrative: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Image {
    pub(crate) id: Iri,
    #[serde(rename = "type")]
    pub(crate) kind: Kind,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(crate) struct OutcomeDescription {
    pub(crate) id: Iri,
    #[serde(rename = "type")]
    pub(crate) types: Vec<Kind>,
    pub(crate) name: String,
    pub(crate) result_type: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Evidence {
    pub(crate) id: Iri,
    #[serde(rename = "type")]
    pub(crate) types: Vec<Kind>,
    pub(crate) name: String,
    pub(crate) description: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(crate) struct StatusEntry {
    pub(crate) id: Iri,
    #[serde(rename = "type")]
    pub(crate) kind: Kind,
    pub(crate) status_purpose: String,
    pub(crate) status_list_index: String,
    pub(crate) status_list_credential: Iri,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Schema {
    pub(crate) id: Iri,
    #[serde(rename = "type")]
    pub(crate) kind: Kind,
}

/// The signature of a badge, by the suite `eddsa-rdfc-2022`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct Proof {
    #[serde(rename = "type")]
    pub(crate) kind: Kind,
    pub(crate) cryptosuite: Suite,
    pub(crate) created: Time,
    pub(crate) verification_method: Iri,
    pub(crate) proof_purpose: Purpose,
    /// Missing before the badge is signed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) proof_value: Option<Signature>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Suite {
    #[serde(rename = "eddsa-rdfc-2022")]
    EddsaRdfc2022,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Purpose {
    #[serde(rename = "assertionMethod")]
    AssertionMethod,
}

/// The types of the nodes of a badge.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Kind {
    VerifiableCredential,
    OpenBadgeCredential,
    Profile,
    AchievementSubject,
    IdentityObject,
    Result,
    Achievement,
    Image,
    ResultDescription,
    Evidence,
    BitstringStatusListEntry,
    BitstringStatusListCredential,
    BitstringStatusList,
    #[serde(rename = "1EdTechJsonSchemaValidator2019")]
    JsonSchema,
    DataIntegrityProof,
}

/// The member `@context`: the first `N` of [`CONTEXTS`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Contexts<const N: usize>;

impl<const N: usize> Contexts<N> {
    fn all() -> impl Iterator<Item = &'static str> {
        CONTEXTS.into_iter().take(N)
    }
}

impl<const N: usize> Serialize for Contexts<N> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(Self::all())
    }
}

impl<'de, const N: usize> Deserialize<'de> for Contexts<N> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        // Another context could give the members another meaning.
        match Vec::<String>::deserialize(deserializer)?
            .iter()
            .eq(Self::all())
        {
            true => Ok(Self),
            false => Err(serde::de::Error::custom("other contexts")),
        }
    }
}

/// An absolute address that JSON-LD neither resolves nor changes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct Iri(String);

impl Iri {
    /// The schemes of the addresses in a badge.
    const SCHEMES: [&str; 5] = [
        "https://",
        "http://",
        "urn:uuid:",
        "did:web:",
        "data:image/",
    ];

    /// Returns the address if it has one of [`Iri::SCHEMES`] and only characters that N-Quads write as they are.
    pub(crate) fn parse(text: String) -> Option<Self> {
        let is_plain = |byte: u8| byte.is_ascii_graphic() && !br#"<>"{}|\^`"#.contains(&byte);
        let has_scheme = Self::SCHEMES.iter().any(|scheme| text.starts_with(scheme));
        (has_scheme && text.bytes().all(is_plain)).then_some(Self(text))
    }

    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Iri {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl<'de> Deserialize<'de> for Iri {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        Self::parse(text).ok_or_else(|| serde::de::Error::custom("not an absolute address"))
    }
}

/// A time in UTC, such as `2026-06-30T00:00:00Z`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct Time(String);

impl Time {
    /// Returns a time in milliseconds since 1970, without the fraction of its second. `None` outside of the years 0 to 9999.
    pub(crate) fn at(milliseconds: i64) -> Option<Self> {
        let time =
            time::OffsetDateTime::from_unix_timestamp(milliseconds.div_euclid(1_000)).ok()?;
        let (date, time) = (time.date(), time.time());
        if !(0..=9999).contains(&date.year()) {
            return None;
        }
        Some(Self(format!(
            "{:04}-{:02}-{:02}T{:02}:{:02}:{:02}Z",
            date.year(),
            u8::from(date.month()),
            date.day(),
            time.hour(),
            time.minute(),
            time.second()
        )))
    }

    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns the time in milliseconds since 1970.
    pub(crate) fn milliseconds(&self) -> Option<i64> {
        Some(cert_core::verdict::moment(&self.0)?.start)
    }
}

impl<'de> Deserialize<'de> for Time {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let time = Self(String::deserialize(deserializer)?);
        match time.milliseconds().and_then(Self::at) {
            Some(same) if same == time => Ok(time),
            _ => Err(serde::de::Error::custom("not a time in UTC")),
        }
    }
}

/// Returns the domain of an identifier. A host for development may have a port.
pub(crate) fn domain(id: &Iri) -> String {
    let id = id.as_str();
    id.strip_prefix("did:web:")
        .unwrap_or(id)
        .replace("%3A", ":")
}

impl Proof {
    /// Describes a signature that is not made yet. `key_id` is the key's id in the issuer's DID document, such as `did:web:uni.example#vc-2026`, and
    /// `created` is the time in milliseconds since 1970.
    ///
    /// # Errors
    ///
    /// [`Refusal::Malformed`] if the id is not absolute, or the time has no date.
    pub fn new(key_id: &str, created: u64) -> Result<Self, Refusal> {
        let time = i64::try_from(created).ok().and_then(Time::at);
        Ok(Self {
            kind: Kind::DataIntegrityProof,
            cryptosuite: Suite::EddsaRdfc2022,
            created: time.ok_or(Refusal::Malformed("created"))?,
            verification_method: Iri::parse(key_id.to_owned())
                .ok_or(Refusal::Malformed("verificationMethod"))?,
            proof_purpose: Purpose::AssertionMethod,
            proof_value: None,
        })
    }

    /// Returns the description with the signature that it describes.
    #[must_use]
    pub(crate) fn with(self, signature: Signature) -> Self {
        Self {
            proof_value: Some(signature),
            ..self
        }
    }

    /// Returns the id of the key in the issuer's DID document.
    #[must_use]
    pub fn key_id(&self) -> &str {
        self.verification_method.as_str()
    }

    /// Returns the signature. `None` before the badge is signed.
    #[must_use]
    pub const fn signature(&self) -> Option<&Signature> {
        self.proof_value.as_ref()
    }
}

impl Badge {
    /// Returns the badge with its signature.
    #[must_use]
    pub fn signed(self, proof: Proof, signature: Signature) -> Self {
        Self {
            proof: Some(proof.with(signature)),
            ..self
        }
    }

    /// Returns the signature of the badge with its description. `None` before the badge is signed.
    #[must_use]
    pub const fn proof(&self) -> Option<&Proof> {
        self.proof.as_ref()
    }

    /// Returns the badge without its signature, to compare it with a badge that was made again.
    #[must_use]
    pub fn unsigned(self) -> Self {
        Self {
            proof: None,
            ..self
        }
    }

    /// Returns the domain of the issuer that the badge names. A host for development may have a port.
    #[must_use]
    pub fn issuer(&self) -> String {
        domain(&self.issuer.id)
    }

    /// Returns the name of the badge.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns true if the badge has the hash of the holder's e-mail address.
    #[must_use]
    pub const fn has_email(&self) -> bool {
        self.credential_subject.identifier.is_some()
    }

    /// Returns the place in a status list that the badge names. `None` if it names none, or the place is malformed.
    #[must_use]
    pub fn place(&self) -> Option<Place> {
        let entry = self.credential_status.as_ref()?;
        let (_, list) = entry.status_list_credential.as_str().rsplit_once('/')?;
        Some(Place {
            list: list.parse().ok()?,
            index: entry.status_list_index.parse().ok()?,
        })
    }

    /// Returns the address of the certificate's page, with the values in its fragment if they are not public.
    #[must_use]
    pub fn evidence(&self) -> &str {
        let [evidence] = &self.evidence;
        evidence.id.as_str()
    }

    /// Returns the address of the status list that the badge names. `None` if it names none.
    #[must_use]
    pub fn status_list(&self) -> Option<&str> {
        let entry = self.credential_status.as_ref()?;
        Some(entry.status_list_credential.as_str())
    }

    /// Returns the badge as JSON in ASCII, because a wallet in use decodes files as Latin-1. Other characters are escaped, which changes no signature.
    #[must_use]
    pub fn to_json(&self) -> String {
        let text = json_of(self);
        let mut ascii = String::with_capacity(text.len());
        for character in text.chars() {
            if character.is_ascii() {
                ascii.push(character);
            } else {
                for unit in character.encode_utf16(&mut [0; 2]) {
                    ascii += &format!("\\u{unit:04x}");
                }
            }
        }
        ascii
    }
}

/// Returns a credential as JSON.
pub(crate) fn json_of(credential: &impl Serialize) -> String {
    serde_json::to_string(credential).unwrap_or_else(|error| {
        // All members are strings, booleans, lists and objects with string keys.
        unreachable!("a credential can be written as JSON: {error}")
    })
}

/// Reads a badge of the form that [`make()`](crate::make()) writes.
///
/// # Errors
///
/// [`Refusal::TooLarge`] for more than [`MAX_BYTES`], and [`Refusal::Foreign`] for any other text, such as a badge of another program.
pub fn read(text: &str) -> Result<Badge, Refusal> {
    if text.len() > MAX_BYTES {
        return Err(Refusal::TooLarge);
    }
    serde_json::from_str(text).map_err(|_| Refusal::Foreign)
}
