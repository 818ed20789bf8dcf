//! The options of a user, which JavaScript does not check.

use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;

use cert_core::{Array, KeyedNoncer, Noncer, PathNoncer};
use wasm_bindgen::prelude::wasm_bindgen;
use wasm_bindgen::{JsCast as _, JsValue};
use zeroize::Zeroizing;

use crate::js::{Function, failure, give, keys_of, property, take, thrown};

#[wasm_bindgen(raw_module = "../src/pack.js")]
extern "C" {
    /// The bytes of a secret, if it is bytes or a string.
    #[wasm_bindgen(js_name = bytesOf)]
    fn bytes_of(secret: &JsValue) -> Option<Vec<u8>>;
}

/// Options, of which all are known: a misspelt one would quietly leave nonces public, and `identify(true)` ask for another id.
pub(crate) struct Options<'o>(Option<&'o JsValue>);

impl<'o> Options<'o> {
    pub(crate) fn new(options: &'o JsValue, names: &[&str]) -> Result<Self, JsValue> {
        if options.is_undefined() || options.is_null() {
            return Ok(Self(None));
        }
        if !options.is_object() {
            let kind = take(&options.js_typeof())?;
            return Err(wrong(&[
                "options have to be an object with ",
                &listed(names),
                ", not a ",
                kind.as_str().unwrap_or_default(),
            ]));
        }
        let unknown = |key| {
            let names = listed(names);
            wrong(&["there is no option `", key, "`, only ", &names])
        };
        let keys = keys_of(options);
        // A key that is no text is none of the names.
        let keys = take(&keys).map_err(|_| unknown("\u{fffd}"))?;
        for key in keys.as_array().map_or(&[][..], Array::as_slice) {
            let key = key.as_str().unwrap_or_default();
            if !names.contains(&key) {
                return Err(unknown(key));
            }
        }
        Ok(Self(Some(options)))
    }

    /// The option, undefined where it is absent.
    pub(crate) fn get(&self, name: &str) -> Result<JsValue, JsValue> {
        match self.0 {
            Some(options) => property(options, name),
            None => Ok(JsValue::UNDEFINED),
        }
    }

    /// An option that is true or false, which is the default.
    pub(crate) fn flag(&self, name: &str) -> Result<bool, JsValue> {
        let value = self.get(name)?;
        match value.as_bool() {
            Some(flag) => Ok(flag),
            None if value.is_undefined() => Ok(false),
            None => Err(wrong(&["the option `", name, "` has to be true or false"])),
        }
    }
}

/// A callback of the user, if there is one.
pub(crate) fn hasher(options: &Options<'_>) -> Result<Option<Function>, JsValue> {
    let hasher = options.get("hasher")?;
    if hasher.is_undefined() {
        return Ok(None);
    }
    let function = hasher.dyn_into();
    function
        .map(Some)
        .map_err(|_| wrong(&["the option `hasher` has to be a function"]))
}

/// The noncer: a callback of the user, or the one of `cert_core` that is asked for.
pub(crate) enum Nonces {
    Callback(Function),
    Own(Box<dyn Noncer>),
}

pub(crate) fn nonces(options: &Options<'_>) -> Result<Nonces, JsValue> {
    let noncer = options.get("noncer")?;
    if noncer.is_undefined() {
        return Ok(Nonces::Own(Box::new(PathNoncer)));
    }
    let noncer = match noncer.dyn_into() {
        Ok(function) => return Ok(Nonces::Callback(function)),
        Err(other) => other,
    };
    if !noncer.is_object() {
        return Err(wrong(&[
            "the option `noncer` has to be a function or `{ secret }`",
        ]));
    }
    let key = Options::new(&noncer, &["secret", "assetId"])?;
    let asset_id = key.get("assetId")?;
    if !asset_id.is_undefined() && !asset_id.is_string() {
        return Err(wrong(&["the option `assetId` has to be a string"]));
    }
    let Some(secret) = bytes_of(&key.get("secret")?).map(Zeroizing::new) else {
        return Err(wrong(&["the option `secret` has to be bytes or a string"]));
    };
    let keyed = if asset_id.is_undefined() {
        KeyedNoncer::new(&secret)
    } else {
        let asset_id = take(&asset_id)?;
        KeyedNoncer::for_asset(&secret, asset_id.as_str().unwrap_or_default())
    };
    let keyed = keyed.map_err(|error| thrown(&error))?;
    Ok(Nonces::Own(Box::new(keyed)))
}

fn listed(names: &[&str]) -> String {
    let mut text = String::new();
    for name in names {
        if !text.is_empty() {
            text.push_str(", ");
        }
        text.push_str(name);
    }
    text
}

/// The error of a wrong option.
pub(crate) fn wrong(parts: &[&str]) -> JsValue {
    let mut message = String::new();
    for part in parts {
        message.push_str(part);
    }
    failure("option-invalid", &message, &give(|writer| writer.path(&[])))
}
