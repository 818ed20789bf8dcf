//! Credentials that wallets pick up: which offers are stored, and who gets them how often.

use std::cell::RefCell;
use std::rc::Rc;

use aes_gcm::aead::{Aead, KeyInit as _};
use aes_gcm::{Aes256Gcm, Nonce};
use alloy_primitives::hex;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hmac::{Hmac, Mac};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use crate::files::{reference, settings};
use crate::support::native::Service;
use crate::support::people::{Person, World};
use crate::support::{Answer, Call, Host as _};

const DAY: u64 = 86_400_000;
const GRANT: &str = "urn:ietf:params:oauth:grant-type:pre-authorized_code";

fn derive(secret: [u8; 32], purpose: &str) -> [u8; 32] {
    let mut mac = Hmac::<Sha256>::new_from_slice(&secret).expect("a key");
    mac.update(purpose.as_bytes());
    mac.finalize().into_bytes().into()
}

/// An offer as the issuer's software makes it.
pub struct Offer {
    pub code: [u8; 32],
    pub configuration: &'static str,
    pub credential: String,
    pub days: u64,
}

impl Offer {
    pub fn badge(number: u8) -> Self {
        Self {
            code: [number; 32],
            configuration: "open-badge",
            credential: json!({ "type": ["VerifiableCredential"], "id": format!("urn:{number}") })
                .to_string(),
            days: 7,
        }
    }

    pub fn hash(&self) -> String {
        hex::encode(Sha256::digest(self.code))
    }

    pub fn body(&self) -> Value {
        let token = derive(self.code, "assay wallet token");
        let cipher = Aes256Gcm::new(&derive(token, "assay wallet key").into());
        let text = cipher
            .encrypt(&Nonce::default(), self.credential.as_bytes())
            .expect("a cipher text");
        json!({
            "codeHash": self.hash(),
            "configuration": self.configuration,
            "ciphertext": URL_SAFE_NO_PAD.encode(text),
            "days": self.days,
        })
    }

    pub fn deposit(&self, person: &Person, ledger: &Value) -> Call {
        person.post(
            format!("/ledgers/{}/wallet-offers", reference(ledger)),
            &self.body(),
        )
    }

    /// Returns the token that the code gets.
    pub fn token(&self) -> String {
        URL_SAFE_NO_PAD.encode(derive(self.code, "assay wallet token"))
    }

    /// Returns a wallet's request for the token.
    pub fn exchange(&self) -> Call {
        let grant = GRANT.replace(':', "%3A");
        let code = URL_SAFE_NO_PAD.encode(self.code);
        form(&format!(
            "grant_type={grant}&pre-authorized_code={code}&client_id=wallet"
        ))
    }

    /// Returns a wallet's request for the credential.
    pub fn pick_up(&self, token: &str) -> Call {
        let body = json!({ "credential_configuration_id": self.configuration });
        Call::new("POST", "/wallet/credential")
            .json(&body)
            .header("authorization", &format!("Bearer {token}"))
    }
}

fn form(body: &str) -> Call {
    Call::new("POST", "/wallet/token").raw("application/x-www-form-urlencoded", body)
}

/// Stores as many offers of a ledger as may wait.
pub fn fill(world: &World, service: &Service, owner: &Person, ledger: &Value) {
    let answer = world.call(Offer::badge(255).deposit(owner, ledger));
    assert_eq!(answer.status, 201, "{}", answer.text());
    let copies = edge_api::ports::Statement::new(
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 999) \
         INSERT INTO wallet_offers (code_hash, ledger_id, configuration, ciphertext, expires_at) \
         SELECT i, ledger_id, configuration, 'AA', expires_at FROM wallet_offers, n",
    );
    service.database.run(&[copies]).expect("rows");
}

/// Asserts that a wallet was refused, in the form of OAuth 2.0.
#[track_caller]
fn refused(answer: &Answer, status: u16, error: &str) {
    assert_eq!(
        (answer.status, answer.json()["error"].as_str()),
        (status, Some(error)),
        "{}",
        answer.text()
    );
    assert_eq!(answer.header("cache-control"), Some("no-store"));
}

struct Scene {
    service: Rc<RefCell<Service>>,
    world: World,
    owner: Person,
    ledger: Value,
}

fn scene() -> Scene {
    let service = Rc::new(RefCell::new(Service::new(&settings())));
    let world = World::on(Box::new(service.clone()));
    let owner = world.funded();
    let ledger = world.ledger(&owner, &[]);
    Scene {
        service,
        world,
        owner,
        ledger,
    }
}

impl Scene {
    fn stores(&self, offer: &Offer) -> Value {
        let answer = self.world.call(offer.deposit(&self.owner, &self.ledger));
        assert_eq!(answer.status, 201, "{}", answer.text());
        answer.data()
    }

    fn token(&self, offer: &Offer) -> String {
        let answer = self.world.call(offer.exchange());
        assert_eq!(answer.status, 200, "{}", answer.text());
        assert_eq!(answer.header("cache-control"), Some("no-store"));
        let answer = answer.json();
        assert_eq!(
            (&answer["token_type"], &answer["expires_in"]),
            (&json!("Bearer"), &json!(600))
        );
        assert_eq!(answer["access_token"], json!(offer.token()));
        offer.token()
    }

    fn stored(&self) -> u64 {
        let count = edge_api::ports::Statement::new("SELECT count(*) AS offers FROM wallet_offers");
        let rows = self.service.borrow().database.run(&[count]).expect("rows");
        rows[0].list[0]["offers"].as_u64().expect("a number")
    }
}

#[test]
fn a_code_gets_one_token_and_the_token_the_credential_for_ten_minutes() {
    let scene = scene();
    let offer = Offer::badge(1);
    let stored = scene.stores(&offer);
    assert_eq!(stored["codeHash"], json!(offer.hash()));
    let token = scene.token(&offer);
    refused(&scene.world.call(offer.exchange()), 400, "invalid_grant");
    // A deposit that is sent again gives nobody a second code.
    scene.stores(&offer);
    refused(&scene.world.call(offer.exchange()), 400, "invalid_grant");
    for _ in 0..2 {
        let answer = scene.world.call(offer.pick_up(&token));
        assert_eq!(answer.status, 200, "{}", answer.text());
        assert_eq!(answer.header("access-control-allow-origin"), Some("*"));
        let credential: Value = serde_json::from_str(&offer.credential).unwrap();
        assert_eq!(
            answer.json(),
            json!({ "credentials": [{ "credential": credential }] })
        );
    }
    scene.service.borrow().advance(600_000 - 1);
    assert_eq!(scene.world.call(offer.pick_up(&token)).status, 200);
    scene.service.borrow().advance(1);
    refused(
        &scene.world.call(offer.pick_up(&token)),
        401,
        "invalid_token",
    );
    scene.service.borrow().clean();
    assert_eq!(scene.stored(), 0);
}

#[test]
fn each_kind_of_credential_comes_back_as_it_was_deposited() {
    let scene = scene();
    for (number, configuration) in [(1, "open-badge-jwt"), (2, "sd-jwt")] {
        let offer = Offer {
            configuration,
            credential: "e30.e30.AA~WyJzYWx0Il0~".to_owned(),
            ..Offer::badge(number)
        };
        scene.stores(&offer);
        let answer = scene.world.call(offer.pick_up(&scene.token(&offer)));
        assert_eq!(
            answer.json()["credentials"][0]["credential"],
            json!(offer.credential)
        );
    }
}

#[test]
fn offers_end_on_their_last_day_or_when_the_issuer_ends_them() {
    let scene = scene();
    for (number, days) in [(1, 1), (2, 7)] {
        let offer = Offer {
            days,
            ..Offer::badge(number)
        };
        scene.stores(&offer);
        scene.service.borrow().advance(days * DAY);
        refused(&scene.world.call(offer.exchange()), 400, "invalid_grant");
    }
    let offer = Offer::badge(3);
    scene.stores(&offer);
    let path = format!(
        "/ledgers/{}/wallet-offers/{}",
        reference(&scene.ledger),
        offer.hash()
    );
    let stranger = scene.world.funded();
    scene
        .world
        .call(stranger.delete(&path))
        .fails(404, &[404_009]);
    let other = scene.world.ledger(&stranger, &[]);
    let elsewhere = format!(
        "/ledgers/{}/wallet-offers/{}",
        reference(&other),
        offer.hash()
    );
    scene
        .world
        .call(stranger.delete(elsewhere))
        .fails(404, &[404_009]);
    assert_eq!(scene.world.call(scene.owner.delete(&path)).status, 200);
    refused(&scene.world.call(offer.exchange()), 400, "invalid_grant");
    let used = Offer::badge(4);
    scene.stores(&used);
    scene.token(&used);
    let path = format!(
        "/ledgers/{}/wallet-offers/{}",
        reference(&scene.ledger),
        used.hash()
    );
    scene
        .world
        .call(scene.owner.delete(path))
        .fails(404, &[404_009]);
}

#[test]
fn only_issuers_of_the_ledger_offer_credentials_of_bounded_size() {
    let scene = scene();
    let offer = Offer::badge(1);
    let stranger = Person::new();
    scene
        .world
        .call(offer.deposit(&stranger, &scene.ledger))
        .fails(403, &[403_006]);
    let path = format!("/ledgers/{}/wallet-offers", reference(&scene.ledger));
    let wrong = [
        ("codeHash", json!("A".repeat(64))),
        ("codeHash", json!("a".repeat(63))),
        ("configuration", json!("mso_mdoc")),
        ("ciphertext", json!("A".repeat(20))),
        ("ciphertext", json!(URL_SAFE_NO_PAD.encode(vec![0; 65_537]))),
        ("ciphertext", json!("=".repeat(40))),
        ("days", json!(30)),
    ];
    for (name, value) in wrong {
        let mut body = offer.body();
        body[name] = value;
        scene
            .world
            .call(scene.owner.post(&path, &body))
            .fails(422, &[422_900]);
    }
    assert_eq!(scene.stored(), 0);
}

#[test]
fn a_thousand_offers_of_a_ledger_wait_at_most() {
    let scene = scene();
    fill(
        &scene.world,
        &scene.service.borrow(),
        &scene.owner,
        &scene.ledger,
    );
    let next = Offer::badge(2).deposit(&scene.owner, &scene.ledger);
    scene.world.call(next.clone()).fails(429, &[429_004]);
    let other = scene.world.ledger(&scene.owner, &[]);
    assert_eq!(
        scene
            .world
            .call(Offer::badge(3).deposit(&scene.owner, &other))
            .status,
        201
    );
    scene.service.borrow().advance(7 * DAY);
    assert_eq!(scene.world.call(next).status, 201);
}

#[test]
fn wallets_without_a_valid_code_or_token_are_refused() {
    let scene = scene();
    let (offer, other) = (Offer::badge(1), Offer::badge(2));
    scene.stores(&offer);
    scene.stores(&other);
    let code = URL_SAFE_NO_PAD.encode(offer.code);
    let grant = GRANT.replace(':', "%3A");
    for (body, error) in [
        (String::new(), "invalid_request"),
        (format!("grant_type={grant}"), "invalid_request"),
        (format!("pre-authorized_code={code}"), "invalid_request"),
        (
            format!("grant_type=authorization_code&pre-authorized_code={code}"),
            "unsupported_grant_type",
        ),
        (
            format!("grant_type={grant}&grant_type={grant}&pre-authorized_code={code}"),
            "invalid_request",
        ),
        (
            format!("grant_type={grant}&pre-authorized_code={code}&pre-authorized_code={code}"),
            "invalid_request",
        ),
        (
            format!("grant_type={grant}&pre-authorized_code={code}="),
            "invalid_grant",
        ),
        (
            format!("grant_type={grant}&pre-authorized_code={}", offer.hash()),
            "invalid_grant",
        ),
        (
            format!("grant_type={grant}&pre-authorized_code={}", "A".repeat(43)),
            "invalid_grant",
        ),
    ] {
        refused(&scene.world.call(form(&body)), 400, error);
    }
    let token = scene.token(&offer);
    for wrong in ["", &code, &"A".repeat(43), &format!("{token}x")] {
        refused(
            &scene.world.call(offer.pick_up(wrong)),
            401,
            "invalid_token",
        );
    }
    // Before the code is used, its token is worthless.
    refused(
        &scene.world.call(other.pick_up(&other.token())),
        401,
        "invalid_token",
    );
    let body = json!({ "credential_configuration_id": "sd-jwt" });
    let call = Call::new("POST", "/wallet/credential").json(&body);
    let call = call.header("authorization", &format!("Bearer {token}"));
    refused(
        &scene.world.call(call),
        400,
        "unknown_credential_configuration",
    );
    assert_eq!(scene.world.call(offer.pick_up(&token)).status, 200);
}

#[test]
fn the_stored_rows_do_not_contain_the_credential_or_its_secrets() {
    let scene = scene();
    let offer = Offer::badge(9);
    scene.stores(&offer);
    let token = scene.token(&offer);
    let select = edge_api::ports::Statement::new("SELECT * FROM wallet_offers");
    let rows = scene
        .service
        .borrow()
        .database
        .run(&[select])
        .expect("rows");
    let text = json!(rows[0].list).to_string();
    let code = URL_SAFE_NO_PAD.encode(offer.code);
    for secret in [
        code.as_str(),
        &hex::encode(offer.code),
        &token,
        "VerifiableCredential",
    ] {
        assert!(!text.contains(secret), "{text}");
    }
}

#[test]
fn the_metadata_names_the_addresses_and_kinds_of_this_service() {
    let scene = scene();
    let issuer = scene
        .world
        .call(Call::get("/.well-known/openid-credential-issuer"));
    assert_eq!(issuer.header("content-type"), Some("application/json"));
    let issuer = issuer.json();
    let origin = issuer["credential_issuer"]
        .as_str()
        .expect("an origin")
        .to_owned();
    assert_eq!(
        issuer["credential_endpoint"],
        json!(format!("{origin}/wallet/credential"))
    );
    let kinds = issuer["credential_configurations_supported"]
        .as_object()
        .expect("kinds");
    let formats: Vec<_> = kinds
        .iter()
        .map(|(id, kind)| (id.as_str(), kind["format"].as_str().unwrap()))
        .collect();
    assert_eq!(
        formats,
        [
            ("open-badge", "ldp_vc"),
            ("open-badge-jwt", "jwt_vc_json"),
            ("sd-jwt", "dc+sd-jwt")
        ]
    );
    let server = scene
        .world
        .call(Call::get("/.well-known/oauth-authorization-server"))
        .json();
    assert_eq!(server["issuer"], json!(origin));
    assert_eq!(
        server["token_endpoint"],
        json!(format!("{origin}/wallet/token"))
    );
    assert_eq!(server["grant_types_supported"], json!([GRANT]));
}
