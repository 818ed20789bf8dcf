//! The state of a delivery: which messages were sent. docs/batch.md specifies its file.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::letters::Letter;
use crate::journal::Lines;

/// The version of the file format.
const VERSION: u32 = 1;

/// A line of the file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "camelCase", deny_unknown_fields)]
pub(super) enum Line {
    /// The first line.
    Delivery { version: u32 },
    /// The content of a message is about to be sent. Without a later line about the message, the server may or may not have it.
    Sending {
        certificate: String,
        to: String,
        /// The message's `Message-ID`, which the logs of mail servers have.
        id: String,
    },
    /// The server has accepted the message.
    Sent { certificate: String, to: String },
    /// The server never accepts the message.
    Refused {
        certificate: String,
        to: String,
        answer: String,
    },
    /// The server has not accepted the message. It may accept it later.
    Later {
        certificate: String,
        to: String,
        answer: String,
    },
}

/// The state of a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Standing {
    NotSent,
    /// The content was sent, and no answer arrived.
    InDoubt,
    Sent,
    Refused(String),
}

/// The states of all messages, by the public link of the certificate and the recipient's address. A corrected address is a new message.
#[derive(Debug, Default)]
pub(super) struct Log {
    is_begun: bool,
    messages: BTreeMap<(String, String), Standing>,
}

impl Log {
    pub(super) fn standing(&self, letter: &Letter) -> Standing {
        let key = (letter.certificate.clone(), letter.to.to_string());
        self.messages
            .get(&key)
            .cloned()
            .unwrap_or(Standing::NotSent)
    }

    /// Returns the first line of a new file. Empty for another file.
    pub(super) fn beginning(&self) -> Vec<Line> {
        match self.is_begun {
            true => Vec::new(),
            false => vec![Line::Delivery { version: VERSION }],
        }
    }
}

impl Lines for Log {
    type Line = Line;

    fn apply(&mut self, line: Line) -> Result<(), String> {
        if self.is_begun == matches!(line, Line::Delivery { .. }) {
            return Err("only the first line has the kind `delivery`".to_owned());
        }
        let (certificate, to, standing) = match line {
            Line::Delivery { version: VERSION } => {
                self.is_begun = true;
                return Ok(());
            }
            Line::Delivery { version } => {
                return Err(format!(
                    "the version is {version}; this program knows version {VERSION}"
                ));
            }
            Line::Sending {
                certificate, to, ..
            } => (certificate, to, Standing::InDoubt),
            Line::Sent { certificate, to } => (certificate, to, Standing::Sent),
            Line::Refused {
                certificate,
                to,
                answer,
            } => (certificate, to, Standing::Refused(answer)),
            Line::Later {
                certificate, to, ..
            } => (certificate, to, Standing::NotSent),
        };
        self.messages.insert((certificate, to), standing);
        Ok(())
    }
}
