//! Changes that a forger makes to evidence to get a false statement accepted.

use serde_json::Value as Json;

use crate::exhibits::Document;
use crate::lies::Lie;
use crate::support::random::Random;

mod changing;
mod mixing;
mod planting;
mod spot;

pub(crate) type Tamper = fn(&mut Random<'_>, &Document, &Lie, &mut Json) -> Option<()>;

/// Returns all kinds of tampering, by name.
pub(crate) fn kinds() -> Vec<(&'static str, Tamper)> {
    [planting::KINDS, mixing::KINDS, changing::KINDS].concat()
}
