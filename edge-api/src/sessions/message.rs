//! Checks a sign-in message (EIP-4361) and its signature.

use order_core::{Address, Claim, Code, Field, SignInMessage};
use serde_json::Value;

use super::challenge::{chain_of, expiry, host_of};
use crate::context::Context;
use crate::failure::{Failure, Problem};
use crate::ledger::Identity;
use crate::text::{moment, shortened};

/// Maximum bytes of a message.
const MESSAGE_MAX: usize = 2_000;
/// Maximum bytes of a wrong value that an error message repeats.
const SHOWN: usize = 100;
/// Maximum difference between a message's time of issue and the service's time, in milliseconds.
const ISSUED_MAX_MS: u64 = 15 * 60_000;
/// Number of hex digits of a signature made by a private key. A longer signature belongs to a smart account, and is refused.
const SIGNATURE_DIGITS: usize = 130;

/// The nonce of a verified message. Starting the session uses up the nonce.
#[derive(Clone, Debug)]
pub(crate) struct SignIn {
    pub(super) nonce: String,
    pub(super) nonce_expires_at: u64,
}

/// Returns the account that signed the message in the body, and the message's nonce. Fails if the message is not for this
/// service, is not valid now, or is not signed by its account. The signature is checked last, because this check costs the
/// most.
pub(crate) fn verify(
    ctx: &Context<'_>,
    identity: &Identity,
    origin: &str,
    body: &Value,
) -> Result<(Address, SignIn), Failure> {
    let body = Field::body(body);
    let field = body.get("message");
    let expected = "an EIP-4361 message of at most 2000 bytes";
    let text = field.text().filter(|text| text.len() <= MESSAGE_MAX);
    let text = text.ok_or_else(|| field.wrong(Code::SignInNotValid, expected))?;
    let message = SignInMessage::parse(text).map_err(|error| not_valid(error.to_string()))?;
    let errors = differences(&message, ctx.now(), origin, chain_of(identity));
    if !errors.is_empty() {
        return Err(Failure::new(errors));
    }
    let nonce_expires_at = expiry(&identity.instance.id, origin, ctx.now(), message.nonce)
        .ok_or_else(nonce_not_valid)?;
    check_signature(&body.get("signature"), text, message.address)?;
    let nonce = message.nonce.to_owned();
    let sign_in = SignIn {
        nonce,
        nonce_expires_at,
    };
    Ok((message.address, sign_in))
}

fn not_valid(why: String) -> Problem {
    Problem {
        code: Code::SignInNotValid,
        path: "message".to_owned(),
        message: format!("`message` is not valid: {why}"),
    }
}

pub(super) fn nonce_not_valid() -> Failure {
    Failure::one(
        Code::NonceNotValid,
        "message",
        Code::NonceNotValid.message(),
    )
}

/// Returns an error for each field of a message whose value differs from what the service expects.
fn differences(message: &SignInMessage<'_>, now: u64, origin: &str, chain: u64) -> Vec<Problem> {
    let mut errors = Vec::new();
    let mut expect = |is_met: bool, name: &str, found: &str, expected: &str| {
        if !is_met {
            let found = shortened(found, SHOWN);
            errors.push(not_valid(format!(
                "its {name} is `{found}` instead of {expected}"
            )));
        }
    };
    let host = host_of(origin);
    let is_domain = message.domain.eq_ignore_ascii_case(host);
    expect(is_domain, "domain", message.domain, &format!("`{host}`"));
    if let Some(scheme) = message.scheme {
        let is_scheme = origin
            .split_once("://")
            .is_some_and(|(own, _)| own == scheme);
        expect(
            is_scheme,
            "scheme",
            scheme,
            &format!("the scheme of `{origin}`"),
        );
    }
    let rest = message.uri.strip_prefix(origin);
    let is_own = rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['/', '?', '#']));
    expect(is_own, "URI", message.uri, &format!("a URI of `{origin}`"));
    let is_chain = message.chain_id.parse() == Ok(chain);
    expect(
        is_chain,
        "chain ID",
        message.chain_id,
        &format!("`{chain}`"),
    );
    let is_near = |time: u64| time.abs_diff(now) <= ISSUED_MAX_MS;
    let is_issued = milliseconds(message.issued_at).is_some_and(is_near);
    expect(
        is_issued,
        "time of issue",
        message.issued_at,
        "a time within 15 minutes of now",
    );
    if let Some(end) = message.expiration_time {
        let is_before = milliseconds(end).is_some_and(|end| now < end);
        expect(is_before, "expiration time", end, "a future time");
    }
    if let Some(start) = message.not_before {
        let has_begun = milliseconds(start).is_some_and(|start| start <= now);
        expect(
            has_begun,
            "start",
            start,
            "a time that is not in the future",
        );
    }
    errors
}

/// Parses a date and time, and returns it in milliseconds since 1970. Returns `None` if the string
/// is not valid or the time is before 1970.
fn milliseconds(text: &str) -> Option<u64> {
    let nanoseconds = moment(text)?.unix_timestamp_nanos();
    u64::try_from(nanoseconds.checked_div(1_000_000)?).ok()
}

/// Checks that the key of `account` signed the message `text`.
fn check_signature(field: &Field<'_>, text: &str, account: Address) -> Result<(), Failure> {
    let expected = "`0x` and 130 hexadecimal digits";
    let Some(signature) = field.text() else {
        return Err(field.wrong(Code::SignatureNotValid, expected).into());
    };
    let is_longer = |digits: &str| {
        digits.len() > SIGNATURE_DIGITS && digits.bytes().all(|byte| byte.is_ascii_hexdigit())
    };
    if signature.strip_prefix("0x").is_some_and(is_longer) {
        return Err(Failure::one(
            Code::ContractSignature,
            "signature",
            Code::ContractSignature.message(),
        ));
    }
    let refused = |why: &str| {
        Failure::one(
            Code::SignatureNotValid,
            "signature",
            format!("`signature` {why}"),
        )
    };
    let signer = Claim::of_text(signature).and_then(|claim| claim.recover_text(text));
    match signer {
        Ok(signer) if signer == account => Ok(()),
        Ok(_) => Err(refused(
            "must be made with the key of the message's account, over exactly this message; a smart account has no such key",
        )),
        Err(_) => Err(refused(&format!(
            "must be {expected}, made by `personal_sign`"
        ))),
    }
}
