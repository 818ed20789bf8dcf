//! A badge as JWT, for software that reads no embedded proofs (<https://www.w3.org/TR/vc-jose-cose/>, and "JWT Proof" of the badge format).

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::badge::{Badge, MAX_BYTES, Time, json_of, read};
use crate::jwt::{Algorithm, SignedJwt, UnsignedJwt, split};
use crate::refusal::Refusal;

/// The type in the header. Programs in use do not know `vc+jwt`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
enum Kind {
    #[serde(rename = "JWT")]
    Jwt,
}

/// The claims with which a JWT repeats members of its badge.
const CLAIMS: [&str; 5] = ["iss", "jti", "sub", "nbf", "exp"];

/// The claims of [`CLAIMS`], for software that reads no badges.
#[derive(Serialize)]
struct Claims<'a> {
    iss: &'a str,
    jti: &'a str,
    sub: &'a str,
    nbf: i64,
    #[serde(skip_serializing_if = "Option::is_none")]
    exp: Option<i64>,
}

/// Returns the payload of a badge without an embedded signature. Equal badges have equal payloads.
fn payload(badge: &Badge) -> Result<String, Refusal> {
    let seconds = |time: &Time, member| {
        let milliseconds = time.milliseconds().ok_or(Refusal::Malformed(member))?;
        Ok(milliseconds.div_euclid(1_000))
    };
    let exp = badge.valid_until.as_ref();
    let claims = json_of(&Claims {
        iss: badge.issuer.id.as_str(),
        jti: badge.id.as_str(),
        sub: badge.credential_subject.id.as_str(),
        nbf: seconds(&badge.valid_from, "validFrom")?,
        exp: exp.map(|time| seconds(time, "validUntil")).transpose()?,
    });
    // Joins both objects. `flatten` of serde would add 10 KB to the pages' module.
    let (claims, badge) = (claims.trim_end_matches('}'), json_of(badge));
    Ok([claims, badge.trim_start_matches('{')].join(","))
}

impl Badge {
    /// Returns the badge as JWT, without a signature. `key_id` is the id of the key in the issuer's `did.json`.
    ///
    /// # Errors
    ///
    /// [`Refusal::Malformed`] if a time of the badge has no form that JWTs allow.
    pub fn to_jwt(&self, key_id: &str) -> Result<UnsignedJwt, Refusal> {
        let badge = self.clone().unsigned();
        Ok(UnsignedJwt::new(
            Algorithm::Es256,
            Kind::Jwt,
            key_id,
            &payload(&badge)?,
        ))
    }
}

/// A badge that was read from a JWT.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadgeJwt {
    badge: Badge,
    jwt: SignedJwt,
}

impl BadgeJwt {
    /// Reads a JWT of the form that [`Badge::to_jwt`] makes. The signature is not checked.
    ///
    /// # Errors
    ///
    /// [`Refusal::TooLarge`] for more than twice [`MAX_BYTES`], and [`Refusal::Foreign`] for any other text.
    pub fn read(text: &str) -> Result<Self, Refusal> {
        if text.len() > MAX_BYTES.saturating_mul(2) {
            return Err(Refusal::TooLarge);
        }
        let (jwt, given) = split::<Kind>(text.trim())?;
        let mut value: Value = serde_json::from_str(&given).map_err(|_| Refusal::Foreign)?;
        let members = value.as_object_mut().ok_or(Refusal::Foreign)?;
        members.retain(|name, _| !CLAIMS.contains(&name.as_str()));
        let badge = read(&value.to_string())?;
        // No claim may say something else than the badge, and no member may be there twice.
        if badge.proof().is_some() || payload(&badge)? != given {
            return Err(Refusal::Foreign);
        }
        Ok(Self { badge, jwt })
    }

    /// Returns the badge.
    #[must_use]
    pub const fn badge(&self) -> &Badge {
        &self.badge
    }

    /// Returns the signature, which is not checked.
    #[must_use]
    pub const fn jwt(&self) -> &SignedJwt {
        &self.jwt
    }
}
