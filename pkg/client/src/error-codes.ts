// Written by `cargo xtask docs` from the service's own catalogue; a test compares them.

/** The codes of the service's errors, by name. A newer service may answer with further codes. */
export const ErrorCode = /* @__PURE__ */ Object.freeze({
  /** there is no such path: /openapi.json lists all of them */
  InvalidPath: 400000,
  /** the service failed unexpectedly */
  Unhandled: 500000,
  /** the provided signature is not valid */
  SignatureNotValid: 400001,
  /** the request does not exist */
  RequestNotFound: 400002,
  /** the deployment does not exist */
  DeploymentNotFound: 400003,
  /** the ledger does not exist */
  LedgerNotFound: 400004,
  /** the asset does not exist */
  AssetNotFound: 400005,
  /** the deployment cannot be created */
  DeployCreationFailed: 400007,
  /** the order is not ready to be performed: not all signers have signed it */
  OrderNotReady: 400008,
  /** the account is not a listed signer of the order: only listed signers can sign and cancel it */
  NotASigner: 400009,
  /** a claim must be present to sign an order */
  ClaimMissing: 400010,
  /** the order does not exist */
  OrderNotFound: 400011,
  /** the order has already been claimed by this account */
  AlreadyClaimed: 400012,
  /** the order is not in the correct state for this action */
  OrderStateNotValid: 400013,
  /** the account is not identified: provide its information through PUT /account first */
  AccountNotIdentified: 400014,
  /** the asset was not found or has no URI set */
  BadgeAssetNotFound: 400016,
  /** the data at the asset's URI could not be fetched */
  BadgeDataUnavailable: 400017,
  /** the approval cannot be created */
  ApproveCreationFailed: 400018,
  /** the badge image could not be fetched */
  BadgeImageUnavailable: 400019,
  /** the approval does not exist */
  ApprovalNotFound: 400020,
  /** the order has no maker: it lists no signer and has no wildcard signer */
  OrderMakerMissing: 422001,
  /** the order's seed is missing */
  OrderSeedMissing: 422002,
  /** the order's expiration is missing */
  OrderExpirationMissing: 422003,
  /** the action's ledgerId is missing */
  ActionLedgerMissing: 422004,
  /** the action's assetId is missing */
  ActionAssetIdMissing: 422005,
  /** the action's assetImprint is missing */
  ActionImprintMissing: 422006,
  /** the action's value is missing */
  ActionValueMissing: 422007,
  /** the deployment request's claim is missing */
  DeployClaimMissing: 422008,
  /** the order request's order is missing */
  OrderMissing: 422009,
  /** the order request's priority is missing */
  OrderPriorityMissing: 422010,
  /** the order's payment is not valid */
  OrderPaymentNotValid: 422012,
  /** the asset's id is not unique on the selected ledger */
  AssetIdNotUnique: 422013,
  /** the asset's id is missing */
  AssetIdMissing: 422023,
  /** the asset's imprint is missing */
  AssetImprintMissing: 422024,
  /** the asset's ledgerId is missing */
  AssetLedgerMissing: 422036,
  /** the deployment request's takerId is not valid */
  DeployTakerNotValid: 422037,
  /** the deployment request's deploy is missing */
  DeployMissing: 422038,
  /** the deployment's assetLedgerData is missing */
  DeployLedgerDataMissing: 422039,
  /** the deployment's assetLedgerData.name is missing */
  DeployNameMissing: 422040,
  /** the deployment's assetLedgerData.symbol is missing */
  DeploySymbolMissing: 422041,
  /** the deployment's assetLedgerData.uriPrefix is missing */
  DeployUriPrefixMissing: 422043,
  /** the deployment's assetLedgerData.schemaId is missing */
  DeploySchemaIdMissing: 422044,
  /** the deployment's assetLedgerData.capabilities are missing */
  DeployCapabilitiesMissing: 422045,
  /** the deployment's assetLedgerData.capabilities are not valid */
  DeployCapabilitiesNotValid: 422046,
  /** the deployment's assetLedgerData.ownerId is missing */
  DeployOwnerMissing: 422047,
  /** the deployment's assetLedgerData.ownerId is not valid */
  DeployOwnerNotValid: 422048,
  /** the deployment's tokenTransferData is missing */
  DeployTransferMissing: 422049,
  /** the deployment's tokenTransferData.ledgerId is missing */
  DeployTokenMissing: 422050,
  /** the deployment's tokenTransferData.ledgerId is not valid */
  DeployTokenNotValid: 422051,
  /** the deployment's makerId is not valid */
  DeployMakerNotValid: 422052,
  /** the deployment's tokenTransferData.receiverId is not valid */
  DeployReceiverNotValid: 422053,
  /** the deployment's tokenTransferData.value is missing */
  DeployValueMissing: 422054,
  /** the deployment's payment is not valid */
  DeployPaymentNotValid: 422055,
  /** the action's senderId or receiverId is missing */
  ActionPartyMissing: 422057,
  /** the action's ledgerId is not a valid Ethereum address */
  ActionLedgerNotValid: 422058,
  /** the action's receiverId is not a valid Ethereum address */
  ActionReceiverNotValid: 422059,
  /** the action's senderId is not a valid Ethereum address */
  ActionSenderNotValid: 422060,
  /** abilities cannot be set: the manage proxy lacks the manage-abilities ability (1) */
  ManageProxyNotAble: 422061,
  /** abilities cannot be set: the account lacks the allow-manage-abilities ability (2) */
  ManageNotAllowed: 422062,
  /** the deployment's receiverId is missing while a takerId is present */
  DeployReceiverMissing: 422063,
  /** the deployment's expiration is missing */
  DeployExpirationMissing: 422064,
  /** the webhook's events are not valid */
  WebhookEventsNotValid: 422066,
  /** the webhook's url is missing */
  WebhookUrlMissing: 422067,
  /** the action's value is not valid */
  ActionValueNotValid: 422070,
  /** the asset cannot be created: the account lacks the allow-create ability (512) */
  CreateNotAllowed: 422071,
  /** the asset cannot be created: the create proxy lacks the create ability (16) */
  CreateProxyNotAble: 422072,
  /** the asset cannot be transferred: the account lacks the gateway's approval, which it gives by approving the transfer proxy (kind 7) */
  TransferNotApproved: 422073,
  /** the asset cannot be transferred: the account is not its owner */
  TransferNotOwner: 422074,
  /** the value cannot be transferred: the account's balance is insufficient */
  ValueBalanceInsufficient: 422075,
  /** the value cannot be transferred: the account lacks the gateway's approval, which it gives by approving the value proxy (kind 8) */
  ValueNotApproved: 422076,
  /** the asset cannot be updated: the account lacks the allow-update ability (1024) */
  UpdateNotAllowed: 422077,
  /** the asset cannot be updated: the update proxy lacks the update ability (128) */
  UpdateProxyNotAble: 422078,
  /** the ledger cannot be deployed: the account's balance is insufficient */
  DeployBalanceInsufficient: 422079,
  /** the ledger cannot be deployed: the account lacks the gateway's approval, which it gives by approving the value proxy (kind 8) */
  DeployNotApproved: 422080,
  /** the asset cannot be destroyed: the account lacks the gateway's approval, which it gives by approving the destroy proxy (kind 7) */
  DestroyNotApproved: 422081,
  /** the asset cannot be destroyed: the account is not its owner */
  DestroyNotOwner: 422082,
  /** the asset cannot be updated: the ledger lacks the update-imprint capability (2) */
  UpdateNotCapable: 422083,
  /** the asset cannot be destroyed: the ledger lacks the destroy capability (1) */
  DestroyNotCapable: 422084,
  /** the deposit's amount is missing */
  DepositAmountMissing: 422095,
  /** the deposit's amount is too low */
  DepositAmountTooLow: 422096,
  /** the account's information is missing */
  AccountInformationMissing: 422097,
  /** the account's first name is missing */
  FirstNameMissing: 422098,
  /** the account's last name is missing */
  LastNameMissing: 422099,
  /** the account's email is missing */
  EmailMissing: 422100,
  /** the account's email is not valid */
  EmailNotValid: 422101,
  /** the account's street address is missing */
  StreetAddressMissing: 422102,
  /** the account's postal code is missing */
  PostalCodeMissing: 422103,
  /** the account's city is missing */
  CityMissing: 422104,
  /** the account's country is missing */
  CountryMissing: 422105,
  /** the account's company information is missing */
  CompanyInformationMissing: 422106,
  /** the company's name is missing */
  CompanyNameMissing: 422107,
  /** the company's street address is missing */
  CompanyStreetAddressMissing: 422108,
  /** the company's postal code is missing */
  CompanyPostalCodeMissing: 422109,
  /** the company's city is missing */
  CompanyCityMissing: 422110,
  /** the company's country is missing */
  CompanyCountryMissing: 422111,
  /** the company's tax number is missing */
  CompanyTaxNumberMissing: 422112,
  /** the company's phone number is missing */
  CompanyPhoneNumberMissing: 422113,
  /** the webhook's url is not valid */
  WebhookUrlNotValid: 422114,
  /** the badge's assetId is missing */
  BadgeAssetIdMissing: 422116,
  /** the badge's ledgerId is not a valid Ethereum address */
  BadgeLedgerNotValid: 422117,
  /** the badge's ledgerId is missing */
  BadgeLedgerMissing: 422118,
  /** the approval request's approval is missing */
  ApproveMissing: 422121,
  /** the approval request's claim is missing */
  ApproveClaimMissing: 422122,
  /** the approval request's claim is not valid */
  ApproveClaimNotValid: 422123,
  /** the approval request's priority is missing */
  ApprovePriorityMissing: 422125,
  /** the approval's ledgerId is missing */
  ApproveLedgerMissing: 422126,
  /** the approval's ledgerId is not valid */
  ApproveLedgerNotValid: 422127,
  /** the approval's owner is missing */
  ApproveOwnerMissing: 422128,
  /** the approval's owner is not valid */
  ApproveOwnerNotValid: 422129,
  /** the approval's operator is missing */
  ApproveOperatorMissing: 422130,
  /** the approval's operator is not valid */
  ApproveOperatorNotValid: 422131,
  /** the approval's isOperator is missing */
  ApproveIsOperatorMissing: 422132,
  /** the approval's tokenTransferData is missing */
  ApproveTransferMissing: 422133,
  /** the approval's payment is not valid */
  ApprovePaymentNotValid: 422134,
  /** the approval's seed is missing */
  ApproveSeedMissing: 422135,
  /** the approval's expiration is missing */
  ApproveExpirationMissing: 422136,
  /** the approval's tokenTransferData.ledgerId is missing */
  ApproveTokenMissing: 422137,
  /** the approval's tokenTransferData.ledgerId is not valid */
  ApproveTokenNotValid: 422138,
  /** the approval's tokenTransferData.receiverId is missing */
  ApproveReceiverMissing: 422139,
  /** the approval's tokenTransferData.value is missing */
  ApproveTransferValueMissing: 422140,
  /** the approval cannot be paid: the owner's balance is insufficient */
  ApproveBalanceInsufficient: 422141,
  /** the approval cannot be paid: the owner did not approve the asset ledger as a spender of its tokens (kind 8) */
  ApproveLedgerNotApproved: 422142,
  /** the value approval's ledgerId is missing */
  ValueApproveLedgerMissing: 422144,
  /** the value approval's ledgerId is not valid */
  ValueApproveLedgerNotValid: 422145,
  /** the value approval's approver is missing */
  ValueApproveApproverMissing: 422146,
  /** the value approval's approver is not valid */
  ValueApproveApproverNotValid: 422147,
  /** the value approval cannot be paid: the approver's balance is insufficient */
  ValueApproveBalanceInsufficient: 422148,
  /** the value approval's spender is missing */
  ValueApproveSpenderMissing: 422149,
  /** the value approval's spender is not valid */
  ValueApproveSpenderNotValid: 422150,
  /** the value approval's value is missing */
  ValueApproveValueMissing: 422151,
  /** the value approval's feeRecipient is missing */
  ValueApproveFeeRecipientMissing: 422152,
  /** the value approval's feeRecipient is not valid */
  ValueApproveFeeRecipientNotValid: 422153,
  /** the value approval's payment is not valid */
  ValueApprovePaymentNotValid: 422154,
  /** the value approval's feeValue is missing */
  ValueApproveFeeValueMissing: 422155,
  /** the value approval's seed is missing */
  ValueApproveSeedMissing: 422156,
  /** the value approval's expiration is missing */
  ValueApproveExpirationMissing: 422157,
  /** the action's assetImprint is not valid */
  ActionImprintNotValid: 422158,
  /** the body is not valid JSON or form data */
  BodyNotValid: 400100,
  /** a query parameter is not valid */
  QueryNotValid: 400101,
  /** this service does not take deposits */
  DepositsNotConfigured: 400103,
  /** the deposit does not exist */
  DepositNotFound: 400104,
  /** the price of a token is currently unknown: try again later */
  DepositPriceUnknown: 400105,
  /** the asset is not withdrawn: only a destroyed asset has a reason */
  AssetNotWithdrawn: 400106,
  /** this service does not host files */
  FilesNotHosted: 400107,
  /** the address is no GS1 Digital Link of an item */
  ProductNotValid: 400108,
  /** the session or the API key does not exist, has ended or was revoked: sign in again, or use another key */
  CredentialNotValid: 401001,
  /** the service, or the account, does not accept the signed Authorization header: sign in through POST /sessions, or use an API key */
  HeaderNotAccepted: 401002,
  /** the nonce was not issued by this service, has expired or was already used: get another one from GET /sessions/challenge */
  NonceNotValid: 401003,
  /** the account does not own the ledger */
  NotTheLedgersOwner: 403001,
  /** only the account that withdrew the asset and the creator of its order may give the reason; only its author and the ledger's owner may replace it */
  ReasonNotAllowed: 403002,
  /** storing files of an asset needs the ability to create assets; storing files of a ledger, and replacing files of issued assets or of other accounts, needs the ability to update assets */
  FilesNotAllowed: 403003,
  /** the account may neither create nor update assets of the ledger, so it gets no places in the ledger's status lists */
  PlacesNotAllowed: 403004,
  /** reading a ledger's register book needs an ability on the ledger; writing it needs the ability to set abilities, to create assets or to update assets */
  BookNotAllowed: 403005,
  /** the account may neither create nor update assets of the ledger, so it may not offer credentials of the ledger to wallets */
  OffersNotAllowed: 403006,
  /** the account is not an administrator of this service */
  NotAnAdministrator: 403010,
  /** the operator of this service has blocked the account */
  AccountBlocked: 403011,
  /** the operator of this service has blocked the ledger */
  LedgerBlocked: 403012,
  /** the API key does not have the scope that the route needs */
  ScopeMissing: 403020,
  /** the route needs a session: sign in through POST /sessions */
  SessionNeeded: 403021,
  /** only pages of this service may use the session's cookie */
  OriginNotAllowed: 403022,
  /** there is no such file */
  FileNotFound: 404001,
  /** the account has no such session */
  SessionNotFound: 404002,
  /** the account has no such API key */
  KeyNotFound: 404003,
  /** there is no such link: it was ended, has expired, or never existed */
  LinkNotFound: 404004,
  /** this service has no status lists */
  StatusListsOff: 404005,
  /** there is no such status list */
  StatusListNotFound: 404006,
  /** the product has no link of this type: it has `gs1:defaultLink` and `gs1:certificationInfo` */
  LinkTypeNotFound: 404007,
  /** the ledger has no register book, or no longer this version of it */
  BookNotFound: 404008,
  /** there is no such offer: a wallet has used it, it was ended or has expired, or it never existed */
  OfferNotFound: 404009,
  /** the path does not support this method */
  MethodNotAllowed: 405000,
  /** the idempotency key belongs to another request, or to a request that is still in progress */
  IdempotencyKeyReused: 409000,
  /** the order's hash has already been used: choose a new seed */
  HashAlreadyUsed: 409001,
  /** the register book has another version: read it, merge your changes, and store the next version */
  BookChanged: 409002,
  /** the body is too large */
  BodyTooLarge: 413000,
  /** the body's media type is not supported */
  MediaTypeNotSupported: 415000,
  /** a field is not valid */
  FieldNotValid: 422900,
  /** the value cannot be transferred: the token does not allow the receiver */
  TokenReceiverNotAllowed: 422910,
  /** the asset cannot be transferred: the ledger's owner stopped transfers */
  TransfersStopped: 422911,
  /** the asset cannot be transferred: the receiver is a contract that does not accept it */
  ReceiverNotCapable: 422912,
  /** the request needs more gas than a transaction of the chain may use */
  TooMuchGas: 422913,
  /** the asset cannot be revoked: the account lacks the revoke ability (32) */
  RevokeNotAllowed: 422914,
  /** the asset cannot be revoked: the ledger lacks the revoke capability (4) */
  RevokeNotCapable: 422915,
  /** the service cannot revoke assets on a chain: an account with the revoke ability (32) calls `revoke` of the ledger's contract itself */
  RevokeNotOnChain: 422916,
  /** the webhook is not active: its receiver has not confirmed it, or has failed for too long */
  WebhookNotActive: 422920,
  /** the domain is missing or not valid */
  DomainNotValid: 422930,
  /** the message is not a sign-in message (EIP-4361) for this service */
  SignInNotValid: 422940,
  /** the signature is of a smart account (ERC-1271, ERC-6492): only an account with a key of its own can sign in and sign orders */
  ContractSignature: 422941,
  /** too many requests: wait before sending the next */
  RateLimited: 429000,
  /** the account's open orders take too much storage: get some of them signed, performed or canceled first */
  TooManyOpen: 429001,
  /** the files of the ledger or of the account take too much storage: destroy assets that are no longer needed, or delete files without an asset */
  FilesFull: 429002,
  /** the account has the maximum number of API keys: revoke one first */
  TooManyKeys: 429003,
  /** too many offers of the ledger wait for a wallet: wait until some were used or have expired, or end them */
  OffersFull: 429004,
  /** the operator has paused changes: reads still work, send the request again later */
  WritesPaused: 503000,
  /** the database does not answer: send the request again in a moment */
  DatabaseAway: 503001,
});
export type ErrorCode = (typeof ErrorCode)[keyof typeof ErrorCode];
