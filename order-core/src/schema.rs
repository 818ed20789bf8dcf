//! JSON Schemas of the types for the description of the API.

use alloc::borrow::Cow;
use alloc::format;
use alloc::vec::Vec;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};

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
        "description": "An Ethereum address. Answers write it in EIP-55 form. Requests may write it in one case, or with a \
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
        "description": "The id of the JSON Schema of a ledger's assets: the SHA-256 of the schema's text. Answers write it as \
            `0x` and lower-case hex.",
        "pattern": "^(0[xX])?[0-9a-fA-F]{64}$",
        "examples": ["0x3f4a0870cd6039e6c987b067b0d28de54efea17449175d7a8cd6ec10ab23cc5d"],
    }

    ClaimText, "Claim": {
        "type": "string",
        "description": "An account's signature of a hash, `{type}:{signature}`: type 0 (ETH_SIGN) or 3 (PERSONAL_SIGN), then \
            `0x` and the 65 bytes r, s, v in hex. Both types sign the 32 bytes of the hash as an Ethereum message (EIP-191). \
            `s` is in the lower half (EIP-2), `v` is 27 or 28.",
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
        "description": "The end of validity as a UNIX time, at most the end of the year 9999. Numbers of 10^11 and more are \
            milliseconds, smaller numbers are seconds. Answers have milliseconds. Fractions of a second are ignored. Orders and \
            value approvals end when that second begins, deployments and asset approvals when that second is over.",
        "minimum": 0,
        "maximum": LAST_EXPIRATION,
        "examples": [1_700_172_800_000_u64],
    }

    Priority, "Priority": {
        "type": "integer",
        "description": "The order of execution: requests with a higher priority are performed first.\n\
            \n- 1: low\
            \n- 2: medium\
            \n- 3: high\
            \n- 4: critical",
        "enum": Priority::ALL.iter().map(|one| one.number()).collect::<Vec<u8>>(),
        "x-enum-varnames": Priority::ALL.iter().map(|one| format!("{one:?}")).collect::<Vec<_>>(),
        "examples": [3],
    }

    Status, "Status": {
        "type": "integer",
        "description": "The state of a request. Finalized never changes. Failure and canceled never change on an embedded ledger; on a chain, a failed or canceled order or deployment becomes a success if anybody performs it there.\n\
            \n- 0: initialized\
            \n- 1: pending\
            \n- 2: processing\
            \n- 3: success\
            \n- 4: failure\
            \n- 5: suspended\
            \n- 6: canceled\
            \n- 7: finalized",
        "enum": Status::ALL.iter().map(|one| one.number()).collect::<Vec<u8>>(),
        "x-enum-varnames": Status::ALL.iter().map(|one| format!("{one:?}")).collect::<Vec<_>>(),
        "examples": [7],
    }

    Abilities, "Abilities": {
        "type": "array",
        "description": "An account's abilities on a ledger.\n\
            \n- 1: grant abilities\
            \n- 2: grant abilities by orders\
            \n- 16: create assets\
            \n- 32: revoke assets\
            \n- 64: stop and start transfers\
            \n- 128: update assets\
            \n- 256: update the base URI\
            \n- 512: create assets by orders\
            \n- 1024: update imprints by orders",
        "items": {
            "type": "integer",
            "enum": [1, 2, 16, 32, 64, 128, 256, 512, 1024],
            "x-enum-varnames": [
                "ManageAbilities", "AllowManageAbilities", "CreateAsset", "RevokeAsset", "ToggleTransfers", "UpdateAsset",
                "UpdateUriBase", "AllowCreateAsset", "AllowUpdateAsset",
            ],
        },
        "uniqueItems": true,
        "examples": [[16, 512]],
    }

    Capabilities, "Capabilities": {
        "type": "array",
        "description": "A ledger's capabilities.\n\
            \n- 1: owners can destroy their assets\
            \n- 2: imprints can be updated\
            \n- 3: transfers can be stopped and started\
            \n- 4: accounts with the ability 32 can revoke any asset",
        "items": {
            "type": "integer",
            "enum": [1, 2, 3, 4],
            "x-enum-varnames": ["DestroyAsset", "UpdateAsset", "ToggleTransfers", "RevokeAsset"],
        },
        "uniqueItems": true,
        "examples": [[1, 2]],
    }

    ActionKind, "ActionKind": {
        "type": "integer",
        "description": "The kind of an action.\n\
            \n- 1: create asset\
            \n- 2: transfer asset\
            \n- 3: transfer value\
            \n- 4: update imprint\
            \n- 5: set abilities\
            \n- 6: destroy asset of the sender\
            \n- 7: revoke asset of any account, only on an embedded ledger",
        "enum": ActionKind::ALL.iter().map(|one| one.number()).collect::<Vec<u8>>(),
        "x-enum-varnames": ActionKind::ALL.iter().map(|one| format!("{one:?}")).collect::<Vec<_>>(),
        "examples": [1],
    }
}

impl JsonSchema for Code {
    fn schema_name() -> Cow<'static, str> {
        Cow::Borrowed("Code")
    }

    /// Describes the codes of the catalogue, without the codes that never occur.
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let answered = || Code::all().filter(|code| code.reserved().is_none());
        json_schema!({
            "type": "integer",
            "description": "The kind of an error, as a stable number. `x-enum-descriptions` has the meaning of each code.",
            "enum": answered().map(Code::number).collect::<Vec<_>>(),
            "x-enum-varnames": answered().map(Code::name).collect::<Vec<_>>(),
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
