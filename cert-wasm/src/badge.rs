//! Bindings of cert-badge for the pages. Facts cross as JSON text. A problem is thrown as its code. Pages sign and check signatures by WebCrypto, so no private
//! key gets here.

use cert_badge::{
    Badge, BadgeJwt, Certificate, Issuer, JwtKey, OnLedger, Parts, Place, Proof, PublicKey,
    Refusal, Shown, Signature, Unproven, bake,
};
use cert_core::file::CertificateFile;
use serde::{Deserialize, Serialize};
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;

/// The facts about a certificate that its file does not have.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Given {
    /// The imprint on the ledger.
    imprint: String,
    domain: String,
    name: Option<String>,
    /// The time at which the asset was created, in milliseconds since 1970.
    created: u64,
    /// The short form that proves the shown values, or null if all of them are public.
    form: Option<String>,
}

/// The facts of a badge to make.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Order {
    place: Option<GivenPlace>,
    with_email: bool,
    /// The id of the badge key in the issuer's `did.json`.
    key_id: String,
    /// The time of the signature, in milliseconds since 1970.
    now: u64,
}

#[derive(Deserialize)]
struct GivenPlace {
    list: u32,
    index: u32,
}

fn given<'a, T: Deserialize<'a>>(json: &'a str) -> Result<T, JsValue> {
    serde_json::from_str(json).map_err(|error| JsValue::from(error.to_string()))
}

fn refused(refusal: Refusal) -> JsValue {
    JsValue::from(refusal.code())
}

fn unproven(error: &Unproven) -> JsValue {
    JsValue::from(error.code())
}

/// Reads a certificate's file and verifies it under the imprint on the ledger.
fn proven(file: &str, given: &Given) -> Result<(CertificateFile, Certificate), JsValue> {
    let mut file = CertificateFile::parse(file).map_err(|error| JsValue::from(error.code()))?;
    file.ledger.make_ascii_lowercase();
    let certificate = Certificate::proven(Parts::of_file(&file), &given.imprint);
    Ok((file, certificate.map_err(|error| unproven(&error))?))
}

fn on_ledger<'a>(file: &'a CertificateFile, given: &'a Given) -> OnLedger<'a> {
    OnLedger {
        service: &file.service,
        ledger: &file.ledger,
        asset: &file.asset,
        issuer: Issuer {
            domain: &given.domain,
            name: given.name.as_deref(),
        },
        created: given.created,
    }
}

/// A badge that is not signed yet.
#[wasm_bindgen]
pub struct Unsigned {
    badge: Badge,
    proof: Proof,
}

#[wasm_bindgen]
impl Unsigned {
    /// Makes the badge of a certificate's file, which shows the values that the badge may have.
    #[wasm_bindgen(constructor)]
    pub fn new(file: &str, facts: &str, order: &str) -> Result<Self, JsValue> {
        let facts: Given = given(facts)?;
        let order: Order = given(order)?;
        let (file, certificate) = proven(file, &facts)?;
        let imprint = certificate.imprint();
        let shown = facts.form.as_deref().map_or(Shown::Public, Shown::Link);
        let ledger = on_ledger(&file, &facts);
        let facts = cert_badge::Facts {
            status: order
                .place
                .map(|GivenPlace { list, index }| Place { list, index }),
            with_email: order.with_email,
            ..ledger.facts(&certificate, &imprint, shown)
        };
        let badge = cert_badge::make(&facts).map_err(refused)?;
        let proof = Proof::new(&order.key_id, order.now).map_err(refused)?;
        Ok(Self { badge, proof })
    }

    /// Returns the bytes to sign.
    #[wasm_bindgen(js_name = toSign)]
    #[must_use]
    pub fn to_sign(&self) -> Vec<u8> {
        cert_badge::to_sign(&self.badge, &self.proof).to_vec()
    }

    /// Returns the JSON text of the badge with its signature.
    pub fn signed(self, signature: &[u8]) -> Result<String, JsValue> {
        let signature = signature.try_into().map_err(|_| refused(Refusal::Key))?;
        let badge = self.badge.signed(self.proof, Signature(signature));
        Ok(badge.to_json())
    }
}

/// A badge that somebody opened: with a proof inside, or as JWT.
#[wasm_bindgen]
pub struct Opened(Form);

enum Form {
    Badge(Badge),
    Jwt(BadgeJwt),
}

impl Opened {
    const fn badge(&self) -> &Badge {
        match &self.0 {
            Form::Badge(badge) => badge,
            Form::Jwt(jwt) => jwt.badge(),
        }
    }
}

/// The statements of a badge about itself.
#[derive(Serialize)]
struct Said<'a> {
    name: &'a str,
    issuer: String,
    evidence: &'a str,
}

#[wasm_bindgen]
impl Opened {
    /// Reads a badge, also as JWT, or a picture with a badge inside.
    #[wasm_bindgen(constructor)]
    pub fn new(bytes: &[u8]) -> Result<Self, JsValue> {
        let text = core::str::from_utf8(bytes).unwrap_or_default().trim();
        if text.starts_with("eyJ") {
            return Ok(Self(Form::Jwt(BadgeJwt::read(text).map_err(refused)?)));
        }
        let badge = match text.starts_with('{') {
            true => cert_badge::read(text),
            false => bake::unbake(bytes).and_then(|text| cert_badge::read(&text)),
        };
        Ok(Self(Form::Badge(badge.map_err(refused)?)))
    }

    /// Returns the name, the issuer's domain and the address of the certificate, as a JSON object. They are not checked yet.
    pub fn said(&self) -> Result<String, JsValue> {
        let badge = self.badge();
        let said = Said {
            name: badge.name(),
            issuer: badge.issuer(),
            evidence: badge.evidence(),
        };
        serde_json::to_string(&said).map_err(|error| JsValue::from(error.to_string()))
    }

    /// Returns the badge's key from the issuer's `did.json`: the 32 bytes of a key of Ed25519, or the 65 bytes of a point of P-256 for a JWT. `undefined` if the
    /// file does not list the key.
    #[must_use]
    pub fn key(&self, did: &str) -> Option<Vec<u8>> {
        let issuer = self.badge().issuer();
        match &self.0 {
            Form::Badge(badge) => {
                let document = serde_json::from_str(did).ok()?;
                let key = cert_badge::listed_key(&document, &issuer, badge.proof()?);
                key.map(|key| key.0.to_vec())
            }
            Form::Jwt(jwt) => Self::jwt_key(did, &issuer, jwt.jwt().key_id()),
        }
    }

    /// Returns the bytes that the signature is about. `undefined` without a signature.
    #[wasm_bindgen(js_name = toSign)]
    #[must_use]
    pub fn to_sign(&self) -> Option<Vec<u8>> {
        match &self.0 {
            Form::Badge(badge) => Some(cert_badge::to_sign(badge, badge.proof()?).to_vec()),
            Form::Jwt(jwt) => Some(jwt.jwt().to_sign().to_vec()),
        }
    }

    /// Returns the 64 bytes of the signature. `undefined` without a signature.
    #[must_use]
    pub fn signature(&self) -> Option<Vec<u8>> {
        match &self.0 {
            Form::Badge(badge) => Some(badge.proof()?.signature()?.0.to_vec()),
            Form::Jwt(jwt) => Some(jwt.jwt().signature().0.to_vec()),
        }
    }

    /// Returns the 65 bytes of the key of JWTs with an id from the issuer's `did.json`. `undefined` if the file does not list the key.
    #[wasm_bindgen(js_name = jwtKey)]
    #[must_use]
    pub fn jwt_key(did: &str, domain: &str, key_id: &str) -> Option<Vec<u8>> {
        let document = serde_json::from_str(did).ok()?;
        let key: Option<JwtKey> = cert_badge::key_with_id(&document, domain, key_id);
        key.map(|key| key.point())
    }

    /// Returns true if the badge says the same as its certificate. The file has the values that the badge's evidence proves.
    #[wasm_bindgen(js_name = saysTheSame)]
    pub fn says_the_same(&self, file: &str, facts: &str) -> Result<bool, JsValue> {
        let facts: Given = given(facts)?;
        let (file, certificate) = proven(file, &facts)?;
        let ledger = on_ledger(&file, &facts);
        Ok(self
            .badge()
            .says_the_same(&certificate, &ledger, facts.form.as_deref()))
    }
}

/// Puts a badge into a picture.
#[wasm_bindgen]
pub fn baked(picture: &[u8], badge: &str) -> Result<Vec<u8>, JsValue> {
    bake::bake(picture, badge).map_err(refused)
}

/// A rule that a `did.json` breaks.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Broken {
    code: &'static str,
    is_fatal: bool,
}

/// The state of a badge key in a `did.json`.
#[derive(Serialize)]
struct Listed {
    /// The key's id, or null.
    id: Option<String>,
    broken: Vec<Broken>,
}

/// Returns the id of a badge key in a `did.json`, and the rules that the file breaks, as JSON.
#[wasm_bindgen(js_name = listedKey)]
pub fn listed_key(did: &str, domain: &str, key: &[u8]) -> Result<String, JsValue> {
    let document = serde_json::from_str(did).unwrap_or_default();
    let (broken, id) = cert_badge::problems(&document, domain, &public(key)?);
    let broken = broken
        .into_iter()
        .map(|rule| Broken {
            code: rule.code(),
            is_fatal: rule.is_fatal(),
        })
        .collect();
    serde_json::to_string(&Listed { id, broken }).map_err(|error| JsValue::from(error.to_string()))
}

/// Returns a `did.json` with a badge key, as [`cert_badge::with_key`] writes it.
#[wasm_bindgen(js_name = withKey)]
pub fn with_key(did: &str, domain: &str, key: &[u8]) -> Result<String, JsValue> {
    let document = serde_json::from_str(did).map_err(|_| JsValue::from("did-malformed"))?;
    let document = cert_badge::with_key(document, domain, &public(key)?);
    let document = document.map_err(|rule| JsValue::from(rule.code()))?;
    serde_json::to_string_pretty(&document).map_err(|error| JsValue::from(error.to_string()))
}

fn public(key: &[u8]) -> Result<PublicKey, JsValue> {
    key.try_into()
        .map(PublicKey)
        .map_err(|_| refused(Refusal::Key))
}
