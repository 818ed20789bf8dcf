//! The table of every error code.
//!
//! A code's first three digits are its HTTP status, with the exceptions in [`Code::http_status`]. Codes, meanings and
//! order follow `docs/interface.md`, "Error codes". The last group is specific to this service.

macro_rules! catalogue {
    ($($name:ident = $number:literal, $message:literal;)*) => {
        /// An error code of the catalogue, by which callers can distinguish errors.
        ///
        /// Source: `docs/interface.md`, "Error codes", and this service's own codes.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[repr(u32)]
        #[non_exhaustive]
        pub enum Code {
            $(#[doc = $message] $name = $number,)*
        }

        /// Every code, in the order of the table.
        pub(super) const ALL: &[Code] = &[$(Code::$name),*];

        /// The code's name: that of the variant.
        pub(super) const fn name(code: Code) -> &'static str {
            match code {
                $(Code::$name => stringify!($name),)*
            }
        }

        /// The code's meaning as a sentence.
        pub(super) const fn message(code: Code) -> &'static str {
            match code {
                $(Code::$name => $message,)*
            }
        }
    };
}

catalogue! {
    InvalidPath = 400000, "there is no such path: /openapi.json lists all of them";
    Unhandled = 500000, "the service failed unexpectedly";
    SignatureNotValid = 400001, "the provided signature is not valid";
    RequestNotFound = 400002, "the request does not exist";
    DeploymentNotFound = 400003, "the deployment does not exist";
    LedgerNotFound = 400004, "the ledger does not exist";
    AssetNotFound = 400005, "the asset does not exist";
    DeployCreationFailed = 400007, "the deployment cannot be created";
    OrderNotReady = 400008, "the order is not ready to be performed: not all signers have signed it";
    NotASigner = 400009, "the account is not a listed signer of the order: only listed signers can sign and cancel it";
    ClaimMissing = 400010, "a claim must be present to sign an order";
    OrderNotFound = 400011, "the order does not exist";
    AlreadyClaimed = 400012, "the order has already been claimed by this account";
    OrderStateNotValid = 400013, "the order is not in the correct state for this action";
    AccountNotIdentified = 400014, "the account is not identified: provide its information through PUT /account first";
    BadgeAssetNotFound = 400016, "the asset was not found or has no URI set";
    BadgeDataUnavailable = 400017, "the data at the asset's URI could not be fetched";
    ApproveCreationFailed = 400018, "the approval cannot be created";
    BadgeImageUnavailable = 400019, "the badge image could not be fetched";
    ApprovalNotFound = 400020, "the approval does not exist";
    OrderMakerMissing = 422001, "the order has no maker: it lists no signer and has no wildcard signer";
    OrderSeedMissing = 422002, "the order's seed is missing";
    OrderExpirationMissing = 422003, "the order's expiration is missing";
    ActionLedgerMissing = 422004, "the action's ledgerId is missing";
    ActionAssetIdMissing = 422005, "the action's assetId is missing";
    ActionImprintMissing = 422006, "the action's assetImprint is missing";
    ActionValueMissing = 422007, "the action's value is missing";
    DeployClaimMissing = 422008, "the deployment request's claim is missing";
    OrderMissing = 422009, "the order request's order is missing";
    OrderPriorityMissing = 422010, "the order request's priority is missing";
    OrderStatusMissing = 422011, "the order request's status is missing";
    OrderPaymentNotValid = 422012, "the order's payment is not valid";
    AssetIdNotUnique = 422013, "the asset's id is not unique on the selected ledger";
    AssetIdMissing = 422023, "the asset's id is missing";
    AssetImprintMissing = 422024, "the asset's imprint is missing";
    AssetLedgerMissing = 422036, "the asset's ledgerId is missing";
    DeployTakerNotValid = 422037, "the deployment request's takerId is not valid";
    DeployMissing = 422038, "the deployment request's deploy is missing";
    DeployLedgerDataMissing = 422039, "the deployment's assetLedgerData is missing";
    DeployNameMissing = 422040, "the deployment's assetLedgerData.name is missing";
    DeploySymbolMissing = 422041, "the deployment's assetLedgerData.symbol is missing";
    DeployUriPrefixMissing = 422043, "the deployment's assetLedgerData.uriPrefix is missing";
    DeploySchemaIdMissing = 422044, "the deployment's assetLedgerData.schemaId is missing";
    DeployCapabilitiesMissing = 422045, "the deployment's assetLedgerData.capabilities are missing";
    DeployCapabilitiesNotValid = 422046, "the deployment's assetLedgerData.capabilities are not valid";
    DeployOwnerMissing = 422047, "the deployment's assetLedgerData.ownerId is missing";
    DeployOwnerNotValid = 422048, "the deployment's assetLedgerData.ownerId is not valid";
    DeployTransferMissing = 422049, "the deployment's tokenTransferData is missing";
    DeployTokenMissing = 422050, "the deployment's tokenTransferData.ledgerId is missing";
    DeployTokenNotValid = 422051, "the deployment's tokenTransferData.ledgerId is not valid";
    DeployMakerNotValid = 422052, "the deployment's makerId is not valid";
    DeployReceiverNotValid = 422053, "the deployment's tokenTransferData.receiverId is not valid";
    DeployValueMissing = 422054, "the deployment's tokenTransferData.value is missing";
    DeployPaymentNotValid = 422055, "the deployment's payment is not valid";
    ActionPartyMissing = 422057, "the action's senderId or receiverId is missing";
    ActionLedgerNotValid = 422058, "the action's ledgerId is not a valid Ethereum address";
    ActionReceiverNotValid = 422059, "the action's receiverId is not a valid Ethereum address";
    ActionSenderNotValid = 422060, "the action's senderId is not a valid Ethereum address";
    ManageProxyNotAble = 422061, "abilities cannot be set: the manage proxy lacks the manage-abilities ability (1)";
    ManageNotAllowed = 422062, "abilities cannot be set: the account lacks the allow-manage-abilities ability (2)";
    DeployReceiverMissing = 422063, "the deployment's receiverId is missing while a takerId is present";
    DeployExpirationMissing = 422064, "the deployment's expiration is missing";
    WebhookEventsNotValid = 422066, "the webhook's events are not valid";
    WebhookUrlMissing = 422067, "the webhook's url is missing";
    ActionValueNotValid = 422070, "the action's value is not valid";
    CreateNotAllowed = 422071, "the asset cannot be created: the account lacks the allow-create ability (512)";
    CreateProxyNotAble = 422072, "the asset cannot be created: the create proxy lacks the create ability (16)";
    TransferNotApproved = 422073, "the asset cannot be transferred: the account lacks the gateway's approval, which it gives by approving the transfer proxy (kind 7)";
    TransferNotOwner = 422074, "the asset cannot be transferred: the account is not its owner";
    ValueBalanceInsufficient = 422075, "the value cannot be transferred: the account's balance is insufficient";
    ValueNotApproved = 422076, "the value cannot be transferred: the account lacks the gateway's approval, which it gives by approving the value proxy (kind 8)";
    UpdateNotAllowed = 422077, "the asset cannot be updated: the account lacks the allow-update ability (1024)";
    UpdateProxyNotAble = 422078, "the asset cannot be updated: the update proxy lacks the update ability (128)";
    DeployBalanceInsufficient = 422079, "the ledger cannot be deployed: the account's balance is insufficient";
    DeployNotApproved = 422080, "the ledger cannot be deployed: the account lacks the gateway's approval, which it gives by approving the value proxy (kind 8)";
    DestroyNotApproved = 422081, "the asset cannot be destroyed: the account lacks the gateway's approval, which it gives by approving the destroy proxy (kind 7)";
    DestroyNotOwner = 422082, "the asset cannot be destroyed: the account is not its owner";
    UpdateNotCapable = 422083, "the asset cannot be updated: the ledger lacks the update-imprint capability (2)";
    // The specification repeats "update-imprint" here. The rule checks the capability to destroy.
    DestroyNotCapable = 422084, "the asset cannot be destroyed: the ledger lacks the destroy capability (1)";
    DepositAmountMissing = 422095, "the deposit's amount is missing";
    DepositAmountTooLow = 422096, "the deposit's amount is too low";
    AccountInformationMissing = 422097, "the account's information is missing";
    FirstNameMissing = 422098, "the account's first name is missing";
    LastNameMissing = 422099, "the account's last name is missing";
    EmailMissing = 422100, "the account's email is missing";
    EmailNotValid = 422101, "the account's email is not valid";
    StreetAddressMissing = 422102, "the account's street address is missing";
    PostalCodeMissing = 422103, "the account's postal code is missing";
    CityMissing = 422104, "the account's city is missing";
    CountryMissing = 422105, "the account's country is missing";
    CompanyInformationMissing = 422106, "the account's company information is missing";
    CompanyNameMissing = 422107, "the company's name is missing";
    CompanyStreetAddressMissing = 422108, "the company's street address is missing";
    CompanyPostalCodeMissing = 422109, "the company's postal code is missing";
    CompanyCityMissing = 422110, "the company's city is missing";
    CompanyCountryMissing = 422111, "the company's country is missing";
    CompanyTaxNumberMissing = 422112, "the company's tax number is missing";
    CompanyPhoneNumberMissing = 422113, "the company's phone number is missing";
    WebhookUrlNotValid = 422114, "the webhook's url is not valid";
    BadgeAssetIdMissing = 422116, "the badge's assetId is missing";
    BadgeLedgerNotValid = 422117, "the badge's ledgerId is not a valid Ethereum address";
    BadgeLedgerMissing = 422118, "the badge's ledgerId is missing";
    ApproveMissing = 422121, "the approval request's approval is missing";
    ApproveClaimMissing = 422122, "the approval request's claim is missing";
    ApproveClaimNotValid = 422123, "the approval request's claim is not valid";
    ApproveStatusMissing = 422124, "the approval request's status is missing";
    ApprovePriorityMissing = 422125, "the approval request's priority is missing";
    ApproveLedgerMissing = 422126, "the approval's ledgerId is missing";
    ApproveLedgerNotValid = 422127, "the approval's ledgerId is not valid";
    ApproveOwnerMissing = 422128, "the approval's owner is missing";
    ApproveOwnerNotValid = 422129, "the approval's owner is not valid";
    ApproveOperatorMissing = 422130, "the approval's operator is missing";
    ApproveOperatorNotValid = 422131, "the approval's operator is not valid";
    ApproveIsOperatorMissing = 422132, "the approval's isOperator is missing";
    ApproveTransferMissing = 422133, "the approval's tokenTransferData is missing";
    ApprovePaymentNotValid = 422134, "the approval's payment is not valid";
    ApproveSeedMissing = 422135, "the approval's seed is missing";
    ApproveExpirationMissing = 422136, "the approval's expiration is missing";
    ApproveTokenMissing = 422137, "the approval's tokenTransferData.ledgerId is missing";
    ApproveTokenNotValid = 422138, "the approval's tokenTransferData.ledgerId is not valid";
    ApproveReceiverMissing = 422139, "the approval's tokenTransferData.receiverId is missing";
    ApproveTransferValueMissing = 422140, "the approval's tokenTransferData.value is missing";
    ApproveBalanceInsufficient = 422141, "the approval cannot be paid: the owner's balance is insufficient";
    ApproveLedgerNotApproved = 422142, "the approval cannot be paid: the owner did not approve the asset ledger as a spender of its tokens (kind 8)";
    ValueApproveLedgerMissing = 422144, "the value approval's ledgerId is missing";
    ValueApproveLedgerNotValid = 422145, "the value approval's ledgerId is not valid";
    ValueApproveApproverMissing = 422146, "the value approval's approver is missing";
    ValueApproveApproverNotValid = 422147, "the value approval's approver is not valid";
    ValueApproveBalanceInsufficient = 422148, "the value approval cannot be paid: the approver's balance is insufficient";
    ValueApproveSpenderMissing = 422149, "the value approval's spender is missing";
    ValueApproveSpenderNotValid = 422150, "the value approval's spender is not valid";
    ValueApproveValueMissing = 422151, "the value approval's value is missing";
    ValueApproveFeeRecipientMissing = 422152, "the value approval's feeRecipient is missing";
    ValueApproveFeeRecipientNotValid = 422153, "the value approval's feeRecipient is not valid";
    ValueApprovePaymentNotValid = 422154, "the value approval's payment is not valid";
    ValueApproveFeeValueMissing = 422155, "the value approval's feeValue is missing";
    ValueApproveSeedMissing = 422156, "the value approval's seed is missing";
    ValueApproveExpirationMissing = 422157, "the value approval's expiration is missing";
    ActionImprintNotValid = 422158, "the action's assetImprint is not valid";

    BodyNotValid = 400100, "the body is not valid JSON or form data";
    QueryNotValid = 400101, "a query parameter is not valid";
    DepositsNotConfigured = 400103, "this service does not take deposits";
    DepositNotFound = 400104, "the deposit does not exist";
    DepositPriceUnknown = 400105, "the price of a token is currently unknown: try again later";
    AssetNotWithdrawn = 400106, "the asset is not withdrawn: only a destroyed asset has a reason";
    FilesNotHosted = 400107, "this service does not host files";
    ProductNotValid = 400108, "the address is no GS1 Digital Link of an item";
    CredentialNotValid = 401001, "the session or the API key does not exist, has ended or was revoked: sign in again, or use another key";
    HeaderNotAccepted = 401002, "the service, or the account, does not accept the signed Authorization header: sign in through POST /sessions, or use an API key";
    NonceNotValid = 401003, "the nonce was not issued by this service, has expired or was already used: get another one from GET /sessions/challenge";
    NotTheLedgersOwner = 403001, "the account does not own the ledger";
    ReasonNotAllowed = 403002, "only the account that withdrew the asset and the creator of its order may give the reason; only its author and the ledger's owner may replace it";
    FilesNotAllowed = 403003, "storing files of an asset needs the ability to create assets; storing files of a ledger, and replacing files of issued assets or of other accounts, needs the ability to update assets";
    PlacesNotAllowed = 403004, "the account may neither create nor update assets of the ledger, so it gets no places in the ledger's status lists";
    BookNotAllowed = 403005, "reading a ledger's register book needs an ability on the ledger; writing it needs the ability to set abilities, to create assets or to update assets";
    OffersNotAllowed = 403006, "the account may neither create nor update assets of the ledger, so it may not offer credentials of the ledger to wallets";
    NotAnAdministrator = 403010, "the account is not an administrator of this service";
    AccountBlocked = 403011, "the operator of this service has blocked the account";
    LedgerBlocked = 403012, "the operator of this service has blocked the ledger";
    ScopeMissing = 403020, "the API key does not have the scope that the route needs";
    SessionNeeded = 403021, "the route needs a session: sign in through POST /sessions";
    OriginNotAllowed = 403022, "only pages of this service may use the session's cookie";
    FileNotFound = 404001, "there is no such file";
    SessionNotFound = 404002, "the account has no such session";
    KeyNotFound = 404003, "the account has no such API key";
    LinkNotFound = 404004, "there is no such link: it was ended, has expired, or never existed";
    StatusListsOff = 404005, "this service has no status lists";
    StatusListNotFound = 404006, "there is no such status list";
    LinkTypeNotFound = 404007, "the product has no link of this type: it has `gs1:defaultLink` and `gs1:certificationInfo`";
    BookNotFound = 404008, "the ledger has no register book, or no longer this version of it";
    OfferNotFound = 404009, "there is no such offer: a wallet has used it, it was ended or has expired, or it never existed";
    MethodNotAllowed = 405000, "the path does not support this method";
    IdempotencyKeyReused = 409000, "the idempotency key belongs to another request, or to a request that is still in progress";
    HashAlreadyUsed = 409001, "the order's hash has already been used: choose a new seed";
    BookChanged = 409002, "the register book has another version: read it, merge your changes, and store the next version";
    BodyTooLarge = 413000, "the body is too large";
    MediaTypeNotSupported = 415000, "the body's media type is not supported";
    FieldNotValid = 422900, "a field is not valid";
    TokenReceiverNotAllowed = 422910, "the value cannot be transferred: the token does not allow the receiver";
    TransfersStopped = 422911, "the asset cannot be transferred: the ledger's owner stopped transfers";
    ReceiverNotCapable = 422912, "the asset cannot be transferred: the receiver is a contract that does not accept it";
    TooMuchGas = 422913, "the request needs more gas than a transaction of the chain may use";
    RevokeNotAllowed = 422914, "the asset cannot be revoked: the account lacks the revoke ability (32)";
    RevokeNotCapable = 422915, "the asset cannot be revoked: the ledger lacks the revoke capability (4)";
    RevokeNotOnChain = 422916, "the service cannot revoke assets on a chain: an account with the revoke ability (32) calls `revoke` of the ledger's contract itself";
    WebhookNotActive = 422920, "the webhook is not active: its receiver has not confirmed it, or has failed for too long";
    DomainNotValid = 422930, "the domain is missing or not valid";
    SignInNotValid = 422940, "the message is not a sign-in message (EIP-4361) for this service";
    ContractSignature = 422941, "the signature is of a smart account (ERC-1271, ERC-6492): only an account with a key of its own can sign in and sign orders";
    RateLimited = 429000, "too many requests: wait before sending the next";
    TooManyOpen = 429001, "the account's open orders take too much storage: get some of them signed, performed or canceled first";
    FilesFull = 429002, "the files of the ledger or of the account take too much storage: destroy assets that are no longer needed, or delete files without an asset";
    TooManyKeys = 429003, "the account has the maximum number of API keys: revoke one first";
    OffersFull = 429004, "too many offers of the ledger wait for a wallet: wait until some were used or have expired, or end them";
    WritesPaused = 503000, "the operator has paused changes: reads still work, send the request again later";
    DatabaseAway = 503001, "the database does not answer: send the request again in a moment";
}
