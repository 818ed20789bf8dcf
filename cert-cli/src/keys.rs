//! Reads keys and secrets of AIH-2. Keys and secrets are never arguments, because other users of the machine can see arguments.

use cert_core::aih2::{DocumentKey, Keys, Secret};
use zeroize::Zeroizing;

use crate::arguments::Common;
use crate::failure::Failure;
use crate::input::Inputs;

/// The environment variable that may hold a document key.
const VARIABLE: &str = "CERT_KEY";

/// Returns a new random key in hexadecimal digits.
pub(crate) fn draw() -> Result<String, Failure> {
    let mut bytes = Zeroizing::new([0; 32]);
    getrandom::fill(bytes.as_mut_slice()).map_err(|error| {
        Failure::new(
            "random-failed",
            format_args!("the operating system provided no random bytes: {error}"),
        )
    })?;
    Ok(hex(bytes.as_slice()))
}

/// Returns bytes as lower-case hexadecimal digits.
pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Reads the secret of `--secret-file`, otherwise the key of `--key` or of the environment variable. Fails if all of them are missing.
pub(crate) fn read(
    inputs: &mut Inputs,
    common: &Common,
    key: Option<&str>,
) -> Result<Keys, Failure> {
    if let Some(file) = &common.secret_file {
        let secret = Zeroizing::new(inputs.bytes(file)?);
        let asset = common.asset_id.clone().unwrap_or_default();
        let secret = Secret::new(&secret, asset).map_err(|error| Failure::of(file, error))?;
        return Ok(Keys::Secret(secret));
    }
    let Some((name, digits)) = inputs.key(key, VARIABLE)? else {
        return Err(Failure::new(
            "option-invalid",
            format_args!(
                "AIH-2 needs the document's key: generate one with `cert key > key`, keep it, and pass it with --key or \
                 in the environment variable {VARIABLE}. Alternatively, pass a secret with --secret-file"
            ),
        ));
    };
    let key = DocumentKey::from_hex(&digits).map_err(|error| Failure::of(name, error))?;
    Ok(Keys::Key(key))
}
