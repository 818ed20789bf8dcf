//! The description of each route: its name, its sentences, the shapes that it takes and answers, and the errors of its own.

use http::Method;
use order_core::{Address, Code};
use schemars::{JsonSchema, SchemaGenerator};

use super::schemas::Shape;
use crate::api::bodies::{
    AccountInformationInput, ApprovalRequest, DeploymentRequest, DepositRequest, OrderRequest,
    SignRequest, WebhookRequest,
};
use crate::api::{
    Account, AccountAbility, Approval, Asset, Cost, Delivery, Deployment, Deposit, Health, Ledger,
    LedgerAbility, Order, OrderMeta, Received, Report, Request, RotationMeta, Ticker, Traffic,
    Webhook,
};

/// The shape of an answer's `data`.
#[derive(Clone, Copy)]
pub(super) enum Data {
    One(Shape),
    /// A page of these.
    List(Shape),
    /// The answer is no envelope, but this media type.
    Media(&'static str),
}

/// One route, as people are told of it.
pub(super) struct Operation {
    pub(super) method: Method,
    /// The route's pattern.
    pub(super) path: &'static str,
    pub(super) id: &'static str,
    pub(super) tag: &'static str,
    pub(super) summary: &'static str,
    /// More sentences, or none.
    pub(super) description: &'static str,
    pub(super) body: Option<Shape>,
    pub(super) data: Data,
    /// `meta` of the answer, where it is not that of every answer or every list.
    pub(super) meta: Option<Shape>,
    /// Names of query parameters beside those of every list.
    pub(super) query: &'static [&'static str],
    /// Statuses of success.
    pub(super) statuses: &'static [u16],
    /// Errors of its own, beside those of the phases before it.
    pub(super) errors: Vec<Code>,
}

impl Operation {
    fn new(
        (method, path): (Method, &'static str),
        (id, summary): (&'static str, &'static str),
        data: Data,
    ) -> Self {
        Self {
            method,
            path,
            id,
            tag: path.split('/').nth(1).unwrap_or_default(),
            summary,
            description: "",
            body: None,
            data,
            meta: None,
            query: &[],
            statuses: &[200],
            errors: Vec::new(),
        }
    }

    /// An operation that answers with one thing.
    fn one<T: JsonSchema>(
        method: Method,
        path: &'static str,
        id: &'static str,
        summary: &'static str,
    ) -> Self {
        let data = Data::One(SchemaGenerator::subschema_for::<T>);
        Self::new((method, path), (id, summary), data)
    }

    /// An operation that answers with a page of a list.
    fn list<T: JsonSchema>(path: &'static str, id: &'static str, summary: &'static str) -> Self {
        let data = Data::List(SchemaGenerator::subschema_for::<T>);
        Self::new((Method::GET, path), (id, summary), data)
    }

    /// An operation that answers with an image.
    fn image(
        path: &'static str,
        media: &'static str,
        id: &'static str,
        summary: &'static str,
    ) -> Self {
        Self::new((Method::GET, path), (id, summary), Data::Media(media)).tag("badge")
    }

    fn tag(self, tag: &'static str) -> Self {
        Self { tag, ..self }
    }

    fn text(self, description: &'static str) -> Self {
        Self {
            description,
            ..self
        }
    }

    fn body<T: JsonSchema>(self) -> Self {
        let body = Some(SchemaGenerator::subschema_for::<T> as Shape);
        Self { body, ..self }
    }

    fn meta<T: JsonSchema>(self) -> Self {
        let meta = Some(SchemaGenerator::subschema_for::<T> as Shape);
        Self { meta, ..self }
    }

    fn query(self, query: &'static [&'static str]) -> Self {
        Self { query, ..self }
    }

    fn statuses(self, statuses: &'static [u16]) -> Self {
        Self { statuses, ..self }
    }

    fn errors(mut self, codes: &[Code]) -> Self {
        self.errors.extend_from_slice(codes);
        self
    }

    /// The codes from one number to another, but for those that are never answered.
    fn errors_between(mut self, first: Code, last: Code) -> Self {
        let bounds = first.number()..=last.number();
        let between = Code::all().filter(|code| bounds.contains(&code.number()));
        self.errors
            .extend(between.filter(|code| code.reserved().is_none()));
        self
    }
}

/// Every operation, in the order of the document.
pub(super) fn operations() -> Vec<Operation> {
    vec![
        Operation::one::<Order>(Method::POST, "/orders", "createOrder", "Create an order").text("With every signature it is performed at once, unless `automatedPerform` is false. The same order again answers 200 with the order that is there, and adds the claims that it lacked. An order that is still open after 30 days is canceled, unless an account with tokens has signed it for its creator.").body::<OrderRequest>().statuses(&[201, 200]).errors(&[Code::SignatureNotValid, Code::LedgerNotFound, Code::AssetNotFound, Code::HashAlreadyUsed, Code::AssetIdMissing, Code::AssetImprintMissing, Code::AssetLedgerMissing, Code::ActionImprintNotValid, Code::FieldNotValid, Code::TooManyOpen]).errors_between(Code::OrderMakerMissing, Code::ActionValueMissing).errors_between(Code::OrderMissing, Code::AssetIdNotUnique).errors_between(Code::ActionPartyMissing, Code::ManageNotAllowed).errors_between(Code::ActionValueNotValid, Code::UpdateProxyNotAble).errors_between(Code::DestroyNotApproved, Code::DestroyNotCapable),
        Operation::list::<Order>("/orders", "getOrders", "List orders").text("Orders that the caller created or has signed; with `roles=invited` those that wait for the caller's signature.").query(&["filterIds", "statuses", "roles"]),
        Operation::one::<Order>(Method::GET, "/orders/:orderRef", "getOrder", "Get an order").errors(&[Code::OrderNotFound]),
        Operation::one::<Order>(Method::DELETE, "/orders/:orderRef", "cancelOrder", "Cancel an order").text("Only while it is initialized, by a listed signer.").meta::<OrderMeta>().errors(&[Code::NotASigner, Code::OrderNotFound, Code::OrderStateNotValid]),
        Operation::one::<Order>(Method::PUT, "/orders/:orderRef/sign", "signOrder", "Sign an order").text("Only while it is initialized. An account that is no listed signer takes the wildcard's place, where the order has one that is free.").body::<SignRequest>().errors(&[Code::SignatureNotValid, Code::AssetNotFound, Code::AssetIdNotUnique, Code::ManageProxyNotAble, Code::ManageNotAllowed]).errors_between(Code::NotASigner, Code::OrderStateNotValid).errors_between(Code::CreateNotAllowed, Code::UpdateProxyNotAble).errors_between(Code::DestroyNotApproved, Code::DestroyNotCapable),
        Operation::one::<Order>(Method::PUT, "/orders/:orderRef/perform", "performOrder", "Perform an order").text("Only while it is initialized and fully signed.").errors(&[Code::OrderNotReady, Code::OrderNotFound, Code::OrderStateNotValid]),
        Operation::one::<Deployment>(Method::POST, "/deployments", "createDeployment", "Deploy a ledger").body::<DeploymentRequest>().statuses(&[201, 200]).errors(&[Code::SignatureNotValid, Code::DeployCreationFailed, Code::DeployClaimMissing, Code::DeployReceiverMissing, Code::DeployExpirationMissing, Code::DeployBalanceInsufficient, Code::DeployNotApproved, Code::FieldNotValid]).errors_between(Code::DeployTakerNotValid, Code::DeploySymbolMissing).errors_between(Code::DeployUriPrefixMissing, Code::DeployPaymentNotValid),
        Operation::list::<Deployment>("/deployments", "getDeployments", "List deployments").query(&["filterIds", "statuses"]),
        Operation::one::<Deployment>(Method::GET, "/deployments/:deploymentRef", "getDeployment", "Get a deployment").errors(&[Code::DeploymentNotFound]),
        Operation::one::<Approval>(Method::POST, "/approvals", "createApproval", "Create an approval").body::<ApprovalRequest>().statuses(&[201, 200]).errors(&[Code::ApproveCreationFailed, Code::FieldNotValid]).errors_between(Code::ApproveMissing, Code::ApproveLedgerNotApproved).errors_between(Code::ValueApproveLedgerMissing, Code::ValueApproveExpirationMissing),
        Operation::list::<Approval>("/approvals", "getApprovals", "List approvals").query(&["filterIds", "statuses"]),
        Operation::one::<Approval>(Method::GET, "/approvals/:approvalRef", "getApproval", "Get an approval").errors(&[Code::ApprovalNotFound]),
        Operation::one::<Deposit>(Method::POST, "/deposits", "createDeposit", "Create a deposit").text("If deposits move money, the account must have given its information (400014), and few deposits may wait for their payment at a time (429000).").body::<DepositRequest>().statuses(&[201]).errors(&[Code::AccountNotIdentified, Code::DepositsNotConfigured, Code::DepositPriceUnknown, Code::DepositAmountMissing, Code::DepositAmountTooLow, Code::FieldNotValid]),
        Operation::list::<Deposit>("/deposits", "getDeposits", "List deposits").query(&["filterIds"]),
        Operation::one::<Deposit>(Method::GET, "/deposits/:depositRef", "getDeposit", "Get a deposit").errors(&[Code::DepositNotFound]),
        Operation::one::<Received>(Method::POST, "/deposits/stripe", "receiveStripeEvent", "Receive an event of the payment provider").text("For the payment provider alone, which signs its events.").errors(&[Code::SignatureNotValid, Code::BodyNotValid, Code::DepositsNotConfigured, Code::BodyTooLarge]),
        Operation::one::<Account>(Method::GET, "/account", "getAccount", "Get the account"),
        Operation::one::<Account>(Method::PUT, "/account", "updateAccountInformation", "Set the account's information").body::<AccountInformationInput>().errors(&[Code::FieldNotValid]).errors_between(Code::AccountInformationMissing, Code::CompanyPhoneNumberMissing),
        Operation::one::<Account>(Method::DELETE, "/account/information", "deleteAccountInformation", "Erase the account's information").text("At once, and so that nothing of the service holds it any more. Orders, assets, deposits and the log of requests stay: none of them holds it. If identification is required, the account is not identified from then on."),
        Operation::list::<AccountAbility>("/account/abilities", "getAccountAbilities", "List the account's abilities"),
        Operation::one::<Webhook>(Method::PUT, "/account/webhook", "updateAccountWebhook", "Register the webhook").text("Events flow as soon as the receiver has answered a challenge, which is sent at once and, unless it is answered, after half a minute, five minutes and half an hour. Registering a webhook again that is not active sends it again. The secret is made at the first registration, and anew where the address's origin changes.").body::<WebhookRequest>().errors(&[Code::WebhookEventsNotValid, Code::WebhookUrlMissing, Code::WebhookUrlNotValid]),
        Operation::one::<Webhook>(Method::GET, "/account/webhook", "getAccountWebhook", "Get the webhook"),
        Operation::one::<Webhook>(Method::DELETE, "/account/webhook", "deleteAccountWebhook", "Remove the webhook"),
        Operation::one::<Webhook>(Method::POST, "/account/webhook/rotate", "rotateAccountWebhookSecret", "Make a new secret").text("The one before signs beside it for a while.").meta::<RotationMeta>().errors(&[Code::WebhookUrlMissing]),
        Operation::one::<Delivery>(Method::POST, "/account/webhook/test", "testAccountWebhook", "Send a test event").statuses(&[201, 200]).errors(&[Code::WebhookUrlMissing, Code::WebhookNotActive]),
        Operation::list::<Delivery>("/account/webhook/deliveries", "getAccountWebhookDeliveries", "List deliveries").text("Kept for 90 days."),
        Operation::one::<Delivery>(Method::POST, "/account/webhook/deliveries/:ref/redeliver", "redeliverAccountWebhookEvent", "Deliver an event again").statuses(&[201, 200]).errors(&[Code::InvalidPath, Code::WebhookUrlMissing, Code::WebhookNotActive]),
        Operation::list::<Ledger>("/ledgers", "getLedgers", "List ledgers").text("Ledgers on which the caller holds an ability."),
        Operation::one::<Ledger>(Method::GET, "/ledgers/:ledgerRef", "getLedger", "Get a ledger").errors(&[Code::LedgerNotFound]),
        Operation::list::<LedgerAbility>("/ledgers/:ledgerRef/abilities", "getLedgerAbilities", "List the abilities of accounts").query(&["filterAccountIds"]).errors(&[Code::LedgerNotFound]),
        Operation::list::<Address>("/ledgers/:ledgerRef/accounts", "getLedgerAccounts", "List accounts with any ability").query(&["filterAccountIds"]).errors(&[Code::LedgerNotFound]),
        Operation::list::<Asset>("/ledgers/:ledgerRef/assets", "getLedgerAssets", "List assets").query(&["filterIds"]).errors(&[Code::LedgerNotFound]),
        Operation::one::<Asset>(Method::GET, "/ledgers/:ledgerRef/assets/:assetId", "getLedgerAsset", "Get an asset").errors(&[Code::LedgerNotFound, Code::AssetNotFound]),
        Operation::list::<Request>("/requests", "getRequests", "List requests").text("A request may take a second to appear. With `methods` or `status`, a page ends where 10,000 requests have been looked at: it may have fewer items than `limit`, or none, and still a `next`.").query(&["methods", "status", "fromDate", "toDate"]),
        Operation::one::<Request>(Method::GET, "/requests/:requestRef", "getRequest", "Get a request").errors(&[Code::RequestNotFound]),
        Operation::list::<Cost>("/stats/costs", "getCostsStats", "Payments, by day").query(&["fromDate", "toDate"]),
        Operation::list::<Traffic>("/stats/traffic", "getTrafficStats", "Requests, by day").query(&["fromDate", "toDate"]),
        Operation::list::<Ticker>("/stats/tickers", "getTickerStats", "Prices of the platform token").query(&["filterIds", "fromDate", "toDate"]),
        Operation::image("/badge", "image/*", "getBadge", "Show whether an asset is valid").text("The header `x-asset-validity` says `valid`, `invalid`, `withdrawn` or `unknown`. A request that accepts images first gets one in every case; for a withdrawn asset that is `invalidImg`, where given. A request that accepts `text/html` first is redirected to the page that verifies.").query(&["badgeAsset", "badgeLedger", "validImg", "invalidImg"]).statuses(&[200, 302]).errors(&[Code::BadgeAssetNotFound, Code::BadgeDataUnavailable, Code::BadgeImageUnavailable]).errors_between(Code::BadgeAssetIdMissing, Code::BadgeLedgerMissing),
        Operation::one::<Report>(Method::GET, "/badge.json", "getValidity", "Tell whether an asset is valid, whose it is, and why").tag("badge").query(&["badgeAsset", "badgeLedger"]).errors(&[Code::BadgeDataUnavailable]).errors_between(Code::BadgeAssetIdMissing, Code::BadgeLedgerMissing),
        Operation::image("/images/trusted.svg", "image/svg+xml", "getTrustedImage", "The badge of a valid asset whose issuer is confirmed"),
        Operation::image("/images/unconfirmed.svg", "image/svg+xml", "getUnconfirmedImage", "The badge of a valid asset whose issuer is not confirmed"),
        Operation::image("/images/untrusted.svg", "image/svg+xml", "getUntrustedImage", "The badge of an asset that is not valid"),
        Operation::image("/images/withdrawn.svg", "image/svg+xml", "getWithdrawnImage", "The badge of a withdrawn asset"),
        Operation::image("/images/not-issued.svg", "image/svg+xml", "getNotIssuedImage", "The badge where there never was such an asset"),
        Operation::image("/images/unknown.svg", "image/svg+xml", "getUnknownImage", "The badge where validity is unknown"),
        Operation::one::<Health>(Method::GET, "/health", "getHealth", "Tell whether the service works").tag("service"),
    ]
}
