//! Reads a user's options. The names of the options are checked in `pkg/cert/src/options.js`, because the check takes less code in
//! JavaScript than here.

#[cfg(feature = "cert")]
use alloc::boxed::Box;
#[cfg(any(feature = "cert", feature = "aih2"))]
use alloc::vec::Vec;

#[cfg(any(feature = "cert", feature = "aih2"))]
use cert_core::Value;
#[cfg(feature = "aih2")]
use cert_core::aih2::{DocumentKey, Keys, Secret};
#[cfg(feature = "cert")]
use cert_core::{KeyedNoncer, Noncer, PathNoncer};
#[cfg(feature = "cert")]
use js_sys::Function;
#[cfg(any(feature = "cert", feature = "aih2"))]
use js_sys::Reflect;
#[cfg(feature = "cert")]
use wasm_bindgen::JsCast as _;
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;
#[cfg(any(feature = "cert", feature = "aih2"))]
use zeroize::Zeroizing;

#[cfg(any(feature = "cert", feature = "aih2"))]
use crate::js::{take, thrown};

#[cfg(any(feature = "cert", feature = "aih2"))]
#[cfg_attr(feature = "cert", wasm_bindgen(raw_module = "../src/pack.js"))]
#[cfg_attr(not(feature = "cert"), wasm_bindgen(raw_module = "../../src/pack.js"))]
extern "C" {
    /// Returns the bytes of a secret. `None` if it is neither bytes nor a string.
    #[wasm_bindgen(js_name = bytesOf)]
    fn bytes_of(secret: &JsValue) -> Option<Vec<u8>>;
}

#[cfg_attr(feature = "cert", wasm_bindgen(raw_module = "../src/options.js"))]
#[cfg_attr(
    not(feature = "cert"),
    wasm_bindgen(raw_module = "../../src/options.js")
)]
extern "C" {
    /// Returns the own properties of the options. Throws for names that are not `listed`.
    #[wasm_bindgen(catch)]
    pub(crate) fn known(options: &JsValue, listed: &str) -> Result<JsValue, JsValue>;

    /// Returns the schema from the options. Throws if they have a profile other than `own`.
    #[wasm_bindgen(catch, js_name = schemaOf)]
    pub(crate) fn schema_of(options: &JsValue, own: &str) -> Result<JsValue, JsValue>;

    /// Returns the error for a wrong option.
    pub(crate) fn wrong(message: &str) -> JsValue;

    /// Returns a boolean option, which defaults to false.
    #[cfg(any(feature = "cert", feature = "aih2"))]
    #[wasm_bindgen(catch)]
    pub(crate) fn flag(options: &JsValue, name: &str) -> Result<bool, JsValue>;
}

/// Returns the value of an option. Fails with the error that its getter throws.
#[cfg(any(feature = "cert", feature = "aih2"))]
fn get(options: &JsValue, name: &str) -> Result<JsValue, JsValue> {
    Reflect::get(options, &name.into())
}

/// Returns the custom hasher, if there is one.
#[cfg(feature = "cert")]
pub(crate) fn hasher(options: &JsValue) -> Result<Option<Function>, JsValue> {
    let hasher = get(options, "hasher")?;
    if hasher.is_undefined() {
        return Ok(None);
    }
    let function = hasher.dyn_into();
    function
        .map(Some)
        .map_err(|_| wrong("the option `hasher` has to be a function"))
}

/// The noncer: a custom callback, or a noncer of `cert_core`.
#[cfg(feature = "cert")]
pub(crate) enum Nonces {
    Callback(Function),
    Own(Box<dyn Noncer>),
}

#[cfg(feature = "cert")]
pub(crate) fn nonces(options: &JsValue) -> Result<Nonces, JsValue> {
    let noncer = get(options, "noncer")?;
    if noncer.is_undefined() {
        return Ok(Nonces::Own(Box::new(PathNoncer)));
    }
    let noncer = match noncer.dyn_into() {
        Ok(function) => return Ok(Nonces::Callback(function)),
        Err(other) => other,
    };
    if !noncer.is_object() {
        return Err(wrong(
            "the option `noncer` has to be a function or `{ secret }`",
        ));
    }
    let key = known(&noncer, "secret, assetId")?;
    let asset_id = asset_id(&key)?;
    let Some(secret) = bytes_of(&get(&key, "secret")?).map(Zeroizing::new) else {
        return Err(wrong("the option `secret` has to be bytes or a string"));
    };
    let keyed = match asset_id {
        None => KeyedNoncer::new(&secret),
        Some(asset_id) => KeyedNoncer::for_asset(&secret, asset_id.as_str().unwrap_or_default()),
    };
    let keyed = keyed.map_err(|error| thrown(&error))?;
    Ok(Nonces::Own(Box::new(keyed)))
}

/// Returns the asset id, a string, if there is one.
#[cfg(any(feature = "cert", feature = "aih2"))]
fn asset_id(options: &JsValue) -> Result<Option<Value>, JsValue> {
    let asset_id = get(options, "assetId")?;
    if asset_id.is_undefined() {
        return Ok(None);
    }
    if !asset_id.is_string() {
        return Err(wrong("the option `assetId` has to be a string"));
    }
    take(&asset_id).map(Some)
}

/// Returns the document key or the secret of AIH-2. `None` if the options have neither. Strings are refused, because typed text is not random
/// enough for a key.
#[cfg(feature = "aih2")]
pub(crate) fn keys(options: &JsValue) -> Result<Option<Keys>, JsValue> {
    let bytes = |name: &str, message: &str| -> Result<Option<Zeroizing<Vec<u8>>>, JsValue> {
        let value = get(options, name)?;
        if value.is_undefined() {
            return Ok(None);
        }
        let bytes = bytes_of(&value).map(Zeroizing::new);
        match bytes.filter(|_| !value.is_string()) {
            Some(bytes) => Ok(Some(bytes)),
            None => Err(wrong(message)),
        }
    };
    let asset_id = asset_id(options)?;
    let keys = match (
        bytes("key", "the option `key` has to be bytes")?,
        bytes("secret", "the option `secret` has to be bytes")?,
    ) {
        (Some(_), Some(_)) => {
            return Err(wrong(
                "the options `key` and `secret` exclude each other: pass only one",
            ));
        }
        (None, Some(secret)) => {
            let asset_id = asset_id.as_ref().and_then(Value::as_str);
            Secret::new(&secret, asset_id.unwrap_or_default()).map(Keys::Secret)
        }
        _ if asset_id.is_some() => {
            return Err(wrong("the option `assetId` needs the option `secret`"));
        }
        (Some(key), None) => DocumentKey::try_from(key.as_slice()).map(Keys::Key),
        (None, None) => return Ok(None),
    };
    keys.map(Some).map_err(|error| thrown(&error))
}
