//! Codes of `/approvals`.

use serde_json::json;

use super::Book;
use crate::support::people::{Person, World};

pub fn provoke(book: &mut Book) {
    let world = World::new();
    let owner = world.funded();
    let ledger = world.ledger(&owner, &[]);
    let post = ("POST", "/approvals");
    let past = || Some(json!(1_600_000_000));
    let short = || Some(json!("0x12"));
    let operator = world.operator_approval(&owner, &ledger, Person::new().id(), true);
    book.fields(
        &world,
        &owner,
        post,
        &operator,
        &[
            ("/approval", None, &[422_121]),
            ("/approval/kind", Some(json!(6)), &[422_121]),
            ("/claim", None, &[422_122]),
            ("/claim", Some(json!("0:0x12")), &[422_123]),
            ("/priority", None, &[422_125]),
            ("/approval/ledgerId", None, &[422_126]),
            ("/approval/ledgerId", short(), &[422_127]),
            ("/approval/owner", None, &[422_128]),
            ("/approval/owner", short(), &[422_129]),
            ("/approval/operator", None, &[422_130]),
            ("/approval/operator", short(), &[422_131]),
            ("/approval/isOperator", None, &[422_132]),
            ("/approval/tokenTransferData", None, &[422_133]),
            (
                "/approval/tokenTransferData/value",
                Some(json!("1")),
                &[422_134],
            ),
            ("/approval/seed", None, &[422_135]),
            ("/approval/expiration", None, &[422_136]),
            ("/approval/expiration", past(), &[400_018]),
            ("/approval/tokenTransferData/ledgerId", None, &[422_137]),
            ("/approval/tokenTransferData/ledgerId", short(), &[422_138]),
            ("/approval/tokenTransferData/receiverId", None, &[422_139]),
            ("/approval/tokenTransferData/value", None, &[422_140]),
        ],
    );
    let poor = Person::new();
    let unpaid = world.operator_approval(&poor, &ledger, owner.id(), true);
    book.add(
        &[422_141, 422_142],
        "POST /approvals of kind 7 by an owner without tokens",
        &world.call(poor.post("/approvals", &unpaid)),
    );
    book.add(
        &[422_142],
        "POST /approvals of kind 7 by an owner who has not approved the asset ledger as a spender",
        &world.call(owner.post("/approvals", &operator)),
    );
    let value = world.value_approval(&owner, Person::new().id(), "1");
    book.fields(
        &world,
        &owner,
        post,
        &value,
        &[
            ("/approval/ledgerId", None, &[422_144]),
            ("/approval/ledgerId", short(), &[422_145]),
            ("/approval/approver", None, &[422_146]),
            ("/approval/approver", short(), &[422_147]),
            ("/approval/spender", None, &[422_149]),
            ("/approval/spender", short(), &[422_150]),
            ("/approval/value", None, &[422_151]),
            ("/approval/feeRecipient", None, &[422_152]),
            ("/approval/feeRecipient", short(), &[422_153]),
            ("/approval/feeValue", Some(json!("1")), &[422_154]),
            ("/approval/feeValue", None, &[422_155]),
            ("/approval/seed", None, &[422_156]),
            ("/approval/expiration", None, &[422_157]),
        ],
    );
    let unpaid = world.value_approval(&poor, owner.id(), "1");
    book.add(
        &[422_148],
        "POST /approvals of kind 8 by an approver without tokens",
        &world.call(poor.post("/approvals", &unpaid)),
    );
    world.call(owner.post("/approvals", &value)).data();
    book.add(
        &[400_018],
        "POST /approvals with the hash of an approval that another account sent",
        &world.call(Person::new().post("/approvals", &value)),
    );
    book.add(
        &[400_020],
        "GET /approvals/none",
        &world.call(owner.get("/approvals/none")),
    );
}
