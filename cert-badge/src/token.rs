//! The bits of a status list as a token of the IETF, for readers of SD-JWTs (draft-ietf-oauth-status-list). It has the same places as the list of the W3C, but
//! counts them from the other end of each byte, and compresses them by zlib instead of gzip.

use base64ct::{Base64UrlUnpadded, Encoding as _};
use miniz_oxide::deflate::compress_to_vec_zlib;
use serde::{Deserialize, Serialize};

use crate::badge::json_of;
use crate::did::did;
use crate::jwt::{Algorithm, UnsignedJwt};
use crate::refusal::Refusal;
use crate::status::{LEVEL, ListFacts, decode};

/// Seconds after which a reader should fetch the token again, as for the list.
const FRESH_SECONDS: u32 = 60;

#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
enum Kind {
    #[serde(rename = "statuslist+jwt")]
    StatusList,
}

#[derive(Serialize)]
struct Claims<'a> {
    /// The service, whose `did.json` lists the key.
    iss: String,
    /// The address of the list.
    sub: &'a str,
    iat: u64,
    exp: u64,
    ttl: u32,
    status_list: Bits,
}

#[derive(Serialize)]
struct Bits {
    /// The bits of a place.
    bits: u8,
    lst: String,
}

/// Makes the token of a list, without a signature. The service signs it with its key of Ed25519, whose id is `key_id`.
///
/// # Errors
///
/// [`Refusal::Malformed`] if [`encode`](crate::encode) did not write the bits.
pub fn status_token(facts: &ListFacts<'_>, key_id: &str) -> Result<UnsignedJwt, Refusal> {
    let bytes = decode(facts.encoded).ok_or(Refusal::Malformed("lst"))?;
    // The first place is the rightmost bit of the first byte.
    let bytes: Vec<u8> = bytes.into_iter().map(u8::reverse_bits).collect();
    let seconds = |milliseconds: u64| milliseconds.div_euclid(1_000);
    let claims = json_of(&Claims {
        iss: did(facts.host),
        sub: facts.address,
        iat: seconds(facts.from),
        exp: seconds(facts.until),
        ttl: FRESH_SECONDS,
        status_list: Bits {
            bits: 1,
            lst: Base64UrlUnpadded::encode_string(&compress_to_vec_zlib(&bytes, LEVEL)),
        },
    });
    Ok(UnsignedJwt::new(
        Algorithm::EdDsa,
        Kind::StatusList,
        key_id,
        &claims,
    ))
}
