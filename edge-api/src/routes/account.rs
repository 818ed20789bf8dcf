//! `/account` (`docs/interface.md`, "Account").

use order_core::{Address, Costs};

use crate::accounts::{self, Information};
use crate::api;
use crate::db::{Decision, storage};
use crate::failure::Failure;
use crate::ledger::Identity;
use crate::ledger::projection::{self, AccountAbility};
use crate::ports::{Rows, Statement, exactly};
use crate::web::{Handled, Input, Query, Success, ok};

/// The text fields of PUT /account.
pub(super) const TEXT_FIELDS: &[&str] = &[
    "city",
    "country",
    "email",
    "firstName",
    "lastName",
    "postalCode",
    "streetAddress",
];

/// GET /account
pub(super) async fn get(input: &Input<'_>, caller: Address) -> Handled {
    let identity = input.ledger.identity(input.ctx).await?;
    let rows = input.ctx.db().batch(select(input, &caller)).await?;
    let (costs, is_payment_required) = settings(input);
    ok(view(caller, &identity, &costs, is_payment_required, rows)?)
}

/// PUT /account
pub(super) async fn update(input: &Input<'_>, caller: Address) -> Handled {
    let information = Information::parse(&input.body)?;
    let write = accounts::set_information(&caller, &information, input.ctx.now())?;
    let changed = |decision: Decision<()>| decision.paid_by(storage::ENTRANCE);
    change(input, caller, write, changed).await
}

/// DELETE /account/information
pub(super) async fn erase_information(input: &Input<'_>, caller: Address) -> Handled {
    // Counts against no quota, so an exhausted quota cannot prevent the erasure.
    change(
        input,
        caller,
        accounts::erase_information(&caller),
        Decision::free,
    )
    .await
}

/// GET /account/abilities
pub(super) async fn abilities(input: &Input<'_>, caller: Address) -> Handled {
    let page = input.query.read(Query::page)?;
    let found = projection::abilities_of_account(input.ctx.db(), &caller, &page).await?;
    page.answer_rows(found, |ability: &AccountAbility| ability.ledger_ref.clone())
}

/// Returns statements that read an account and its balance.
fn select(input: &Input<'_>, account: &Address) -> Vec<Statement> {
    vec![accounts::select(account), input.ledger.balance(account)]
}

/// Writes to an account, and answers with the resulting account.
async fn change(
    input: &Input<'_>,
    account: Address,
    write: Statement,
    paid: impl FnOnce(Decision<()>) -> Decision<()>,
) -> Handled {
    let identity = input.ledger.identity(input.ctx).await?;
    let mut statements = vec![write];
    statements.extend(select(input, &account));
    let (costs, is_payment_required) = settings(input);
    let decision = paid(Decision::new("account", statements, ()));
    decision.answered_from_rows(move |rows| {
        let read = rows.into_iter().skip(1).collect();
        let account = view(account, &identity, &costs, is_payment_required, read)?;
        Success::ok(account)
    })
}

/// Returns the costs, and true if any cost is not zero.
fn settings(input: &Input<'_>) -> (Costs, bool) {
    let config = input.ctx.config();
    (config.costs.clone(), config.takes_payments())
}

/// Returns the account in the rows of [`select`].
fn view(
    id: Address,
    identity: &Identity,
    costs: &Costs,
    is_payment_required: bool,
    rows: Vec<Rows>,
) -> Result<api::Account, Failure> {
    let gateways = &identity.instance.gateways;
    // The pattern names every field, so the compiler reports a cost that is missing in the answer.
    let Costs {
        create_asset,
        transfer_asset,
        transfer_value,
        update_asset,
        set_abilities,
        destroy_asset,
        revoke_asset,
        deploy,
        approve_operator,
        approve_value,
    } = *costs;
    let [account, balance] = exactly(rows)?;
    let account = accounts::from_rows(account)?;
    Ok(api::Account {
        id,
        is_identified: account.information.is_some(),
        information: account.information,
        balance: projection::amount_from_rows(balance)?,
        is_payment_required,
        payment: api::Payment {
            token_address: gateways.token,
            receiver_address: gateways.payment_receiver,
            asset_create_cost: create_asset,
            asset_transfer_cost: transfer_asset,
            value_transfer_cost: transfer_value,
            asset_update_cost: update_asset,
            set_abilities_cost: set_abilities,
            asset_destroy_cost: destroy_asset,
            asset_revoke_cost: revoke_asset,
            asset_deploy_cost: deploy,
            asset_approve_cost: approve_operator,
            dapp_value_approve_cost: approve_value,
        },
        gateway: api::Gateway {
            backend: identity.backend,
            chain_id: identity.chain_id,
            actions_order_id: gateways.actions,
            asset_ledger_deploy_order_id: gateways.deploy,
            proxies: gateways.proxies.clone(),
        },
        created_at: account.created_at.map(api::Timestamp),
    })
}
