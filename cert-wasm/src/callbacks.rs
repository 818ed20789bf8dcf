//! A user's own hasher and noncer, which may take their time.
//!
//! An operation runs twice: once to find the questions, which JavaScript answers in whatever order their results come
//! (`pkg/cert/src/answer.js`), and once to be given the answers. Neither run waits, and none calls JavaScript.

use alloc::string::String;
use alloc::vec::Vec;

use cert_core::{Array, Ask, Callers, CertError, Object, Part, Question, Str, Value};
use js_sys::{Function, Promise};
use wasm_bindgen::JsValue;
use wasm_bindgen::closure::Closure;
use wasm_bindgen::prelude::wasm_bindgen;

use crate::js::{give, take, thrown};

#[wasm_bindgen(raw_module = "../src/answer.js")]
extern "C" {
    /// Promises what `finish` makes of the answers, which it gets in the order of the questions.
    fn answer(
        questions: &JsValue,
        hasher: Option<&Function>,
        noncer: Option<&Function>,
        finish: &JsValue,
    ) -> Promise;
}

/// What is answered in JavaScript.
pub(crate) struct Callbacks {
    pub(crate) hasher: Option<Function>,
    pub(crate) noncer: Option<Function>,
}

impl Callbacks {
    pub(crate) fn is_empty(&self) -> bool {
        self.hasher.is_none() && self.noncer.is_none()
    }

    pub(crate) fn callers(&self) -> Callers {
        Callers {
            hasher: self.hasher.is_some(),
            noncer: self.noncer.is_some(),
        }
    }

    /// Promises what `finish` makes of the answers.
    pub(crate) fn answer(
        &self,
        questions: &[Question],
        finish: impl FnOnce(&[String]) -> Result<JsValue, JsValue> + 'static,
    ) -> Result<Promise, JsValue> {
        let questions = list(questions).map_err(|error| thrown(&error))?;
        let finish = move |answers: JsValue| finish(&texts(&take(&answers)?));
        Ok(answer(
            &give(&questions),
            self.hasher.as_ref(),
            self.noncer.as_ref(),
            &Closure::once_into_js(finish),
        ))
    }
}

fn texts(answers: &Value) -> Vec<String> {
    let answers = answers.as_array().into_iter().flatten();
    answers
        .map(|answer| answer.as_str().unwrap_or_default().into())
        .collect()
}

/// Questions as JavaScript reads them: `{ shared, path, position, value, parts }`. The path begins with as many steps of the one before as
/// are `shared`, since thousands of questions may be about members of one long key. For a nonce there is no `position`; where the value is
/// absent or a text is to be hashed there is no `value`, and `parts` are that text: strings, and numbers of the questions whose answers
/// they are.
fn list(questions: &[Question]) -> Result<Value, CertError> {
    let mut last = &[][..];
    let mut all = Vec::with_capacity(questions.len());
    let keys = ["shared", "path", "position", "value", "parts"].map(Str::from);
    for Question { path, ask } in questions {
        let steps = path.steps();
        let pairs = steps.iter().zip(last);
        let shared = pairs.take_while(|(one, other)| one == other).count();
        last = steps;
        let rest = cert_core::Path::from(steps.get(shared..).unwrap_or_default());
        let (position, value, parts) = match ask {
            Ask::Nonce => (None, None, None),
            Ask::Value(value) => (Some(number(0)), value.clone(), None),
            Ask::Text(role, parts) => {
                let parts = parts.iter().map(|part| match part {
                    Part::Text(text) => text.as_str().into(),
                    Part::Answer(question) => number(*question),
                });
                let parts = Array::try_from(parts.collect::<Vec<_>>())?;
                (Some(number(*role as usize)), None, Some(parts.into()))
            }
        };
        let members = [Some(number(shared)), Some(rest.to_value()), position, value, parts];
        let members = keys.iter().cloned().zip(members);
        let members = members.filter_map(|(key, value)| Some((key, value?)));
        all.push(Object::try_from(members.collect::<Vec<_>>())?.into());
    }
    Ok(Array::try_from(all)?.into())
}

fn number(index: usize) -> Value {
    Value::Number(index.into())
}
