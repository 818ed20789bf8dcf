//! Writes verdicts.

use super::write::Writer;
use crate::verdict::Verdict;
use cert_core::verdict::Fault;

impl Writer<'_> {
    /// Writes a verdict. The caller writes its report, the value of its last key.
    pub(crate) fn verdict(&mut self, verdict: &Verdict) {
        self.object(5);
        self.member("integrity", verdict.judged.integrity.as_str());
        self.key("status");
        self.object(2);
        self.member("kind", verdict.status.kind.as_str());
        self.key("since");
        self.optional_count(verdict.status.since);
        self.key("expiresAt");
        self.optional_count(verdict.judged.expires_at);
        self.key("faults");
        self.array(verdict.judged.faults.len());
        for fault in &verdict.judged.faults {
            self.object(2);
            self.member("code", fault.as_str());
            self.key("path");
            match fault {
                Fault::OtherAsset(name) => {
                    self.array(1);
                    self.text(name);
                }
                Fault::NothingProven => self.array(0),
            }
        }
        self.key("report");
    }
}
