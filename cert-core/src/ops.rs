//! The operations, over any hasher and noncer: what [`Cert`](crate::Cert) offers and what a
//! [`Session`](crate::Session) runs twice.

use alloc::string::String;
use alloc::vec::Vec;

use crate::error::CertError;
use crate::evidence;
use crate::expose::expose;
use crate::given::{Evidence, Given};
use crate::hash::{Hasher, Input, Noncer, Place};
use crate::linked::Linked;
use crate::path::{Path, Step};
use crate::proof::Proof;
use crate::report::{Found, List, Reason, ReasonCode, Report, Status};
use crate::schema::ObjectNode;
use crate::select::Selection;
use crate::text::Text;
use crate::value::Value;
use crate::verify;
use crate::walk::{self, Keep, hash};

#[derive(Clone, Copy)]
pub(crate) struct Ops<'c> {
    pub(crate) schema: &'c ObjectNode,
    pub(crate) hasher: &'c dyn Hasher,
    pub(crate) noncer: &'c dyn Noncer,
}

impl Ops<'_> {
    pub(crate) fn imprint(&self, data: &Value) -> Result<String, CertError> {
        let (imprint, _) = self.walk(data, Keep::Nothing)?;
        Ok(imprint.into())
    }

    pub(crate) fn notarize(&self, data: &Value) -> Result<Vec<Proof>, CertError> {
        Ok(self.walk(data, Keep::Everything)?.1)
    }

    pub(crate) fn disclose(&self, data: &Value, paths: &[Path]) -> Result<Vec<Proof>, CertError> {
        Ok(self.walk(data, Keep::Selected(&Selection::new(paths)))?.1)
    }

    pub(crate) fn calculate(
        &self,
        data: &Value,
        evidence: &dyn Evidence,
    ) -> Result<Option<String>, CertError> {
        let Ok(evidence) = self.link(evidence) else {
            return Ok(None);
        };
        let Ok(imprint) = evidence::imprint(&evidence, self.hasher)? else {
            return Ok(None);
        };
        let all = verify::walk(self.schema, data, Some(&evidence), &mut verify::All);
        Ok(all.is_continue().then(|| imprint.into()))
    }

    pub(crate) fn verify(
        &self,
        data: &Value,
        evidence: &dyn Evidence,
        imprint: &str,
    ) -> Result<Report, CertError> {
        let (linked, computed) = match self.link(evidence) {
            Err(reason) => (None, Err(reason)),
            Ok(evidence) => {
                let computed = evidence::imprint(&evidence, self.hasher)?;
                (Some(evidence), computed)
            }
        };
        let refused = match &computed {
            Err(reason) => Some(reason.clone()),
            Ok(computed) if self.is_imprint(computed, imprint) => None,
            Ok(_) => Some(Reason {
                code: ReasonCode::ImprintMismatch,
                path: Path::root(),
            }),
        };
        let linked = linked.filter(|_| refused.is_none());
        let mut found = Found::new(refused.as_ref().map(|reason| reason.code));
        // `Found` never breaks off.
        let _ = verify::walk(self.schema, data, linked.as_ref(), &mut found);
        let mut lists = Vec::new();
        for (path, proof) in found.lists {
            let Some((linked, proof)) = linked
                .as_ref()
                .and_then(|linked| Some((linked, linked.proofs.get(proof)?)))
            else {
                continue;
            };
            let length = proof.entries.len();
            let end = self.end(linked.steps(proof), length)?;
            let complete = self.hasher.matches(&end, proof.end);
            lists.push(List {
                path,
                length,
                complete,
            });
        }
        let mut proven = Vec::new();
        for entry in &found.entries {
            if entry.status == Status::Proven {
                proven.push(&entry.path);
            }
        }
        Ok(Report {
            valid: found.valid,
            imprint: computed.ok().map(|computed| computed.into()),
            reasons: refused.into_iter().collect(),
            proven: expose(data, &Selection::of(&proven)),
            entries: found.entries,
            lists,
        })
    }

    fn link<'e>(&'e self, evidence: &'e dyn Evidence) -> Result<Linked<'e>, Reason> {
        let mut given = Given::default();
        evidence.read(&mut given)?;
        Linked::new(self.schema, given)
    }

    fn walk(&self, data: &Value, keep: Keep<'_>) -> Result<(Text, Vec<Proof>), CertError> {
        walk::walk(self.schema, self.hasher, self.noncer, data, keep)
    }

    /// Compares imprints; hexadecimal ones without regard to case or `0x`.
    fn is_imprint(&self, computed: &Text, expected: &str) -> bool {
        let digits = expected.strip_prefix("0x").unwrap_or(expected);
        let is_hex = digits.len() == 64 && digits.bytes().all(|b| b.is_ascii_hexdigit());
        self.hasher.matches(computed, expected)
            || is_hex && self.hasher.matches(computed, &digits.to_ascii_lowercase())
    }

    /// The node at the end of a group of `length` members.
    fn end(&self, group: &[Step<'_>], length: usize) -> Result<Text, CertError> {
        let mut text = String::new();
        for &step in group {
            self.noncer.enter(&mut text, step);
        }
        let place = Place::new(group, &text, length);
        let nonce = walk::nonce(self.noncer, place)?;
        hash(self.hasher, Input::End(&nonce), place)
    }
}
