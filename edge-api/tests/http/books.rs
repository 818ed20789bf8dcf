//! Register books and the keys of their readers.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use order_core::Address;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use crate::files::{Archive, put_form, settings};
use crate::support::people::{Person, World};
use crate::support::{self, Answer, Call};

/// The service's name in the tests' settings.
const SERVICE: &str = "assay";
/// An X25519 key.
pub const KEY: &str = "AQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQE";

fn publish(world: &World, person: &Person, key: &str) -> Answer {
    world.call(publication(person, key))
}

/// Returns the signed call that publishes a key.
pub fn publication(person: &Person, key: &str) -> Call {
    let text = format!(
        "{SERVICE}: my key for register books\nAccount: {}\nKey: {key}",
        person.id()
    );
    let body = json!({ "key": key, "signature": person.sign_text(&text) });
    person.put("/account/book-key", &body)
}

/// The parts of a form that stores a version.
pub struct Version<'a> {
    pub number: u64,
    pub readers: Vec<Address>,
    pub content: &'a [u8],
}

impl Version<'_> {
    fn text(&self, ledger: &Value) -> String {
        let readers: Vec<String> = self.readers.iter().map(Address::to_string).collect();
        format!(
            "{SERVICE}: register book\nLedger: {}\nVersion: {}\nSHA-256: {}\nReaders: {}",
            ledger["id"].as_str().expect("an address"),
            self.number,
            alloy_primitives::hex::encode(Sha256::digest(self.content)),
            readers.join(","),
        )
    }

    fn put(&self, world: &World, writer: &Person, ledger: &Value, signature: &str) -> Answer {
        world.call(self.call(writer, ledger, signature))
    }

    /// Returns the signed call that stores the version.
    pub fn signed(&self, writer: &Person, ledger: &Value) -> Call {
        self.call(writer, ledger, &writer.sign_text(&self.text(ledger)))
    }

    fn call(&self, writer: &Person, ledger: &Value, signature: &str) -> Call {
        let readers: Vec<String> = self.readers.iter().map(Address::to_string).collect();
        let (number, readers) = (self.number.to_string(), readers.join(","));
        let fields = [
            ("version", number.as_str()),
            ("readers", &readers),
            ("signature", signature),
        ];
        let path = format!(
            "/ledgers/{}/book",
            ledger["ref"].as_str().expect("a reference")
        );
        put_form(writer, &path, &fields, self.content)
    }

    pub fn store(&self, world: &World, writer: &Person, ledger: &Value) -> Answer {
        world.call(self.signed(writer, ledger))
    }
}

#[test]
fn members_find_each_others_keys() {
    let archive = Archive::on(support::shared(&settings()));
    let (world, owner) = (&archive.world, &archive.owner);
    let ledger = world.ledger(owner, &[]);
    let path = format!(
        "/ledgers/{}/book-keys",
        ledger["ref"].as_str().expect("a reference")
    );
    assert_eq!(world.call(owner.get(&path)).data(), json!({ "keys": [] }));
    let published = publish(world, owner, KEY).data();
    let stranger = Person::new();
    publish(world, &stranger, KEY).data();
    let keys = world.call(owner.get(&path)).data();
    assert_eq!(keys["keys"].as_array().map(Vec::len), Some(1));
    assert_eq!(keys["keys"][0]["signature"], published["signature"]);
    world.call(stranger.get(&path)).fails(403, &[403_005]);

    // The signature covers key and account.
    let other = "AgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgI";
    let body = json!({ "key": other, "signature": published["signature"] });
    world
        .call(owner.put("/account/book-key", &body))
        .fails(400, &[400_001]);
    let body = json!({ "key": KEY, "signature": published["signature"] });
    world
        .call(stranger.put("/account/book-key", &body))
        .fails(400, &[400_001]);
    // With the highest bit or without it, a point of small order has no secret.
    let mut weak = [0xff; 32];
    weak[0] = 0xec;
    let weak = URL_SAFE_NO_PAD.encode(weak);
    let one = format!("AQ{}", "A".repeat(41));
    for key in ["", "AQ", &"A".repeat(43), &format!("{KEY}="), &weak, &one] {
        let body = json!({ "key": key, "signature": published["signature"] });
        world
            .call(owner.put("/account/book-key", &body))
            .fails(422, &[422_900]);
    }
}

#[test]
fn only_the_next_signed_version_of_a_book_is_stored() {
    let archive = Archive::on(support::shared(&settings()));
    let (world, owner) = (&archive.world, &archive.owner);
    let ledger = world.ledger(owner, &[]);
    let book = format!(
        "/ledgers/{}/book",
        ledger["ref"].as_str().expect("a reference")
    );
    world.call(owner.get(&book)).fails(404, &[404_008]);
    let version = |number, content| Version {
        number,
        readers: vec![owner.id()],
        content,
    };
    let contents: Vec<Vec<u8>> = (0..7_u8).map(|byte| vec![byte; 70_000]).collect();
    for (number, content) in (1..=7).zip(&contents) {
        let stored = version(number, content).store(world, owner, &ledger).data();
        assert_eq!(stored["version"], json!(number));
    }
    let kept = world.call(owner.get(&book)).data();
    let kept = kept["versions"].as_array().expect("versions");
    let numbers: Vec<u64> = kept
        .iter()
        .filter_map(|one| one["version"].as_u64())
        .collect();
    assert_eq!(numbers, [7, 6, 5, 4, 3]);
    assert_eq!(kept[0]["readers"], json!([owner.id()]));
    let content = world.call(owner.get(format!("{book}/7")));
    let text = URL_SAFE_NO_PAD.encode(&contents[6]);
    assert_eq!(
        content.data(),
        json!({ "hash": kept[0]["hash"], "content": text })
    );
    world
        .call(owner.get(format!("{book}/2")))
        .fails(404, &[404_008]);

    version(7, b"late")
        .store(world, owner, &ledger)
        .fails(409, &[409_002]);
    version(9, b"early")
        .store(world, owner, &ledger)
        .fails(409, &[409_002]);
    let next = version(8, b"next");
    let signature = owner.sign_text(&next.text(&ledger));
    let more_readers = Version {
        readers: vec![owner.id(), Person::new().id()],
        ..version(8, b"next")
    };
    more_readers
        .put(world, owner, &ledger, &signature)
        .fails(400, &[400_001]);
    version(8, b"other")
        .put(world, owner, &ledger, &signature)
        .fails(400, &[400_001]);

    let stranger = Person::new();
    world.call(stranger.get(&book)).fails(403, &[403_005]);
    world
        .call(stranger.get(format!("{book}/7")))
        .fails(403, &[403_005]);
    next.store(world, &stranger, &ledger).fails(403, &[403_005]);
    // The content is not a hosted file.
    let hash = kept[0]["hash"].as_str().expect("a hash");
    world
        .call(support::Call::get(format!("/files/{hash}")))
        .fails(404, &[404_001]);
    let largest = vec![7; 4 << 20];
    version(8, &largest).store(world, owner, &ledger).data();
    // The service cannot know who has read the last version, so the role alone counts.
    let (manager, reader) = (Person::new(), Person::new());
    archive.grant(&ledger, &manager, json!([2]));
    archive.grant(&ledger, &reader, json!([1]));
    let again = Version {
        readers: vec![manager.id()],
        ..version(9, b"again")
    };
    again.store(world, &reader, &ledger).fails(403, &[403_005]);
    again.store(world, &manager, &ledger).data();
    let larger = vec![7; (4 << 20) + 1];
    version(10, &larger)
        .store(world, owner, &ledger)
        .fails(413, &[413_000]);
}
