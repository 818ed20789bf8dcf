//! Status lists: credentials that say which certificates are no longer in force (<https://www.w3.org/TR/vc-bitstring-status-list/>).

use base64ct::{Base64UrlUnpadded, Encoding as _};
use miniz_oxide::deflate::compress_to_vec;
use miniz_oxide::inflate::decompress_to_vec_with_limit;
use serde::{Deserialize, Serialize};

use crate::badge::{Contexts, Iri, Kind, Proof, Time, domain, json_of};
use crate::did::did;
use crate::key::Signature;
use crate::refusal::Refusal;

/// The number of places of a list: the minimum that the format allows, so that a request for a list does not show whose certificate is checked.
pub const LIST_PLACES: u32 = 131_072;
/// The bytes of a list's bits.
const LIST_BYTES: usize = 16_384;
/// The maximum size of a status list in bytes. The bits of a full list cannot be compressed to less than their own size, which base64 makes a third longer.
const MAX_BYTES: usize = 64 << 10;
/// The purpose of all lists.
const PURPOSE: &str = "revocation";
/// The letter of multibase for base64url without padding.
const BASE64URL: char = 'u';
/// The start of a file of gzip (RFC 1952, section 2.3): deflate, and no further members before the data.
const GZIP_START: [u8; 4] = [0x1f, 0x8b, 8, 0];
/// The rest of the head: no time, no extra flags, unknown system. Other programs state other values.
const GZIP_SYSTEM: [u8; 6] = [0, 0, 0, 0, 0, 0xff];
/// The bytes of a checksum and of a length, which end a file of gzip.
const GZIP_END: usize = 8;
/// The level of compression at which zlib and its successors usually work.
pub(crate) const LEVEL: u8 = 6;

/// A `BitstringStatusListCredential`, by the order of its members in JSON.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct StatusList {
    #[serde(rename = "@context")]
    pub(crate) context: Contexts<1>,
    pub(crate) id: Iri,
    #[serde(rename = "type")]
    pub(crate) types: Vec<Kind>,
    pub(crate) issuer: Iri,
    pub(crate) valid_from: Time,
    pub(crate) valid_until: Time,
    pub(crate) credential_subject: Bits,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) proof: Option<Proof>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(crate) struct Bits {
    pub(crate) id: Iri,
    #[serde(rename = "type")]
    pub(crate) kind: Kind,
    pub(crate) status_purpose: String,
    pub(crate) encoded_list: String,
}

/// The facts from which a status list is made.
#[derive(Clone, Copy, Debug)]
pub struct ListFacts<'a> {
    /// The address of the list, such as `https://certs.example/status/0x…/0`.
    pub address: &'a str,
    /// The host of the service, whose `did.json` lists the key. A host for development may have a port.
    pub host: &'a str,
    /// The time from which the list is valid, in milliseconds since 1970.
    pub from: u64,
    /// The time until which the list is valid, in milliseconds since 1970.
    pub until: u64,
    /// The bits, as [`encode`] returns them.
    pub encoded: &'a str,
}

impl StatusList {
    /// Makes a list, without a signature.
    ///
    /// # Errors
    ///
    /// [`Refusal::Malformed`] if the address, the host or a time has no form that credentials allow.
    pub fn new(facts: &ListFacts<'_>) -> Result<Self, Refusal> {
        let iri = |text: String, member| Iri::parse(text).ok_or(Refusal::Malformed(member));
        let time = |milliseconds, member| {
            let milliseconds = i64::try_from(milliseconds).ok();
            let time = milliseconds.and_then(Time::at);
            time.ok_or(Refusal::Malformed(member))
        };
        Ok(Self {
            context: Contexts,
            id: iri(facts.address.to_owned(), "id")?,
            types: vec![
                Kind::VerifiableCredential,
                Kind::BitstringStatusListCredential,
            ],
            issuer: iri(did(facts.host), "issuer")?,
            valid_from: time(facts.from, "validFrom")?,
            valid_until: time(facts.until, "validUntil")?,
            credential_subject: Bits {
                id: iri(format!("{}#list", facts.address), "credentialSubject")?,
                kind: Kind::BitstringStatusList,
                status_purpose: PURPOSE.to_owned(),
                encoded_list: facts.encoded.to_owned(),
            },
            proof: None,
        })
    }

    /// Returns the list with its signature.
    #[must_use]
    pub fn signed(self, proof: Proof, signature: Signature) -> Self {
        Self {
            proof: Some(proof.with(signature)),
            ..self
        }
    }

    /// Returns the signature of the list with its description. `None` before the list is signed.
    #[must_use]
    pub const fn proof(&self) -> Option<&Proof> {
        self.proof.as_ref()
    }

    /// Returns the host of the service that the list names as its issuer. A host for development may have a port.
    #[must_use]
    pub fn host(&self) -> String {
        domain(&self.issuer)
    }

    /// Returns the address of the list.
    #[must_use]
    pub fn address(&self) -> &str {
        self.id.as_str()
    }

    /// Returns true if the list is valid at a time, in milliseconds since 1970.
    #[must_use]
    pub fn is_valid_at(&self, milliseconds: u64) -> bool {
        let is_within = || {
            let now = i64::try_from(milliseconds).ok()?;
            let (from, until) = (
                self.valid_from.milliseconds()?,
                self.valid_until.milliseconds()?,
            );
            Some((from..=until).contains(&now))
        };
        is_within() == Some(true)
    }

    /// Returns true if the certificate at a place is no longer in force. `None` if the bits or the purpose are malformed, or if there is no such place.
    #[must_use]
    pub fn is_revoked(&self, place: u32) -> Option<bool> {
        let list = &self.credential_subject;
        let bits = decode(&list.encoded_list).filter(|_| list.status_purpose == PURPOSE)?;
        let byte = bits.get(usize::try_from(place.div_euclid(8)).ok()?)?;
        Some(byte & mask(place) != 0)
    }

    /// Returns the list as JSON.
    #[must_use]
    pub fn to_json(&self) -> String {
        json_of(self)
    }
}

/// Reads a status list of the form that this crate makes.
///
/// # Errors
///
/// [`Refusal::TooLarge`] for more bytes than any list has, and [`Refusal::Foreign`] for any other text.
pub fn read_status_list(text: &str) -> Result<StatusList, Refusal> {
    if text.len() > MAX_BYTES {
        return Err(Refusal::TooLarge);
    }
    serde_json::from_str(text).map_err(|_| Refusal::Foreign)
}

/// Returns the bit of a place in its byte. The first place is the leftmost bit of the first byte.
const fn mask(place: u32) -> u8 {
    0x80 >> place.rem_euclid(8)
}

/// Returns the bits of a list, compressed by gzip, as multibase. `revoked` has the places whose bit is 1. Places beyond the list are ignored.
#[must_use]
pub fn encode(revoked: impl IntoIterator<Item = u32>) -> String {
    let mut bits = vec![0_u8; LIST_BYTES];
    for place in revoked {
        let byte = usize::try_from(place.div_euclid(8));
        if let Some(byte) = byte.ok().and_then(|byte| bits.get_mut(byte)) {
            *byte |= mask(place);
        }
    }
    let length = u32::try_from(bits.len()).unwrap_or(u32::MAX);
    let file = [
        GZIP_START.as_slice(),
        &GZIP_SYSTEM,
        &compress_to_vec(&bits, LEVEL),
        &crc32fast::hash(&bits).to_le_bytes(),
        &length.to_le_bytes(),
    ];
    let mut text = Base64UrlUnpadded::encode_string(&file.concat());
    text.insert(0, BASE64URL);
    text
}

/// Returns the bytes of a list of [`LIST_PLACES`]. `None` for any other text.
#[must_use]
pub fn decode(text: &str) -> Option<Vec<u8>> {
    let file = Base64UrlUnpadded::decode_vec(text.strip_prefix(BASE64URL)?).ok()?;
    let rest = file.strip_prefix(&GZIP_START)?.get(GZIP_SYSTEM.len()..)?;
    let (deflated, end) = rest.split_at_checked(rest.len().checked_sub(GZIP_END)?)?;
    let (sum, length) = end.split_first_chunk::<4>()?;
    let bits = decompress_to_vec_with_limit(deflated, LIST_BYTES).ok()?;
    let is_whole = bits.len() == LIST_BYTES
        && length == u32::try_from(LIST_BYTES).ok()?.to_le_bytes()
        && *sum == crc32fast::hash(&bits).to_le_bytes();
    is_whole.then_some(bits)
}
