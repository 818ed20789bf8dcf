//! Signed approvals.

use order_core::{Address, ApprovalRequest};
use serde_json::{Value, json};

use super::people::{Person, World, seed};

/// The default costs of approvals of either kind.
pub const OPERATOR_COST: &str = "1600000000000000000";
pub const VALUE_COST: &str = "1700000000000000000";

impl World {
    /// Returns a signed and paid approval that lets `operator` act on the owner's assets of a ledger, or that revokes
    /// this permission.
    pub fn operator_approval(
        &self,
        owner: &Person,
        ledger: &Value,
        operator: Address,
        is_operator: bool,
    ) -> Value {
        let approval = json!({
            "kind": 7,
            "ledgerId": ledger["id"],
            "owner": owner.id(),
            "operator": operator,
            "isOperator": is_operator,
            "tokenTransferData": {
                "ledgerId": self.gateways.token,
                "receiverId": self.gateways.payment_receiver,
                "value": OPERATOR_COST,
            },
            "seed": seed(),
            "expiration": self.soon(),
        });
        self.signed_approval(owner, approval)
    }

    /// Returns a signed and paid approval that lets `spender` use an amount of the approver's tokens.
    pub fn value_approval(&self, approver: &Person, spender: Address, value: &str) -> Value {
        let approval = json!({
            "kind": 8,
            "ledgerId": self.gateways.token,
            "approver": approver.id(),
            "spender": spender,
            "value": value,
            "feeRecipient": self.gateways.payment_receiver,
            "feeValue": VALUE_COST,
            "seed": seed(),
            "expiration": self.soon(),
        });
        self.signed_approval(approver, approval)
    }

    fn signed_approval(&self, signer: &Person, approval: Value) -> Value {
        let mut body = json!({ "approval": approval, "priority": 2, "claim": "" });
        self.sign_approval(&mut body, signer);
        body
    }

    /// Puts `signer`'s claim into an approval.
    pub fn sign_approval(&self, body: &mut Value, signer: &Person) {
        body["claim"] = json!("0:0x00");
        let request = ApprovalRequest::parse(body, self.host.now()).expect("a whole approval");
        body["claim"] = json!(signer.claim(&request.approval.hash()));
    }

    /// Sends an approval, settles the host so that the approval is performed, and returns the approval.
    pub fn approved(&self, person: &Person, body: &Value) -> Value {
        let made = self.call(person.post("/approvals", body)).data();
        self.host.settle();
        let reference = made["ref"].as_str().expect("a reference");
        self.call(person.get(format!("/approvals/{reference}")))
            .data()
    }

    /// Lets an asset ledger collect the costs of approvals from `owner`.
    pub fn lets_ledger_collect(&self, owner: &Person, ledger: &Value) {
        let spender = ledger["id"].as_str().expect("a ledger").parse();
        let body =
            self.value_approval(owner, spender.expect("an address"), "100000000000000000000");
        let approval = self.approved(owner, &body);
        assert_eq!(approval["status"], 7, "{approval}");
    }
}
