//! Reads NDJSON, which has one document in each line.

use cert_tables::MAX_ROWS;
use serde_json::Value;

use super::report::RowError;
use crate::failure::Failure;

/// A document of an NDJSON file.
#[derive(Debug, PartialEq)]
pub(crate) struct Document {
    /// The number of the line.
    pub(crate) row: usize,
    pub(crate) document: Value,
}

/// Reads documents, one in each line. Empty lines are skipped.
///
/// # Errors
/// The outer error is a [`Failure`] of the table as a whole. The inner error lists all lines that cannot be read.
pub(crate) fn read(
    name: &str,
    text: &str,
) -> Result<Result<Vec<Document>, Vec<RowError>>, Failure> {
    let refused = |message: String| Failure::new("table-invalid", format!("{name}: {message}"));
    let (mut documents, mut errors) = (Vec::new(), Vec::new());
    for (row, line) in (1_usize..).zip(text.lines()) {
        if line.trim().is_empty() {
            continue;
        }
        if documents.len() >= MAX_ROWS {
            return Err(refused(format!("a batch has at most {MAX_ROWS} rows")));
        }
        // The strict reader refuses duplicate keys and unsafe numbers.
        let read = cert_core::aih2::parse(line)
            .map_err(|error| error.to_string())
            .and_then(|_| serde_json::from_str(line).map_err(|error| error.to_string()));
        match read {
            Ok(document @ Value::Object(_)) => documents.push(Document { row, document }),
            Ok(_) => errors.push(RowError::new(
                row,
                None,
                "a document has to be a JSON object",
            )),
            Err(message) => errors.push(RowError::new(row, None, message)),
        }
    }
    if documents.is_empty() && errors.is_empty() {
        return Err(refused("the file has no documents".to_owned()));
    }
    Ok(if errors.is_empty() {
        Ok(documents)
    } else {
        Err(errors)
    })
}

/// Returns true if a file name has the extension `ndjson` or `jsonl`, in upper or lower case.
pub(crate) fn is_ndjson(name: &str) -> bool {
    let extension = std::path::Path::new(name)
        .extension()
        .and_then(|extension| extension.to_str());
    extension.is_some_and(|extension| {
        ["ndjson", "jsonl"]
            .iter()
            .any(|known| extension.eq_ignore_ascii_case(known))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_is_one_document() {
        let documents = read("t", "{\"a\":1}\n\n{\"a\":2}\n").unwrap().unwrap();
        assert_eq!(
            documents
                .iter()
                .map(|document| document.row)
                .collect::<Vec<_>>(),
            [1, 3]
        );
        let errors = read("t", "{\"a\":1,\"a\":2}\n[]\n{\n{\"a\":9007199254740993}\n")
            .unwrap()
            .unwrap_err();
        assert_eq!(
            errors.iter().map(|error| error.row).collect::<Vec<_>>(),
            [1, 2, 3, 4]
        );
        assert!(read("t", "\n").is_err());
    }
}
