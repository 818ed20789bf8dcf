//! `/account` (interface specification, "Account").

use order_core::Address;
use serde_json::{Map, Value, json};

use crate::accounts::{self, Information};
use crate::app::{Call, Input, commit};
use crate::config::{CostName, ProxyRole};
use crate::http::{Failure, Query, Success};
use crate::instance::Instance;
use crate::ledger::{self, AccountAbility};
use crate::ports::{Rows, exactly};
use crate::strangers;
use crate::text::timestamp;

/// GET /account
pub(super) async fn get(
    call: &Call<'_>,
    _: &Input<'_>,
    caller: Address,
) -> Result<Success, Failure> {
    let instance = call.instance().await?;
    let [account, balance] = exactly(
        call.db()
            .batch(vec![accounts::select(&caller), ledger::balance(&caller)])
            .await?,
    )?;
    view(call, &instance, caller, account, balance)
}

/// PUT /account
pub(super) async fn update(
    call: &Call<'_>,
    input: &Input<'_>,
    caller: Address,
) -> Result<Success, Failure> {
    let information = Information::parse(&input.body)?;
    let instance = call.instance().await?;
    let statements = vec![
        accounts::inform(&caller, &information, call.now())?,
        accounts::select(&caller),
        ledger::balance(&caller),
    ];
    call.budget.set(strangers::ENTRANCE);
    let [_, account, balance] = exactly(commit(call, "account", statements).await?)?;
    view(call, &instance, caller, account, balance)
}

/// DELETE /account/information
pub(super) async fn erase_information(
    call: &Call<'_>,
    _: &Input<'_>,
    caller: Address,
) -> Result<Success, Failure> {
    let instance = call.instance().await?;
    let statements = vec![
        accounts::erase_information(&caller),
        accounts::select(&caller),
        ledger::balance(&caller),
    ];
    // Bypasses `commit`: erasing draws on no budget, so using one up keeps no account from erasing.
    let [_, account, balance] = exactly(call.db().batch(statements).await?)?;
    view(call, &instance, caller, account, balance)
}

/// GET /account/abilities
pub(super) async fn abilities(
    call: &Call<'_>,
    input: &Input<'_>,
    caller: Address,
) -> Result<Success, Failure> {
    let page = input.query.read(Query::page)?;
    let found = ledger::abilities_of_account(call.db(), &caller, &page).await?;
    page.answer(found, |ability| ability.ledger_ref.clone(), ability_view)
}

/// `{ledgerRef, ledgerId, abilities}`
fn ability_view(ability: &AccountAbility) -> Value {
    json!({
        "ledgerRef": ability.ledger_ref,
        "ledgerId": ability.ledger_id,
        "abilities": ability.abilities,
    })
}

/// `{id, information, isIdentified, balance, isPaymentRequired, payment, gateway, createdAt}`
fn view(
    call: &Call<'_>,
    instance: &Instance,
    id: Address,
    account: Rows,
    balance: Rows,
) -> Result<Success, Failure> {
    let gateways = &instance.gateways;
    let account = accounts::from_rows(account)?;
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
        "id": id,
        "isIdentified": account.information.is_some(),
        "information": account.information,
        "balance": ledger::amount_from_rows(balance)?,
        "isPaymentRequired": call.config().takes_payments(),
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
