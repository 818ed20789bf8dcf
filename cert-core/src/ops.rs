//! The operations, over any hasher and noncer.

use alloc::string::String;
use alloc::vec::Vec;

use crate::disclose::proofs;
use crate::error::CertError;
use crate::evidence::Computation;
use crate::expose::expose;
use crate::given::{Evidence, Given};
use crate::hash::{Hasher, Noncer};
use crate::linked::Linked;
use crate::path::Path;
use crate::plan::{Hashes, Plan, text};
use crate::proof::Proof;
use crate::questions::Outside;
use crate::report::{Found, List, Reason, ReasonCode, Report, Status};
use crate::schema::ObjectNode;
use crate::select::Selection;
use crate::text::Text;
use crate::value::Value;
use crate::verify;
use crate::walk::{self, Keep, Picks};

pub(crate) struct Ops<'c, H> {
    pub(crate) schema: &'c ObjectNode,
    pub(crate) hasher: &'c H,
    pub(crate) noncer: &'c dyn Noncer,
    /// Where hashes or nonces come from instead.
    pub(crate) outside: Option<&'c Outside<'c>>,
}

impl<H: Hasher> Ops<'_, H> {
    pub(crate) fn imprint(&self, data: &Value) -> Result<String, CertError> {
        let (_, hashes, _) = self.hashed(data, Keep::Nothing)?;
        Ok(text(&hashes.nodes, 0).clone().into())
    }

    pub(crate) fn notarize(&self, data: &Value) -> Result<Vec<Proof>, CertError> {
        let (plan, hashes, picks) = self.hashed(data, Keep::Everything)?;
        Ok(proofs(&plan, hashes, &picks))
    }

    pub(crate) fn disclose(&self, data: &Value, paths: &[Path]) -> Result<Vec<Proof>, CertError> {
        let selection = Selection::new(paths);
        let (plan, hashes, picks) = self.hashed(data, Keep::Selected(&selection))?;
        Ok(proofs(&plan, hashes, &picks))
    }

    pub(crate) fn calculate(
        &self,
        data: &Value,
        evidence: &dyn Evidence,
    ) -> Result<Option<String>, CertError> {
        let Ok(evidence) = self.linked(evidence) else {
            return Ok(None);
        };
        let Ok(imprint) = self.computed(&evidence)? else {
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
        let linked = self.linked(evidence);
        let computed = match &linked {
            Ok(linked) => self.computed(linked)?,
            Err(reason) => Err(reason.clone()),
        };
        let refused = match &computed {
            Err(reason) => Some(reason.clone()),
            Ok(computed) if is_imprint(computed, imprint) => None,
            Ok(_) => Some(Reason {
                code: ReasonCode::ImprintMismatch,
                path: Path::root(),
            }),
        };
        // While answers are still to come, whatever might be asked is.
        let asks = self.outside.is_some_and(Outside::asks);
        let linked = linked.ok().filter(|_| asks || refused.is_none());
        let mut found = Found::new(refused.as_ref().map(|reason| reason.code));
        // `Found` never breaks off.
        let _ = verify::walk(self.schema, data, linked.as_ref(), &mut found);
        let mut lists = Vec::new();
        if let Some(linked) = &linked {
            // Last of all, so that answers which are not needed are left over.
            let mut ends = Computation::of_ends(linked, &found.lists);
            self.fill(&ends.plan, &mut ends.hashes)?;
            for (path, proof) in found.lists {
                lists.push(List {
                    path,
                    length: linked.length(proof),
                    complete: ends.is_whole(linked, proof),
                });
            }
        }
        let mut proven = Vec::new();
        for entry in &found.entries {
            if entry.status == Status::Proven {
                proven.push(&entry.path);
            }
        }
        Ok(Report {
            valid: found.valid,
            imprint: computed.ok().map(Into::into),
            reasons: refused.into_iter().collect(),
            proven: expose(data, &Selection::of(&proven)),
            entries: found.entries,
            lists,
        })
    }

    fn hashed<'d>(
        &'d self,
        data: &'d Value,
        keep: Keep<'_>,
    ) -> Result<(Plan<'d>, Hashes, Picks), CertError> {
        let (plan, picks) = walk::plan(self.schema, data, keep)?;
        let mut hashes = Hashes::default();
        hashes.make_room(plan.members.len());
        hashes.make_room_for_nonces(plan.members.len());
        self.fill(&plan, &mut hashes)?;
        Ok((plan, hashes, picks))
    }

    fn linked<'e>(&'e self, evidence: &'e dyn Evidence) -> Result<Linked<'e>, Reason> {
        let mut given = Given::default();
        evidence.read(&mut given)?;
        Linked::new(self.schema, given)
    }

    /// The root's imprint that the evidence gives.
    fn computed(&self, evidence: &Linked<'_>) -> Result<Result<Text, Reason>, CertError> {
        // What a hasher elsewhere gives is not known here.
        let is_any = self.outside.is_some_and(|outside| outside.callers.hasher);
        let can_be = |text: &str| is_any || self.hasher.can_be(text);
        let mut computation = match Computation::new(evidence, &can_be) {
            Ok(computation) => computation,
            Err(reason) => return Ok(Err(reason)),
        };
        self.fill(&computation.plan, &mut computation.hashes)?;
        Ok(computation.imprint(evidence))
    }

    fn fill(&self, plan: &Plan<'_>, hashes: &mut Hashes) -> Result<(), CertError> {
        match self.outside {
            Some(outside) => outside.fill(plan, hashes, self.hasher, self.noncer),
            None => {
                self.noncer.all(plan, &mut hashes.nonces)?;
                self.hasher.all(plan, hashes)
            }
        }
    }
}

/// Compares imprints; hexadecimal ones without regard to case or `0x`.
fn is_imprint(computed: &Text, expected: &str) -> bool {
    let digits = expected.strip_prefix("0x").unwrap_or(expected);
    let is_hex = digits.len() == 64 && digits.bytes().all(|b| b.is_ascii_hexdigit());
    *computed == *expected || is_hex && *computed == *digits.to_ascii_lowercase()
}
