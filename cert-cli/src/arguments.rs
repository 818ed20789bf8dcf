//! The command line.

use cert_core::{CertError, Object, Value, aih2};
use clap::{Args, Parser, Subcommand, ValueEnum};

use crate::failure::Failure;

/// Certify JSON: an imprint for a whole document, proofs for single values in it, and strict verification.
///
/// Every FILE may be `-` for standard input. A PATH is `books[0].title`, or a JSON array such as `["a.b",0]` for keys with dots,
/// brackets or quotation marks; with AIH-2 `books.-` is the end of a list. Exit code 0: done, or everything is proven; 1: not proven;
/// 2: wrong usage or input.
#[derive(Debug, Parser)]
#[command(name = "cert", version, max_term_width = 110)]
pub(crate) struct Arguments {
    /// Indent JSON, as is done anyway where a person is looking
    #[arg(long, global = true)]
    pub(crate) pretty: bool,
    #[command(subcommand)]
    pub(crate) operation: Operation,
}

/// The beginning of an imprint of AIH-2.
pub(crate) const AIH2_IMPRINT: &str = "aih2:";

#[derive(Debug, Subcommand)]
pub(crate) enum Operation {
    /// Draw the key of a document, for AIH-2, and print it
    Key,
    /// Print the imprint of a document
    Imprint {
        #[command(flatten)]
        common: Common,
        #[command(flatten)]
        profile: Profiled,
    },
    /// Print evidence for everything: the issuer's or the holder's own copy
    Notarize {
        #[command(flatten)]
        common: Common,
        #[command(flatten)]
        profile: Profiled,
        #[command(flatten)]
        evidence: Evidence,
    },
    /// Print the evidence that it takes to verify some values and no more
    Disclose {
        #[command(flatten)]
        common: Common,
        #[command(flatten)]
        profile: Profiled,
        /// The values to disclose; an object or list with all that is in it
        paths: Vec<String>,
        /// Leave the values out of the evidence, which then goes with the document that `expose` prints; AIH-1's does in any case
        #[arg(long)]
        detached: bool,
        #[command(flatten)]
        evidence: Evidence,
    },
    /// Print evidence of AIH-2 for less than other evidence shows; this takes no key
    Reduce(Reduce),
    /// Print a document with only some of its values
    Expose {
        #[command(flatten)]
        common: Common,
        /// The profile of the evidence that it is to go with
        #[arg(long, value_name = "PROFILE", default_value = "AIH-1")]
        profile: Profile,
        /// The values to keep; an object or list with all that is in it
        paths: Vec<String>,
    },
    /// Print the imprint that evidence gives; the evidence says which profile it is of
    Calculate {
        #[command(flatten)]
        common: Common,
        /// The evidence
        #[arg(long, value_name = "FILE")]
        evidence: String,
    },
    /// Say of every value whether the evidence proves it under an imprint; the evidence says which profile it is of
    Verify {
        #[command(flatten)]
        common: Common,
        /// The imprint, 64 hexadecimal digits, perhaps with `aih2:` or `0x` before them
        #[arg(long, value_name = "HEX", value_parser = imprint)]
        imprint: String,
        /// The evidence: an object of AIH-2, proofs of AIH-1, or an object that has them as its `data`
        #[arg(long, value_name = "FILE")]
        evidence: String,
    },
    /// Print the paths that a schema can disclose, one in a line; an item of a list has the index 0, which stands for any
    Paths {
        /// The JSON Schema: a file, a convention (86, 87 or 88, the newest text of it) or the id of one of its texts
        #[arg(long, short, value_name = "FILE|NUMBER|ID")]
        schema: String,
        /// The profile that it is to be disclosed under
        #[arg(long, value_name = "PROFILE", default_value = "AIH-1")]
        profile: Profile,
    },
    /// Print the id of a schema
    Identify {
        /// The schema: as for --schema
        #[arg(value_name = "SCHEMA", default_value = "-")]
        schema: String,
        /// Sort its keys first, so that their order makes no difference
        #[arg(long)]
        sorted: bool,
        /// Print the id that evidence of this profile has
        #[arg(long, value_name = "PROFILE", default_value = "AIH-1")]
        profile: Profile,
    },
}

/// How documents are certified.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Profile {
    #[value(name = "AIH-1")]
    Aih1,
    #[value(name = "AIH-2")]
    Aih2,
}

#[derive(Debug, Args)]
pub(crate) struct Common {
    /// The JSON Schema: a file, a convention (86, 87 or 88, the newest text of it) or the id of one of its texts
    #[arg(long, short, value_name = "FILE|NUMBER|ID")]
    pub(crate) schema: String,
    /// The document; standard input if none is named, unless there is evidence that has its values
    #[arg(value_name = "FILE")]
    pub(crate) data: Option<String>,
    /// Validate the document against the schema first
    #[arg(long)]
    pub(crate) validate: bool,
    /// Refuse a document with values that the schema does not describe, which nothing would certify; AIH-2 does in any case
    #[arg(long)]
    pub(crate) strict: bool,
    /// Make nonces (AIH-2: the document's key) with a secret, all bytes of this file, so that hidden values cannot be guessed
    #[arg(long, value_name = "FILE")]
    pub(crate) secret_file: Option<String>,
    /// The asset that the document is of: derives a secret of its own for it
    #[arg(long, value_name = "ID", requires = "secret_file")]
    pub(crate) asset_id: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct Reduce {
    /// The JSON Schema: as for the other operations
    #[arg(long, short, value_name = "FILE|NUMBER|ID")]
    pub(crate) schema: String,
    /// The paths to pass on; an object or list with all that is in it
    pub(crate) paths: Vec<String>,
    /// The evidence that shows at least as much
    #[arg(long, value_name = "FILE")]
    pub(crate) evidence: String,
    /// The document that goes with it, if it has no values
    #[arg(long, value_name = "FILE")]
    pub(crate) document: Option<String>,
    /// Leave the values out of the evidence
    #[arg(long)]
    pub(crate) detached: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Profiled {
    /// How to certify; AIH-2 takes --secret-file, or a key by --key or the variable CERT_KEY
    #[arg(long, value_name = "PROFILE", default_value = "AIH-1")]
    pub(crate) profile: Profile,
    /// The document's key for AIH-2, as `cert key` prints it
    #[arg(long, value_name = "FILE", conflicts_with = "secret_file")]
    pub(crate) key: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct Evidence {
    /// Print evidence with this as its `$schema`; AIH-1's is an object then, and otherwise a list of proofs
    #[arg(long, value_name = "URL")]
    pub(crate) evidence_schema: Option<String>,
}

impl Common {
    /// The document's file.
    pub(crate) fn data(&self) -> &str {
        self.data.as_deref().unwrap_or("-")
    }

    /// Names the document in an error of the certification.
    pub(crate) fn in_data(&self) -> impl Fn(CertError) -> Failure {
        |error| Failure::of(self.data(), error)
    }

    /// Names the schema in an error of the certification.
    pub(crate) fn in_schema(&self) -> impl Fn(CertError) -> Failure {
        |error| Failure::of(&self.schema, error)
    }
}

impl Evidence {
    /// Evidence of AIH-2 with the address of its schema.
    pub(crate) fn address(self, evidence: aih2::Evidence) -> aih2::Evidence {
        match self.evidence_schema {
            Some(address) => evidence.with_schema(&address),
            None => evidence,
        }
    }

    /// Proofs of AIH-1, as an evidence object if it has an address of its schema.
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
    let prefixes = [AIH2_IMPRINT, "0x"];
    let digits = prefixes.iter().find_map(|prefix| text.strip_prefix(prefix));
    let digits = digits.unwrap_or(text);
    if digits.len() == 64 && digits.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        Ok(text.to_owned())
    } else {
        Err("an imprint is 64 hexadecimal digits".to_owned())
    }
}
