//! Deployments: orders for a new asset ledger.

use alloc::boxed::Box;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use alloy_primitives::B256;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::claim::ClaimText;
use crate::draft::{Draft, Unsigned};
use crate::error::{Code, FieldError};
use crate::fields::{Field, Reader};

use crate::transfer::{TokenTransfer, TransferCodes};
use crate::types::{Address, Capabilities, Expiration, Expiry, Priority, SchemaId, Seed};

/// The maximum number of characters of a ledger's name and of its symbol.
pub const MAX_NAME_CHARS: usize = 255;
/// The maximum number of characters of a ledger's URI prefix and of its postfix.
pub const MAX_URI_CHARS: usize = 2048;

/// A request to POST /deployments. Source: `docs/interface.md`, "Deployment order".
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct DeploymentRequest {
    /// The priority.
    pub priority: Priority,
    /// The maker's claim.
    pub claim: ClaimText,
    /// The deployment itself.
    pub deploy: Deploy,
}

/// An order for a new asset ledger.
///
/// Serializes as the `deploy` of requests and answers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(
    feature = "schema",
    schemars(description = "The content that was signed.")
)]
#[serde(rename_all = "camelCase")]
pub struct Deploy {
    /// The account that requests the ledger and pays.
    pub maker_id: Address,
    /// The only account that may execute the deployment. Null if any account may.
    #[serde(default)]
    pub taker_id: Option<Address>,
    /// The ledger to create.
    pub asset_ledger_data: LedgerData,
    /// The payment.
    pub token_transfer_data: TokenTransfer,
    /// The salt of the deployment's hash.
    pub seed: Seed,
    /// The last second in which the deployment is valid.
    pub expiration: Expiration,
}

/// The data of a new ledger.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(description = "The ledger to deploy."))]
#[serde(rename_all = "camelCase")]
pub struct LedgerData {
    /// The ledger's name.
    pub name: String,
    /// The ledger's symbol.
    pub symbol: String,
    /// The text before an asset's id in its URI. The id is in decimal.
    pub uri_prefix: String,
    /// The text after an asset's id in its URI. May be empty.
    pub uri_postfix: String,
    /// The schema of the ledger's assets.
    pub schema_id: SchemaId,
    /// The capabilities of the ledger.
    pub capabilities: Capabilities,
    /// The account that gets every ability on the ledger.
    pub owner_id: Address,
}

impl Deploy {
    /// The rule by which the deployment's expiration is compared with the time.
    pub const EXPIRY: Expiry = Expiry::Inclusive;

    /// Returns the first moment at which the deployment is no longer valid, in milliseconds of UNIX time.
    #[must_use]
    pub const fn ends_at(&self) -> u64 {
        self.expiration.ends_at(Self::EXPIRY)
    }
}

impl DeploymentRequest {
    /// Reads the body of a signed deployment. `now_ms` is the current UNIX time in milliseconds.
    ///
    /// # Errors
    ///
    /// All errors of all fields. The claim is not verified: see [`DeploymentRequest::verify_claim`].
    pub fn parse(body: &Value, now_ms: u64) -> Result<DeploymentRequest, Vec<FieldError>> {
        DeploymentRequest::read(body, now_ms)?.into_signed()
    }

    /// Reads a body that may lack its claim. `now_ms` is the current UNIX time in milliseconds.
    ///
    /// # Errors
    ///
    /// All errors of all fields. A body in which only the claim is missing is not an error: the result is an unsigned draft.
    pub fn read(body: &Value, now_ms: u64) -> Result<Draft<DeploymentRequest>, Vec<FieldError>> {
        let mut reader = Reader::default();
        let body = Field::body(body);
        let priority = reader.number(&body.get("priority"), Code::FieldNotValid);
        let claim = reader.claim(&body.get("claim"), Code::DeployClaimMissing);
        let deploy = body.get("deploy");
        let deploy = reader
            .object(&deploy, Code::DeployMissing)
            .and_then(|()| read_deploy(&mut reader, &deploy, now_ms));
        let unsigned = |deploy| Unsigned::Deployment(Box::new(deploy));
        Draft::of(reader, claim, deploy, unsigned, |claim, deploy| {
            Some(DeploymentRequest {
                priority: priority?,
                claim,
                deploy,
            })
        })
    }

    /// Checks that the maker signed `hash`.
    ///
    /// # Errors
    ///
    /// 400001 if the claim is not the maker's signature of `hash`.
    pub fn verify_claim(&self, hash: &B256) -> Result<(), FieldError> {
        let maker = self.deploy.maker_id;
        self.claim
            .check(hash, maker, Code::SignatureNotValid, "claim")
    }
}

fn read_deploy(reader: &mut Reader, at: &Field<'_>, now_ms: u64) -> Option<Deploy> {
    let maker_id = reader.value(
        &at.get("makerId"),
        &[Code::DeployMakerNotValid],
        Code::DeployMakerNotValid,
    );
    let taker = at.get("takerId");
    let taker_id = reader.optional(&taker, Code::DeployTakerNotValid);
    let data = at.get("assetLedgerData");
    let asset_ledger_data = reader
        .object(&data, Code::DeployLedgerDataMissing)
        .and_then(|()| read_ledger_data(reader, &data));
    let codes = TransferCodes {
        missing: Code::DeployTransferMissing,
        ledger_missing: Code::DeployTokenMissing,
        ledger_not_valid: Code::DeployTokenNotValid,
        receiver_missing: if taker.text().is_some() {
            Code::DeployReceiverMissing
        } else {
            Code::DeployReceiverNotValid
        },
        receiver_not_valid: Code::DeployReceiverNotValid,
        value: Code::DeployValueMissing,
    };
    let token_transfer_data = TokenTransfer::read(reader, &at.get("tokenTransferData"), &codes);
    // The interface specification has no code for a deployment's seed. This code is for a deployment that cannot be created.
    let seed = reader.number(&at.get("seed"), Code::DeployCreationFailed);
    let expiration = reader.lasting(
        &at.get("expiration"),
        Code::DeployExpirationMissing,
        Code::DeployCreationFailed,
        Deploy::EXPIRY,
        now_ms,
    );
    Some(Deploy {
        maker_id: maker_id?,
        taker_id: taker_id?,
        asset_ledger_data: asset_ledger_data?,
        token_transfer_data: token_transfer_data?,
        seed: seed?,
        expiration: expiration?,
    })
}

fn read_ledger_data(reader: &mut Reader, at: &Field<'_>) -> Option<LedgerData> {
    let mut text = |key, missing, most| {
        let field = at.get(key);
        let text = reader.text(&field, missing)?;
        short(reader, &field, text, most)
    };
    let name = text("name", Code::DeployNameMissing, MAX_NAME_CHARS);
    let symbol = text("symbol", Code::DeploySymbolMissing, MAX_NAME_CHARS);
    let uri_prefix = text("uriPrefix", Code::DeployUriPrefixMissing, MAX_URI_CHARS);
    let field = at.get("uriPostfix");
    let uri_postfix = short(
        reader,
        &field,
        field.text().unwrap_or_default(),
        MAX_URI_CHARS,
    );
    let schema_id = reader.value(
        &at.get("schemaId"),
        &[Code::DeploySchemaIdMissing],
        Code::DeploySchemaIdMissing,
    );
    let capabilities = reader.numbers(
        &at.get("capabilities"),
        Capabilities::from_list,
        Code::DeployCapabilitiesMissing,
        Code::DeployCapabilitiesNotValid,
    );
    let owner_id = reader.value(
        &at.get("ownerId"),
        &[Code::DeployOwnerMissing],
        Code::DeployOwnerNotValid,
    );
    Some(LedgerData {
        name: name?,
        symbol: symbol?,
        uri_prefix: uri_prefix?,
        uri_postfix: uri_postfix?,
        schema_id: schema_id?,
        capabilities: capabilities?,
        owner_id: owner_id?,
    })
}

/// Returns the text if it has at most `most` characters. Otherwise, adds an error.
fn short(reader: &mut Reader, field: &Field<'_>, text: &str, most: usize) -> Option<String> {
    if text.chars().count() <= most {
        return Some(text.into());
    }
    let expected = format!("text of at most {most} characters");
    reader.push(field.wrong(Code::FieldNotValid, &expected));
    None
}

#[cfg(test)]
mod tests;
