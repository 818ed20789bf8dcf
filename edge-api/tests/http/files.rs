//! Hosted files: which accounts may store them, how they are served, and when they are deleted.

use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use crate::badge::certificate::Certificate;
use crate::support::people::{Person, World};
use crate::support::{self, Answer, Call, Host, SETTINGS, with};

const BOUNDARY: &str = "form-7d1";
const PNG: &[u8] = b"\x89PNG\r\n\x1a\n--form-7d1\r\n<script>alert(1)</script>";

/// The settings of a service that hosts files.
pub fn settings() -> Vec<(&'static str, &'static str)> {
    [SETTINGS, &[("FILES", "on")]].concat()
}

/// Returns a form with text fields and a file, as a browser sends it.
fn form(fields: &[(&str, &str)], file: &[u8]) -> Vec<u8> {
    let mut body = Vec::new();
    for (name, value) in fields {
        let part = format!(
            "--{BOUNDARY}\r\nContent-Disposition: form-data; name=\"{name}\"\r\n\r\n{value}\r\n"
        );
        body.extend(part.bytes());
    }
    let head = "Content-Disposition: form-data; name=\"file\"; filename=\"a.html\"\r\nContent-Type: text/html";
    body.extend(format!("--{BOUNDARY}\r\n{head}\r\n\r\n").bytes());
    body.extend(file);
    body.extend(format!("\r\n--{BOUNDARY}--\r\n").bytes());
    body
}

/// Returns the request by which a person uploads a file.
pub fn upload(person: &Person, fields: &[(&str, &str)], file: &[u8]) -> Call {
    Call::new("POST", "/files")
        .header("authorization", &person.authorization())
        .raw(
            &format!("multipart/form-data; boundary={BOUNDARY}"),
            form(fields, file),
        )
}

/// Like [`upload`], for a route that stores a file by PUT.
pub fn put_form(person: &Person, path: &str, fields: &[(&str, &str)], file: &[u8]) -> Call {
    Call::new("PUT", path)
        .header("authorization", &person.authorization())
        .raw(
            &format!("multipart/form-data; boundary={BOUNDARY}"),
            form(fields, file),
        )
}

/// A service that hosts files, and an account that owns ledgers on it.
pub struct Archive {
    pub world: World,
    pub owner: Person,
    pub origin: String,
}

impl Archive {
    pub fn on(host: Box<dyn Host>) -> Self {
        let world = World::on(host);
        let owner = world.funded();
        let mut archive = Self {
            world,
            owner,
            origin: String::new(),
        };
        let ledger = archive.world.ledger(&archive.owner, &[]);
        let stored = archive.stored(&[("ledgerRef", reference(&ledger))], b"{}");
        let address = stored["address"].as_str().expect("an address");
        let path = format!("/files/{}", stored["hash"].as_str().expect("a hash"));
        archive.origin = address.strip_suffix(&path).expect(address).to_owned();
        archive
    }

    fn new() -> Self {
        Self::on(support::shared(&settings()))
    }

    /// Deploys a ledger whose metadata the service hosts in a collection.
    pub fn ledger(&self, collection: &str, schema_id: Option<&str>) -> Value {
        let prefix = format!("{}/files/{}/{collection}/", self.origin, self.owner.id());
        self.ledger_at(&prefix, schema_id)
    }

    fn ledger_at(&self, prefix: &str, schema_id: Option<&str>) -> Value {
        let data = |name: &str| format!("/deploy/assetLedgerData/{name}");
        let body = self.world.deployment(&self.owner, &[1, 2]);
        let body = with(&body, &data("uriPrefix"), Some(json!(prefix)));
        let mut body = with(&body, &data("uriPostfix"), Some(json!("")));
        if let Some(id) = schema_id {
            body = with(&body, &data("schemaId"), Some(json!(id)));
        }
        self.world.sign_deployment(&mut body, &self.owner);
        let made = self
            .world
            .call(self.owner.post("/deployments", &body))
            .data();
        self.world.host.settle();
        let made = format!("/deployments/{}", made["ref"].as_str().expect("a ref"));
        let made = self.world.call(self.owner.get(made)).data();
        let ledger = format!("/ledgers/{}", made["ledgerRef"].as_str().expect("a ledger"));
        self.world.call(self.owner.get(ledger)).data()
    }

    /// Returns an order of the owner with this action and a payment, signed by the owner.
    pub fn order(&self, action: Value) -> Value {
        let payment = self.world.payment(&self.owner, "5000000000000000000");
        let mut body = self.world.order(&[&self.owner], json!([action, payment]));
        self.world.sign(&mut body, &[&self.owner]);
        body
    }

    fn perform(&self, action: Value) {
        let order = self.world.performed(&self.owner, &self.order(action));
        assert_eq!(order["status"], 7, "{order}");
    }

    pub fn create(&self, ledger: &Value, id: &str, imprint: &str) {
        self.perform(json!({
            "kind": 1, "ledgerId": ledger["id"], "assetId": id, "assetImprint": imprint,
            "senderId": self.owner.id(), "receiverId": self.owner.id(),
        }));
    }

    pub fn destroy(&self, ledger: &Value, id: &str) {
        self.perform(self.destruction(ledger, id));
    }

    pub fn destruction(&self, ledger: &Value, id: &str) -> Value {
        json!({ "kind": 6, "ledgerId": ledger["id"], "assetId": id, "senderId": self.owner.id() })
    }

    /// Gives an account abilities on a ledger.
    pub fn grant(&self, ledger: &Value, person: &Person, abilities: Value) {
        self.perform(json!({
            "kind": 5, "ledgerId": ledger["id"], "senderId": self.owner.id(), "receiverId": person.id(),
            "abilities": abilities,
        }));
    }

    pub fn send(&self, person: &Person, fields: &[(&str, &str)], file: &[u8]) -> Answer {
        self.world.call(upload(person, fields, file))
    }

    /// Stores a file for the owner. Returns `data` of the answer.
    #[track_caller]
    pub fn stored(&self, fields: &[(&str, &str)], file: &[u8]) -> Value {
        let answer = self.send(&self.owner, fields, file);
        assert_eq!(
            answer.status,
            201,
            "{}",
            String::from_utf8_lossy(&answer.body)
        );
        answer.data()
    }

    pub fn get(&self, path: &str) -> Answer {
        self.world.call(Call::get(path))
    }

    pub fn status(&self, path: &str) -> u16 {
        self.get(path).status
    }
}

pub fn reference(ledger: &Value) -> &str {
    ledger["ref"].as_str().expect("a reference")
}

/// Returns the path under which the service serves a file with this content.
pub fn path_of(content: &[u8]) -> String {
    let digest = Sha256::digest(content);
    let hex: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
    format!("/files/{hex}")
}

#[test]
fn stored_files_are_served_with_harmless_types() {
    let archive = Archive::new();
    let ledger = archive.world.ledger(&archive.owner, &[]);
    let fields = [("ledgerRef", reference(&ledger))];
    for (content, media_type) in [
        (PNG, "image/png"),
        (b"\xff\xd8\xff\xe0 alert(1)", "image/jpeg"),
        (b"RIFF\x24\0\0\0WEBPVP8 ", "image/webp"),
        (
            br#"{"name":"<script>alert(1)</script>"}"#,
            "application/json",
        ),
    ] {
        let stored = archive.stored(&fields, content);
        let path = path_of(content);
        let address = format!("{}{path}", archive.origin);
        assert_eq!(
            stored,
            json!({
                "hash": path["/files/".len()..], "address": address, "namedAddress": null, "size": content.len(),
                "contentType": media_type,
            })
        );
        // Sending the same file again returns the stored file.
        assert_eq!(archive.stored(&fields, content), stored);
        let answer = archive.get(&path);
        assert_eq!((answer.status, answer.body.as_slice()), (200, content));
        for (name, value) in [
            ("content-type", media_type),
            ("content-security-policy", "default-src 'none'; sandbox"),
            ("x-content-type-options", "nosniff"),
            ("access-control-allow-origin", "*"),
            ("cross-origin-resource-policy", "cross-origin"),
            ("cache-control", "public, max-age=86400, immutable"),
        ] {
            assert_eq!(answer.header(name), Some(value), "{name}");
        }
        let head = archive.world.call(Call::new("HEAD", path.as_str()));
        assert_eq!((head.status, head.body.len()), (200, 0));
    }
    for path in [
        path_of(b"another"),
        "/files/x".to_owned(),
        "/files/a/b/c".to_owned(),
    ] {
        archive.get(&path).fails(404, &[404_001]);
    }
    let health = archive.get("/health").data();
    assert_eq!(health["files"]["fileBytes"], 1_000_000);
}

#[test]
fn only_accounts_that_may_create_or_update_assets_store_files() {
    let archive = Archive::new();
    let ledger = archive.ledger("members", None);
    let [stranger, manager, creator, colleague, editor] = [(); 5].map(|()| Person::new());
    archive.grant(&ledger, &manager, json!([1, 2, 32]));
    archive.grant(&ledger, &creator, json!([512]));
    archive.grant(&ledger, &colleague, json!([16]));
    archive.grant(&ledger, &editor, json!([1024]));
    let fields = [
        ("ledgerRef", reference(&ledger)),
        ("assetId", "7"),
        ("name", "metadata"),
    ];
    let call = upload(&stranger, &fields, b"{}");
    let unsigned = Call {
        headers: call
            .headers
            .iter()
            .filter(|(name, _)| name != "authorization")
            .cloned()
            .collect(),
        ..call
    };
    archive.world.call(unsigned).fails(401, &[400_001]);
    for person in [&stranger, &manager] {
        archive.send(person, &fields, b"{}").fails(403, &[403_003]);
    }
    let metadata = format!("/files/{}/members/7", archive.owner.id());
    archive.get(&metadata).fails(404, &[404_001]);

    let send = |person: &Person, text: &str| archive.send(person, &fields, text.as_bytes()).status;
    assert_eq!(send(&creator, "{\"by\":\"creator\"}"), 201);
    assert_eq!(send(&creator, "{\"by\":\"creator again\"}"), 201);
    // Another account that creates assets cannot replace the file. The ledger's owner can.
    assert_eq!(send(&colleague, "{\"by\":\"colleague\"}"), 403);
    assert_eq!(send(&colleague, "{\"by\":\"creator again\"}"), 201);
    assert_eq!(send(&archive.owner, "{\"by\":\"owner\"}"), 201);
    assert_eq!(send(&creator, "{\"by\":\"creator again\"}"), 403);
    assert_eq!(send(&archive.owner, "{\"by\":\"creator again\"}"), 201);
    archive.create(&ledger, "7", support::people::IMPRINT);
    // The asset exists now. An account that can only create assets can no longer change the asset's files.
    assert_eq!(send(&creator, "{\"by\":\"creator too late\"}"), 403);
    assert_eq!(
        archive.get(&metadata).json(),
        json!({ "by": "creator again" })
    );
    assert_eq!(send(&editor, "{\"by\":\"editor\"}"), 201);
    let answer = archive.get(&metadata);
    assert_eq!(answer.json(), json!({ "by": "editor" }));
    assert_eq!(answer.header("cache-control"), Some("public, max-age=60"));
    // A file of the ledger itself stays until the owner deletes it. An account that can only create assets may therefore
    // not store such a file.
    let fields = &fields[..1];
    archive
        .send(&creator, fields, b"{\"of\":\"ledger\"}")
        .fails(403, &[403_003]);
    for person in [&editor, &creator] {
        assert_eq!(
            archive.send(person, fields, b"{\"of\":\"all\"}").status,
            201
        );
    }
    // In a file's address, the owner's account may be written in lower case.
    let lower = metadata.replace(
        &archive.owner.id().to_string(),
        &archive.owner.id().to_string().to_lowercase(),
    );
    assert_eq!(archive.get(&lower).json(), json!({ "by": "editor" }));
}

#[test]
fn a_public_badge_is_served_to_programs_that_ask_for_a_credential() {
    let archive = Archive::new();
    let ledger = archive.ledger("badges", None);
    let address = ledger["id"].as_str().expect("an id").to_lowercase();
    let page = format!("{}/c/{address}/7", archive.origin);
    let fields = [
        ("ledgerRef", reference(&ledger)),
        ("assetId", "7"),
        ("name", "badge"),
    ];
    let badge =
        |types: Value, evidence: Value| json!({ "type": types, "evidence": evidence }).to_string();
    let types = json!(["VerifiableCredential", "OpenBadgeCredential"]);
    let public = json!([{ "id": page }]);
    for refused in [
        "{}".to_owned(),
        badge(json!(["VerifiableCredential"]), public.clone()),
        badge(types.clone(), json!([])),
        badge(types.clone(), json!([{ "id": page }, { "id": page }])),
        // The fragment would prove hidden values.
        badge(types.clone(), json!([{ "id": format!("{page}#1abc") }])),
        badge(types.clone(), json!([{ "id": page.replace("/7", "/8") }])),
        badge(
            types.clone(),
            json!([{ "id": page.replace("://", "://x.") }]),
        ),
        badge(types.clone(), json!([{ "id": 7 }])),
    ] {
        let answer = archive.send(&archive.owner, &fields, refused.as_bytes());
        assert_eq!(answer.errors(), ["422900 file"], "{refused}");
    }
    let asked = |accept: &str| {
        let call = Call::get(format!("/c/{address}/7")).header("accept", accept);
        archive.world.call(call)
    };
    asked("application/vc").fails(404, &[404_001]);

    let content = badge(types, public);
    let stored = archive.stored(&fields, content.as_bytes());
    let path = format!("/files/{}/badges/7.badge", archive.owner.id());
    assert_eq!(
        stored["namedAddress"],
        format!("{}{}", archive.origin, path.to_lowercase())
    );
    for accept in [
        "application/vc",
        "application/vc+ld+json",
        "Application/VC+LD+JSON; q=0.9, application/json",
    ] {
        let answer = asked(accept);
        assert_eq!(answer.status, 303, "{accept}");
        assert_eq!(answer.header("vary"), Some("accept"));
        let location = answer.header("location").expect("a location");
        let found = archive.get(location);
        assert_eq!(found.body, content.as_bytes());
        assert_eq!(found.header("content-type"), Some("application/vc+ld+json"));
    }
    // Other programs and people get the same answers as before.
    assert_eq!(asked("application/json").status, 200);
    assert_eq!(asked("text/html, application/vc").status, 200);
    // The address of the content has the type of any JSON.
    let same = archive.get(&path_of(content.as_bytes()));
    assert_eq!(same.header("content-type"), Some("application/json"));
}

#[test]
fn named_files_need_a_prefix_with_the_owners_address() {
    let archive = Archive::new();
    let (origin, owner) = (&archive.origin, archive.owner.id());
    let other = Person::new().id();
    for prefix in [
        "https://example.com/".to_owned(),
        format!("{origin}/files/{other}/collection/"),
        format!("https://evil.example/files/{owner}/collection/"),
        format!("{origin}/files/{owner}/"),
        format!("{origin}/files/{owner}/a/b/"),
        format!("{origin}/files/{owner}/../c/"),
        format!("{origin}/files/{owner}/a%2fb/"),
        format!("{origin}/files/{owner}/a?b/"),
        format!("{origin}/files/{owner}/{}/", "c".repeat(65)),
    ] {
        let ledger = archive.ledger_at(&prefix, None);
        let fields = [
            ("ledgerRef", reference(&ledger)),
            ("assetId", "1"),
            ("name", "metadata"),
        ];
        let answer = archive.send(&archive.owner, &fields, b"{}");
        assert_eq!(answer.errors(), ["422900 name"], "{prefix}");
        // A file without a name does not depend on the `uriPrefix`.
        archive.stored(&fields[..2], b"{}");
    }
    let (first, second) = (
        archive.ledger("shared", None),
        archive.ledger("shared", None),
    );
    let fields = |ledger, name| {
        [
            ("ledgerRef", reference(ledger)),
            ("assetId", "1"),
            ("name", name),
        ]
    };
    let stored = archive.stored(&fields(&first, "evidence"), b"{}");
    assert_eq!(
        stored["namedAddress"],
        format!(
            "{origin}/files/{}/shared/1.evidence",
            owner.to_string().to_lowercase()
        )
    );
    // If two ledgers have the same `uriPrefix`, its paths belong to the ledger that was the first to store a file there.
    for asset in ["1", "2"] {
        let fields = [
            ("ledgerRef", reference(&second)),
            ("assetId", asset),
            ("name", "metadata"),
        ];
        let answer = archive.send(&archive.owner, &fields, b"{\"a\":1}");
        assert_eq!(answer.errors(), ["422900 name"], "{asset}");
    }
}

#[test]
fn pages_scripts_large_files_and_broken_forms_are_refused() {
    let archive = Archive::new();
    let ledger = archive.world.ledger(&archive.owner, &[]);
    let fields = [("ledgerRef", reference(&ledger))];
    for content in [
        &b""[..],
        b"<!doctype html><script>alert(1)</script>",
        b"<svg xmlns=\"http://www.w3.org/2000/svg\" onload=\"alert(1)\"/>",
        b"alert(1)",
        b"{\"a\":1",
        b"GIF89a",
    ] {
        let answer = archive.send(&archive.owner, &fields, content);
        assert_eq!(
            answer.errors(),
            ["422900 file"],
            "{}",
            String::from_utf8_lossy(content)
        );
    }
    let large = [PNG, &vec![0; 1_000_001 - PNG.len()]].concat();
    archive
        .send(&archive.owner, &fields, &large)
        .fails(413, &[413_000]);
    assert_eq!(
        archive
            .send(&archive.owner, &fields, &large[..1_000_000])
            .status,
        201
    );
    assert_eq!(
        archive.get(&path_of(&large[..1_000_000])).body.len(),
        1_000_000
    );
    let body_too_large = vec![0; 1 << 20];
    archive
        .send(&archive.owner, &fields, &body_too_large)
        .fails(413, &[413_000]);
    for (fields, errors) in [
        (&[][..], vec!["422900 ledgerRef"]),
        (
            &[("ledgerRef", "x"), ("assetId", "-1")],
            vec!["422900 assetId"],
        ),
        (
            &[("ledgerRef", "x"), ("name", "script")],
            vec!["422900 name"],
        ),
        (
            &[("ledgerRef", "x"), ("name", "metadata")],
            vec!["422900 assetId"],
        ),
        (&[("ledgerRef", "none")], vec!["400004"]),
    ] {
        assert_eq!(archive.send(&archive.owner, fields, b"{}").errors(), errors);
    }
    let no_file = upload(&archive.owner, &[], b"").raw("multipart/form-data; boundary=b", "--b--");
    let no_file = Call {
        headers: no_file
            .headers
            .into_iter()
            .rev()
            .take(1)
            .chain([("authorization".to_owned(), archive.owner.authorization())])
            .collect(),
        ..no_file
    };
    assert_eq!(
        archive.world.call(no_file).errors(),
        ["422900 file", "422900 ledgerRef"]
    );
    let json = archive.owner.post(
        "/files",
        &json!({ "ledgerRef": reference(&ledger), "file": "{}" }),
    );
    archive.world.call(json).fails(415, &[415_000]);
    // If `FILES` is off, the service stores and serves no files.
    let off = World::new();
    let person = off.funded();
    let ledger = off.ledger(&person, &[]);
    off.call(upload(&person, &[("ledgerRef", reference(&ledger))], b"{}"))
        .fails(400, &[400_107]);
    off.call(Call::get(path_of(b"{}"))).fails(404, &[404_001]);
    assert_eq!(off.call(Call::get("/health")).data()["files"], Value::Null);
}

/// The service hosts a certificate's schema, metadata and evidence at the addresses that the ledger and the metadata name.
#[test]
fn a_badge_is_valid_from_hosted_files_until_the_asset_is_destroyed() {
    let archive = Archive::new();
    let schema = r#"{"type":"object","properties":{"name":{"type":"string"},"$schema":{"type":"string"},"$evidence":{"type":"string"}}}"#;
    let schema_path = path_of(
        cert_core::Value::parse(schema)
            .expect("JSON")
            .to_json()
            .as_bytes(),
    );
    let data = format!(
        r#"{{"name":"Ada","$schema":"../..{}","$evidence":"1.evidence"}}"#,
        &schema_path["/files".len()..]
    );
    let certificate = Certificate::of(schema, &data, &["name", "$schema", "$evidence"]);
    let ledger = archive.ledger("badge", Some(&certificate.schema_id()));
    let ledger_ref = ("ledgerRef", reference(&ledger));
    archive.stored(&[ledger_ref], certificate.schema.to_json().as_bytes());
    let (asset, metadata, evidence) = (
        ("assetId", "1"),
        certificate.metadata.to_json(),
        certificate.evidence.to_json(),
    );
    archive.stored(
        &[ledger_ref, asset, ("name", "metadata")],
        metadata.as_bytes(),
    );
    archive.stored(
        &[ledger_ref, asset, ("name", "evidence")],
        evidence.as_bytes(),
    );
    let picture = [PNG, archive.owner.id().to_string().as_bytes()].concat();
    archive.stored(&[ledger_ref, asset], &picture);
    archive.create(&ledger, "1", &certificate.imprint);

    let id = ledger["id"].as_str().expect("an address");
    let report = || {
        archive
            .get(&format!("/badge.json?ledgerId={id}&assetId=1"))
            .data()
    };
    assert_eq!(report()["valid"], true, "{}", report());
    assert_eq!(archive.get(&format!("/c/{id}/1")).data()["valid"], true);
    let address = format!("{}{}", archive.origin, path_of(&picture));
    let badge = archive.get(&format!(
        "/badge?ledgerId={id}&assetId=1&validImg={address}"
    ));
    assert_eq!(
        (badge.status, badge.body.as_slice()),
        (200, picture.as_slice())
    );

    archive.destroy(&ledger, "1");
    assert_eq!(report()["status"]["kind"], "withdrawn");
    let named = format!("/files/{}/badge/1", archive.owner.id());
    for path in [
        named.clone(),
        format!("{named}.evidence"),
        path_of(metadata.as_bytes()),
        path_of(evidence.as_bytes()),
        path_of(&picture),
    ] {
        assert_eq!(archive.status(&path), 404, "{path}");
    }
    // The schema belongs to the ledger, so it stays.
    assert_eq!(archive.status(&schema_path), 200);
}
