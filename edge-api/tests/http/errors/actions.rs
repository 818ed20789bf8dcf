//! Codes of the ledger's rules. Each reason for which the ledger forbids an action has its own code.

use order_core::Address;
use serde_json::{Value, json};

use super::Book;
use crate::support::people::{IMPRINT, Person, World};

const PAID: &str = "9000000000000000000";

/// A ledger, and the account that deployed it.
struct Scene<'a> {
    world: &'a World,
    maker: Person,
    ledger: Value,
}

impl<'a> Scene<'a> {
    fn new(world: &'a World, capabilities: &[u8]) -> Self {
        let maker = world.funded();
        let ledger = world.ledger(&maker, capabilities);
        Self {
            world,
            maker,
            ledger,
        }
    }

    /// Returns an order of `sender` with one action.
    fn order(&self, kind: u8, sender: &Person, asset: &str) -> Value {
        let action = json!({
            "kind": kind, "ledgerId": self.ledger["id"], "assetId": asset, "assetImprint": IMPRINT,
            "abilities": [16], "senderId": sender.id(), "receiverId": self.maker.id(),
        });
        let payment = self.world.payment(sender, PAID);
        let mut body = self.world.order(&[sender], json!([action, payment]));
        self.world.sign(&mut body, &[sender]);
        body
    }

    /// Removes all abilities from a proxy.
    fn disable(&self, proxy: Address) {
        let action = json!({
            "kind": 5, "ledgerId": self.ledger["id"], "abilities": [], "senderId": self.maker.id(), "receiverId": proxy,
        });
        let payment = self.world.payment(&self.maker, PAID);
        let mut body = self.world.order(&[&self.maker], json!([action, payment]));
        self.world.sign(&mut body, &[&self.maker]);
        let order = self.world.performed(&self.maker, &body);
        assert_eq!(order["status"], 7, "{order}");
    }
}

pub fn provoke(book: &mut Book) {
    let world = World::new();
    let scene = Scene::new(&world, &[]);
    let (maker, other) = (&scene.maker, world.funded());
    world.asset(maker, &scene.ledger, "1", maker);
    world.asset(maker, &scene.ledger, "2", &other);
    let capable = Scene::new(&world, &[1, 2]);
    world.asset(&capable.maker, &capable.ledger, "1", &other);
    let post = |scene: &Scene<'_>, kind: u8, sender: &Person, asset: &str| {
        world.call(sender.post("/orders", &scene.order(kind, sender, asset)))
    };
    let mut note = |codes: &[u32], what: &str, answer| {
        book.add(codes, &format!("POST /orders that {what}"), &answer);
    };
    note(
        &[422_013],
        "creates an asset whose id already exists",
        post(&scene, 1, maker, "1"),
    );
    note(
        &[422_071],
        "creates an asset for a sender without the ability 512",
        post(&scene, 1, &other, "3"),
    );
    note(
        &[422_073],
        "transfers an asset whose owner has not approved the proxy",
        post(&scene, 2, &other, "2"),
    );
    note(
        &[422_074],
        "transfers somebody else's asset",
        post(&scene, 2, &other, "1"),
    );
    note(
        &[422_083],
        "updates an asset on a ledger without the capability 2",
        post(&scene, 4, maker, "1"),
    );
    note(
        &[422_077],
        "updates an asset for a sender without the ability 1024",
        post(&capable, 4, &other, "1"),
    );
    note(
        &[422_062],
        "sets abilities for a sender without the ability 2",
        post(&scene, 5, &other, "1"),
    );
    note(
        &[422_084],
        "destroys an asset on a ledger without the capability 1",
        post(&scene, 6, maker, "1"),
    );
    note(
        &[422_081],
        "destroys an asset whose owner has not approved the proxy",
        post(&capable, 6, &other, "1"),
    );
    note(
        &[422_082],
        "destroys somebody else's asset",
        post(&capable, 6, &capable.maker, "1"),
    );
    let revocable = Scene::new(&world, &[4]);
    world.asset(&revocable.maker, &revocable.ledger, "1", &other);
    note(
        &[422_914],
        "revokes an asset for a sender without the ability 32",
        post(&revocable, 7, &other, "1"),
    );
    note(
        &[422_915],
        "revokes an asset on a ledger without the capability 4",
        post(&scene, 7, maker, "2"),
    );
    let unknown = Scene {
        world: &world,
        maker: world.funded(),
        ledger: json!({ "id": Person::new().id() }),
    };
    note(
        &[400_004],
        "creates an asset on a ledger that does not exist",
        post(&unknown, 1, &unknown.maker, "1"),
    );
    let poor = Person::new();
    let mut body = world.order(&[&poor], json!([world.payment(&poor, "1")]));
    world.sign(&mut body, &[&poor]);
    note(
        &[422_075, 422_076],
        "transfers value from an account without tokens",
        world.call(poor.post("/orders", &body)),
    );
    let proxies = &world.gateways.proxies;
    capable.disable(proxies.create_asset);
    note(
        &[422_072],
        "creates an asset after the proxy has lost its ability",
        post(&capable, 1, &capable.maker, "3"),
    );
    capable.disable(proxies.update_asset);
    note(
        &[422_078],
        "updates an asset after the proxy has lost its ability",
        post(&capable, 4, &capable.maker, "1"),
    );
    capable.disable(proxies.manage_abilities);
    note(
        &[422_061],
        "sets abilities after the proxy has lost its ability",
        post(&capable, 5, &capable.maker, "1"),
    );
}
