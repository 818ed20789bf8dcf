//! `/account` (`docs/interface.md`, "Account").

use std::rc::Rc;

use order_core::{Address, Amount, Code, Costs};

use super::common::state_meta;
use crate::accounts::{self, Account, Information};
use crate::admissions;
use crate::api;
use crate::db::Page;
use crate::db::{Decision, storage};
use crate::failure::Failure;
use crate::ledger::projection::{self, AccountAbility};
use crate::ledger::{AsOf, Balance, Identity};
use crate::ports::{Rows, Statement};
use crate::web::{Handled, Input, Route, Success, private, read};

pub(super) const ROUTES: &[Route] = &[
    Route::get("/account", private!(Read, get))
        .unidentified()
        .answers::<api::Account>("getAccount", "Get the account")
        .meta::<api::StateMeta>(),
    Route::put("/account", private!(Account, update))
        .json::<api::bodies::AccountInformationInput>()
        .unidentified()
        .answers::<api::Account>("updateAccountInformation", "Set the account's information")
        .meta::<api::StateMeta>()
        .errors(&[Code::FieldNotValid])
        .errors_between(&[(
            Code::AccountInformationMissing,
            Code::CompanyPhoneNumberMissing,
        )]),
    // The erasure makes the account unidentified. A client that retries the request must not be refused for this reason.
    Route::delete("/account/information", private!(Account, erase_information))
        .unidentified()
        .answers::<api::Account>(
            "deleteAccountInformation",
            "Erase the account's information",
        )
        .details(
            "Erases the information and the text of a request for admission immediately and \
             everywhere in the service. Orders, \
             assets, deposits and the log of requests stay, because they do not contain it. \
             The account then counts as not identified.",
        )
        .meta::<api::StateMeta>(),
    Route::get("/account/abilities", private!(Read, abilities))
        .query::<Page>()
        .lists::<AccountAbility>("getAccountAbilities", "List the account's abilities"),
];

/// GET /account
pub(super) async fn get(input: &Input<'_>, caller: Address) -> Handled {
    let (reads, known) = start(input, caller).await?;
    let rows = input.ctx.db().batch(reads).await?;
    known.answer(rows).and_then(read)
}

/// PUT /account
pub(super) async fn update(input: &Input<'_>, caller: Address) -> Handled {
    let information = Information::parse(&input.body)?;
    let write = accounts::set_information(&caller, &information, input.ctx.now())?;
    let changed = |decision: Decision<()>| decision.paid_by(storage::ENTRANCE);
    change(input, caller, vec![write], changed).await
}

/// DELETE /account/information
pub(super) async fn erase_information(input: &Input<'_>, caller: Address) -> Handled {
    // The erasure counts against no quota, so an exhausted quota cannot prevent it.
    let mut writes = vec![accounts::erase_information(&caller)];
    writes.extend(admissions::erase(&caller));
    change(input, caller, writes, Decision::free).await
}

/// GET /account/abilities
pub(super) async fn abilities(input: &Input<'_>, caller: Address) -> Handled {
    let page: Page = input.query.parsed()?;
    let found = projection::abilities_of_account(input.ctx.db(), &caller, &page).await?;
    page.answer_rows(found, |ability: &AccountAbility| ability.ledger_ref.clone())
}

/// The parts of the answer that need no rows.
struct Known {
    id: Address,
    identity: Rc<Identity>,
    costs: Costs,
    is_payment_required: bool,
    may_deploy: bool,
    /// The balance, and the state of the ledger that it shows. `None` if one of the statements reads the balance.
    balance: Option<(Amount, AsOf)>,
}

/// Returns the statements that read an account, and the parts of the answer that need no rows.
async fn start(input: &Input<'_>, id: Address) -> Result<(Vec<Statement>, Known), Failure> {
    let (ctx, config) = (input.ctx, input.ctx.config());
    let identity = input.ledger.identity(ctx).await?;
    let mut reads = vec![accounts::select(&id)];
    let balance = match input.ledger.balance(ctx, &id).await? {
        Balance::Stored(read) => {
            reads.push(read);
            None
        }
        Balance::Read { amount, as_of } => Some((amount, as_of)),
    };
    let known = Known {
        id,
        identity,
        costs: config.costs.clone(),
        is_payment_required: config.takes_payments(),
        may_deploy: admissions::may_deploy(ctx, &id).await?,
        balance,
    };
    Ok((reads, known))
}

/// Returns the decision to run `writes`, with the changed account as the answer. `paid` sets the quota that pays.
async fn change(
    input: &Input<'_>,
    account: Address,
    writes: Vec<Statement>,
    paid: impl FnOnce(Decision<()>) -> Decision<()>,
) -> Handled {
    let (reads, known) = start(input, account).await?;
    let written = writes.len();
    let statements = [writes, reads].concat();
    let decision = paid(Decision::new("account", statements, ()));
    decision.answered_from_rows(move |rows| known.answer(rows.into_iter().skip(written).collect()))
}

impl Known {
    /// Returns the answer. `rows` are the rows of the statements of [`start`].
    fn answer(self, rows: Vec<Rows>) -> Result<Success, Failure> {
        let mut rows = rows.into_iter();
        let account = accounts::from_rows(rows.next().unwrap_or_default())?;
        let (balance, fee_allowance, as_of) = match self.balance {
            Some((amount, as_of)) => (amount, None, as_of),
            None => {
                let funds = projection::funds_from_rows(rows.next().unwrap_or_default())?;
                (funds.balance, Some(funds.allowance), AsOf::Commit)
            }
        };
        let answer = view(&self, account, balance, fee_allowance);
        Success::with_meta(answer, state_meta(as_of))
    }
}

/// Returns the account as the answer shows it.
fn view(
    known: &Known,
    account: Account,
    balance: Amount,
    fee_allowance: Option<Amount>,
) -> api::Account {
    let identity = &known.identity;
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
    } = known.costs;
    api::Account {
        id: known.id,
        is_identified: account.information.is_some(),
        information: account.information,
        balance,
        fee_allowance,
        is_payment_required: known.is_payment_required,
        may_deploy: known.may_deploy,
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
    }
}
