//! JSON Schemas of the types, as the description of the API shows them: how each is written, and an example.

use alloc::borrow::Cow;
use alloc::vec::Vec;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};

use serde_json::Value;

use crate::approval::{Approval, OperatorApproval, ValueApproval};
use crate::claim::ClaimText;
use crate::error::Code;
use crate::order::{Action, ActionFields, ActionKind};
use crate::types::{
    Abilities, Address, Amount, AssetId, Capabilities, Expiration, Imprint, LAST_EXPIRATION,
    MAX_SAFE_INTEGER, Priority, SchemaId, Seed, Status,
};

macro_rules! schemas {
    ($($type:ty, $name:literal: $schema:tt)*) => {$(
        impl JsonSchema for $type {
            fn schema_name() -> Cow<'static, str> {
                Cow::Borrowed($name)
            }

            fn json_schema(_: &mut SchemaGenerator) -> Schema {
                json_schema!($schema)
            }
        }
    )*};
}

schemas! {
    Address, "Address": {
        "type": "string",
        "description": "An Ethereum address. Answers write it in EIP-55 form; requests may write it in one case, or with a \
            correct checksum. The zero address is not valid.",
        "pattern": "^0[xX][0-9a-fA-F]{40}$",
        "examples": ["0x70997970C51812dc3A010C7d01b50e0d17dc79C8"],
    }

    Amount, "Amount": {
        "type": "string",
        "description": "An amount of tokens in base units (10^-18 of a token): an unsigned 256-bit integer in decimal.",
        "pattern": "^[0-9]{1,78}$",
        "examples": ["3000000000000000000"],
    }

    AssetId, "AssetId": {
        "type": "string",
        "description": "An asset's id: an unsigned 256-bit integer, in decimal or, in requests, as `0x` and hex.",
        "pattern": "^([0-9]{1,78}|0x[0-9a-fA-F]{1,64})$",
        "examples": ["100"],
    }

    Imprint, "Imprint": {
        "type": "string",
        "description": "An imprint: the Merkle root over an asset's data, 64 hexadecimal characters with or without `0x`.",
        "pattern": "^(0[xX])?[0-9a-fA-F]{64}$",
        "examples": ["d747e6ffd1aa3f83efef2931e3cc22c653ea97a32c1ee7289e4966b6964ecdfb"],
    }

    SchemaId, "SchemaId": {
        "type": "string",
        "description": "The id of the JSON Schema of a ledger's assets: the SHA-256 of the schema's text. Answers write it \
            as `0x` and lower-case hex.",
        "pattern": "^(0[xX])?[0-9a-fA-F]{64}$",
        "examples": ["0x3f4a0870cd6039e6c987b067b0d28de54efea17449175d7a8cd6ec10ab23cc5d"],
    }

    ClaimText, "Claim": {
        "type": "string",
        "description": "An account's signature of a hash, `{type}:{signature}`: type 0 (ETH_SIGN) or 3 (PERSONAL_SIGN), then \
            `0x` and the 65 bytes r, s, v in hex. Both types sign the 32 bytes of the hash as an Ethereum \
            message (EIP-191). `s` is in the lower half (EIP-2), `v` is 27 or 28.",
        "pattern": "^[03]:0x[0-9a-fA-F]{130}$",
        "examples": ["0:0xe4cbed4b0803f9a34a4fcf724a2017747532cbe63b961437ec3e56ab329f8b23356765bcfa0e9bfcc6418bc9331ea02fd024699b1a9fd1b88dee17a0515871481c"],
    }

    Seed, "Seed": {
        "type": "integer",
        "description": "A salt that makes the hash unique, usually the time.",
        "minimum": 0,
        "maximum": MAX_SAFE_INTEGER,
        "examples": [1_700_000_000_000_u64],
    }

    Expiration, "Expiration": {
        "type": "integer",
        "description": "Until when it is valid: a UNIX time, in milliseconds from 10^11 on, else in seconds, up to the end \
            of the year 9999. Answers have milliseconds. Whole seconds count: orders and value approvals end \
            when that second begins, deployments and asset approvals when it is over.",
        "minimum": 0,
        "maximum": LAST_EXPIRATION,
        "examples": [1_700_172_800_000_u64],
    }

    Priority, "Priority": {
        "type": "integer",
        "description": "1 low, 2 medium, 3 high, 4 critical: what is higher is performed earlier.",
        "enum": [1, 2, 3, 4],
        "examples": [3],
    }

    Status, "Status": {
        "type": "integer",
        "description": "0 initialized, 1 pending, 2 processing, 3 success, 4 failure, 5 suspended, 6 canceled, 7 finalized. \
            Failure, canceled and finalized are final.",
        "enum": [0, 1, 2, 3, 4, 5, 6, 7],
        "examples": [7],
    }

    Abilities, "Abilities": {
        "type": "array",
        "description": "An account's abilities on a ledger: 1 grant abilities further, 2 grant them by orders, 16 create \
            assets, 32 revoke assets, 64 stop and start transfers, 128 update assets, 256 update the base URI, \
            512 create assets by orders, 1024 update imprints by orders.",
        "items": {"type": "integer", "enum": [1, 2, 16, 32, 64, 128, 256, 512, 1024]},
        "uniqueItems": true,
        "examples": [[16, 512]],
    }

    Capabilities, "Capabilities": {
        "type": "array",
        "description": "A ledger's capabilities: 1 owners destroy their assets, 2 imprints are updated, 3 transfers are \
            stopped and started, 4 any asset is destroyed by the ledger's owner.",
        "items": {"type": "integer", "enum": [1, 2, 3, 4]},
        "uniqueItems": true,
        "examples": [[1, 2]],
    }

    ActionKind, "ActionKind": {
        "type": "integer",
        "description": "1 create asset, 2 transfer asset, 3 transfer value, 4 update imprint, 5 set abilities, 6 destroy \
            asset.",
        "enum": [1, 2, 3, 4, 5, 6],
        "examples": [1],
    }
}

impl JsonSchema for Code {
    fn schema_name() -> Cow<'static, str> {
        Cow::Borrowed("Code")
    }

    /// The catalogue of errors, without those that are never answered.
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let answered = || Code::all().filter(|code| code.reserved().is_none());
        json_schema!({
            "type": "integer",
            "description": "The kind of an error, as a stable number; `x-enum-descriptions` says what each means.",
            "enum": answered().map(Code::number).collect::<Vec<_>>(),
            "x-enum-descriptions": answered().map(Code::message).collect::<Vec<_>>(),
            "examples": [Code::OrderSeedMissing.number()],
        })
    }
}

impl JsonSchema for Action {
    fn schema_name() -> Cow<'static, str> {
        ActionFields::schema_name()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        ActionFields::json_schema(generator)
    }
}

/// Adds the constant `kind` by which the approvals are told apart.
pub(crate) fn of_kind<const KIND: u8>(schema: &mut Schema) {
    let kind = json_schema!({ "type": "integer", "const": KIND });
    if let Some(Value::Object(properties)) = schema.get_mut("properties") {
        properties.insert("kind".into(), kind.to_value());
    }
    if let Some(Value::Array(required)) = schema.get_mut("required") {
        required.insert(0, "kind".into());
    }
}

impl JsonSchema for Approval {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        Cow::Borrowed("AnyApproval")
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "anyOf": [
                generator.subschema_for::<OperatorApproval>(),
                generator.subschema_for::<ValueApproval>(),
            ],
        })
    }
}
