//! The command line.

use cert_core::{CertError, Object, Value};
use clap::{Args, Parser, Subcommand};

use crate::failure::Failure;

/// Certify JSON: an imprint for a whole document, proofs for single values in it, and strict verification.
///
/// Every FILE may be `-` for standard input. A PATH is `books[0].title`, or a JSON array such as `["a.b",0]` for keys with dots,
/// brackets or quotation marks. Exit code 0: done, or everything is proven; 1: not proven; 2: wrong usage or input.
#[derive(Debug, Parser)]
#[command(name = "cert", version, max_term_width = 110)]
pub(crate) struct Arguments {
    /// Indent JSON, as is done anyway where a person is looking
    #[arg(long, global = true)]
    pub(crate) pretty: bool,
    #[command(subcommand)]
    pub(crate) operation: Operation,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Operation {
    /// Print the imprint of a document
    Imprint {
        #[command(flatten)]
        common: Common,
    },
    /// Print all proofs: the issuer's own copy
    Notarize {
        #[command(flatten)]
        common: Common,
        #[command(flatten)]
        evidence: Evidence,
    },
    /// Print the proofs that it takes to verify some values and no more
    Disclose {
        #[command(flatten)]
        common: Common,
        /// What to disclose; an object or list with all that is in it
        paths: Vec<String>,
        #[command(flatten)]
        evidence: Evidence,
    },
    /// Print a document with only some of its values
    Expose {
        #[command(flatten)]
        common: Common,
        /// What to keep; an object or list with all that is in it
        paths: Vec<String>,
    },
    /// Say of every value whether the evidence proves it under an imprint
    Verify {
        #[command(flatten)]
        common: Common,
        /// The imprint, 64 hexadecimal digits
        #[arg(long, value_name = "HEX", value_parser = imprint)]
        imprint: String,
        /// The proofs, or an object that has them as its `data`
        #[arg(long, value_name = "FILE")]
        evidence: String,
    },
    /// Print the paths that a schema can disclose, one in a line; an item of a list has the index 0, which stands for any
    Paths {
        /// The JSON Schema: a file, a convention (86, 87 or 88, the newest text of it) or the id of one of its texts
        #[arg(long, short, value_name = "FILE|NUMBER|ID")]
        schema: String,
    },
    /// Print the id of a schema
    Identify {
        /// The schema: as for --schema
        #[arg(value_name = "SCHEMA", default_value = "-")]
        schema: String,
        /// Sort its keys first, so that their order makes no difference
        #[arg(long)]
        sorted: bool,
    },
}

#[derive(Debug, Args)]
pub(crate) struct Common {
    /// The JSON Schema: a file, a convention (86, 87 or 88, the newest text of it) or the id of one of its texts
    #[arg(long, short, value_name = "FILE|NUMBER|ID")]
    pub(crate) schema: String,
    /// The document
    #[arg(value_name = "FILE", default_value = "-")]
    pub(crate) data: String,
    /// Validate the document against the schema first
    #[arg(long)]
    pub(crate) validate: bool,
    /// Refuse a document with values that the schema does not describe, which nothing would certify
    #[arg(long)]
    pub(crate) strict: bool,
    /// Make nonces with a secret, all bytes of this file, so that hidden values cannot be guessed
    #[arg(long, value_name = "FILE")]
    pub(crate) secret_file: Option<String>,
    /// The asset that the document is of: derives a secret of its own for it
    #[arg(long, value_name = "ID", requires = "secret_file")]
    pub(crate) asset_id: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct Evidence {
    /// Print an evidence object with this as its `$schema`, not the bare list of proofs
    #[arg(long, value_name = "URL")]
    pub(crate) evidence_schema: Option<String>,
}

impl Common {
    /// Names the document in an error of the certification.
    pub(crate) fn in_data(&self) -> impl Fn(CertError) -> Failure {
        |error| Failure::of(&self.data, error)
    }
}

impl Evidence {
    pub(crate) fn wrap(self, proofs: Value) -> Result<Value, Failure> {
        let Some(schema) = self.evidence_schema else {
            return Ok(proofs);
        };
        let entries = vec![
            ("$schema".to_owned(), schema.into()),
            ("data".to_owned(), proofs),
        ];
        Object::try_from(entries)
            .map(Value::Object)
            .map_err(|error| Failure::of("the evidence", error))
    }
}

fn imprint(text: &str) -> Result<String, String> {
    let digits = text.strip_prefix("0x").unwrap_or(text);
    if digits.len() == 64 && digits.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        Ok(text.to_owned())
    } else {
        Err("an imprint is 64 hexadecimal digits".to_owned())
    }
}
