//! Hashers and noncers of several kinds for making certificates.

use cert_core::{
    Ask, Cert, CertError, Deferred, Evidence, Failure, Hasher, Input, KeyedNoncer, Location,
    Noncer, Part, Path, PathNoncer, PathStep, Proof, Report, Sha256Hasher, Value,
};
use sha2::{Digest as _, Sha256, Sha512};

use super::model::{hex, sha256};

/// A hasher and a noncer, and how they are passed to the `Cert`.
#[derive(Clone, Copy)]
pub(crate) struct Scheme {
    pub(crate) name: &'static str,
    pub(crate) hash: fn(&str) -> String,
    pub(crate) nonce: fn(&Path) -> String,
    how: How,
}

/// The sources of hashes and nonces.
#[derive(Clone, Copy)]
enum How {
    /// The default hasher and the default noncer.
    Defaults,
    /// The default hasher and a keyed noncer.
    Keyed,
    /// The scheme's hasher and a keyed noncer.
    HasherKeyed,
    /// The default hasher and the scheme's noncer.
    Noncer,
    /// The scheme's hasher and the default noncer.
    Hasher,
    /// The scheme's hasher and the scheme's noncer.
    Functions,
    /// Deferred answers.
    Outside(Deferred),
}

const SECRET: &[u8] = b"a secret of forgers";

const HASHES: Deferred = Deferred {
    hasher: true,
    noncer: false,
};
const BOTH: Deferred = Deferred {
    hasher: true,
    noncer: true,
};

/// All schemes. The first is the scheme of most certificates.
pub(crate) const SCHEMES: &[Scheme] = &[
    scheme("the defaults", sha256, path_hash, How::Defaults),
    scheme("a secret", sha256, keyed, How::Keyed),
    scheme(
        "nonces as long as two hashes",
        sha256,
        long_nonce,
        How::Noncer,
    ),
    scheme("nonces as long as a hash", sha256, short_nonce, How::Noncer),
    scheme("SHA-512", sha512, path_hash, How::Hasher),
    scheme("SHA-512, deferred", sha512, path_hash, How::Outside(HASHES)),
    scheme("half as long", half, path_hash, How::Hasher),
    scheme(
        "half as long, deferred",
        half,
        path_hash,
        How::Outside(HASHES),
    ),
    scheme("half as long, a secret", half, keyed, How::HasherKeyed),
    scheme("base64", base64, path_hash, How::Hasher),
    scheme("base64, deferred", base64, raw_path, How::Outside(BOTH)),
    scheme("characters", characters, path_hash, How::Hasher),
    scheme("paths as nonces", half, raw_path, How::Functions),
    scheme("growing nonces", half, growing, How::Functions),
    scheme(
        "SHA-512, long nonces, deferred",
        sha512,
        longer_nonce,
        How::Outside(BOTH),
    ),
];

const fn scheme(
    name: &'static str,
    hash: fn(&str) -> String,
    nonce: fn(&Path) -> String,
    how: How,
) -> Scheme {
    Scheme {
        name,
        hash,
        nonce,
        how,
    }
}

fn sha512(text: &str) -> String {
    hex(&Sha512::digest(text))
}

/// Returns a hash of MD5's length. A default nonce is as long as two such hashes.
fn half(text: &str) -> String {
    sha256(text)[..32].to_owned()
}

fn base64(text: &str) -> String {
    let bits: Vec<u8> = Sha256::digest(text)
        .iter()
        .flat_map(|byte| (0..8).rev().map(move |bit| byte >> bit & 1))
        .collect();
    let digit = |bits: &[u8]| {
        bits.iter()
            .fold(0_usize, |digit, bit| digit * 2 + usize::from(*bit))
    };
    let alphabet: Vec<char> = ('A'..='Z')
        .chain('a'..='z')
        .chain('0'..='9')
        .chain(['+', '/'])
        .collect();
    bits.chunks(6).map(|bits| alphabet[digit(bits)]).collect()
}

/// Returns a non-ASCII character for each byte of the hash: 32 characters, which take more than 32 bytes.
fn characters(text: &str) -> String {
    let char = |byte: &u8| char::from_u32(0x100 + u32::from(*byte));
    Sha256::digest(text).iter().filter_map(char).collect()
}

fn raw_path(path: &Path) -> String {
    let step = |step: &PathStep| match step {
        PathStep::Key(key) => key.as_str().to_owned(),
        PathStep::Index(index) => index.to_string(),
    };
    let steps: Vec<_> = path.steps().iter().map(step).collect();
    steps.join(".")
}

/// Returns a fixed string followed by the path. The nonce grows with the digits of an index. For `l.10`, the nonce is as long as two hashes
/// of [`half`].
fn growing(path: &Path) -> String {
    format!(
        "{}/{}",
        "secret ".repeat(9).get(..59).unwrap(),
        raw_path(path)
    )
}

fn path_hash(path: &Path) -> String {
    sha256(&raw_path(path))
}

fn short_nonce(path: &Path) -> String {
    sha256(&format!("nonce of {path}"))
}

fn long_nonce(path: &Path) -> String {
    sha512(&raw_path(path))
}

fn longer_nonce(path: &Path) -> String {
    sha512(&raw_path(path)) + &sha512(&path.to_string())
}

/// Returns the HMAC-SHA-256 (RFC 2104) of the path as JSON, under `SECRET`.
fn keyed(path: &Path) -> String {
    let pad = |with: u8| -> Vec<u8> {
        let mut key = [0; 64];
        key[..SECRET.len()].copy_from_slice(SECRET);
        key.iter().map(|byte| byte ^ with).collect()
    };
    let path = path.to_value().to_json();
    let inner = Sha256::digest([pad(0x36), path.into_bytes()].concat());
    hex(&Sha256::digest([pad(0x5c), inner.to_vec()].concat()))
}

impl Hasher for Scheme {
    fn hash(&self, input: Input<'_>, _: Location<'_>) -> Result<cert_core::Hash, Failure> {
        Ok((self.hash)(&input.text()).into())
    }
}

impl Noncer for Scheme {
    fn nonce(&self, place: Location<'_>) -> Result<cert_core::Hash, Failure> {
        Ok((self.nonce)(&place.path()).into())
    }
}

/// The operations of a `Cert`, independent of the types of its hasher and noncer.
pub(crate) trait Certifies: Send + Sync {
    fn imprint(&self, data: &Value) -> Result<String, CertError>;
    fn notarize(&self, data: &Value) -> Result<Vec<Proof>, CertError>;
    fn disclose(&self, data: &Value, paths: &[Path]) -> Result<Vec<Proof>, CertError>;
    fn expose(&self, data: &Value, paths: &[Path]) -> Value;
    fn calculate(&self, data: &Value, evidence: &dyn Evidence)
    -> Result<Option<String>, CertError>;
    fn verify(
        &self,
        data: &Value,
        evidence: &dyn Evidence,
        imprint: &str,
    ) -> Result<Report, CertError>;
}

impl<H: Hasher + Send + Sync, N: Noncer + Send + Sync> Certifies for Cert<H, N> {
    fn imprint(&self, data: &Value) -> Result<String, CertError> {
        self.imprint(data)
    }

    fn notarize(&self, data: &Value) -> Result<Vec<Proof>, CertError> {
        self.notarize(data)
    }

    fn disclose(&self, data: &Value, paths: &[Path]) -> Result<Vec<Proof>, CertError> {
        self.disclose(data, paths)
    }

    fn expose(&self, data: &Value, paths: &[Path]) -> Value {
        self.expose(data, paths)
    }

    fn calculate(
        &self,
        data: &Value,
        evidence: &dyn Evidence,
    ) -> Result<Option<String>, CertError> {
        self.calculate(data, evidence)
    }

    fn verify(
        &self,
        data: &Value,
        evidence: &dyn Evidence,
        imprint: &str,
    ) -> Result<Report, CertError> {
        self.verify(data, evidence, imprint)
    }
}

/// A `Cert` whose hashes, and possibly nonces, are deferred.
struct FromOutside {
    cert: Cert,
    scheme: Scheme,
    deferred: Deferred,
}

impl FromOutside {
    fn run<T>(
        &self,
        operation: impl Fn(&Cert<&dyn Hasher, &dyn Noncer>) -> Result<T, CertError>,
    ) -> Result<T, CertError> {
        let mut answers: Vec<String> = Vec::new();
        for question in self.cert.questions(self.deferred, &operation)? {
            let text = |part: &Part| match part {
                Part::Text(text) => text.clone(),
                Part::Answer(number) => answers[*number].clone(),
            };
            let answer = match &question.ask {
                Ask::Nonce => (self.scheme.nonce)(&question.path),
                Ask::Value(value) => {
                    let scalar = value.as_ref().and_then(Value::as_scalar);
                    (self.scheme.hash)(&Input::Value(scalar).text())
                }
                Ask::Text(_, parts) => {
                    (self.scheme.hash)(&parts.iter().map(text).collect::<String>())
                }
            };
            answers.push(answer);
        }
        self.cert.answered(self.deferred, &answers, operation)
    }
}

impl Certifies for FromOutside {
    fn imprint(&self, data: &Value) -> Result<String, CertError> {
        self.run(|cert| cert.imprint(data))
    }

    fn notarize(&self, data: &Value) -> Result<Vec<Proof>, CertError> {
        self.run(|cert| cert.notarize(data))
    }

    fn disclose(&self, data: &Value, paths: &[Path]) -> Result<Vec<Proof>, CertError> {
        self.run(|cert| cert.disclose(data, paths))
    }

    fn expose(&self, data: &Value, paths: &[Path]) -> Value {
        self.cert.expose(data, paths)
    }

    fn calculate(
        &self,
        data: &Value,
        evidence: &dyn Evidence,
    ) -> Result<Option<String>, CertError> {
        self.run(|cert| cert.calculate(data, evidence))
    }

    fn verify(
        &self,
        data: &Value,
        evidence: &dyn Evidence,
        imprint: &str,
    ) -> Result<Report, CertError> {
        self.run(|cert| cert.verify(data, evidence, imprint))
    }
}

impl Scheme {
    pub(crate) fn named(name: &str) -> Self {
        let named = SCHEMES.iter().find(|scheme| scheme.name == name);
        *named.unwrap_or_else(|| panic!("no scheme `{name}`"))
    }

    pub(crate) fn cert(&self, schema: &Value) -> Result<Box<dyn Certifies>, CertError> {
        let scheme = *self;
        let key = || KeyedNoncer::new(SECRET);
        Ok(match self.how {
            How::Defaults => Box::new(Cert::new(schema)?),
            How::Keyed => Box::new(Cert::with(schema, Sha256Hasher, key()?)?),
            How::HasherKeyed => Box::new(Cert::with(schema, scheme, key()?)?),
            How::Noncer => Box::new(Cert::with(schema, Sha256Hasher, scheme)?),
            How::Hasher => Box::new(Cert::with(schema, scheme, PathNoncer)?),
            How::Functions => Box::new(Cert::with(schema, scheme, scheme)?),
            How::Outside(deferred) => Box::new(FromOutside {
                cert: Cert::new(schema)?,
                scheme,
                deferred,
            }),
        })
    }
}
