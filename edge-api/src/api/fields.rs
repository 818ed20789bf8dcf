//! The names that request bodies have. The pipeline refuses every other name, and a form keeps the text fields as strings.
//!
//! Tests compare these lists with the shapes in `bodies.rs`, which describe the same bodies.

/// A field of an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct BodyField {
    pub(crate) name: &'static str,
    pub(crate) kind: FieldKind,
}

/// The value of a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FieldKind {
    /// A string. In a form, the postal code `1000` does not become a number.
    Text,
    /// A number, a boolean, or a list of such values or of strings.
    Value,
    /// An object with these fields.
    Object(&'static [BodyField]),
    /// A list of objects with these fields.
    List(&'static [BodyField]),
}

const fn text(name: &'static str) -> BodyField {
    BodyField {
        name,
        kind: FieldKind::Text,
    }
}

const fn value(name: &'static str) -> BodyField {
    BodyField {
        name,
        kind: FieldKind::Value,
    }
}

const fn object(name: &'static str, fields: &'static [BodyField]) -> BodyField {
    BodyField {
        name,
        kind: FieldKind::Object(fields),
    }
}

const fn list(name: &'static str, fields: &'static [BodyField]) -> BodyField {
    BodyField {
        name,
        kind: FieldKind::List(fields),
    }
}

const SIGNER: &[BodyField] = &[text("accountId"), text("claim")];

const ACTION: &[BodyField] = &[
    value("kind"),
    text("ledgerId"),
    text("assetId"),
    text("assetImprint"),
    text("value"),
    value("abilities"),
    text("receiverId"),
    text("senderId"),
];

const TRANSFER: &[BodyField] = &[text("ledgerId"), text("receiverId"), text("value")];

pub(crate) const ORDER: &[BodyField] = &[
    object(
        "order",
        &[
            list("signers", SIGNER),
            object("wildcardClaim", SIGNER),
            list("actions", ACTION),
            value("seed"),
            value("expiration"),
        ],
    ),
    value("priority"),
    value("automatedPerform"),
    value("wildcardSigner"),
];

pub(crate) const CLAIM: &[BodyField] = &[text("claim")];

pub(crate) const DEPLOYMENT: &[BodyField] = &[
    object(
        "deploy",
        &[
            text("makerId"),
            text("takerId"),
            object(
                "assetLedgerData",
                &[
                    text("name"),
                    text("symbol"),
                    text("uriPrefix"),
                    text("uriPostfix"),
                    text("schemaId"),
                    value("capabilities"),
                    text("ownerId"),
                ],
            ),
            object("tokenTransferData", TRANSFER),
            value("seed"),
            value("expiration"),
        ],
    ),
    value("priority"),
    text("claim"),
];

/// The fields of both kinds of approvals.
const APPROVAL_FIELDS: &[BodyField] = &[
    value("kind"),
    text("ledgerId"),
    text("owner"),
    text("operator"),
    value("isOperator"),
    object("tokenTransferData", TRANSFER),
    text("approver"),
    text("spender"),
    text("value"),
    text("feeRecipient"),
    text("feeValue"),
    value("seed"),
    value("expiration"),
];

/// The other name of the field `approval`.
pub(crate) const APPROVE: &str = "approve";

pub(crate) const APPROVAL: &[BodyField] = &[
    object("approval", APPROVAL_FIELDS),
    object(APPROVE, APPROVAL_FIELDS),
    value("priority"),
    text("claim"),
];

pub(crate) const DEPOSIT: &[BodyField] = &[value("amount")];

pub(crate) const INFORMATION: &[BodyField] = &[
    text("firstName"),
    text("lastName"),
    text("email"),
    text("streetAddress"),
    text("postalCode"),
    text("city"),
    text("country"),
    value("isCompany"),
    object(
        "companyInformation",
        &[
            text("name"),
            text("streetAddress"),
            text("postalCode"),
            text("city"),
            text("country"),
            text("taxNumber"),
            value("phoneNumber"),
        ],
    ),
];

pub(crate) const SIGN_IN: &[BodyField] = &[text("message"), text("signature"), value("cookie")];
pub(crate) const API_KEY: &[BodyField] = &[text("name"), value("scopes"), text("expiresAt")];
pub(crate) const ACCOUNT_ACCESS: &[BodyField] = &[value("legacyAuth")];
pub(crate) const WEBHOOK: &[BodyField] = &[text("url"), value("events"), text("secret")];
pub(crate) const DOMAIN: &[BodyField] = &[text("domain")];
pub(crate) const REASON: &[BodyField] = &[text("reason")];
pub(crate) const FILE: &[BodyField] = &[
    text("ledgerRef"),
    text("assetId"),
    text("name"),
    text("file"),
];
pub(crate) const PAUSE: &[BodyField] = &[text("message"), text("reason")];
pub(crate) const ADDRESS: &[BodyField] = &[text("address"), text("reason")];
pub(crate) const GRANT: &[BodyField] = &[text("address"), text("amount"), text("reason")];
pub(crate) const QUOTA: &[BodyField] = &[text("address"), value("factor"), text("reason")];
/// The fields of the routes of development instances, which are public.
pub(crate) const DEVELOPMENT: &[BodyField] = &[value("offsetMs"), value("step")];
