//! The check of the settings against the chain, and the identity that results from it.
//!
//! The check runs when a database is used with new settings. Its result is stored in the table `chain`, so that later isolates work while
//! no provider answers. An isolate refuses a row that belongs to another chain or to other contracts than the settings. If another setting
//! has changed since the check, the isolate repeats the check.

use std::rc::Rc;

use alloy_primitives::Keccak256;
use order_core::chain::{View, views};
use order_core::{Address, B256, Instance, Proxies};
use serde::Deserialize;
use serde_json::json;

use super::block::Block;
use super::memory::Evm;
use super::rpc::{Ask, At, Replies, Reply, data, hash, number64, unavailable};
use crate::config::Finality;
use crate::context::Context;
use crate::ledger::identity::{instance_id, select_instance};
use crate::ledger::{Identity, LedgerError};
use crate::ports::{DatabaseError, Level, Rows, Statement, exactly};
use crate::text::{account_key, hash_key};

/// Milliseconds for which an isolate remembers that the check failed, before it repeats the check.
const FAILED_MS: u64 = 5_000;

/// The kind of action that each proxy of the gateway performs, by the proxy's number. The kinds are 0 for creating, 1 for transferring,
/// 2 for updating, 3 for managing and 4 for destroying.
const KINDS: [u8; 7] = [0, 1, 1, 1, 2, 3, 4];

/// The row of the table `chain`.
#[derive(Deserialize)]
struct ChainRow {
    chain_id: u64,
    actions: Address,
    deploy: Address,
    token: Address,
    proxies: String,
    checked: String,
}

/// The result of the check.
struct Checked {
    proxies: [Address; 7],
    /// The number and the hash of the block before the first block to index.
    before: (u64, B256),
    /// The number of the last block before the contracts were read.
    head: u64,
}

/// Returns the identity of the ledger. Checks the settings at first use.
pub(super) async fn identity(evm: &Evm, ctx: &Context<'_>) -> Result<Rc<Identity>, LedgerError> {
    if let Some(identity) = evm.identity.get() {
        return Ok(Rc::clone(identity));
    }
    let now = ctx.ports().clock.now_ms();
    if let Some((failed_at, error)) = &*evm.failed.borrow()
        && now.saturating_sub(*failed_at) < FAILED_MS
    {
        return Err(error.clone());
    }
    let identity = match establish(evm, ctx).await {
        Ok(identity) => Rc::new(identity),
        Err(error) => {
            if let LedgerError::Misconfigured(why) = &error {
                let line = json!({ "event": "chain.misconfigured", "why": why });
                ctx.log(Level::Error, line);
            }
            // A failure of the database is not remembered, because the database may answer at the next request.
            if !matches!(error, LedgerError::Database(_)) {
                evm.failed.replace(Some((now, error.clone())));
            }
            return Err(error);
        }
    };
    Ok(Rc::clone(evm.identity.get_or_init(|| identity)))
}

/// Reads the stored result of the check, or checks the settings and stores the result.
async fn establish(evm: &Evm, ctx: &Context<'_>) -> Result<Identity, LedgerError> {
    let statements = vec![
        select_instance(),
        Statement::new(
            "SELECT chain_id, actions, deploy, token, proxies, checked FROM chain WHERE only = 1",
        ),
        // An embedded ledger has stored rows in one of these tables.
        Statement::new(
            "SELECT 1 WHERE EXISTS (SELECT 1 FROM records WHERE ref > '') OR EXISTS (SELECT 1 FROM ledgers WHERE id > '') \
             OR EXISTS (SELECT 1 FROM balances WHERE account_id > '')",
        ),
    ];
    let [instances, rows, used] = exactly(ctx.db().batch(statements).await?)?;
    let id = instance_id(instances)?;
    let settings = digest(evm, ctx, &id);
    let stored = stored(evm, rows, &used)?;
    let proxies = match stored {
        Some(row) if row.checked == settings => read_proxies(&row.proxies)?,
        _ => {
            let checked = check(evm, ctx).await?;
            ctx.db().query(store(evm, &checked, &settings)).await?;
            checked.proxies
        }
    };
    let mut gateways = ctx.config().gateways(&id);
    gateways.proxies = named(proxies);
    Ok(Identity {
        backend: "evm",
        chain_id: Some(evm.chain.id),
        instance: Instance { gateways, id },
    })
}

/// Returns the stored row, or `None` for a new database. `used` has a row if the database has data of any ledger.
///
/// # Errors
/// If the database belongs to the embedded ledger, to another chain or to other contracts.
fn stored(evm: &Evm, rows: Rows, used: &Rows) -> Result<Option<ChainRow>, LedgerError> {
    let chain = &evm.chain;
    let Some(row) = rows.first::<ChainRow>()? else {
        if used.is_empty() {
            return Ok(None);
        }
        return Err(LedgerError::Misconfigured(
            "`LEDGER` is `evm`, but the database belongs to the embedded ledger: an instance never changes its ledger, so set \
             `LEDGER=embedded` or use a new database"
                .to_owned(),
        ));
    };
    let address = |address: &Address| address.to_string();
    for (name, set, used) in [
        ("CHAIN_ID", chain.id.to_string(), row.chain_id.to_string()),
        (
            "GATEWAY_ACTIONS",
            address(&chain.actions),
            address(&row.actions),
        ),
        (
            "GATEWAY_DEPLOY",
            address(&chain.deploy),
            address(&row.deploy),
        ),
        ("TOKEN_ADDRESS", address(&chain.token), address(&row.token)),
    ] {
        if set != used {
            return Err(LedgerError::Misconfigured(format!(
                "`{name}` is `{set}`, but the database belongs to `{used}`: an instance never changes its contracts, so restore the \
                 setting or use a new database"
            )));
        }
    }
    Ok(Some(row))
}

/// Returns a hash of the settings that the check depends on. The hash includes the instance's random bytes, which keep the addresses of
/// providers secret.
fn digest(evm: &Evm, ctx: &Context<'_>, instance: &[u8; 32]) -> String {
    let chain = &evm.chain;
    let urls = chain.providers.iter().chain(&chain.senders);
    let mut parts: Vec<String> = urls.map(|url| url.expose().to_owned()).collect();
    parts.extend([
        chain.providers.len().to_string(),
        chain.quorum.to_string(),
        chain.start_block.to_string(),
        format!("{:?}", chain.finality),
        evm.relayer().to_string(),
        format!("{:?}", ctx.config().payment_receiver),
    ]);
    let mut hasher = Keccak256::new();
    hasher.update(instance);
    hasher.update(json!(parts).to_string());
    hash_key(&hasher.finalize())
}

fn store(evm: &Evm, checked: &Checked, settings: &str) -> Statement {
    let chain = &evm.chain;
    let proxies: Vec<String> = checked.proxies.iter().map(account_key).collect();
    Statement::new(
        "INSERT INTO chain (only, chain_id, actions, deploy, token, proxies, checked, number, hash, final, checked_block) \
         VALUES (1, ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?7, ?9) \
         ON CONFLICT (only) DO UPDATE SET proxies = excluded.proxies, checked = excluded.checked, \
         checked_block = max(checked_block, excluded.checked_block)",
    )
    .bind(chain.id)
    .bind(account_key(&chain.actions))
    .bind(account_key(&chain.deploy))
    .bind(account_key(&chain.token))
    .bind(json!(proxies).to_string())
    .bind(settings)
    .bind(checked.before.0)
    .bind(hash_key(&checked.before.1))
    .bind(checked.head)
}

fn read_proxies(text: &str) -> Result<[Address; 7], LedgerError> {
    let proxies: Option<Vec<Address>> = serde_json::from_str(text).ok();
    proxies
        .and_then(|proxies| proxies.try_into().ok())
        .ok_or_else(|| DatabaseError::corrupt("chain", "1", "not seven proxies").into())
}

fn named(proxies: [Address; 7]) -> Proxies {
    let [
        create_asset,
        transfer_value,
        transfer_asset,
        safe_transfer_asset,
        update_asset,
        manage_abilities,
        destroy_asset,
    ] = proxies;
    Proxies {
        create_asset,
        transfer_value,
        transfer_asset,
        safe_transfer_asset,
        update_asset,
        manage_abilities,
        destroy_asset,
    }
}

/// Checks the settings against the chain.
async fn check(evm: &Evm, ctx: &Context<'_>) -> Result<Checked, LedgerError> {
    check_chain_id(evm, ctx).await?;
    let before = check_blocks(evm, ctx).await?;
    let head = last_block(evm, ctx).await;
    let (proxies, deploy_proxy) = check_contracts(evm, ctx).await?;
    check_relayer(evm, ctx, &proxies, deploy_proxy).await?;
    Ok(Checked {
        proxies,
        before,
        head,
    })
}

/// Returns the lowest number that a provider gives for its last block. 0 if too few providers answer.
async fn last_block(evm: &Evm, ctx: &Context<'_>) -> u64 {
    let ask = Ask::new("eth_blockNumber", json!([]));
    let answers = evm.rpc(ctx).everyone(&[ask]).await;
    let number = |replies: Vec<Reply>| number64(&replies.into_iter().next()?.value().ok()?).ok();
    let numbers: Vec<u64> = answers.into_iter().flatten().filter_map(number).collect();
    match numbers.len() >= evm.chain.quorum {
        true => numbers.into_iter().min().unwrap_or_default(),
        false => 0,
    }
}

/// Checks that each provider that answers is on the chain of the settings.
async fn check_chain_id(evm: &Evm, ctx: &Context<'_>) -> Result<(), LedgerError> {
    let (chain, rpc) = (&evm.chain, evm.rpc(ctx));
    let ask = Ask::new("eth_chainId", json!([]));
    let mut answers = 0_usize;
    for (name, urls) in [
        ("RPC_URLS", &chain.providers),
        ("RPC_SEND_URLS", &chain.senders),
    ] {
        for (place, reply) in rpc.each(urls, &ask).await.into_iter().enumerate() {
            // An address that only takes transactions may refuse the call.
            let Some(Reply::Value(value)) = reply else {
                continue;
            };
            let found = number64(&value)?;
            if found != chain.id {
                return Err(LedgerError::Misconfigured(format!(
                    "`CHAIN_ID` is `{}`, but the address {} of `{name}` is on the chain {found}",
                    chain.id,
                    place.saturating_add(1)
                )));
            }
            answers = answers.saturating_add(1);
        }
    }
    match answers {
        0 => Err(unavailable("no provider of `RPC_URLS` answers")),
        _ => Ok(()),
    }
}

/// Checks the settings about blocks. Returns the number and the hash of the block before the first block to index.
async fn check_blocks(evm: &Evm, ctx: &Context<'_>) -> Result<(u64, B256), LedgerError> {
    let (chain, rpc) = (&evm.chain, evm.rpc(ctx));
    let before = chain.start_block.saturating_sub(1);
    let hash_of = |reply: Reply| match reply {
        // Only the hash is compared, because providers add fields of their own to a block.
        Reply::Value(block) => Reply::Value(block.get("hash").cloned().unwrap_or_default()),
        other => other,
    };
    let agreed = rpc.agree_on(&[Block::at(before)], hash_of).await.pop();
    let agreed = agreed.flatten().ok_or_else(no_quorum)?.value()?;
    if agreed.is_null() {
        return Err(LedgerError::Misconfigured(format!(
            "`CHAIN_START_BLOCK` is `{}`, but the chain has no such block yet",
            chain.start_block
        )));
    }
    let code = |contract: Address| {
        let params = json!([contract, At::Number(before).param()]);
        Ask::new("eth_getCode", params)
    };
    let asks = [
        Block::tagged("finalized"),
        code(chain.actions),
        code(chain.deploy),
    ];
    let mut replies = Replies::from(rpc.ask(&asks).await?);
    let has_final = matches!(replies.next()?, Reply::Value(value) if !value.is_null());
    if chain.finality == Finality::Tag && !has_final {
        return Err(LedgerError::Misconfigured(
            "`CONFIRMATIONS` is `finalized`, but the chain has no such block: set a number of blocks".to_owned(),
        ));
    }
    for name in ["GATEWAY_ACTIONS", "GATEWAY_DEPLOY"] {
        // A provider without the states of old blocks refuses the call.
        if let Reply::Value(code) = replies.next()?
            && !data(&code)?.is_empty()
        {
            return Err(LedgerError::Misconfigured(format!(
                "`CHAIN_START_BLOCK` is `{}`, but the contract of `{name}` is older: name the block that created the first contract",
                chain.start_block
            )));
        }
    }
    Ok((before, hash(&agreed)?))
}

/// A gateway's view of the address of a proxy, and the proxy's action for error texts.
type Getter = (fn(Address) -> View<Option<Address>>, &'static str);

/// Checks the contracts. All providers that answer must agree, and at least a quorum must answer. Returns the proxies of the gateway that
/// performs orders, and the proxy that creates ledgers.
async fn check_contracts(
    evm: &Evm,
    ctx: &Context<'_>,
) -> Result<([Address; 7], Address), LedgerError> {
    let chain = &evm.chain;
    let receiver = ctx
        .config()
        .payment_receiver
        .ok_or_else(|| DatabaseError::Bug("`PAYMENT_RECEIVER` is not set".to_owned()))?;
    let proxies = [0, 1, 2, 3, 4, 5, 6].map(|number| views::proxy(chain.actions, number));
    let getters: [Getter; 7] = [
        (views::deploy_proxy, "creates ledgers"),
        (views::create_asset_proxy, "creates assets"),
        (views::transfer_value_proxy, "moves tokens"),
        (views::safe_transfer_asset_proxy, "moves assets"),
        (views::update_asset_proxy, "updates assets"),
        (views::manage_abilities_proxy, "sets abilities"),
        (views::destroy_asset_proxy, "destroys assets"),
    ];
    let getters = getters.map(|(getter, action)| (getter(chain.deploy), action));
    let token_proxy = views::transfer_value_proxy(chain.token);
    let is_recipient = views::is_recipient(chain.token, receiver);
    let view = |call| Ask::view(call, At::Latest);
    let mut asks: Vec<Ask> = proxies.iter().map(|proxy| view(&proxy.call)).collect();
    asks.extend(getters.iter().map(|(getter, _)| view(&getter.call)));
    asks.extend([view(&token_proxy.call), view(&is_recipient.call)]);
    let mut replies = evm.rpc(ctx).agree(&asks).await.into_iter();
    let mut next = || {
        let reply = replies.next().flatten();
        reply.ok_or_else(no_quorum)
    };

    let mut found = Vec::new();
    for (number, (proxy, kind)) in proxies.iter().zip(KINDS).enumerate() {
        match required(proxy, next()?)? {
            Some((Some(address), of_kind)) if of_kind == kind => found.push(address),
            _ => {
                return Err(not_original(
                    "GATEWAY_ACTIONS",
                    &chain.actions,
                    &format!("its proxy {number} does not perform actions of the kind {kind}"),
                ));
            }
        }
    }
    let found: [Address; 7] = found
        .try_into()
        .map_err(|_| DatabaseError::Bug("not seven proxies".to_owned()))?;
    let Proxies {
        create_asset,
        transfer_value,
        safe_transfer_asset,
        update_asset,
        manage_abilities,
        destroy_asset,
        ..
    } = named(found);
    let same = [
        None,
        Some(create_asset),
        Some(transfer_value),
        Some(safe_transfer_asset),
        Some(update_asset),
        Some(manage_abilities),
        Some(destroy_asset),
    ];
    let mut deploy_proxy = None;
    for ((getter, action), same) in getters.iter().zip(same) {
        let Some(Some(proxy)) = required(getter, next()?)? else {
            return Err(not_original(
                "GATEWAY_DEPLOY",
                &chain.deploy,
                &format!("it has no proxy that {action}"),
            ));
        };
        if same.is_some_and(|same| same != proxy) {
            return Err(LedgerError::Misconfigured(format!(
                "`GATEWAY_DEPLOY` is `{}`, but its proxy that {action} is not the one of `GATEWAY_ACTIONS`: name gateways that \
                 belong together",
                chain.deploy
            )));
        }
        deploy_proxy = deploy_proxy.or(Some(proxy));
    }
    match required(&token_proxy, next()?)? {
        Some(Some(proxy)) if proxy == transfer_value => {}
        _ => {
            return Err(not_original(
                "TOKEN_ADDRESS",
                &chain.token,
                "its proxy that moves tokens is not the one of `GATEWAY_ACTIONS`",
            ));
        }
    }
    if required(&is_recipient, next()?)? != Some(true) {
        return Err(LedgerError::Misconfigured(format!(
            "`PAYMENT_RECEIVER` is `{receiver}`, but the token does not let this account receive payments: the token's owner has to call \
             `setWhitelistedRecipient`"
        )));
    }
    let deploy_proxy =
        deploy_proxy.ok_or_else(|| DatabaseError::Bug("no proxy creates ledgers".to_owned()))?;
    Ok((found, deploy_proxy))
}

fn no_quorum() -> LedgerError {
    unavailable("the providers of `RPC_URLS` disagree, or fewer than `QUORUM` of them answer")
}

/// Returns the answer of a contract. `None` if the contract reverts or gives a malformed answer, for example because it lacks the function.
/// Also `None` if there is no contract.
fn required<T>(view: &View<T>, reply: Reply) -> Result<Option<T>, LedgerError> {
    let answer = reply.bytes()?;
    Ok(answer.and_then(|answer| view.read(&answer).ok()))
}

fn not_original(name: &str, contract: &Address, why: &str) -> LedgerError {
    LedgerError::Misconfigured(format!(
        "`{name}` is `{contract}`, but {why}: name an original contract on this chain"
    ))
}

/// Checks that the relayer has no abilities. A stolen key of the relayer then only costs its balance.
async fn check_relayer(
    evm: &Evm,
    ctx: &Context<'_>,
    proxies: &[Address; 7],
    deploy_proxy: Address,
) -> Result<(), LedgerError> {
    let (chain, relayer) = (&evm.chain, evm.relayer());
    let contracts = [chain.token, chain.actions, chain.deploy, deploy_proxy];
    let contracts: Vec<Address> = contracts.iter().chain(proxies).copied().collect();
    let ask = |contract: &Address| {
        let view = views::abilities(*contract, relayer);
        Ask::view(&view.call, At::Latest)
    };
    let asks: Vec<Ask> = contracts.iter().map(ask).collect();
    let replies = evm.rpc(ctx).ask(&asks).await?;
    for (contract, reply) in contracts.iter().zip(replies) {
        // A contract without abilities reverts. Any bit counts, because abilities may have bits that this service does not know.
        let abilities = reply.bytes()?.unwrap_or_default();
        if abilities.iter().any(|byte| *byte != 0) {
            return Err(LedgerError::Misconfigured(format!(
                "`RELAYER_KEY` is the key of `{relayer}`, which has abilities on the contract `{contract}`: use an account without any, \
                 so that a stolen key only costs its balance"
            )));
        }
    }
    Ok(())
}
