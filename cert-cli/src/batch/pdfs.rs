//! Writes a PDF beside the private file of each issued certificate.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use cert_pdf::{Finding, Issuer};
use order_core::{Address, AssetId};

use super::columns::{COLUMN_FILE, COLUMN_PDF};
use super::files;
use super::progress::Progress;
use super::report::RowError;
use super::rows::{Certified, Row, Rows, Written, everywhere};
use super::service::Service;
use crate::failure::Failure;
use crate::pdf::{Press, warn};

/// Writes the PDFs of issued rows on all cores. A row without a PDF does not stop the others, because its certificate is issued already.
pub(crate) fn print(
    press: &Press,
    rows: &Rows,
    certified: &[Certified],
    issued: &BTreeSet<&str>,
    folder: &Path,
    progress: &Progress,
) -> Written {
    let all: Vec<(&Row, &Certified)> = rows.rows.iter().zip(certified).collect();
    let one = |(row, certified): &(&Row, &Certified)| {
        if !issued.contains(row.key.as_str()) {
            return (None, BTreeSet::new());
        }
        let written = write(press, certified, folder);
        progress.add(1);
        match written {
            Ok((name, findings)) => (Some(Ok(name)), findings),
            Err(why) => {
                let error = RowError::new(row.row, Some(COLUMN_PDF), why);
                (Some(Err(error)), BTreeSet::new())
            }
        }
    };
    let mut pdfs = Written {
        names: Vec::new(),
        errors: Vec::new(),
    };
    let mut findings: BTreeSet<Finding> = BTreeSet::new();
    for (written, found) in everywhere(&all, one) {
        findings.extend(found);
        match written {
            Some(Ok(name)) => pdfs.names.push(Some(name)),
            Some(Err(error)) => {
                pdfs.errors.push(error);
                pdfs.names.push(None);
            }
            None => pdfs.names.push(None),
        }
    }
    warn(&findings);
    pdfs
}

/// Writes the PDF of a certificate. Returns its name, and what it shows differently from the certificate; otherwise the reason why there is none.
fn write(
    press: &Press,
    certified: &Certified,
    folder: &Path,
) -> Result<(String, BTreeSet<Finding>), String> {
    let path = folder.join(&certified.file);
    let file = fs::read_to_string(&path).map_err(|error| {
        format!(
            "{COLUMN_FILE} {} could not be read: {error}",
            path.display()
        )
    })?;
    let pdf = press
        .print(&file, &certified.file)
        .map_err(|error| error.to_string())?;
    let name = certified.beside("pdf");
    files::replace(&folder.join(&name), &pdf.bytes, true).map_err(|failure| failure.to_string())?;
    Ok((name, pdf.findings))
}

/// Returns the issuer of an asset as the service knows it. `None` if the service cannot tell.
pub(crate) fn issuer(
    service: &Service,
    ledger: Address,
    asset: AssetId,
) -> Result<Option<Issuer>, Failure> {
    let answer = service.get(&format!("/badge.json?ledgerId={ledger}&assetId={asset}"))?;
    let text = |pointer| answer.text(pointer).map(str::to_owned);
    let Some(account) = text("/issuer/account") else {
        return Ok(None);
    };
    let is_confirmed = answer
        .data("/issuer/confirmed")
        .and_then(serde_json::Value::as_bool)
        == Some(true);
    Ok(Some(Issuer {
        account,
        domain: text("/issuer/domain").filter(|_| is_confirmed),
        name: text("/issuer/name"),
    }))
}
