//! The private key of the issuer's account.

use order_core::PrivateKey;

use crate::failure::Failure;
use crate::input::Inputs;

/// The environment variable that may hold the issuer's private key.
const ACCOUNT_KEY: &str = "CERT_ACCOUNT_KEY";

/// Reads the private key of the issuer's account from a file, or otherwise from the environment.
pub(crate) fn account_key(inputs: &mut Inputs, file: Option<&str>) -> Result<PrivateKey, Failure> {
    let Some((name, digits)) = inputs.key(file, ACCOUNT_KEY)? else {
        return Err(Failure::new(
            "option-invalid",
            format!(
                "the issuer's private key is missing: name its file with --account-key, or set the environment variable {ACCOUNT_KEY}. `cert key` generates a new key"
            ),
        ));
    };
    digits.parse().map_err(|_| {
        Failure::new(
            "option-invalid",
            format!("{name}: expected a valid private key of 64 hexadecimal digits"),
        )
    })
}
