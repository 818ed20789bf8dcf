//! Declarations of request bodies. The names of fields that a route accepts, the fields that a form keeps as strings, and the API's description
//! come from them. order-core and the use cases parse bodies field by field, so that each field has its own error.
#![allow(
    dead_code,
    non_snake_case,
    reason = "the fields have the API's names; they are only described"
)]

use order_core::{
    Abilities, ActionKind, Address, Amount, AssetId, Capabilities, ClaimText, Expiration, Imprint,
    Priority, SchemaId, Seed, TokenTransfer,
};

use super::field::body;
use super::{AddressOrNone, ClaimOrNone, CompanyInformation, EventKinds, KeyScope, PhoneNumber};

/// The default of an order's flags.
#[cfg(feature = "native")]
fn yes() -> Option<bool> {
    Some(true)
}

body! {
    /// An action. Its kind determines the fields that it needs.
    ///
    /// - 1 create asset: `assetId`, `assetImprint`, `receiverId`
    /// - 2 transfer asset: `assetId`, `receiverId`
    /// - 3 transfer value: `value`, `receiverId`
    /// - 4 update imprint: `assetId`, `assetImprint`
    /// - 5 set abilities: `abilities`, `receiverId`
    /// - 6 destroy asset: `assetId`
    /// - 7 revoke asset: `assetId`
    pub(crate) struct ActionInput {
        kind: ActionKind,
        /// The asset ledger. For kind 3, the token.
        ledgerId: Address,
        #[schemars(with = "AssetId", default)]
        assetId: Option<AssetId>,
        #[schemars(with = "Imprint", default)]
        assetImprint: Option<Imprint>,
        #[schemars(with = "Amount", default)]
        value: Option<Amount>,
        /// The new abilities of the receiver. They replace the receiver's current abilities.
        #[schemars(with = "Abilities", default)]
        abilities: Option<Abilities>,
        /// The receiver of the asset, the value or the abilities. Empty: the wildcard signer.
        #[schemars(with = "AddressOrNone", default)]
        receiverId: Option<AddressOrNone>,
        /// The signer on whose behalf the action is done. Empty: the wildcard signer.
        #[schemars(with = "AddressOrNone", default)]
        senderId: Option<AddressOrNone>,
    }
}

body! {
    /// A signer and its claim. A signer without a claim signs later.
    pub(crate) struct SignerInput {
        accountId: Address,
        #[schemars(with = "ClaimOrNone", default)]
        claim: Option<ClaimOrNone>,
    }
}

body! {
    /// The content that is signed.
    pub(crate) struct OrderInput {
        /// At most 32. May be empty if the wildcard signs.
        signers: Vec<SignerInput>,
        wildcardClaim: Option<SignerInput>,
        /// 1 to 100. If the actions have costs, the last action must pay them: it transfers at least the sum of the costs, in platform
        /// tokens, to the payment receiver.
        actions: Vec<ActionInput>,
        seed: Seed,
        expiration: Expiration,
    }
}

body! {
    /// An actions order.
    pub(crate) struct OrderRequest {
        order: OrderInput,
        priority: Priority,
        /// True: the order is performed as soon as all signers have signed. False: the order waits for PUT perform.
        #[schemars(with = "bool", default = "yes")]
        automatedPerform: Option<bool>,
        /// True: one account that is not a listed signer may sign. This account takes the place of every empty sender and receiver.
        #[schemars(with = "bool", default = "yes")]
        wildcardSigner: Option<bool>,
    }
}

body! {
    /// The caller's signature on the order's hash.
    pub(crate) struct SignRequest {
        claim: ClaimText,
    }
}

body! {
    /// The ledger to deploy.
    pub(crate) struct LedgerDataInput {
        /// At most 255 characters.
        name: String,
        /// At most 255 characters.
        symbol: String,
        /// The start of every asset's URI. After it come the asset's decimal id and `uriPostfix`.
        uriPrefix: String,
        /// May be empty.
        uriPostfix: Option<String>,
        schemaId: SchemaId,
        capabilities: Capabilities,
        /// The account that gets every ability.
        ownerId: Address,
    }
}

body! {
    /// The content that is signed.
    pub(crate) struct DeployInput {
        /// The account that signs and pays for the deployment.
        makerId: Address,
        /// The account that may execute the deployment. Empty: any account.
        #[schemars(with = "AddressOrNone", default)]
        takerId: Option<AddressOrNone>,
        assetLedgerData: LedgerDataInput,
        tokenTransferData: TokenTransfer,
        seed: Seed,
        expiration: Expiration,
    }
}

body! {
    /// A deployment order.
    pub(crate) struct DeploymentRequest {
        /// The maker's signature on the hash. Without a claim, the answer has the status 422 and contains the hash.
        #[schemars(with = "ClaimOrNone", default)]
        claim: Option<ClaimOrNone>,
        deploy: DeployInput,
        priority: Priority,
    }
}

body! {
    /// An approval order. `approve` is an alias of `approval`.
    pub(crate) struct ApprovalRequest {
        /// The owner's or approver's signature on the hash. Without a claim, the answer has the status 422 and contains the hash.
        #[schemars(with = "ClaimOrNone", default)]
        claim: Option<ClaimOrNone>,
        approval: order_core::Approval,
        /// The other name of `approval`, from earlier clients.
        #[schemars(skip)]
        approve: order_core::Approval,
        priority: Priority,
    }
}

body! {
    /// A request for admission.
    pub(crate) struct AdmissionInput {
        /// The organisation's name, at most 100 characters.
        organisation: String,
        /// How the operator reaches the organisation, such as an e-mail address: one line of at most 254 characters.
        contact: String,
        /// Anything else that the operator should know, at most 1,000 characters.
        text: Option<String>,
    }
}

body! {
    /// A deposit.
    pub(crate) struct DepositRequest {
        /// The amount in EUR cents, 1000 to 99999999.
        amount: u64,
        /// True for a payment on the payment provider's own page, to which `checkoutUrl` of the answer leads. Defaults to false: the answer then has
        /// the `clientSecret` for a payment form.
        checkout: Option<bool>,
    }
}

body! {
    /// The billed person or company. Each string has at most 255 characters.
    pub(crate) struct AccountInformationInput {
        firstName: String,
        lastName: String,
        /// A valid e-mail address.
        email: String,
        streetAddress: String,
        postalCode: String,
        city: String,
        country: String,
        isCompany: Option<bool>,
        /// Required if `isCompany` is true.
        companyInformation: Option<CompanyInformation>,
    }
}

body! {
    /// The receiver of events.
    pub(crate) struct WebhookRequest {
        /// A public https address.
        url: String,
        events: EventKinds,
        /// `whsec_` and the base64 of 24 to 64 bytes. Give it if your receiver already knows it: the challenge is then sent at
        /// once. Without it, the service creates the secret, and sends the challenge 10 seconds after the answer.
        secret: Option<String>,
    }
}

body! {
    /// The domain of an issuer.
    pub(crate) struct DomainRequest {
        /// A public host name, such as `uni.example`.
        domain: String,
    }
}

body! {
    /// The reason for a withdrawal.
    pub(crate) struct WithdrawalInput {
        /// Plain text on one line, without `<`, `>`, control characters and invisible characters.
        #[schemars(length(min = 1, max = 280))]
        reason: String,
    }
}

body! {
    /// A file, and the ledger or asset that it belongs to. Other parts of the form are ignored.
    pub(crate) struct FileInput {
        /// The ledger's reference, or its address.
        ledgerRef: String,
        /// The asset to which the file belongs. Without it, the file belongs to the ledger.
        #[schemars(with = "AssetId", default)]
        assetId: Option<AssetId>,
        /// With `metadata`, the file is also served at the asset's URI. With `evidence` or `badge`, it is also served at this URI with
        /// `.evidence` or `.badge` appended. A badge is an Open Badge of the asset that shows public values only. A name needs `assetId`, and a ledger whose `uriPrefix` is `<this service>/files/<the ledger's owner>/<collection>/`.
        #[schemars(with = "FileName", default)]
        name: Option<FileName>,
        /// A JSON object, or a PNG, JPEG or WebP picture. The part's own type and file name are ignored.
        #[schemars(extend("contentMediaType" = "application/octet-stream"))]
        file: String,
    }
}

/// The name of a file. The address of a named file does not depend on its content, so it is known in advance.
#[cfg_attr(
    feature = "native",
    derive(schemars::JsonSchema),
    schemars(rename_all = "camelCase")
)]
pub(crate) enum FileName {
    Metadata,
    Evidence,
    Badge,
}

body! {
    /// A key for register books.
    pub(crate) struct BookKeyInput {
        /// An X25519 public key: 32 bytes as base64url without padding.
        key: String,
        /// The account's signature: `0x` and 130 hexadecimal digits.
        signature: String,
    }
}

body! {
    /// A version of a register book. Other parts of the form are ignored.
    pub(crate) struct BookInput {
        /// The number after the last version, from 1.
        version: String,
        /// The addresses of the accounts that can read the version, separated by commas: 1 to 100.
        readers: String,
        /// The writer's signature: `0x` and 130 hexadecimal digits.
        signature: String,
        /// The cipher text.
        #[schemars(extend("contentMediaType" = "application/octet-stream"))]
        file: String,
    }
}

body! {
    /// The reason for an administrator's call.
    pub(crate) struct ReasonInput {
        /// Plain text on one line, for the audit log.
        #[schemars(length(min = 1, max = 280))]
        reason: String,
    }
}

body! {
    /// The pause of changes.
    pub(crate) struct PauseInput {
        /// The message for clients: plain text on one line.
        #[schemars(length(min = 1, max = 280))]
        message: String,
        /// Plain text on one line, for the audit log.
        #[schemars(length(min = 1, max = 280))]
        reason: String,
    }
}

body! {
    /// An account or a ledger.
    pub(crate) struct AddressInput {
        address: Address,
        /// Plain text on one line, for the audit log.
        #[schemars(length(min = 1, max = 280))]
        reason: String,
    }
}

body! {
    /// Tokens for an account.
    pub(crate) struct GrantInput {
        address: Address,
        /// The tokens in base units, at most 57 digits.
        #[schemars(with = "Amount")]
        amount: Amount,
        /// Plain text on one line, for the audit log.
        #[schemars(length(min = 1, max = 280))]
        reason: String,
    }
}

body! {
    /// A new quota of an account.
    pub(crate) struct QuotaInput {
        address: Address,
        /// The multiple of the usual quota. 1 returns to the usual quota.
        #[schemars(range(min = 1, max = 100))]
        factor: u64,
        /// Plain text on one line, for the audit log.
        #[schemars(length(min = 1, max = 280))]
        reason: String,
    }
}

body! {
    /// A signed EIP-4361 message.
    pub(crate) struct SignInRequest {
        /// The message, at most 2,000 bytes.
        message: String,
        /// The signature by the key of the message's account: `0x` and 130 hex digits.
        signature: String,
        /// True: the answer sets the token in a cookie. Defaults to false.
        #[schemars(with = "bool", default)]
        cookie: Option<bool>,
    }
}

body! {
    /// An API key to create.
    pub(crate) struct ApiKeyRequest {
        /// At most 100 characters.
        name: String,
        scopes: Vec<KeyScope>,
        /// A future time in ISO 8601 format. Without it, the key does not expire.
        #[schemars(with = "String", default)]
        expiresAt: Option<String>,
    }
}

body! {
    /// The account's settings for signing in.
    pub(crate) struct AccountAccessInput {
        /// True if the account accepts the signed Authorization header.
        legacyAuth: bool,
    }
}

body! {
    /// The settings of development instances, for tests.
    pub(crate) struct DevelopmentInput {
        offsetMs: u64,
        step: u64,
    }
}

body! {
    /// An encrypted link.
    pub(crate) struct LinkRequest {
        /// 16 to 16,384 bytes as base64url without padding.
        ciphertext: String,
        /// The days for which the link is kept: 1, 7 or 30.
        days: u64,
    }
}

body! {
    /// The secret that ends a link.
    pub(crate) struct EndLinkRequest {
        endKey: String,
    }
}

body! {
    /// An encrypted credential for a wallet.
    pub(crate) struct WalletOfferRequest {
        /// SHA-256 of the code of the offer's link, 64 lower-case hex digits.
        codeHash: String,
        /// The id of a credential configuration: `open-badge`, `open-badge-jwt` or `sd-jwt`.
        configuration: String,
        /// 16 to 65,536 bytes as base64url without padding.
        ciphertext: String,
        /// The days for which the offer waits: 1 or 7.
        days: u64,
    }
}

body! {
    /// A wallet's request for the credential of its token.
    pub(crate) struct CredentialRequest {
        credential_configuration_id: String,
    }
}

body! {
    /// Certificates that need a place in a status list.
    pub(crate) struct StatusEntriesRequest {
        /// 1 to 1,000.
        entries: Vec<StatusEntryInput>,
    }
}

body! {
    /// A certificate. Its asset need not exist yet.
    pub(crate) struct StatusEntryInput {
        assetId: AssetId,
        /// 64 hex digits, with or without `aih2:` before them.
        imprint: String,
    }
}

// Shapes that order-core and answers share with bodies.
body! { order_core::TokenTransfer { ledgerId: Address, receiverId: AddressOrNone, value: Amount } }
body! {
    order_core::Approval {
        kind: u64,
        ledgerId: Address,
        owner: Address,
        operator: Address,
        isOperator: bool,
        tokenTransferData: TokenTransfer,
        approver: Address,
        spender: Address,
        value: Amount,
        feeRecipient: AddressOrNone,
        feeValue: Amount,
        seed: Seed,
        expiration: Expiration,
    }
}
body! {
    CompanyInformation {
        name: String,
        streetAddress: String,
        postalCode: String,
        city: String,
        country: String,
        taxNumber: String,
        phoneNumber: PhoneNumber,
    }
}
