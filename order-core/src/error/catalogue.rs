//! The table of every error code.
//!
//! A code's first three digits are the class of its HTTP status; [`Code::http_status`] holds the exceptions. Codes,
//! meanings and order are those of the interface specification, section "Error codes"; the last group is this
//! service's own.

macro_rules! catalogue {
    ($($name:ident = $number:literal, $message:literal;)*) => {
        /// A code of the catalogue: what a caller can rely on to tell errors apart.
        ///
        /// Source: the interface specification, section "Error codes", and this service's own codes.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[repr(u32)]
        #[non_exhaustive]
        pub enum Code {
            $(#[doc = $message] $name = $number,)*
        }

        /// Every code, in the order of the table.
        pub(super) const ALL: &[Code] = &[$(Code::$name),*];

        /// The code's meaning as a sentence.
        pub(super) const fn message(code: Code) -> &'static str {
            match code {
                $(Code::$name => $message,)*
            }
        }
    };
}

catalogue! {
    InvalidPath = 400000, "There is no such path: /openapi.json lists all of them.";
    Unhandled = 500000, "The service failed in a way it did not foresee.";
    SignatureNotValid = 400001, "The provided signature is not valid.";
    RequestNotFound = 400002, "The request does not exist.";
    DeploymentNotFound = 400003, "The deployment does not exist.";
    LedgerNotFound = 400004, "The ledger does not exist.";
    AssetNotFound = 400005, "The asset does not exist.";
    DeployCreationFailed = 400007, "The deployment cannot be created.";
    OrderNotReady = 400008, "The order is not ready to be performed: not everybody has signed it.";
    NotASigner = 400009, "The account is not specified as a signer of the order, and only those sign and cancel it.";
    ClaimMissing = 400010, "A claim must be present to sign an order.";
    OrderNotFound = 400011, "The order does not exist.";
    AlreadyClaimed = 400012, "The order has already been claimed by this account.";
    OrderStateNotValid = 400013, "The order is not in the correct state for this action.";
    AccountNotIdentified = 400014, "The account is not identified: provide its information through PUT /account first.";
    BadgeAssetNotFound = 400016, "The asset was not found or has no URI set.";
    BadgeDataUnavailable = 400017, "The data that the asset's URI should lead to could not be fetched.";
    ApproveCreationFailed = 400018, "The approval cannot be created.";
    BadgeImageUnavailable = 400019, "The badge image could not be fetched.";
    ApprovalNotFound = 400020, "The approval does not exist.";
    OrderMakerMissing = 422001, "The order has no maker: it lists no signer and has no wildcard signer.";
    OrderSeedMissing = 422002, "The order's seed is missing.";
    OrderExpirationMissing = 422003, "The order's expiration is missing.";
    ActionLedgerMissing = 422004, "The action's ledgerId is missing.";
    ActionAssetIdMissing = 422005, "The action's assetId is missing.";
    ActionImprintMissing = 422006, "The action's assetImprint is missing.";
    ActionValueMissing = 422007, "The action's value is missing.";
    DeployClaimMissing = 422008, "The deployment request's claim is missing.";
    OrderMissing = 422009, "The order request's order is missing.";
    OrderPriorityMissing = 422010, "The order request's priority is missing.";
    OrderStatusMissing = 422011, "The order request's status is missing.";
    OrderPaymentNotValid = 422012, "The order's payment is not valid.";
    AssetIdNotUnique = 422013, "The asset's id is not unique on the selected ledger.";
    AssetIdMissing = 422023, "The asset's id is missing.";
    AssetImprintMissing = 422024, "The asset's imprint is missing.";
    AssetLedgerMissing = 422036, "The asset's ledgerId is missing.";
    DeployTakerNotValid = 422037, "The deployment request's takerId is not valid.";
    DeployMissing = 422038, "The deployment request's deploy is missing.";
    DeployLedgerDataMissing = 422039, "The deployment's assetLedgerData is missing.";
    DeployNameMissing = 422040, "The deployment's assetLedgerData.name is missing.";
    DeploySymbolMissing = 422041, "The deployment's assetLedgerData.symbol is missing.";
    DeployUriPrefixMissing = 422043, "The deployment's assetLedgerData.uriPrefix is missing.";
    DeploySchemaIdMissing = 422044, "The deployment's assetLedgerData.schemaId is missing.";
    DeployCapabilitiesMissing = 422045, "The deployment's assetLedgerData.capabilities are missing.";
    DeployCapabilitiesNotValid = 422046, "The deployment's assetLedgerData.capabilities are not valid.";
    DeployOwnerMissing = 422047, "The deployment's assetLedgerData.ownerId is missing.";
    DeployOwnerNotValid = 422048, "The deployment's assetLedgerData.ownerId is not valid.";
    DeployTransferMissing = 422049, "The deployment's tokenTransferData is missing.";
    DeployTokenMissing = 422050, "The deployment's tokenTransferData.ledgerId is missing.";
    DeployTokenNotValid = 422051, "The deployment's tokenTransferData.ledgerId is not valid.";
    DeployMakerNotValid = 422052, "The deployment's makerId is not valid.";
    DeployReceiverNotValid = 422053, "The deployment's tokenTransferData.receiverId is not valid.";
    DeployValueMissing = 422054, "The deployment's tokenTransferData.value is missing.";
    DeployPaymentNotValid = 422055, "The deployment's payment is not valid.";
    ActionPartyMissing = 422057, "The action's senderId or receiverId is missing.";
    ActionLedgerNotValid = 422058, "The action's ledgerId is not a valid Ethereum address.";
    ActionReceiverNotValid = 422059, "The action's receiverId is not a valid Ethereum address.";
    ActionSenderNotValid = 422060, "The action's senderId is not a valid Ethereum address.";
    ManageProxyNotAble = 422061, "Abilities cannot be set: the manage proxy lacks the manage-abilities ability (1).";
    ManageNotAllowed = 422062, "Abilities cannot be set: the account lacks the allow-manage-abilities ability (2).";
    DeployReceiverMissing = 422063, "The deployment's receiverId is missing while a takerId is present.";
    DeployExpirationMissing = 422064, "The deployment's expiration is missing.";
    WebhookEventsNotValid = 422066, "The webhook's events are not valid.";
    WebhookUrlMissing = 422067, "The webhook's url is missing.";
    ActionValueNotValid = 422070, "The action's value is not valid.";
    CreateNotAllowed = 422071, "The asset cannot be created: the account lacks the allow-create ability (512).";
    CreateProxyNotAble = 422072, "The asset cannot be created: the create proxy lacks the create ability (16).";
    TransferNotApproved = 422073, "The asset cannot be transferred: the account lacks the gateway's approval, which it gives by approving the transfer proxy (kind 7).";
    TransferNotOwner = 422074, "The asset cannot be transferred: the account is not its owner.";
    ValueBalanceInsufficient = 422075, "The value cannot be transferred: the account's balance is insufficient.";
    ValueNotApproved = 422076, "The value cannot be transferred: the account lacks the gateway's approval, which it gives by approving the value proxy (kind 8).";
    UpdateNotAllowed = 422077, "The asset cannot be updated: the account lacks the allow-update ability (1024).";
    UpdateProxyNotAble = 422078, "The asset cannot be updated: the update proxy lacks the update ability (128).";
    DeployBalanceInsufficient = 422079, "The ledger cannot be deployed: the account's balance is insufficient.";
    DeployNotApproved = 422080, "The ledger cannot be deployed: the account lacks the gateway's approval, which it gives by approving the value proxy (kind 8).";
    DestroyNotApproved = 422081, "The asset cannot be destroyed: the account lacks the gateway's approval, which it gives by approving the destroy proxy (kind 7).";
    DestroyNotOwner = 422082, "The asset cannot be destroyed: the account is not its owner.";
    UpdateNotCapable = 422083, "The asset cannot be updated: the ledger lacks the update-imprint capability (2).";
    // The specification's wording repeats "update-imprint"; what is checked is the capability to destroy.
    DestroyNotCapable = 422084, "The asset cannot be destroyed: the ledger lacks the destroy capability (1).";
    DepositAmountMissing = 422095, "The deposit's amount is missing.";
    DepositAmountTooLow = 422096, "The deposit's amount is too low.";
    AccountInformationMissing = 422097, "The account's information is missing.";
    FirstNameMissing = 422098, "The account's first name is missing.";
    LastNameMissing = 422099, "The account's last name is missing.";
    EmailMissing = 422100, "The account's email is missing.";
    EmailNotValid = 422101, "The account's email is not valid.";
    StreetAddressMissing = 422102, "The account's street address is missing.";
    PostalCodeMissing = 422103, "The account's postal code is missing.";
    CityMissing = 422104, "The account's city is missing.";
    CountryMissing = 422105, "The account's country is missing.";
    CompanyInformationMissing = 422106, "The account's company information is missing.";
    CompanyNameMissing = 422107, "The company's name is missing.";
    CompanyStreetAddressMissing = 422108, "The company's street address is missing.";
    CompanyPostalCodeMissing = 422109, "The company's postal code is missing.";
    CompanyCityMissing = 422110, "The company's city is missing.";
    CompanyCountryMissing = 422111, "The company's country is missing.";
    CompanyTaxNumberMissing = 422112, "The company's tax number is missing.";
    CompanyPhoneNumberMissing = 422113, "The company's phone number is missing.";
    WebhookUrlNotValid = 422114, "The webhook's url is not valid.";
    BadgeAssetIdMissing = 422116, "The badge's assetId is missing.";
    BadgeLedgerNotValid = 422117, "The badge's ledgerId is not a valid Ethereum address.";
    BadgeLedgerMissing = 422118, "The badge's ledgerId is missing.";
    ApproveMissing = 422121, "The approval request's approval is missing.";
    ApproveClaimMissing = 422122, "The approval request's claim is missing.";
    ApproveClaimNotValid = 422123, "The approval request's claim is not valid.";
    ApproveStatusMissing = 422124, "The approval request's status is missing.";
    ApprovePriorityMissing = 422125, "The approval request's priority is missing.";
    ApproveLedgerMissing = 422126, "The approval's ledgerId is missing.";
    ApproveLedgerNotValid = 422127, "The approval's ledgerId is not valid.";
    ApproveOwnerMissing = 422128, "The approval's owner is missing.";
    ApproveOwnerNotValid = 422129, "The approval's owner is not valid.";
    ApproveOperatorMissing = 422130, "The approval's operator is missing.";
    ApproveOperatorNotValid = 422131, "The approval's operator is not valid.";
    ApproveIsOperatorMissing = 422132, "The approval's isOperator is missing.";
    ApproveTransferMissing = 422133, "The approval's tokenTransferData is missing.";
    ApprovePaymentNotValid = 422134, "The approval's payment is not valid.";
    ApproveSeedMissing = 422135, "The approval's seed is missing.";
    ApproveExpirationMissing = 422136, "The approval's expiration is missing.";
    ApproveTokenMissing = 422137, "The approval's tokenTransferData.ledgerId is missing.";
    ApproveTokenNotValid = 422138, "The approval's tokenTransferData.ledgerId is not valid.";
    ApproveReceiverMissing = 422139, "The approval's tokenTransferData.receiverId is missing.";
    ApproveTransferValueMissing = 422140, "The approval's tokenTransferData.value is missing.";
    ApproveBalanceInsufficient = 422141, "The approval cannot be paid: the owner's balance is insufficient.";
    ApproveLedgerNotApproved = 422142, "The approval cannot be paid: the owner did not approve the asset ledger as a spender of its tokens (kind 8).";
    ValueApproveLedgerMissing = 422144, "The value approval's ledgerId is missing.";
    ValueApproveLedgerNotValid = 422145, "The value approval's ledgerId is not valid.";
    ValueApproveApproverMissing = 422146, "The value approval's approver is missing.";
    ValueApproveApproverNotValid = 422147, "The value approval's approver is not valid.";
    ValueApproveBalanceInsufficient = 422148, "The value approval cannot be paid: the approver's balance is insufficient.";
    ValueApproveSpenderMissing = 422149, "The value approval's spender is missing.";
    ValueApproveSpenderNotValid = 422150, "The value approval's spender is not valid.";
    ValueApproveValueMissing = 422151, "The value approval's value is missing.";
    ValueApproveFeeRecipientMissing = 422152, "The value approval's feeRecipient is missing.";
    ValueApproveFeeRecipientNotValid = 422153, "The value approval's feeRecipient is not valid.";
    ValueApprovePaymentNotValid = 422154, "The value approval's payment is not valid.";
    ValueApproveFeeValueMissing = 422155, "The value approval's feeValue is missing.";
    ValueApproveSeedMissing = 422156, "The value approval's seed is missing.";
    ValueApproveExpirationMissing = 422157, "The value approval's expiration is missing.";
    ActionImprintNotValid = 422158, "The action's assetImprint is not valid.";

    BodyNotValid = 400100, "The body is not valid JSON or form data.";
    QueryNotValid = 400101, "A query parameter is not valid.";
    DepositsNotConfigured = 400103, "This service does not take deposits.";
    DepositNotFound = 400104, "The deposit does not exist.";
    DepositPriceUnknown = 400105, "The price of a token is not known at present: try again later.";
    MethodNotAllowed = 405000, "The path does not have this method.";
    IdempotencyKeyReused = 409000, "The idempotency key belongs to another request, or to one that is still in progress.";
    HashAlreadyUsed = 409001, "The order's hash has already been used: choose a new seed.";
    BodyTooLarge = 413000, "The body is too large.";
    MediaTypeNotSupported = 415000, "The body's media type is not supported.";
    FieldNotValid = 422900, "A field is not valid.";
    TokenReceiverNotAllowed = 422910, "The value cannot be transferred: the token does not allow the receiver.";
    WebhookNotActive = 422920, "The webhook is not active: its receiver has not confirmed it, or has failed for too long.";
    RateLimited = 429000, "Too many requests: wait before sending the next.";
    TooManyOpen = 429001, "The account's open orders take too much room: have some of them signed, performed or canceled first.";
}
