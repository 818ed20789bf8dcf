//! Bodies and answers of the API, with one struct for each shape. If a route answers with rows as they are stored, their
//! struct is next to the query instead. The API description and the client's types are generated from these structs and
//! their doc comments.

mod account;
mod admin;
mod badge;
#[cfg(feature = "native")]
pub(crate) mod bodies;
mod deposits;
mod envelope;
pub(crate) mod fields;
mod files;
mod issuers;
mod ledgers;
mod records;
mod scalars;
mod service;
mod sessions;
mod statistics;
mod webhooks;

pub(crate) use account::{
    Account, AccountInformation, CompanyInformation, Gateway, Payment, PhoneNumber,
};
pub(crate) use admin::{
    AuditEntry, Block, DeadLetter, ErasedData, Grant, Pause, PersonalData, PersonalItem,
    RaisedQuota, StuckRecord,
};
#[cfg(feature = "native")]
pub(crate) use badge::Report;
pub(crate) use badge::{
    AssetStatus, BadgeAsset, BadgeDetails, BadgeLedger, BadgeList, BadgeValue, CheckedBy,
    DOCUMENTS, Finding, Headline, HeadlineCode, HeadlineParameters, Integrity, Issuer, IssuerKind,
    Look, PastImprint, ReasonAuthor, ReasonRole, StatusKind, Validity, ValueStatus,
};
pub(crate) use deposits::{Deposit, Received};
pub(crate) use envelope::{ChainBlock, Error, Failure, Meta, PageMeta, StateMeta};
pub(crate) use fields::{BodyField, FieldKind};
pub(crate) use files::{FileLimits, HostedFile, RemovedFiles};
pub(crate) use issuers::{
    Advice, CheckResult, ConfirmedPeriod, DomainState, IssuerCheck, IssuerDomain, Way,
};
pub(crate) use ledgers::{Asset, AssetWithdrawal};
pub(crate) use records::{
    Approval, Deployment, Order, OrderContent, OrderMeta, RecordError, Signer,
};
#[cfg(feature = "native")]
pub(crate) use scalars::{AddressOrNone, Document};
pub(crate) use scalars::{ClaimOrNone, Date, Hash, Ref, Timestamp, TransactionHash};
pub(crate) use service::{ChainHealth, Health, RateLimits, RelayerHealth};
pub(crate) use sessions::{
    AccountAccess, ApiKey, Challenge, KeyScope, NewApiKey, NewSession, Session,
};
pub(crate) use statistics::Request;
pub(crate) use webhooks::{
    ChangedAsset, ChangedStatus, Delivery, DeliveryState, EventKinds, RotationMeta, Webhook,
    WebhookEvent, WebhookState, delivery_state, webhook_state,
};
