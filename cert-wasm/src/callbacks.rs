//! Custom hashers and noncers, which may be asynchronous.
//!
//! A question asks JavaScript for one hash or nonce. An operation with callbacks runs twice. The first run collects the operation's
//! questions. Then JavaScript answers each question once the answers that it depends on are known (`pkg/cert/src/answer.js`). The
//! second run uses the answers. Neither run calls JavaScript or waits for it. See `cert-core/src/hash/deferred.rs`.

use alloc::string::String;
use alloc::vec::Vec;

use cert_core::{Array, Ask, Deferred, Part, Question, Role, Value};
use js_sys::{Function, Promise};
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;

use crate::cert::Rest;
use crate::js::give;
use crate::wire::Writer;

#[wasm_bindgen(raw_module = "../src/answer.js")]
extern "C" {
    /// Calls `hasher` and `noncer` for the questions, then passes their answers to `rest`, in the order of the questions. Returns a promise
    /// of the result of `rest`.
    // `catch` gives the call its own shim. Otherwise, the WebAssembly module would import `answer.js` in addition to its bindings.
    #[wasm_bindgen(catch)]
    fn answer(
        questions: &JsValue,
        hasher: Option<&Function>,
        noncer: Option<&Function>,
        rest: Rest,
    ) -> Result<Promise, JsValue>;
}

/// The JavaScript functions that answer questions.
pub(crate) struct Callbacks {
    pub(crate) hasher: Option<Function>,
    pub(crate) noncer: Option<Function>,
}

impl Callbacks {
    pub(crate) fn is_empty(&self) -> bool {
        self.hasher.is_none() && self.noncer.is_none()
    }

    pub(crate) fn deferred(&self) -> Deferred {
        Deferred {
            hasher: self.hasher.is_some(),
            noncer: self.noncer.is_some(),
        }
    }

    /// Passes the questions to JavaScript. Returns a promise of the result of `rest`, which is the second run.
    pub(crate) fn answer(&self, questions: &[Question], rest: Rest) -> Result<Promise, JsValue> {
        let questions = give(|writer| write(writer, questions));
        answer(&questions, self.hasher.as_ref(), self.noncer.as_ref(), rest)
    }
}

/// Returns the answers from JavaScript as strings.
pub(crate) fn texts(answers: &Value) -> Vec<String> {
    let mut texts = Vec::new();
    for answer in answers.as_array().map_or(&[][..], Array::as_slice) {
        texts.push(answer.as_str().unwrap_or_default().into());
    }
    texts
}

/// Writes questions as JavaScript reads them: `{ shared, path, position, value, parts }`.
///
/// `shared` is the number of leading steps that the path has in common with the path of the previous question. `path` has the other steps.
/// This form saves space when thousands of questions concern members below one long key. A question for a nonce has no `position`. A
/// question for the hash of an absent value has no `value`. A question for the hash of a text has `parts` instead of `value`. The parts are
/// strings and numbers of questions. JavaScript replaces each number by the answer to that question, and joins the parts.
fn write<'q>(writer: &mut Writer<'q>, questions: &'q [Question]) {
    let mut last = &[][..];
    writer.array(questions.len());
    for Question { path, ask } in questions {
        let steps = path.steps();
        let pairs = steps.iter().zip(last);
        let shared = pairs.take_while(|(one, other)| one == other).count();
        last = steps;
        let (role, value, parts) = match ask {
            Ask::Nonce => (None, None, None),
            Ask::Value(value) => (Some(Role::Value), value.as_ref(), None),
            Ask::Text(role, parts) => (Some(*role), None, Some(parts)),
        };
        let members = [role.is_some(), value.is_some(), parts.is_some()];
        writer.object(members.iter().filter(|is| **is).count().saturating_add(2));
        writer.key("shared");
        writer.index(shared);
        writer.key("path");
        writer.path(steps.get(shared..).unwrap_or_default());
        if let Some(role) = role {
            writer.key("position");
            writer.index(role as usize);
        }
        if let Some(value) = value {
            writer.key("value");
            writer.value(value);
        }
        if let Some(parts) = parts {
            writer.key("parts");
            writer.array(parts.len());
            for part in parts {
                match part {
                    Part::Text(text) => writer.text(text),
                    Part::Answer(question) => writer.index(*question),
                }
            }
        }
    }
}
