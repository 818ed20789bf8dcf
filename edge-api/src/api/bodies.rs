//! Request bodies, used only to generate the API description. order-core and the use cases parse bodies field by field, so that each field
//! has its own error.
#![allow(dead_code, reason = "the schemas are derived from the fields")]

use order_core::{
    Abilities, ActionKind, Address, Amount, AssetId, Capabilities, ClaimText, Expiration, Imprint,
    Priority, SchemaId, Seed, TokenTransfer,
};
use schemars::JsonSchema;

use super::{AddressOrNone, ClaimOrNone, CompanyInformation, EventKinds, KeyScope};

/// The default of an order's flags.
fn yes() -> Option<bool> {
    Some(true)
}

/// An action. Its kind determines the fields that it needs.
///
/// - 1 create asset: `assetId`, `assetImprint`, `receiverId`
/// - 2 transfer asset: `assetId`, `receiverId`
/// - 3 transfer value: `value`, `receiverId`
/// - 4 update imprint: `assetId`, `assetImprint`
/// - 5 set abilities: `abilities`, `receiverId`
/// - 6 destroy asset: `assetId`
#[derive(JsonSchema)]
#[schemars(rename_all = "camelCase")]
pub(crate) struct ActionInput {
    pub(crate) kind: ActionKind,
    /// The asset ledger. For kind 3, the token.
    pub(crate) ledger_id: Address,
    #[schemars(with = "AssetId", default)]
    pub(crate) asset_id: Option<AssetId>,
    #[schemars(with = "Imprint", default)]
    pub(crate) asset_imprint: Option<Imprint>,
    #[schemars(with = "Amount", default)]
    pub(crate) value: Option<Amount>,
    /// The new abilities of the receiver. They replace the receiver's current abilities.
    #[schemars(with = "Abilities", default)]
    pub(crate) abilities: Option<Abilities>,
    /// The receiver of the asset, the value or the abilities. Empty: the wildcard signer.
    #[schemars(with = "AddressOrNone", default)]
    pub(crate) receiver_id: Option<AddressOrNone>,
    /// The signer on whose behalf the action is done. Empty: the wildcard signer.
    #[schemars(with = "AddressOrNone", default)]
    pub(crate) sender_id: Option<AddressOrNone>,
}

/// A signer and its claim. A signer without a claim signs later.
#[derive(JsonSchema)]
#[schemars(rename_all = "camelCase")]
pub(crate) struct SignerInput {
    pub(crate) account_id: Address,
    #[schemars(with = "ClaimOrNone", default)]
    pub(crate) claim: Option<ClaimOrNone>,
}

/// The content that is signed.
#[derive(JsonSchema)]
#[schemars(rename_all = "camelCase")]
pub(crate) struct OrderInput {
    /// At most 32. May be empty if the wildcard signs.
    pub(crate) signers: Vec<SignerInput>,
    pub(crate) wildcard_claim: Option<SignerInput>,
    /// 1 to 100. If the actions have costs, the last action must pay them: it transfers at least the sum of the costs, in platform
    /// tokens, to the payment receiver.
    pub(crate) actions: Vec<ActionInput>,
    pub(crate) seed: Seed,
    pub(crate) expiration: Expiration,
}

/// An actions order.
#[derive(JsonSchema)]
#[schemars(rename_all = "camelCase")]
pub(crate) struct OrderRequest {
    pub(crate) order: OrderInput,
    pub(crate) priority: Priority,
    /// True: the order is performed as soon as all signers have signed. False: the order waits for PUT perform.
    #[schemars(with = "bool", default = "yes")]
    pub(crate) automated_perform: Option<bool>,
    /// True: one account that is not a listed signer may sign. This account takes the place of every empty sender and receiver.
    #[schemars(with = "bool", default = "yes")]
    pub(crate) wildcard_signer: Option<bool>,
}

/// The caller's signature on the order's hash.
#[derive(JsonSchema)]
#[schemars(rename_all = "camelCase")]
pub(crate) struct SignRequest {
    pub(crate) claim: ClaimText,
}

/// The ledger to deploy.
#[derive(JsonSchema)]
#[schemars(rename_all = "camelCase")]
pub(crate) struct LedgerDataInput {
    /// At most 255 characters.
    pub(crate) name: String,
    /// At most 255 characters.
    pub(crate) symbol: String,
    /// The start of every asset's URI. After it come the asset's decimal id and `uriPostfix`.
    pub(crate) uri_prefix: String,
    /// May be empty.
    pub(crate) uri_postfix: Option<String>,
    pub(crate) schema_id: SchemaId,
    pub(crate) capabilities: Capabilities,
    /// The account that gets every ability.
    pub(crate) owner_id: Address,
}

/// The content that is signed.
#[derive(JsonSchema)]
#[schemars(rename_all = "camelCase")]
pub(crate) struct DeployInput {
    /// The account that signs and pays for the deployment.
    pub(crate) maker_id: Address,
    /// The account that may execute the deployment. Empty: any account.
    #[schemars(with = "AddressOrNone", default)]
    pub(crate) taker_id: Option<AddressOrNone>,
    pub(crate) asset_ledger_data: LedgerDataInput,
    pub(crate) token_transfer_data: TokenTransfer,
    pub(crate) seed: Seed,
    pub(crate) expiration: Expiration,
}

/// A deployment order.
#[derive(JsonSchema)]
#[schemars(rename_all = "camelCase")]
pub(crate) struct DeploymentRequest {
    /// The maker's signature on the hash. Without a claim, the answer has the status 422 and contains the hash.
    #[schemars(with = "ClaimOrNone", default)]
    pub(crate) claim: Option<ClaimOrNone>,
    pub(crate) deploy: DeployInput,
    pub(crate) priority: Priority,
}

/// An approval order. `approve` is an alias of `approval`.
#[derive(JsonSchema)]
#[schemars(rename_all = "camelCase")]
pub(crate) struct ApprovalRequest {
    /// The owner's or approver's signature on the hash. Without a claim, the answer has the status 422 and contains the hash.
    #[schemars(with = "ClaimOrNone", default)]
    pub(crate) claim: Option<ClaimOrNone>,
    pub(crate) approval: order_core::Approval,
    pub(crate) priority: Priority,
}

/// A deposit.
#[derive(JsonSchema)]
#[schemars(rename_all = "camelCase")]
pub(crate) struct DepositRequest {
    /// The amount in EUR cents, 1000 to 99999999.
    pub(crate) amount: u64,
}

/// The billed person or company. Each string has at most 255 characters.
#[derive(JsonSchema)]
#[schemars(rename_all = "camelCase")]
pub(crate) struct AccountInformationInput {
    pub(crate) first_name: String,
    pub(crate) last_name: String,
    /// A valid e-mail address.
    pub(crate) email: String,
    pub(crate) street_address: String,
    pub(crate) postal_code: String,
    pub(crate) city: String,
    pub(crate) country: String,
    pub(crate) is_company: Option<bool>,
    /// Required if `isCompany` is true.
    pub(crate) company_information: Option<CompanyInformation>,
}

/// The receiver of events.
#[derive(JsonSchema)]
#[schemars(rename_all = "camelCase")]
pub(crate) struct WebhookRequest {
    /// A public https address.
    pub(crate) url: String,
    pub(crate) events: EventKinds,
    /// `whsec_` and the base64 of 24 to 64 bytes. Give it if your receiver already knows it: the challenge is then sent at
    /// once. Without it, the service creates the secret, and sends the challenge 10 seconds after the answer.
    pub(crate) secret: Option<String>,
}

/// The domain of an issuer.
#[derive(JsonSchema)]
#[schemars(rename_all = "camelCase")]
pub(crate) struct DomainRequest {
    /// A public host name, such as `uni.example`.
    pub(crate) domain: String,
}

/// The reason for a withdrawal.
#[derive(JsonSchema)]
pub(crate) struct WithdrawalInput {
    /// Plain text on one line, without `<`, `>`, control characters and invisible characters.
    #[schemars(length(min = 1, max = 280))]
    pub(crate) reason: String,
}

/// A file, and the ledger or asset that it belongs to. Other parts of the form are ignored.
#[derive(JsonSchema)]
#[schemars(rename_all = "camelCase")]
pub(crate) struct FileInput {
    /// The ledger's reference, or its address.
    pub(crate) ledger_ref: String,
    /// The asset to which the file belongs. Without it, the file belongs to the ledger.
    #[schemars(with = "AssetId", default)]
    pub(crate) asset_id: Option<AssetId>,
    /// With `metadata`, the file is also served at the asset's URI. With `evidence`, it is also served at this URI with `.evidence`
    /// appended. A name needs `assetId`, and a ledger whose `uriPrefix` is `<this service>/files/<the ledger's owner>/<collection>/`.
    #[schemars(with = "FileName", default)]
    pub(crate) name: Option<FileName>,
    /// A JSON object, or a PNG, JPEG or WebP picture. The part's own type and file name are ignored.
    #[schemars(extend("contentMediaType" = "application/octet-stream"))]
    pub(crate) file: String,
}

/// The name of a file. The address of a named file does not depend on its content, so it is known in advance.
#[derive(JsonSchema)]
#[schemars(rename_all = "camelCase")]
pub(crate) enum FileName {
    Metadata,
    Evidence,
}

/// The reason for an administrator's call.
#[derive(JsonSchema)]
pub(crate) struct ReasonInput {
    /// Plain text on one line, for the audit log.
    #[schemars(length(min = 1, max = 280))]
    pub(crate) reason: String,
}

/// The pause of changes.
#[derive(JsonSchema)]
pub(crate) struct PauseInput {
    /// The message for clients: plain text on one line.
    #[schemars(length(min = 1, max = 280))]
    pub(crate) message: String,
    /// Plain text on one line, for the audit log.
    #[schemars(length(min = 1, max = 280))]
    pub(crate) reason: String,
}

/// An account or a ledger.
#[derive(JsonSchema)]
pub(crate) struct AddressInput {
    pub(crate) address: Address,
    /// Plain text on one line, for the audit log.
    #[schemars(length(min = 1, max = 280))]
    pub(crate) reason: String,
}

/// Tokens for an account.
#[derive(JsonSchema)]
pub(crate) struct GrantInput {
    pub(crate) address: Address,
    /// The tokens in base units, at most 57 digits.
    #[schemars(with = "Amount")]
    pub(crate) amount: Amount,
    /// Plain text on one line, for the audit log.
    #[schemars(length(min = 1, max = 280))]
    pub(crate) reason: String,
}

/// A new quota of an account.
#[derive(JsonSchema)]
pub(crate) struct QuotaInput {
    pub(crate) address: Address,
    /// The multiple of the usual quota. 1 returns to the usual quota.
    #[schemars(range(min = 1, max = 100))]
    pub(crate) factor: u64,
    /// Plain text on one line, for the audit log.
    #[schemars(length(min = 1, max = 280))]
    pub(crate) reason: String,
}

/// A signed EIP-4361 message.
#[derive(JsonSchema)]
#[schemars(rename_all = "camelCase")]
pub(crate) struct SignInRequest {
    /// The message, at most 2,000 bytes.
    pub(crate) message: String,
    /// The signature by the key of the message's account: `0x` and 130 hex digits.
    pub(crate) signature: String,
    /// True: the answer sets the token in a cookie. Defaults to false.
    #[schemars(with = "bool", default)]
    pub(crate) cookie: Option<bool>,
}

/// An API key to create.
#[derive(JsonSchema)]
#[schemars(rename_all = "camelCase")]
pub(crate) struct ApiKeyRequest {
    /// At most 100 characters.
    pub(crate) name: String,
    pub(crate) scopes: Vec<KeyScope>,
    /// A future time in ISO 8601 format. Without it, the key does not expire.
    #[schemars(with = "String", default)]
    pub(crate) expires_at: Option<String>,
}

/// The account's settings for signing in.
#[derive(JsonSchema)]
#[schemars(rename_all = "camelCase")]
pub(crate) struct AccountAccessInput {
    /// True if the account accepts the signed Authorization header.
    pub(crate) legacy_auth: bool,
}
