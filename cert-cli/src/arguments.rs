//! The command line.

use std::path::PathBuf;

use cert_core::{CertError, Object, Value, aih2};
use cert_pdf::Language;
use cert_tables::doubts::Kind;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{ArgGroup, Args, Parser, Subcommand, ValueEnum, value_parser};
use lettre::message::Mailbox;
use order_core::{Amount, MAX_ACTIONS};

use crate::failure::Failure;
use crate::table::Reading;

/// Certify JSON: an imprint for a whole document, proofs for single values in it, and strict verification.
///
/// Every FILE may be `-` for standard input. A PATH is `books[0].title`. For keys with dots, brackets or quotation marks, it is a JSON
/// array such as `["a.b",0]`. With AIH-2, `books.-` is the end of a list. Exit code 0: done, or everything is proven; 1: not proven; 2:
/// any other failure.
#[derive(Debug, Parser)]
#[command(name = "cert", version, max_term_width = 110)]
pub(crate) struct Arguments {
    /// Indent JSON; this is the default on a terminal
    #[arg(long, global = true)]
    pub(crate) pretty: bool,
    #[command(subcommand)]
    pub(crate) operation: Operation,
}

/// The maximum number of certificates in an order: one less than its actions, because the last action is the payment.
const MAX_PER_ORDER: usize = MAX_ACTIONS.saturating_sub(1);

/// The prefix of an imprint of AIH-2.
pub(crate) const AIH2_IMPRINT: &str = "aih2:";

#[derive(Debug, Subcommand)]
pub(crate) enum Operation {
    /// Print a new random key for a document of AIH-2, or for badges
    Key {
        /// Print a key for SD-JWTs and badges as JWT instead: a private key of P-256 in PEM
        #[arg(long)]
        credential: bool,
    },
    /// Issue a certificate for each row of a table at a service; after an interruption, run the same command again
    Batch(Box<Batch>),
    /// Send a message with its certificate to the person of each row of a batch's result, by a mail server
    Send(Box<Send>),
    /// Write a certificate as an Open Badge or as an SD-JWT, which other software can check
    Export(Export),
    /// Check whether a badge or an SD-JWT says the same as its certificate, and whether its issuer signed it
    CheckBadge(CheckBadge),
    /// Print the entry of a badge key for the issuer's did.json
    BadgeKey(BadgeKey),
    /// Print the entry of a credential key for the issuer's did.json, or the issuer's file jwt-vc-issuer
    CredentialKey(CredentialKey),
    /// Write a certificate's file as a PDF that has the file attached
    Pdf(Pdf),
    /// Print the certificate's file that is attached to a PDF
    Unpack {
        /// The PDF
        #[arg(value_name = "PDF")]
        pdf: String,
    },
    /// Report which values a certificate's file, or a PDF that has it attached, proves under an imprint
    Check {
        /// The certificate's file or the PDF
        #[arg(value_name = "FILE")]
        file: String,
        /// The imprint from the ledger: 64 hexadecimal digits, optionally after `aih2:` or `0x`. The file's own imprint proves nothing
        #[arg(long, value_name = "HEX", value_parser = imprint)]
        imprint: String,
    },
    /// Print the imprint of a document
    Imprint {
        #[command(flatten)]
        common: Common,
        #[command(flatten)]
        profile: Profiled,
    },
    /// Print evidence for the whole document, for the issuer or the holder
    Notarize {
        #[command(flatten)]
        common: Common,
        #[command(flatten)]
        profile: Profiled,
        #[command(flatten)]
        evidence: Evidence,
    },
    /// Print evidence that discloses only some values
    Disclose {
        #[command(flatten)]
        common: Common,
        #[command(flatten)]
        profile: Profiled,
        /// The values to disclose; an object or list includes everything in it
        paths: Vec<String>,
        /// AIH-2: leave the values out of the evidence; a verifier then also needs the document that `expose` prints
        #[arg(long)]
        detached: bool,
        #[command(flatten)]
        evidence: Evidence,
    },
    /// Reduce evidence of AIH-2 to fewer values; needs no key
    Reduce(Reduce),
    /// Print a document with only some of its values
    Expose {
        #[command(flatten)]
        common: Common,
        /// The profile of the evidence for this document
        #[arg(long, value_name = "PROFILE", default_value = "AIH-1")]
        profile: Profile,
        /// The values to keep; an object or list includes everything in it
        paths: Vec<String>,
    },
    /// Print the imprint computed from evidence; the evidence names its profile
    Calculate {
        #[command(flatten)]
        common: Common,
        /// The evidence
        #[arg(long, value_name = "FILE")]
        evidence: String,
    },
    /// Report which values the evidence proves under an imprint; the evidence names its profile
    Verify {
        #[command(flatten)]
        common: Common,
        /// The imprint: 64 hexadecimal digits, optionally after `aih2:` or `0x`
        #[arg(long, value_name = "HEX", value_parser = imprint)]
        imprint: String,
        /// The evidence: an object of AIH-2, a list of proofs of AIH-1, or an object whose `data` is such a list
        #[arg(long, value_name = "FILE")]
        evidence: String,
    },
    /// Print the paths that can be disclosed under a schema, one per line; index 0 represents every index
    Paths {
        /// The JSON Schema: a file, the number of a convention (86, 87 or 88) for its newest version, or the schema id of a version
        #[arg(long, short, value_name = "FILE|NUMBER|ID")]
        schema: String,
        /// The profile under which the paths can be disclosed
        #[arg(long, value_name = "PROFILE", default_value = "AIH-1")]
        profile: Profile,
    },
    /// Print the id of a schema
    Identify {
        /// The schema: a file, number or id, as for --schema of the other operations
        #[arg(value_name = "SCHEMA", default_value = "-")]
        schema: String,
        /// AIH-1: sort the keys first, so that their order makes no difference; ids of AIH-2 never depend on it
        #[arg(long)]
        sorted: bool,
        /// The profile whose rules define the id
        #[arg(long, value_name = "PROFILE", default_value = "AIH-1")]
        profile: Profile,
    },
}

/// A certification profile.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Profile {
    #[value(name = "AIH-1")]
    Aih1,
    #[value(name = "AIH-2")]
    Aih2,
}

#[derive(Debug, Args)]
pub(crate) struct Common {
    /// The JSON Schema: a file, the number of a convention (86, 87 or 88) for its newest version, or the schema id of a version
    #[arg(long, short, value_name = "FILE|NUMBER|ID")]
    pub(crate) schema: String,
    /// The document [default: standard input, unless the evidence contains the values]
    #[arg(value_name = "FILE")]
    pub(crate) data: Option<String>,
    /// Validate the document against the schema first
    #[arg(long)]
    pub(crate) validate: bool,
    /// Refuse a document that has values outside the schema, because they would not be certified; AIH-2 always refuses it
    #[arg(long)]
    pub(crate) strict: bool,
    /// Derive nonces (AIH-2: the document's key) from the bytes of this file, so that hidden values cannot be guessed
    #[arg(long, value_name = "FILE")]
    pub(crate) secret_file: Option<String>,
    /// The id of the document's asset; a separate secret is derived for each id
    #[arg(long, value_name = "ID", requires = "secret_file")]
    pub(crate) asset_id: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct Reduce {
    /// The JSON Schema: as for the other operations
    #[arg(long, short, value_name = "FILE|NUMBER|ID")]
    pub(crate) schema: String,
    /// The paths to keep; an object or list includes everything in it
    pub(crate) paths: Vec<String>,
    /// The evidence to reduce
    #[arg(long, value_name = "FILE")]
    pub(crate) evidence: String,
    /// The document of the evidence, if the evidence is detached
    #[arg(long, value_name = "FILE")]
    pub(crate) document: Option<String>,
    /// Leave the values out of the reduced evidence
    #[arg(long)]
    pub(crate) detached: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Pdf {
    /// The certificate's file, as `cert batch` and the pages write it
    #[arg(value_name = "FILE")]
    pub(crate) file: String,
    /// The PDF to write
    #[arg(long, short, value_name = "PDF")]
    pub(crate) out: PathBuf,
    /// The time in the PDF's properties, in seconds since 1970; by default, the current time. Equal input and time give equal bytes
    #[arg(long, value_name = "SECONDS")]
    pub(crate) created: Option<i64>,
    #[command(flatten)]
    pub(crate) design: Design,
}

/// How PDFs look.
#[derive(Debug, Args)]
pub(crate) struct Design {
    /// The paper's orientation
    #[arg(long, value_name = "NAME", default_value = "portrait")]
    pub(crate) layout: Layout,
    /// The language of the PDF's own words, dates and numbers
    #[arg(long, value_name = "TAG", default_value = "en", value_parser = language())]
    pub(crate) lang: Language,
    /// The colour of frame and lines
    #[arg(long, value_name = "#RRGGBB", default_value = "#8a6d1f", value_parser = colour)]
    pub(crate) colour: [u8; 3],
    /// A PNG or JPEG picture for the top of the PDF, at most 1 MB
    #[arg(long, value_name = "FILE")]
    pub(crate) logo: Option<String>,
    /// A PNG or JPEG picture of the signature, at most 1 MB
    #[arg(long, value_name = "FILE")]
    pub(crate) signature: Option<String>,
    /// The name below the signature, and the signer's role
    #[arg(
        long,
        value_name = "TEXT",
        default_value = "",
        hide_default_value = true
    )]
    pub(crate) signer: String,
    /// A TrueType or OpenType font for characters that the built-in fonts lack; may be repeated
    #[arg(long = "font", value_name = "FILE")]
    pub(crate) fonts: Vec<String>,
}

/// The orientation of a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Layout {
    Portrait,
    Landscape,
}

fn language() -> impl TypedValueParser<Value = Language> {
    PossibleValuesParser::new(Language::ALL.map(Language::tag))
        .try_map(|tag| Language::of_tag(&tag).ok_or("an unknown language"))
}

/// Parses `#8a6d1f`.
fn colour(text: &str) -> Result<[u8; 3], String> {
    let digits = text.strip_prefix('#').unwrap_or_default();
    let is_colour = digits.len() == 6 && digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    let number = u32::from_str_radix(digits, 16).ok().filter(|_| is_colour);
    let [_, red, green, blue] = number
        .ok_or("a colour is `#` and 6 hexadecimal digits, such as #8a6d1f")?
        .to_be_bytes();
    Ok([red, green, blue])
}

#[derive(Debug, Args)]
pub(crate) struct Batch {
    /// The rows: CSV with a header, or documents in NDJSON if the name ends in .ndjson or .jsonl
    #[arg(value_name = "FILE")]
    pub(crate) table: String,
    /// The JSON Schema of the certificates: as for the other operations
    #[arg(long, short, value_name = "FILE|NUMBER|ID")]
    pub(crate) schema: String,
    /// A public field; repeat the option for further fields, or separate them by commas
    #[arg(long, value_name = "PATH", required = true)]
    pub(crate) public: Vec<String>,
    /// The URL at which you will publish the folder `site` of --out
    #[arg(long, value_name = "URL")]
    pub(crate) site: String,
    /// The folder for the batch's state and results; another run with this folder resumes the batch
    #[arg(long, value_name = "DIR")]
    pub(crate) out: PathBuf,
    /// The URL of the service
    #[arg(long, value_name = "URL", default_value = "http://127.0.0.1:8787")]
    pub(crate) service: String,
    /// The service's name, which the account signs to authorize itself; `GET /health` shows the name
    #[arg(long, value_name = "NAME", default_value = "assay")]
    pub(crate) service_name: String,
    /// The file with the issuer's private key, 64 hexadecimal digits; by default, the key is in the environment variable CERT_ACCOUNT_KEY
    #[arg(long, value_name = "FILE")]
    pub(crate) account_key: Option<String>,
    /// An existing ledger for the certificates
    #[arg(long, value_name = "ADDRESS", conflicts_with = "new_ledger")]
    pub(crate) ledger: Option<String>,
    /// Deploy a ledger with this name for the certificates
    #[arg(long, value_name = "NAME")]
    pub(crate) new_ledger: Option<String>,
    /// The symbol of the new ledger; by default, derived from its name
    #[arg(long, value_name = "TEXT", requires = "new_ledger")]
    pub(crate) symbol: Option<String>,
    /// The account that receives the certificates; by default, the issuer's account
    #[arg(long, value_name = "ADDRESS")]
    pub(crate) receiver: Option<String>,
    /// The column (NDJSON: the member) that identifies a row; by default, the row's position identifies it
    #[arg(long, value_name = "COLUMN")]
    pub(crate) key_column: Option<String>,
    /// Compute the id of each asset from its product's code, instead of drawing it: `gs1:` and the fields with the GTIN and the serial number
    #[arg(long, value_name = "gs1:GTIN,SERIAL")]
    pub(crate) asset_id: Option<String>,
    /// Fill in the fields `external_url` and `attributes`, which marketplaces for tokens show
    #[arg(long)]
    pub(crate) nft: bool,
    /// Map a column to a field; without a path, leave the column out; may be repeated
    #[arg(long, value_name = "COLUMN=PATH")]
    pub(crate) map: Vec<String>,
    /// A JSON file that maps columns to fields: {"Column": "path"}
    #[arg(long, value_name = "FILE")]
    pub(crate) map_file: Option<String>,
    /// Read a column's dates or numbers in this way; may be repeated. The command lists the ways that fit a column
    #[arg(long, value_name = "COLUMN=READING")]
    pub(crate) read: Vec<String>,
    #[command(flatten)]
    pub(crate) reading: Reading,
    /// The file with at least 32 random bytes, from which the keys of all documents are derived; by default, a file generated in --out
    #[arg(long, value_name = "FILE")]
    pub(crate) secret_file: Option<String>,
    /// Print the first certificate and issue nothing
    #[arg(long)]
    pub(crate) preview: bool,
    /// Issue the certificates; without this option, the command only checks the rows and prints its plan
    #[arg(long)]
    pub(crate) yes: bool,
    /// Issue certificates although the command lists doubts of these kinds; separate several kinds by commas
    #[arg(long, value_name = "KINDS", value_delimiter = ',', value_parser = kind())]
    pub(crate) accept: Vec<Kind>,
    /// Deposit this many cents if the account lacks tokens; on a development service, no money moves
    #[arg(long, value_name = "CENTS")]
    pub(crate) deposit: Option<u64>,
    /// The maximum price of a certificate, in tokens
    #[arg(long, value_name = "TOKENS", value_parser = read_tokens)]
    pub(crate) max_cost: Option<Amount>,
    /// The maximum number of certificates in an order; an order is performed as a whole or not at all
    #[arg(long, value_name = "COUNT", default_value_t = MAX_PER_ORDER, value_parser = per_order)]
    pub(crate) per_order: usize,
    /// The maximum number of orders in flight at the same time
    #[arg(long, value_name = "COUNT", default_value_t = 4, value_parser = value_parser!(u8).range(1..=16))]
    pub(crate) parallel: u8,
    /// Write a PDF for each issued certificate into the folder `private` of --out
    #[arg(long)]
    pub(crate) pdf: bool,
    #[command(flatten)]
    pub(crate) design: Design,
    /// Write an Open Badge for each issued certificate into the folder `private` of --out, signed with the badge key in this file
    #[arg(long, value_name = "FILE")]
    pub(crate) badge_key: Option<String>,
    /// A field to show in the badges besides the public fields; repeat the option for further fields, or separate them by commas
    #[arg(long, value_name = "PATH", requires = "badge_key")]
    pub(crate) badge_show: Vec<String>,
    /// Add the hash of the holder's e-mail address to each badge, so that the holder's wallet recognises it
    #[arg(long, requires = "badge_key")]
    pub(crate) badge_email: bool,
    /// Make badges in which other software never sees that the certificate was withdrawn
    #[arg(long, requires = "badge_key")]
    pub(crate) no_status: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Send {
    /// The table `result.csv` that `cert batch` or the page for many certificates has made; a spreadsheet program may have saved it again
    #[arg(value_name = "RESULT")]
    pub(crate) result: String,
    /// The message: lines such as `Subject: Your certificate, {name}`, an empty line, and the text, with columns in braces
    #[arg(long, value_name = "FILE")]
    pub(crate) template: String,
    /// The column with the recipients' addresses
    #[arg(long, value_name = "COLUMN")]
    pub(crate) to: String,
    /// The sender, such as "Example University <office@uni.example>"
    #[arg(long, value_name = "ADDRESS", value_parser = sender)]
    pub(crate) from: Mailbox,
    /// The mail server: smtps://HOST for TLS, or smtp://HOST for STARTTLS, each with an optional :PORT
    #[arg(long, value_name = "URL", required_unless_present = "dry_run")]
    pub(crate) smtp: Option<String>,
    /// The account at the mail server; its password is in the environment variable CERT_SMTP_PASSWORD
    #[arg(long, value_name = "NAME", requires = "smtp")]
    pub(crate) smtp_user: Option<String>,
    /// Attach each certificate from the folder `private` beside the table: its private file, or with --attach=pdf its PDF
    #[arg(long, value_name = "KIND", num_args = 0..=1, require_equals = true, default_missing_value = "file")]
    pub(crate) attach: Option<Attach>,
    /// Write the messages as .eml files into this folder, and send nothing
    #[arg(long, value_name = "DIR", conflicts_with = "yes")]
    pub(crate) dry_run: Option<PathBuf>,
    /// Send the messages; without this option, the command only checks the rows and prints its plan and the first message
    #[arg(long)]
    pub(crate) yes: bool,
    /// Also send the messages of rows in doubt again; their recipients may get a second message
    #[arg(long)]
    pub(crate) resend_doubtful: bool,
    /// Seconds before the first further attempt for messages that the server wants later; each further pause is twice as long
    #[arg(long, value_name = "SECONDS", default_value_t = 30, value_parser = value_parser!(u32).range(0..=3600))]
    pub(crate) pause: u32,
    #[command(flatten)]
    pub(crate) reading: Reading,
}

#[derive(Debug, Args)]
pub(crate) struct CheckBadge {
    /// The badge: JSON, a JWT, or a PNG or SVG with a badge inside; or an SD-JWT
    #[arg(value_name = "FILE")]
    pub(crate) badge: String,
}

#[derive(Debug, Args)]
pub(crate) struct BadgeKey {
    /// The file with the badge key, as printed by `cert key`
    #[arg(value_name = "FILE")]
    pub(crate) key: String,
    /// The issuer's domain
    #[arg(long, value_name = "DOMAIN")]
    pub(crate) domain: String,
    /// The name of the key in the did.json; a new key needs a new name
    #[arg(long, value_name = "NAME", default_value = "vc-1", value_parser = key_name)]
    pub(crate) name: String,
}

#[derive(Debug, Args)]
pub(crate) struct CredentialKey {
    /// The file with the credential key, as printed by `cert key --credential`
    #[arg(value_name = "FILE")]
    pub(crate) key: String,
    /// The issuer's domain
    #[arg(long, value_name = "DOMAIN")]
    pub(crate) domain: String,
    /// The name of the key in the did.json; a new key needs a new name
    #[arg(long, value_name = "NAME", default_value = "jwt-1", value_parser = key_name)]
    pub(crate) name: String,
    /// Print the file /.well-known/jwt-vc-issuer, which SD-JWTs need, instead of the entry
    #[arg(long)]
    pub(crate) jwt_vc_issuer: bool,
}

#[derive(Debug, Args)]
#[command(group = ArgGroup::new("signer").required(true).args(["badge_key", "credential_key"]))]
#[command(group = ArgGroup::new("jwt").args(["sd_jwt", "vc_jwt"]))]
pub(crate) struct Export {
    /// The certificate: the holder's private file, or another certificate file (.assay.json) that proves its values. An SD-JWT needs the private file
    #[arg(value_name = "FILE")]
    pub(crate) certificate: String,
    /// The file with the badge key, as printed by `cert key`; `cert badge-key` prints its entry for the issuer's did.json
    #[arg(long, value_name = "FILE", conflicts_with = "jwt")]
    pub(crate) badge_key: Option<String>,
    /// Write an SD-JWT with all values, of which the holder can leave out any on the page /share/
    #[arg(long, requires = "credential_key", conflicts_with_all = ["show", "email", "publish", "picture"])]
    pub(crate) sd_jwt: bool,
    /// Write the badge as JWT
    #[arg(long, requires = "credential_key", conflicts_with_all = ["publish", "picture"])]
    pub(crate) vc_jwt: bool,
    /// The file with the credential key, as printed by `cert key --credential`; `cert credential-key` prints its entry for the issuer's did.json
    #[arg(long, value_name = "FILE", requires = "jwt")]
    pub(crate) credential_key: Option<String>,
    /// Bind the SD-JWT to the holder's public key in this file, a JWK of P-256. Only a wallet with the key can then present it
    #[arg(long, value_name = "FILE", requires = "sd_jwt")]
    pub(crate) holder_jwk: Option<String>,
    /// A field to prove in the badge's link besides the public fields; repeat the option for further fields, or separate them by commas
    #[arg(long, value_name = "PATH", value_delimiter = ',')]
    pub(crate) show: Vec<String>,
    /// Add the hash of the holder's e-mail address, so that the holder's wallet recognises the badge
    #[arg(long)]
    pub(crate) email: bool,
    /// The URL of the service at which the certificate is. The issuer's account signs in there, and gets the badge's place in a status list
    #[arg(long, value_name = "URL", required_unless_present = "no_status")]
    pub(crate) service: Option<String>,
    /// The service's name, which the account signs to authorize itself; `GET /health` shows the name
    #[arg(long, value_name = "NAME", default_value = "assay")]
    pub(crate) service_name: String,
    /// The file with the issuer's private key, 64 hexadecimal digits; by default, the key is in the environment variable CERT_ACCOUNT_KEY
    #[arg(long, value_name = "FILE")]
    pub(crate) account_key: Option<String>,
    /// Make a badge in which other software never sees that the certificate was withdrawn
    #[arg(long)]
    pub(crate) no_status: bool,
    /// Also upload the badge to --service, which hosts the certificate's public files. Programs then get it at the certificate's link. All of its values
    /// must be public
    #[arg(long, requires = "service")]
    pub(crate) publish: bool,
    /// Also offer the badge to a wallet, and write the link of the offer to this file. The holder opens the link on the phone. It works once, within 7 days
    #[arg(long, value_name = "FILE", requires = "service")]
    pub(crate) offer: Option<PathBuf>,
    /// Put the badge into this picture: a PNG or an SVG
    #[arg(long, value_name = "FILE")]
    pub(crate) picture: Option<String>,
    /// The file to write [default: standard output]
    #[arg(long, short, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
}

/// Returns a name that is the fragment of an address as it stands.
fn key_name(text: &str) -> Result<String, String> {
    let is_plain = |char: char| char.is_ascii_alphanumeric() || matches!(char, '-' | '_' | '.');
    match !text.is_empty() && text.chars().all(is_plain) {
        true => Ok(text.to_owned()),
        false => Err("a name has letters, digits and `-_.` only".to_owned()),
    }
}

/// The kind of a message's attachment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Attach {
    File,
    Pdf,
}

fn sender(text: &str) -> Result<Mailbox, String> {
    text.parse().map_err(|error| {
        format!("expected an address such as \"Example University <office@uni.example>\": {error}")
    })
}

fn kind() -> impl TypedValueParser<Value = Kind> {
    let named = |name: String| Kind::ALL.into_iter().find(|one| one.name() == name);
    PossibleValuesParser::new(Kind::ALL.map(Kind::name))
        .try_map(move |name| named(name).ok_or("an unknown kind"))
}

/// Parses an amount of tokens, as in `--max-cost 3.5`.
pub(crate) fn read_tokens(text: &str) -> Result<Amount, String> {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    let is_amount = fraction.len() <= 18 && !whole.is_empty();
    let units = format!("{whole}{fraction:0<18}");
    if !is_amount {
        return Err("an amount of tokens is a number such as 3 or 1.5".to_owned());
    }
    units
        .parse()
        .map_err(|_| "an amount of tokens is a number such as 3 or 1.5".to_owned())
}

fn per_order(text: &str) -> Result<usize, String> {
    let count = text
        .parse()
        .ok()
        .filter(|count| (1..=MAX_PER_ORDER).contains(count));
    count.ok_or_else(|| format!("expected a whole number from 1 to {MAX_PER_ORDER}"))
}

#[derive(Debug, Args)]
pub(crate) struct Profiled {
    /// The certification profile; AIH-2 needs --key, the environment variable CERT_KEY, or --secret-file
    #[arg(long, value_name = "PROFILE", default_value = "AIH-1")]
    pub(crate) profile: Profile,
    /// The file with the document's key for AIH-2, as printed by `cert key`
    #[arg(long, value_name = "FILE", conflicts_with = "secret_file")]
    pub(crate) key: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct Evidence {
    /// Print evidence with this `$schema`; evidence of AIH-1 is then an object instead of a list of proofs
    #[arg(long, value_name = "URL")]
    pub(crate) evidence_schema: Option<String>,
}

impl Common {
    /// Returns the document's file, or `-` for standard input.
    pub(crate) fn data(&self) -> &str {
        self.data.as_deref().unwrap_or("-")
    }

    /// Returns a function that adds the document's file name to an error of the certification.
    pub(crate) fn in_data(&self) -> impl Fn(CertError) -> Failure {
        |error| Failure::of(self.data(), error)
    }

    /// Returns a function that adds the schema's file name to an error of the certification.
    pub(crate) fn in_schema(&self) -> impl Fn(CertError) -> Failure {
        |error| Failure::of(&self.schema, error)
    }
}

impl Evidence {
    /// Adds the `$schema` of the options to evidence of AIH-2, if they have one.
    pub(crate) fn address(self, evidence: aih2::Evidence) -> aih2::Evidence {
        match self.evidence_schema {
            Some(address) => evidence.with_schema(&address),
            None => evidence,
        }
    }

    /// Returns proofs of AIH-1, wrapped in an evidence object if the options have a `$schema`.
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

/// Returns an imprint in lower case, without white space around it.
fn imprint(text: &str) -> Result<String, String> {
    let text = text.trim().to_ascii_lowercase();
    let prefixes = [AIH2_IMPRINT, "0x"];
    let digits = prefixes.iter().find_map(|prefix| text.strip_prefix(prefix));
    let digits = digits.unwrap_or(&text);
    if digits.len() == 64 && digits.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        Ok(text)
    } else {
        Err("an imprint is 64 hexadecimal digits, optionally after `aih2:` or `0x`".to_owned())
    }
}
