//! A user's own hasher and noncer, which may take their time.
//!
//! An operation runs twice: once to find the questions, which JavaScript answers in whatever order their results come
//! (`pkg/cert/src/answer.js`), and once to take the answers. Neither run waits, and none calls JavaScript.

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
    /// Promises what `rest` makes of the answers, which it gets in the order of the questions.
    // With `catch` the call has a shim of its own: without, the module would import `answer.js` besides its bindings.
    #[wasm_bindgen(catch)]
    fn answer(
        questions: &JsValue,
        hasher: Option<&Function>,
        noncer: Option<&Function>,
        rest: Rest,
    ) -> Result<Promise, JsValue>;
}

/// The functions that answer questions in JavaScript.
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

    /// Promises what the rest of the operation makes of the answers.
    pub(crate) fn answer(&self, questions: &[Question], rest: Rest) -> Result<Promise, JsValue> {
        let questions = give(|writer| write(writer, questions));
        answer(&questions, self.hasher.as_ref(), self.noncer.as_ref(), rest)
    }
}

/// Answers as JavaScript gives them.
pub(crate) fn texts(answers: &Value) -> Vec<String> {
    let mut texts = Vec::new();
    for answer in answers.as_array().map_or(&[][..], Array::as_slice) {
        texts.push(answer.as_str().unwrap_or_default().into());
    }
    texts
}

/// Questions as JavaScript reads them: `{ shared, path, position, value, parts }`. The path begins with as many steps of the one before as
/// are `shared`, since thousands of questions may be about members of one long key. For a nonce there is no `position`; where the value is
/// absent or a text is to be hashed there is no `value`, and `parts` are that text: strings, and numbers of the questions whose answers
/// they are.
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
