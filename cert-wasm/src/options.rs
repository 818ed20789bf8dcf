//! The options of a user, which JavaScript does not check.

#[cfg(feature = "cert")]
use alloc::boxed::Box;
use alloc::string::String;
#[cfg(any(feature = "cert", feature = "aih2"))]
use alloc::vec::Vec;

use cert_core::Array;
#[cfg(any(feature = "cert", feature = "aih2"))]
use cert_core::Value;
#[cfg(feature = "aih2")]
use cert_core::aih2::{DocumentKey, Keys, Secret};
#[cfg(feature = "cert")]
use cert_core::{KeyedNoncer, Noncer, PathNoncer};
#[cfg(feature = "cert")]
use js_sys::Function;
use js_sys::{Object, Reflect};
#[cfg(any(feature = "cert", feature = "aih2"))]
use wasm_bindgen::prelude::wasm_bindgen;
use wasm_bindgen::{JsCast as _, JsValue};
#[cfg(any(feature = "cert", feature = "aih2"))]
use zeroize::Zeroizing;

#[cfg(any(feature = "cert", feature = "aih2"))]
use crate::js::thrown;
use crate::js::{failure, give, take};

#[cfg(any(feature = "cert", feature = "aih2"))]
#[cfg_attr(feature = "cert", wasm_bindgen(raw_module = "../src/pack.js"))]
#[cfg_attr(not(feature = "cert"), wasm_bindgen(raw_module = "../../src/pack.js"))]
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
        let keys = Object::keys(options.unchecked_ref::<Object>());
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
            Some(options) => Reflect::get(options, &name.into()),
            None => Ok(JsValue::UNDEFINED),
        }
    }

    /// An option that has to be there.
    pub(crate) fn required(&self, name: &str) -> Result<JsValue, JsValue> {
        let value = self.get(name)?;
        if value.is_undefined() {
            return Err(wrong(&["the option `", name, "` is required"]));
        }
        Ok(value)
    }

    /// Refuses another profile than the one at hand.
    pub(crate) fn profile(&self, own: &str) -> Result<(), JsValue> {
        let profile = self.get("profile")?;
        if profile.is_undefined() || profile == own {
            return Ok(());
        }
        Err(wrong(&[
            "the option `profile` can be `",
            own,
            "` alone: `@assay/cert` has AIH-1, `@assay/cert/aih2` AIH-2",
        ]))
    }

    #[cfg(any(feature = "cert", feature = "aih2"))]
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

#[cfg(feature = "cert")]
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

#[cfg(feature = "cert")]
/// The noncer: a callback of the user, or the one of `cert_core` that is asked for.
pub(crate) enum Nonces {
    Callback(Function),
    Own(Box<dyn Noncer>),
}

#[cfg(feature = "cert")]
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
    let asset_id = asset_id(&key)?;
    let Some(secret) = bytes_of(&key.get("secret")?).map(Zeroizing::new) else {
        return Err(wrong(&["the option `secret` has to be bytes or a string"]));
    };
    let keyed = match asset_id {
        None => KeyedNoncer::new(&secret),
        Some(asset_id) => KeyedNoncer::for_asset(&secret, asset_id.as_str().unwrap_or_default()),
    };
    let keyed = keyed.map_err(|error| thrown(&error))?;
    Ok(Nonces::Own(Box::new(keyed)))
}

#[cfg(any(feature = "cert", feature = "aih2"))]
/// The id of an asset, a string, if it is given.
fn asset_id(options: &Options<'_>) -> Result<Option<Value>, JsValue> {
    let asset_id = options.get("assetId")?;
    if asset_id.is_undefined() {
        return Ok(None);
    }
    if !asset_id.is_string() {
        return Err(wrong(&["the option `assetId` has to be a string"]));
    }
    take(&asset_id).map(Some)
}

#[cfg(feature = "aih2")]
/// The document key or the secret of AIH-2, if there is one. A string is refused: what a person types is not as random as a key has to be.
pub(crate) fn keys(options: &Options<'_>) -> Result<Option<Keys>, JsValue> {
    let bytes = |name: &str| -> Result<Option<Zeroizing<Vec<u8>>>, JsValue> {
        let value = options.get(name)?;
        if value.is_undefined() {
            return Ok(None);
        }
        let bytes = bytes_of(&value).map(Zeroizing::new);
        match bytes.filter(|_| !value.is_string()) {
            Some(bytes) => Ok(Some(bytes)),
            None => Err(wrong(&["the option `", name, "` has to be bytes"])),
        }
    };
    let asset_id = asset_id(options)?;
    let keys = match (bytes("key")?, bytes("secret")?) {
        (Some(_), Some(_)) => return Err(wrong(&["`key` and `secret` exclude each other"])),
        (None, Some(secret)) => {
            let asset_id = asset_id.as_ref().and_then(Value::as_str);
            Secret::new(&secret, asset_id.unwrap_or_default()).map(Keys::Secret)
        }
        _ if asset_id.is_some() => return Err(wrong(&["`assetId` goes with `secret`"])),
        (Some(key), None) => DocumentKey::try_from(key.as_slice()).map(Keys::Key),
        (None, None) => return Ok(None),
    };
    keys.map(Some).map_err(|error| thrown(&error))
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
