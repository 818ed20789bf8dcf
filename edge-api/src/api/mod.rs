//! Bodies and answers of the API, with one struct for each shape. If a route answers with rows as they are stored, their
//! struct is next to the query instead. The API description and the client's types are generated from these structs and
//! their doc comments.

mod account;
mod activity;
mod admin;
mod admissions;
mod badge;
pub(crate) mod bodies;
mod books;
mod certificates;
mod deposits;
mod envelope;
mod field;
mod files;
mod issuers;
mod ledgers;
mod links;
mod records;
mod scalars;
mod service;
mod sessions;
mod statistics;
mod status_lists;
mod wallet;
mod webhooks;

pub(crate) use account::{
    Account, AccountInformation, CompanyInformation, Gateway, Payment, PhoneNumber,
};
pub(crate) use activity::{Activity, ActivityKind};
pub(crate) use admin::{
    AuditEntry, Block, DeadLetter, ErasedData, Grant, Pause, PersonalData, PersonalItem,
    RaisedQuota, StuckRecord,
};
pub(crate) use admissions::{Admission, AdmissionRequest, AdmissionStatus};
pub(crate) use badge::{
    AssetStatus, BadgeAsset, BadgeDetails, BadgeLedger, BadgeList, BadgeValue, CheckedBy,
    DOCUMENTS, Finding, Headline, HeadlineCode, HeadlineParameters, Integrity, Issuer, IssuerKind,
    PastImprint, ReasonAuthor, ReasonRole, Report, StatusKind, Validity, ValueStatus,
};
pub(crate) use books::{Book, BookContent, BookKey, BookVersion, MemberKey, MemberKeys};
pub(crate) use certificates::{
    AssetChange, AssetChangeKind, AssetHistory, Certificate, CertificateCounts, CertificateStatus,
    MonthCounts,
};
pub(crate) use deposits::{Deposit, Received};
pub(crate) use envelope::{ChainBlock, Error, Failure, Meta, PageMeta, StateMeta};
pub(crate) use field::{BodyField, BodyShape, FieldKind};
pub(crate) use files::{FileLimits, HostedFile, RemovedFiles};
pub(crate) use issuers::{
    Advice, CheckResult, ConfirmedPeriod, DomainState, IssuerCheck, IssuerDomain, Way,
};
pub(crate) use ledgers::{Asset, AssetWithdrawal};
pub(crate) use links::{EndedLink, NewLink, SharedLink};
pub(crate) use records::{
    Approval, Deployment, Order, OrderContent, OrderMeta, RecordError, Signer,
};
#[cfg(feature = "native")]
pub(crate) use scalars::Document;
pub(crate) use scalars::{
    AddressOrNone, ClaimOrNone, Date, Hash, Ref, Shape, Timestamp, TransactionHash,
};
pub(crate) use service::{ChainHealth, Health, Operator, RateLimits, RelayerHealth};
pub(crate) use sessions::{
    AccountAccess, ApiKey, Challenge, KeyScope, NewApiKey, NewSession, Session,
};
pub(crate) use statistics::Request;
pub(crate) use status_lists::{StatusEntries, StatusEntry};
pub(crate) use wallet::{EndedOffer, WalletOffer, WalletRefusal};
pub(crate) use webhooks::{
    ChangedAsset, ChangedDomain, ChangedStatus, Delivery, DeliveryState, EventKinds, RotationMeta,
    Webhook, WebhookEvent, WebhookState, delivery_state, webhook_state,
};
