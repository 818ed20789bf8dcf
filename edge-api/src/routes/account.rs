//! `/account` (interface specification, "Account").

use order_core::{Address, Amount};
use serde_json::{Map, Value, json};

use crate::app::{Call, Input};
use crate::config::{CostName, ProxyRole};
use crate::http::{Failure, Success};
use crate::ledger;
use crate::ports::exactly;
use crate::text::timestamp;

/// GET /account
pub(super) async fn get(
    call: &Call<'_>,
    _: &Input<'_>,
    caller: Address,
) -> Result<Success, Failure> {
    let instance = call.instance().await?;
    let gateways = &instance.gateways;
    let [account, balance] = exactly(
        call.db()
            .batch(vec![
                crate::accounts::select(&caller),
                ledger::balance(&caller),
            ])
            .await?,
    )?;
    let account = crate::accounts::from_rows(account)?;
    let balance: Amount = ledger::amount_from_rows(balance)?;
    let mut payment = Map::new();
    payment.insert("tokenAddress".to_owned(), json!(gateways.token));
    payment.insert(
        "receiverAddress".to_owned(),
        json!(gateways.payment_receiver),
    );
    let mut costs = call.config().costs.clone();
    for cost in CostName::ALL {
        payment.insert(cost.name.to_owned(), json!(cost.of(&mut costs)));
    }
    let mut known = gateways.proxies.clone();
    let proxies: Map<String, Value> = ProxyRole::ALL
        .iter()
        .map(|role| (role.name.to_owned(), json!(role.of(&mut known))))
        .collect();
    Success::ok(json!({
        "id": caller,
        "information": account.information,
        "isIdentified": account.information.is_some(),
        "balance": balance,
        "payment": payment,
        "gateway": {
            "backend": "embedded",
            "chainId": null,
            "actionsOrderId": gateways.actions,
            "assetLedgerDeployOrderId": gateways.deploy,
            "proxies": proxies,
        },
        "createdAt": account.created_at.map(timestamp),
    }))
}
