//! Who vouches for the account that issued an asset.

mod standing;

#[cfg_attr(
    not(test),
    expect(unused_imports, reason = "no check confirms an account yet")
)]
pub(crate) use standing::Confirmation;
pub(crate) use standing::IssuerStanding;
