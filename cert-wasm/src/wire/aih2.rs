//! Writes AIH-2's evidence and reports, in the shapes of their `to_value`.

use alloc::string::ToString as _;

use cert_core::Value;
use cert_core::aih2::Report;
#[cfg(feature = "aih2")]
use cert_core::aih2::{Evidence, PROFILE};

use super::write::Writer;

impl<'v> Writer<'v> {
    /// Writes evidence.
    #[cfg(feature = "aih2")]
    pub(crate) fn aih2_evidence(&mut self, evidence: &'v Evidence) {
        let (values, schema) = (evidence.values(), evidence.schema());
        let optional = usize::from(values.is_some()).saturating_add(schema.is_some().into());
        self.object(optional.saturating_add(3));
        self.member("profile", PROFILE);
        self.member("schemaId", &evidence.schema_id().to_string());
        self.member("proof", &evidence.proof());
        if let Some(values) = values {
            self.key("values");
            self.array(values.len());
            for (path, value) in values {
                self.array(2);
                self.path(path.steps());
                self.value(value);
            }
        }
        if let Some(schema) = schema {
            self.member("$schema", schema);
        }
    }

    /// Writes a report, with the document that it proves if there is one.
    pub(crate) fn aih2_report(&mut self, report: &'v Report, document: Option<&'v Value>) {
        let omitted = &report.omitted;
        self.object(if omitted.is_nothing() { 9 } else { 10 });
        self.key("valid");
        self.flag(report.valid);
        self.key("imprint");
        match &report.imprint {
            Some(imprint) => self.text(&imprint.to_string()),
            None => self.null(),
        }
        self.key("errors");
        self.array(report.errors.len());
        for problem in &report.errors {
            self.object(2);
            self.member("code", problem.code.as_str());
            self.path_of(&problem.path);
        }
        self.key("entries");
        self.array(report.entries.len());
        for entry in &report.entries {
            self.object(2);
            self.path_of(&entry.path);
            self.key("value");
            self.value(&entry.value);
        }
        self.key("absent");
        self.array(report.absent.len());
        for path in &report.absent {
            self.path(path.steps());
        }
        self.key("objects");
        self.array(report.objects.len());
        for object in &report.objects {
            self.object(2);
            self.path_of(&object.path);
            self.key("complete");
            self.flag(object.complete);
        }
        self.key("lists");
        self.array(report.lists.len());
        for list in &report.lists {
            self.object(4);
            self.path_of(&list.path);
            self.key("atMost");
            self.count(list.at_most);
            self.key("length");
            self.optional_count(list.length);
            self.key("complete");
            self.flag(list.complete);
        }
        self.key("shown");
        self.array(report.shown.len());
        for value in &report.shown {
            self.object(2);
            self.path_of(&value.path);
            self.member("status", value.status.as_str());
        }
        self.key("document");
        match document {
            Some(document) => self.value(document),
            None => self.null(),
        }
        if !omitted.is_nothing() {
            self.key("omitted");
            self.object(6);
            for (key, count) in [
                ("errors", omitted.errors),
                ("entries", omitted.entries),
                ("absent", omitted.absent),
                ("objects", omitted.objects),
                ("lists", omitted.lists),
                ("shown", omitted.shown),
            ] {
                self.key(key);
                self.count(count);
            }
        }
    }
}
