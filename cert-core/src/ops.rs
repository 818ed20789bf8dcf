//! The operations, over any hasher and noncer.

use alloc::string::String;
use alloc::vec::Vec;

use sha256_lanes::is_hex;

use crate::aih1::closing::{self, Doubt, Lengths, nonce};
use crate::aih1::connect::ConnectedProofs;
use crate::aih1::disclose::{Collect, Proofs};
use crate::aih1::evidence::{Evidence, RawEvidence};
use crate::aih1::recompute;
use crate::aih1::tree::{Batch, Plan, failed, text};
use crate::aih1::walk::{self, Keep};
use crate::error::{CertError, ErrorCode};
use crate::hash::deferred::Outside;
use crate::hash::text::Hash;
use crate::hash::{Hasher, Location, Noncer, PathNoncer};
use crate::json::path::Path;
use crate::json::value::Value;
use crate::schema::ObjectNode;
use crate::selection::Selection;
use crate::verify;
use crate::verify::judge::{Finding, Found, Judgement, Told};
use crate::verify::report::{List, Reason, ReasonCode, Report};

/// Is shown each batch with its nonces once its hashes are there.
type EachBatch<'e> = dyn FnMut(&mut Batch<'_>, &mut [Hash]) -> Result<(), CertError> + 'e;

pub(crate) struct Ops<'c, H> {
    pub(crate) schema: &'c ObjectNode,
    pub(crate) hasher: &'c H,
    pub(crate) noncer: &'c dyn Noncer,
    /// Where hashes or nonces come from instead.
    pub(crate) outside: Option<&'c Outside<'c>>,
}

impl<H: Hasher> Ops<'_, H> {
    pub(crate) fn imprint(&self, data: &Value) -> Result<String, CertError> {
        let (plan, _) = walk::plan(self.schema, data, Keep::Nothing)?;
        let imprints = self.fill(&plan, &mut |batch, nonces| self.certifiable(batch, nonces))?;
        Ok(text(&imprints, 0).clone().into())
    }

    pub(crate) fn notarize<C: Collect>(&self, data: &Value) -> Result<C::All, CertError> {
        self.proofs::<C>(data, Keep::Everything)
    }

    pub(crate) fn disclose<C: Collect>(
        &self,
        data: &Value,
        paths: &[Path],
    ) -> Result<C::All, CertError> {
        let selection = Selection::new(paths);
        self.proofs::<C>(data, Keep::Selected(&selection))
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
        if self.doubt(&evidence)?.is_some() {
            return Ok(None);
        }
        let all = verify::walk(self.schema, data, Some(&evidence), &mut verify::All);
        Ok(all.is_continue().then(|| imprint.into()))
    }

    pub(crate) fn verify(
        &self,
        data: &Value,
        evidence: &dyn Evidence,
        imprint: &str,
    ) -> Result<Report, CertError> {
        let (linked, judgement) = self.judgement(evidence, imprint)?;
        let refused = judgement.reasons.first().map(|reason| reason.code);
        let mut found = Found::new(refused);
        // `Found` never breaks off.
        let _ = verify::walk(self.schema, data, linked.as_ref(), &mut found);
        let mut lists = Vec::with_capacity(found.lists.len());
        if let Some(linked) = &linked {
            // Last of all, so that answers which are not needed are left over.
            let ends = recompute::ends(linked, &found.lists);
            let ends = self.fill(&ends, &mut |_, _| Ok(()))?;
            for (path, proof) in found.lists {
                lists.push(List {
                    path,
                    length: linked.length(proof),
                    complete: linked.end(proof) == text(&ends, proof).as_bytes(),
                });
            }
        }
        Ok(Report {
            valid: found.valid,
            imprint: judgement.imprint,
            reasons: judgement.reasons,
            entries: found.entries,
            lists,
            omitted: found.omitted,
            proven: found.proven.finish(),
        })
    }

    pub(crate) fn judge(
        &self,
        data: &Value,
        evidence: &dyn Evidence,
        imprint: &str,
        each: &mut dyn FnMut(Finding<'_>),
    ) -> Result<Judgement, CertError> {
        let (linked, judgement) = self.judgement(evidence, imprint)?;
        let mut told = Told {
            refused: judgement.reasons.first().map(|reason| reason.code),
            valid: judgement.valid,
            each,
        };
        // `Told` never breaks off.
        let _ = verify::walk(self.schema, data, linked.as_ref(), &mut told);
        Ok(Judgement {
            valid: told.valid,
            ..judgement
        })
    }

    /// Judges the evidence by itself; also returns the evidence, unless it proves nothing.
    fn judgement<'e>(
        &'e self,
        evidence: &'e dyn Evidence,
        imprint: &str,
    ) -> Result<(Option<ConnectedProofs<'e>>, Judgement), CertError> {
        let linked = self.linked(evidence);
        let computed = match &linked {
            Ok(linked) => self.computed(linked)?,
            Err(reason) => Err(reason.clone()),
        };
        // While answers are still to come, whatever might be asked is.
        let asks = self.asks();
        let refused = match (&computed, &linked) {
            (Err(reason), _) | (_, Err(reason)) => Some(reason.clone()),
            (Ok(computed), Ok(linked)) if asks || is_imprint(computed, imprint) => {
                self.doubt(linked)?
            }
            _ => Some(Reason {
                code: ReasonCode::ImprintMismatch,
                path: Path::root(),
            }),
        };
        let judgement = Judgement {
            valid: refused.is_none(),
            imprint: computed.ok().map(Into::into),
            reasons: refused.into_iter().collect(),
        };
        let linked = linked.ok().filter(|_| asks || judgement.valid);
        Ok((linked, judgement))
    }

    fn proofs<C: Collect>(&self, data: &Value, keep: Keep<'_>) -> Result<C::All, CertError> {
        let (plan, picks) = walk::plan(self.schema, data, keep)?;
        let mut proofs = Proofs::<C>::new(&picks);
        self.fill(&plan, &mut |batch, nonces| {
            self.certifiable(batch, nonces)?;
            proofs.take(batch, nonces);
            Ok(())
        })?;
        Ok(proofs.in_order(&plan))
    }

    fn linked<'e>(&'e self, evidence: &'e dyn Evidence) -> Result<ConnectedProofs<'e>, Reason> {
        let mut given = RawEvidence::default();
        evidence.read(&mut given)?;
        ConnectedProofs::new(self.schema, given)
    }

    /// The root's imprint that the evidence gives.
    fn computed(&self, evidence: &ConnectedProofs<'_>) -> Result<Result<Hash, Reason>, CertError> {
        // What a hasher elsewhere gives is not known here.
        let is_any = self.outside.is_some_and(|outside| outside.callers.hasher);
        let can_be = |text: &[u8]| is_any || self.hasher.can_be(text);
        let asks = self.asks();
        let is_measured = !asks && (is_any || self.hasher.hash_length().is_none());
        let plan = match recompute::plan(evidence, &can_be) {
            Ok(plan) => plan,
            Err(reason) => return Ok(Err(reason)),
        };
        let mut refused = None;
        let mut lengths = Lengths::default();
        let imprints = self.fill(&plan, &mut |batch, _| {
            if is_measured {
                lengths.note(evidence, batch);
            }
            // The first one of the evidence is told, whose deepest proofs are computed first.
            // While answers are still to come, the hashes are none.
            if !asks
                && let Some((proof, code)) = recompute::mismatch(evidence, batch)
                && refused.is_none_or(|(other, _)| proof < other)
            {
                refused = Some((proof, code));
            }
            Ok(())
        })?;
        let refused = refused.map(|(proof, code)| evidence.refusal(proof, code));
        Ok(match refused.or_else(|| lengths.refusal(evidence)) {
            None => Ok(text(&imprints, 0).clone()),
            Some(reason) => Err(reason),
        })
    }

    /// Finds a list of sound evidence whose end may have been taken for one more item.
    fn doubt(&self, evidence: &ConnectedProofs<'_>) -> Result<Option<Reason>, CertError> {
        for (number, proof) in evidence.proofs.iter().enumerate() {
            let Some(doubt) = Doubt::of(evidence, proof) else {
                continue;
            };
            let can_give = |length: Option<usize>| length.is_none_or(|own| doubt.asks_for(own));
            let outside = self.outside.filter(|outside| outside.callers.noncer);
            let own_length = self.noncer.nonce_length().filter(|_| outside.is_none());
            let is_right = doubt.is_right(&mut |steps, index| {
                let mut nonces = Vec::with_capacity(2);
                if can_give(own_length) {
                    let nonce = match outside {
                        Some(outside) => outside.nonce(steps, index),
                        None => nonce(self.noncer, steps, index),
                    };
                    nonces.push(nonce.map_err(|source| {
                        let place = Location::new(steps, "", index);
                        failed(ErrorCode::NoncerFailed, "the noncer failed", place, source)
                    })?);
                }
                // Anyone can compute the public nonces, whoever issued the certificate.
                if can_give(PathNoncer.nonce_length()) {
                    nonces.extend(nonce(&PathNoncer, steps, index));
                }
                Ok(nonces)
            })?;
            if !is_right && !self.asks() {
                return Ok(Some(evidence.refusal(number, ReasonCode::ClosingAmbiguous)));
            }
        }
        Ok(None)
    }

    /// Refuses a batch of data that could not be verified safely.
    fn certifiable(&self, batch: &Batch<'_>, nonces: &[Hash]) -> Result<(), CertError> {
        if self.asks() {
            return Ok(());
        }
        closing::certifiable(batch, nonces)
    }

    /// Whether answers are still to come.
    fn asks(&self) -> bool {
        self.outside.is_some_and(Outside::asks)
    }

    /// Computes the hashes of a plan and gives the imprints of its groups; `each` is shown the hashes before they make place for
    /// others.
    fn fill(&self, plan: &Plan<'_>, each: &mut EachBatch<'_>) -> Result<Vec<Hash>, CertError> {
        let asks = self.outside.is_some_and(|outside| outside.callers.noncer);
        let mut batch = Batch::new(plan, !asks);
        let mut nonces = Vec::new();
        while batch.next(&mut nonces) {
            match self.outside {
                Some(outside) => outside.fill(&mut batch, &mut nonces, self.hasher, self.noncer)?,
                None => {
                    self.noncer.all(&mut batch, &mut nonces)?;
                    self.hasher.all(&mut batch, &nonces)?;
                }
            }
            batch.close();
            each(&mut batch, &mut nonces)?;
        }
        Ok(batch.imprints)
    }
}

/// Compares imprints; hexadecimal ones without regard to case or `0x`.
fn is_imprint(computed: &Hash, expected: &str) -> bool {
    let digits = expected.strip_prefix("0x").unwrap_or(expected);
    *computed == *expected || is_hex(computed.as_bytes()) && computed.eq_ignore_ascii_case(digits)
}
