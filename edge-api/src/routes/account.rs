//! `/account` (interface specification, "Account").

use order_core::Address;

use crate::accounts::{self, Information};
use crate::api;
use crate::app::{Call, Input, commit};
use crate::http::{Failure, Query, Success};
use crate::instance::Instance;
use crate::ledger::{self, AccountAbility};
use crate::ports::{Rows, exactly};
use crate::strangers;

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

fn ability_view(ability: &AccountAbility) -> api::AccountAbility {
    api::AccountAbility {
        ledger_ref: api::Ref(ability.ledger_ref.clone()),
        ledger_id: ability.ledger_id,
        abilities: ability.abilities,
    }
}

fn view(
    call: &Call<'_>,
    instance: &Instance,
    id: Address,
    account: Rows,
    balance: Rows,
) -> Result<Success, Failure> {
    let gateways = &instance.gateways;
    let account = accounts::from_rows(account)?;
    let costs = &call.config().costs;
    let proxies = &gateways.proxies;
    Success::ok(api::Account {
        id,
        is_identified: account.information.is_some(),
        information: account.information,
        balance: ledger::amount_from_rows(balance)?,
        is_payment_required: call.config().takes_payments(),
        payment: api::Payment {
            token_address: gateways.token,
            receiver_address: gateways.payment_receiver,
            asset_create_cost: costs.create_asset,
            asset_transfer_cost: costs.transfer_asset,
            value_transfer_cost: costs.transfer_value,
            asset_update_cost: costs.update_asset,
            set_abilities_cost: costs.set_abilities,
            asset_destroy_cost: costs.destroy_asset,
            asset_revoke_cost: costs.revoke_asset,
            asset_deploy_cost: costs.deploy,
            asset_approve_cost: costs.approve_operator,
            dapp_value_approve_cost: costs.approve_value,
        },
        gateway: api::Gateway {
            backend: "embedded",
            chain_id: None,
            actions_order_id: gateways.actions,
            asset_ledger_deploy_order_id: gateways.deploy,
            proxies: api::Proxies {
                create_asset: proxies.create_asset,
                transfer_value: proxies.transfer_value,
                transfer_asset: proxies.transfer_asset,
                safe_transfer_asset: proxies.safe_transfer_asset,
                update_asset: proxies.update_asset,
                manage_abilities: proxies.manage_abilities,
                destroy_asset: proxies.destroy_asset,
            },
        },
        created_at: account.created_at.map(api::Timestamp),
    })
}
