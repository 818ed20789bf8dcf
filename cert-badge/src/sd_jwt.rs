//! SD-JWT VC: a certificate in the format of wallets, in which its holder can leave out fields without the issuer (RFC 9901 and
//! draft-ietf-oauth-sd-jwt-vc). docs/spec/sd-jwt.md has the rules.

use std::collections::BTreeMap;

use base64ct::{Base64UrlUnpadded, Encoding as _};
use cert_core::aih2::DocumentKey;
use cert_core::{Object, Path, Value};
use hmac::{Hmac, KeyInit as _, Mac as _};
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use crate::badge::{MAX_BYTES, json_of};
use crate::certificate::Certificate;
use crate::check::OnLedger;
use crate::jwt::{Algorithm, SignedJwt, UnsignedJwt, split};
use crate::key::JwtKey;
use crate::make::{Place, Shown, validity};
use crate::refusal::Refusal;

/// The maximum number of disclosures of an SD-JWT. A certificate with more values gets none.
pub const MAX_DISCLOSURES: usize = 4096;
/// The maximum depth at which objects and lists are split. Deeper ones are disclosed as a whole.
const DEPTH_MAX: usize = 16;
/// The purpose of the salts, which separates them from other values that are derived from the document's key.
const SALT_PURPOSE: &[u8] = b"assay sd-jwt salt\0";
/// The bytes of a salt, as RFC 9901 recommends them.
const SALT_BYTES: usize = 16;
/// The member of an object with the digests of its fields.
const DIGESTS: &str = "_sd";
/// The member of a list's item with the digest of the item.
const ITEM: &str = "...";
/// The path of a type's address, before the id of the schema.
const TYPES: &str = "/vct/";
/// The names of the asset's fields, which are always visible.
const ASSET: [&str; 2] = ["ledgerId", "assetId"];
/// Names that no field of the document may have, because programs would read the field as a claim with another meaning.
const RESERVED: [&str; 18] = [
    "iss",
    "sub",
    "aud",
    "exp",
    "nbf",
    "iat",
    "jti",
    "vct",
    "vct#integrity",
    "aka_vcts",
    "cnf",
    "status",
    "imprint",
    "vc",
    "vp",
    "@context",
    "credentialStatus",
    "_sd_alg",
];

/// The type in the header.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
enum Kind {
    #[serde(rename = "dc+sd-jwt")]
    SdJwt,
}

/// The only hash.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
enum HashName {
    #[serde(rename = "sha-256")]
    Sha256,
}

/// The claims that every reader sees, in this order.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct Claims {
    iss: String,
    vct: String,
    /// The start of the certificate, in seconds since 1970.
    nbf: i64,
    /// The end of the certificate, in seconds since 1970.
    #[serde(skip_serializing_if = "Option::is_none")]
    exp: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    status: Option<Status>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cnf: Option<Confirmation>,
    ledger_id: String,
    asset_id: String,
    /// The imprint with its profile.
    imprint: String,
    #[serde(rename = "_sd")]
    digests: Vec<String>,
    #[serde(rename = "_sd_alg")]
    hash: HashName,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Status {
    status_list: StatusEntry,
}

/// A place in a status list (draft-ietf-oauth-status-list).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct StatusEntry {
    idx: u32,
    uri: String,
}

/// The key of the holder (RFC 7800).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Confirmation {
    jwk: HolderKey,
}

/// A JWK of P-256. The order of its members is fixed, so equal certificates have equal SD-JWTs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct HolderKey {
    kty: String,
    crv: String,
    x: String,
    y: String,
}

impl From<&JwtKey> for HolderKey {
    fn from(key: &JwtKey) -> Self {
        let [x, y] = key.coordinates();
        Self {
            kty: "EC".to_owned(),
            crv: "P-256".to_owned(),
            x,
            y,
        }
    }
}

/// An SD-JWT that is not signed yet.
#[derive(Clone, Debug)]
pub struct UnsignedSdJwt {
    jwt: UnsignedJwt,
    disclosures: Vec<String>,
}

impl UnsignedSdJwt {
    /// Returns the bytes to sign.
    #[must_use]
    pub const fn to_sign(&self) -> &[u8] {
        self.jwt.to_sign()
    }

    /// Returns the SD-JWT with its signature and all disclosures.
    #[must_use]
    pub fn signed(self, signature: &[u8]) -> String {
        let mut text = self.jwt.signed(signature);
        text.push('~');
        for disclosure in &self.disclosures {
            text.push_str(disclosure);
            text.push('~');
        }
        text
    }
}

impl Certificate {
    /// Makes the SD-JWT of a certificate, without a signature. `holder` is the key that a presentation has to prove, and `key_id` the id of the issuer's key in its
    /// `did.json`. Equal certificates have equal SD-JWTs, because the salts are derived from the document's key.
    ///
    /// # Errors
    ///
    /// - [`Refusal::NotPrivate`] if the certificate's file does not open the whole document,
    /// - [`Refusal::ReservedName`] for a field with the name of a claim,
    /// - [`Refusal::TooLarge`] for more than [`MAX_DISCLOSURES`] or [`MAX_BYTES`],
    /// - [`Refusal::Malformed`] if a date has no form that badges allow.
    pub fn to_sd_jwt(
        &self,
        ledger: &OnLedger<'_>,
        status: Option<Place>,
        holder: Option<&JwtKey>,
        key_id: &str,
    ) -> Result<UnsignedSdJwt, Refusal> {
        let salts = Salts(self.document_key().ok_or(Refusal::NotPrivate)?);
        let document = self.document().as_object().ok_or(Refusal::NotPrivate)?;
        if document.iter().any(|(name, _)| RESERVED.contains(&name)) || has_marks(self.document()) {
            return Err(Refusal::ReservedName);
        }
        let imprint = self.imprint();
        let facts = ledger.facts(self, &imprint, Shown::Public);
        let (from, until) = validity(&facts)?;
        let mut disclosures = Disclosures {
            salts,
            all: Vec::new(),
        };
        let fields = document.iter().filter(|(name, _)| !ASSET.contains(name));
        let digests = disclosures.fields(fields, &Path::root(), 0)?;
        let OnLedger {
            service,
            ledger,
            asset,
            issuer,
            ..
        } = *ledger;
        let claims = Claims {
            iss: format!("https://{}", issuer.domain),
            vct: format!("{service}{TYPES}{}", self.schema_id()),
            nbf: seconds(from),
            exp: until.map(seconds),
            status: status.map(|Place { list, index }| Status {
                status_list: StatusEntry {
                    idx: index,
                    uri: format!("{service}/status/{ledger}/{list}"),
                },
            }),
            cnf: holder.map(|key| Confirmation { jwk: key.into() }),
            ledger_id: ledger.to_owned(),
            asset_id: asset.to_owned(),
            imprint,
            digests,
            hash: HashName::Sha256,
        };
        let disclosures = disclosures.all;
        let size = disclosures
            .iter()
            .map(String::len)
            .fold(0, usize::saturating_add);
        let payload = json_of(&claims);
        if size.saturating_add(payload.len()) > MAX_BYTES {
            return Err(Refusal::TooLarge);
        }
        Ok(UnsignedSdJwt {
            jwt: UnsignedJwt::new(Algorithm::Es256, Kind::SdJwt, key_id, &payload),
            disclosures,
        })
    }
}

const fn seconds(milliseconds: i64) -> i64 {
    milliseconds.div_euclid(1_000)
}

/// Returns true if an object in a value has a member that marks digests.
fn has_marks(value: &Value) -> bool {
    match value {
        Value::Object(object) => object
            .iter()
            .any(|(name, below)| name == DIGESTS || name == ITEM || has_marks(below)),
        Value::Array(array) => array.iter().any(has_marks),
        _ => false,
    }
}

/// Derives the salts of a document from its key. Without the key, a salt cannot be computed. No list of salts has to be kept.
struct Salts(DocumentKey);

impl Salts {
    fn of(&self, path: &Path) -> String {
        let Ok(mut mac) = Hmac::<Sha256>::new_from_slice(self.0.as_bytes()) else {
            unreachable!("HMAC takes keys of any length (RFC 2104)");
        };
        mac.update(SALT_PURPOSE);
        mac.update(path.to_value().to_json().as_bytes());
        let bytes = mac.finalize().into_bytes();
        let salt: Vec<u8> = bytes.into_iter().take(SALT_BYTES).collect();
        Base64UrlUnpadded::encode_string(&salt)
    }
}

/// The disclosures of a document while they are made.
struct Disclosures {
    salts: Salts,
    all: Vec<String>,
}

impl Disclosures {
    /// Adds the fields of an object. Returns their digests in an order that does not show the order of the fields.
    fn fields<'a>(
        &mut self,
        fields: impl Iterator<Item = (&'a str, &'a Value)>,
        path: &Path,
        depth: usize,
    ) -> Result<Vec<String>, Refusal> {
        let mut digests = Vec::new();
        for (name, value) in fields {
            let mut below = path.clone();
            below.push(name);
            let value = self.value(value, &below, depth)?;
            let name = Value::from(name).to_json();
            digests.push(self.add(&below, &format!("{name},{value}"))?);
        }
        digests.sort_unstable();
        Ok(digests)
    }

    /// Adds everything below a value. Returns the JSON of the value with digests in place of its fields or items.
    fn value(&mut self, value: &Value, path: &Path, depth: usize) -> Result<String, Refusal> {
        let below = depth.saturating_add(1);
        match value {
            Value::Object(object) if !object.is_empty() && below < DEPTH_MAX => {
                let digests = self.fields(object.iter(), path, below)?;
                Ok(json_of(&BTreeMap::from([(DIGESTS, digests)])))
            }
            Value::Array(array) if !array.is_empty() && below < DEPTH_MAX => {
                let mut items = Vec::with_capacity(array.len());
                for (index, item) in array.iter().enumerate() {
                    let mut place = path.clone();
                    place.push(index);
                    let item = self.value(item, &place, below)?;
                    items.push(BTreeMap::from([(ITEM, self.add(&place, &item)?)]));
                }
                Ok(json_of(&items))
            }
            whole => Ok(whole.to_json()),
        }
    }

    /// Adds a disclosure with the rest of its JSON list behind the salt. Returns its digest.
    fn add(&mut self, path: &Path, rest: &str) -> Result<String, Refusal> {
        if self.all.len() >= MAX_DISCLOSURES {
            return Err(Refusal::TooLarge);
        }
        let json = format!("[\"{}\",{rest}]", self.salts.of(path));
        let disclosure = Base64UrlUnpadded::encode_string(json.as_bytes());
        let digest = digest_of(&disclosure);
        self.all.push(disclosure);
        Ok(digest)
    }
}

/// Returns the digest of a disclosure, which is hashed as it is written.
fn digest_of(disclosure: &str) -> String {
    Base64UrlUnpadded::encode_string(&Sha256::digest(disclosure))
}

/// The content of a disclosure.
enum Disclosed {
    Field(String, Value),
    Item(Value),
}

impl Disclosed {
    fn read(disclosure: &str) -> Option<Self> {
        let bytes = Base64UrlUnpadded::decode_vec(disclosure).ok()?;
        let list = Value::parse(core::str::from_utf8(&bytes).ok()?).ok()?;
        match list.as_array()?.as_slice() {
            [Value::String(_), Value::String(name), value] => {
                Some(Self::Field(name.to_string(), value.clone()))
            }
            [Value::String(_), value] => Some(Self::Item(value.clone())),
            _ => None,
        }
    }
}

/// A value that an SD-JWT shows in whole or in part.
#[derive(Clone, Debug, PartialEq)]
enum Seen {
    Whole(Value),
    Fields(Vec<(String, Seen)>),
    /// The items of a list. `None` for an item that is left out.
    Items(Vec<Option<Seen>>),
}

/// How a value compares with the public value of the certificate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Agreement {
    /// Both are equal.
    Same,
    /// The certificate's public part does not have the value.
    NotPublic,
    /// Both differ.
    Different,
}

impl Seen {
    /// Compares with the public value. In lists of the public part, `null` stands for a hidden item.
    fn compared(&self, public: Option<&Value>) -> Agreement {
        let Some(public) = public else {
            return Agreement::NotPublic;
        };
        let worst = |all: &mut dyn Iterator<Item = Agreement>| all.max().unwrap_or(Agreement::Same);
        match (self, public) {
            (Self::Whole(value), public) if value == public => Agreement::Same,
            (Self::Fields(fields), Value::Object(public)) => worst(
                &mut fields
                    .iter()
                    .map(|(name, seen)| seen.compared(public.get(name))),
            ),
            (Self::Items(items), Value::Array(public)) if items.len() >= public.len() => {
                worst(&mut items.iter().enumerate().filter_map(|(index, seen)| {
                    let seen = seen.as_ref()?;
                    let is_null = *seen == Self::Whole(Value::Null);
                    let public = public.get(index);
                    Some(seen.compared(public.filter(|public| is_null || **public != Value::Null)))
                }))
            }
            _ => Agreement::Different,
        }
    }
}

/// The disclosures of an SD-JWT that are not placed yet, with their positions, by their digests.
struct Reader(BTreeMap<String, (usize, Disclosed)>);

impl Reader {
    fn new<'a>(disclosures: impl Iterator<Item = &'a str>) -> Option<Self> {
        let mut all = BTreeMap::new();
        for (at, disclosure) in disclosures.enumerate() {
            let read = (at, Disclosed::read(disclosure)?);
            if all.len() >= MAX_DISCLOSURES || all.insert(digest_of(disclosure), read).is_some() {
                return None;
            }
        }
        Some(Self(all))
    }

    /// Places the fields with these digests. They get the order of the disclosures, which is the one of the document.
    fn fields(&mut self, digests: &[String], depth: usize) -> Option<Vec<(String, Seen)>> {
        let mut fields: Vec<(usize, (String, Seen))> = Vec::new();
        for digest in digests {
            match self.0.remove(digest) {
                None => {}
                Some((_, Disclosed::Item(_))) => return None,
                Some((at, Disclosed::Field(name, value))) => {
                    let is_reserved = name == DIGESTS
                        || name == ITEM
                        || (depth == 0 && (RESERVED.contains(&&*name) || ASSET.contains(&&*name)));
                    if is_reserved || fields.iter().any(|(_, (other, _))| *other == name) {
                        return None;
                    }
                    fields.push((at, (name, self.value(value, depth.saturating_add(1))?)));
                }
            }
        }
        fields.sort_by_key(|(at, _)| *at);
        Some(fields.into_iter().map(|(_, field)| field).collect())
    }

    fn value(&mut self, value: Value, depth: usize) -> Option<Seen> {
        match &value {
            Value::Object(object) if depth < DEPTH_MAX && object.get(DIGESTS).is_some() => {
                let digests = object.get(DIGESTS)?.as_array()?.iter();
                let digests: Option<Vec<String>> = digests
                    .map(|digest| Some(digest.as_str()?.to_owned()))
                    .collect();
                let fields = self.fields(&digests?, depth)?;
                (object.len() == 1).then_some(Seen::Fields(fields))
            }
            Value::Array(array) if depth < DEPTH_MAX && array.iter().any(is_item) => {
                let mut items = Vec::with_capacity(array.len());
                for item in array {
                    let item = item.as_object().filter(|item| item.len() == 1)?;
                    items.push(match self.0.remove(item.get(ITEM)?.as_str()?) {
                        None => None,
                        Some((_, Disclosed::Item(value))) => {
                            Some(self.value(value, depth.saturating_add(1))?)
                        }
                        Some((_, Disclosed::Field(..))) => return None,
                    });
                }
                Some(Seen::Items(items))
            }
            _ => (!has_marks(&value)).then_some(Seen::Whole(value)),
        }
    }
}

fn is_item(value: &Value) -> bool {
    value
        .as_object()
        .is_some_and(|object| object.get(ITEM).is_some())
}

/// An SD-JWT that was read. Its signature is not checked yet.
#[derive(Clone, Debug)]
pub struct SdJwt {
    claims: Claims,
    jwt: SignedJwt,
    fields: Vec<(String, Seen)>,
}

impl SdJwt {
    /// Returns true if a text looks like an SD-JWT.
    #[must_use]
    pub fn is_like(text: &str) -> bool {
        text.trim_start().starts_with("eyJ") && text.trim_end().ends_with('~')
    }

    /// Reads an SD-JWT of the form that [`Certificate::to_sd_jwt`] makes, with all or some of its disclosures. Each disclosure must have its digest in the SD-JWT. A
    /// presentation with a proof of the holder's key is refused, because the proof is for another reader.
    ///
    /// # Errors
    ///
    /// [`Refusal::TooLarge`] for more than twice [`MAX_BYTES`], and [`Refusal::Foreign`] for any other text.
    pub fn read(text: &str) -> Result<Self, Refusal> {
        if text.len() > MAX_BYTES.saturating_mul(2) {
            return Err(Refusal::TooLarge);
        }
        let (jwt, disclosures) = text.trim().split_once('~').ok_or(Refusal::Foreign)?;
        let (jwt, payload) = split::<Kind>(jwt)?;
        let claims: Claims = serde_json::from_str(&payload).map_err(|_| Refusal::Foreign)?;
        let fields = || {
            let is_whole = disclosures.is_empty() || disclosures.ends_with('~');
            let all = disclosures.split_terminator('~');
            let mut reader = Reader::new(all).filter(|_| is_whole)?;
            let fields = reader.fields(&claims.digests, 0)?;
            reader.0.is_empty().then_some(fields)
        };
        Ok(Self {
            fields: fields().ok_or(Refusal::Foreign)?,
            claims,
            jwt,
        })
    }

    /// Returns the domain of the issuer. A host for development may have a port.
    #[must_use]
    pub fn issuer(&self) -> &str {
        let address = &self.claims.iss;
        address.strip_prefix("https://").unwrap_or(address)
    }

    /// Returns the address of the certificate's page.
    #[must_use]
    pub fn page(&self) -> String {
        let Claims {
            vct,
            ledger_id,
            asset_id,
            ..
        } = &self.claims;
        let service = vct.rsplit_once(TYPES).map_or("", |(service, _)| service);
        format!("{service}/c/{ledger_id}/{asset_id}")
    }

    /// Returns the imprint with its profile.
    #[must_use]
    pub fn imprint(&self) -> &str {
        &self.claims.imprint
    }

    /// Returns the address of the status list, and the place in it. `None` if the SD-JWT names none.
    #[must_use]
    pub fn status(&self) -> Option<(&str, Place)> {
        let StatusEntry { idx, uri } = &self.claims.status.as_ref()?.status_list;
        let (_, list) = uri.rsplit_once('/')?;
        let place = Place {
            list: list.parse().ok()?,
            index: *idx,
        };
        Some((uri, place))
    }

    /// Returns true if the SD-JWT is valid at a time, in milliseconds since 1970.
    #[must_use]
    pub fn is_valid_at(&self, milliseconds: u64) -> bool {
        let now = i64::try_from(milliseconds).map_or(i64::MAX, seconds);
        self.claims.nbf <= now && self.claims.exp.is_none_or(|end| now <= end)
    }

    /// Returns the signature, which is not checked.
    #[must_use]
    pub const fn jwt(&self) -> &SignedJwt {
        &self.jwt
    }

    /// Compares each shown field with the public part of its certificate. Fields that are not public are confirmed by the issuer's signature alone.
    #[must_use]
    pub fn compared(&self, public: Option<&Object>) -> Vec<(&str, Agreement)> {
        let compared = |(name, seen): &'_ (String, Seen)| {
            seen.compared(public.and_then(|public| public.get(name)))
        };
        self.fields
            .iter()
            .map(|field| (field.0.as_str(), compared(field)))
            .collect()
    }
}
