//! The dataset of Workers Analytics Engine. The service needs one method. Binding only this method takes less code than using the
//! `worker` crate's type.

use js_sys::{JSON, Reflect};
use serde_json::json;
use wasm_bindgen::prelude::wasm_bindgen;
use wasm_bindgen::{JsCast, JsValue};
use worker::Env;

use crate::ports::{Analytics, DataPoint};

#[wasm_bindgen]
extern "C" {
    /// A dataset's binding.
    type Bound;

    #[wasm_bindgen(catch, method, js_name = writeDataPoint)]
    fn write(this: &Bound, point: &JsValue) -> Result<(), JsValue>;
}

/// The binding `ANALYTICS`.
pub(super) struct Dataset(Bound);

impl Dataset {
    /// Returns the binding, if the service has one.
    pub(super) fn of(env: &Env) -> Option<Self> {
        let bound = Reflect::get(env.as_ref(), &JsValue::from_str("ANALYTICS")).ok()?;
        bound.is_object().then(|| Self(bound.unchecked_into()))
    }
}

impl Analytics for Dataset {
    fn write(&self, point: &DataPoint) {
        let DataPoint {
            method,
            route,
            status,
            milliseconds,
        } = point;
        let point = json!({
            "indexes": [route],
            "blobs": [method, route, status.to_string()],
            "doubles": [milliseconds],
        });
        if let Ok(point) = JSON::parse(&point.to_string()) {
            // A data point that is refused is lost. The platform may lose any data point anyway.
            let _refused = self.0.write(&point);
        }
    }
}
