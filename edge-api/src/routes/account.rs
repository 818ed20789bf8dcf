//! `/account` (interface specification, "Account").

use order_core::Address;
use serde_json::{Map, Value, json};

use crate::accounts::{self, Information};
use crate::config::{CostName, ProxyRole};
use crate::db::{Decision, strangers};
use crate::failure::Failure;
use crate::ledger::projection::{self, AccountAbility};
use crate::ports::{Rows, Statement, exactly};
use crate::text::timestamp;
use crate::web::{Handled, Input, Query, Success, ok};

/// GET /account
pub(super) async fn get(input: &Input<'_>, caller: Address) -> Handled {
    let settings = settings(input).await?;
    let rows = input.ctx.db().batch(select(input, &caller)).await?;
    ok(view(caller, settings, rows)?)
}

/// PUT /account
pub(super) async fn update(input: &Input<'_>, caller: Address) -> Handled {
    let information = Information::parse(&input.body)?;
    let write = accounts::inform(&caller, &information, input.ctx.now())?;
    let decision = change(input, caller, write);
    let decision = decision.paid_from(strangers::ENTRANCE);
    let settings = settings(input).await?;
    decision.answered_from_rows(move |rows| Success::ok(written(caller, settings, rows)?))
}

/// DELETE /account/information
pub(super) async fn erase_information(input: &Input<'_>, caller: Address) -> Handled {
    let erase = accounts::erase_information(&caller);
    // Erasing draws on no budget, so using one up keeps no account from erasing.
    let decision = change(input, caller, erase).free();
    let settings = settings(input).await?;
    decision.answered_from_rows(move |rows| Success::ok(written(caller, settings, rows)?))
}

/// GET /account/abilities
pub(super) async fn abilities(input: &Input<'_>, caller: Address) -> Handled {
    let page = input.query.read(Query::page)?;
    let found = projection::abilities_of_account(input.ctx.db(), &caller, &page).await?;
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

/// Reads an account and its balance.
fn select(input: &Input<'_>, account: &Address) -> Vec<Statement> {
    vec![accounts::select(account), input.ledger.balance(account)]
}

/// Writes an account, and reads what became of it.
fn change(input: &Input<'_>, account: Address, write: Statement) -> Decision<()> {
    let mut statements = vec![write];
    statements.extend(select(input, &account));
    Decision::new("account", statements, ())
}

/// `payment` and `gateway`: the costs, and the addresses that claims are made for.
async fn settings(input: &Input<'_>) -> Result<Map<String, Value>, Failure> {
    let identity = input.ledger.identity(input.ctx).await?;
    let gateways = &identity.instance.gateways;
    let config = input.ctx.config();
    let mut payment = Map::new();
    payment.insert("tokenAddress".to_owned(), json!(gateways.token));
    payment.insert(
        "receiverAddress".to_owned(),
        json!(gateways.payment_receiver),
    );
    let mut costs = config.costs.clone();
    for cost in CostName::ALL {
        payment.insert(cost.name.to_owned(), json!(cost.of(&mut costs)));
    }
    let mut known = gateways.proxies.clone();
    let proxies: Map<String, Value> = ProxyRole::ALL
        .iter()
        .map(|role| (role.name.to_owned(), json!(role.of(&mut known))))
        .collect();
    let gateway = json!({
        "backend": identity.backend,
        "chainId": identity.chain_id,
        "actionsOrderId": gateways.actions,
        "assetLedgerDeployOrderId": gateways.deploy,
        "proxies": proxies,
    });
    Ok(Map::from_iter([
        (
            "isPaymentRequired".to_owned(),
            config.takes_payments().into(),
        ),
        ("payment".to_owned(), payment.into()),
        ("gateway".to_owned(), gateway),
    ]))
}

/// `{id, information, isIdentified, balance, isPaymentRequired, payment, gateway, createdAt}`
fn view(id: Address, mut account: Map<String, Value>, rows: Vec<Rows>) -> Result<Value, Failure> {
    let [stored, balance] = exactly(rows)?;
    let stored = accounts::from_rows(stored)?;
    account.extend([
        ("id".to_owned(), json!(id)),
        (
            "isIdentified".to_owned(),
            stored.information.is_some().into(),
        ),
        ("information".to_owned(), json!(stored.information)),
        (
            "balance".to_owned(),
            json!(projection::amount_from_rows(balance)?),
        ),
        (
            "createdAt".to_owned(),
            json!(stored.created_at.map(timestamp)),
        ),
    ]);
    Ok(Value::from(account))
}

/// The account in the rows of a transaction of [`change`].
fn written(
    id: Address,
    settings: Map<String, Value>,
    mut rows: Vec<Rows>,
) -> Result<Value, Failure> {
    let read = rows.split_off(rows.len().min(1));
    view(id, settings, read)
}
