//! Writes reports. [`Report`] implements `Serialize`, but a serializer for the packed format would take a hundred lines and make the
//! WebAssembly larger.

use cert_core::Report;

use super::write::Writer;

impl<'r> Writer<'r> {
    /// Writes a report in the shape of [`Report::to_value`].
    pub(crate) fn report(&mut self, report: &'r Report) {
        let omitted = &report.omitted;
        self.object(if omitted.is_nothing() { 6 } else { 7 });
        self.key("valid");
        self.flag(report.valid);
        self.key("imprint");
        match &report.imprint {
            Some(imprint) => self.text(imprint),
            None => self.null(),
        }
        self.key("reasons");
        self.array(report.reasons.len());
        for reason in &report.reasons {
            self.object(3);
            self.member("code", reason.code.as_str());
            self.path_of(&reason.path);
            self.member("message", reason.code.message());
        }
        self.key("entries");
        self.array(report.entries.len());
        for entry in &report.entries {
            self.object(if entry.reason.is_some() { 3 } else { 2 });
            self.path_of(&entry.path);
            self.member("status", entry.status.as_str());
            if let Some(reason) = entry.reason {
                self.member("reason", reason.as_str());
            }
        }
        self.key("lists");
        self.array(report.lists.len());
        for list in &report.lists {
            self.object(3);
            self.path_of(&list.path);
            self.key("length");
            self.index(list.length);
            self.key("complete");
            self.flag(list.complete);
        }
        if !omitted.is_nothing() {
            self.key("omitted");
            self.object(4);
            for (key, count) in [
                ("proven", omitted.proven),
                ("notProven", omitted.not_proven),
                ("notCovered", omitted.not_covered),
                ("lists", omitted.lists),
            ] {
                self.key(key);
                self.index(count);
            }
        }
        self.key("proven");
        self.value(&report.proven);
    }
}
