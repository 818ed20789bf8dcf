//! Settings that do not fit the chain or the database. `/health` names the wrong setting, and all requests fail.

use edge_api::ports::Level;
use serde_json::{Value, json};

use crate::support::anvil::{Anvil, Arg, PROVIDER_KEY, Provider};
use crate::support::native::Service;
use crate::support::people::Person;
use crate::support::{Call, Host};

/// The private key of an account without abilities on the contracts.
const OTHER_KEY: &str = "0x59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d";

/// Returns the error message of `/health`. Asserts that the message is logged, and that another request fails with a different message.
#[track_caller]
fn refusal(service: &Service) -> String {
    let health = service.call(Call::get("/health"));
    health.fails(503, &[503_001]);
    let account = service.call(Person::new().get("/account"));
    account.fails(503, &[503_001]);
    let text = |answer: &Value| answer["errors"][0]["message"].as_str().unwrap().to_owned();
    let why = text(&health.json());
    // Only `/health` shows the message.
    assert_ne!(text(&account.json()), why);
    let lines = service.log.lines();
    let logged = lines.iter().any(|(level, line)| {
        *level == Level::Error && line["event"] == "chain.misconfigured" && line["why"] == why
    });
    assert!(logged, "{lines:?}");
    assert!(!format!("{lines:?} {why}").contains(PROVIDER_KEY));
    why
}

/// Changes the chain before the service starts.
type Prepare = fn(&Anvil);

#[test]
fn a_setting_that_does_not_fit_the_chain_is_named() {
    let nothing: Prepare = |_| {};
    let anvil = Anvil::start();
    let actions = anvil.contract("actions").to_string();
    let deploy = anvil.contract("deploy").to_string();
    let bartered = anvil.contract("bartered").to_string();
    let nobody = "0x00000000000000000000000000000000000000AA";
    drop(anvil);
    for (vars, prepare, said) in [
        (
            &[("CHAIN_ID", "1")][..],
            nothing,
            "`CHAIN_ID` is `1`, but the address 1 of `RPC_URLS` is on the chain 31337",
        ),
        (
            &[("GATEWAY_ACTIONS", nobody)],
            nothing,
            "`GATEWAY_ACTIONS` is `0x00000000000000000000000000000000000000AA`, but its proxy 0 does not perform actions of the kind 0",
        ),
        (
            &[("GATEWAY_ACTIONS", deploy.as_str())],
            nothing,
            "but its proxy 0 does not perform actions of the kind 0",
        ),
        (
            &[("GATEWAY_DEPLOY", actions.as_str())],
            nothing,
            "but it has no proxy that creates ledgers",
        ),
        (
            &[("TOKEN_ADDRESS", bartered.as_str())],
            nothing,
            "but its proxy that moves tokens is not the one of `GATEWAY_ACTIONS`",
        ),
        (
            &[("PAYMENT_RECEIVER", nobody)],
            nothing,
            "`PAYMENT_RECEIVER` is `0x00000000000000000000000000000000000000AA`, but the token does not let this account receive payments",
        ),
        (
            &[("CHAIN_START_BLOCK", "1000000")],
            nothing,
            "`CHAIN_START_BLOCK` is `1000000`, but the chain has no such block yet",
        ),
        (
            &[("CHAIN_START_BLOCK", "40")],
            |anvil| anvil.mine_many(40),
            "`CHAIN_START_BLOCK` is `40`, but the contract of `GATEWAY_ACTIONS` is older",
        ),
        (
            &[],
            |anvil| {
                let token = anvil.contract("token");
                let (relayer, pause) = (Arg::Account(anvil.relayer()), Arg::Number(2));
                anvil.send(
                    anvil.owner(),
                    token,
                    "grantAbilities(address,uint256)",
                    &[relayer, pause],
                );
            },
            "which has abilities on the contract",
        ),
        (
            &[],
            |anvil| {
                // The gateway loses its proxy that creates assets.
                let actions = anvil.contract("actions");
                anvil.send(
                    anvil.owner(),
                    actions,
                    "removeProxy(uint256)",
                    &[Arg::Number(0)],
                );
            },
            "but its proxy 0 does not perform actions of the kind 0",
        ),
    ] {
        let anvil = Anvil::start();
        prepare(&anvil);
        let (service, _) = Service::on_anvil(vars, &anvil);
        let why = refusal(&service);
        assert!(why.contains(said), "{why}");
    }
}

#[test]
fn a_provider_on_another_chain_is_named_by_its_position() {
    let anvil = Anvil::start();
    let (service, [_, second]) = Service::on_anvil(&[], &anvil);
    on_another_chain(&second);
    assert_eq!(
        refusal(&service),
        "`CHAIN_ID` is `31337`, but the address 2 of `RPC_URLS` is on the chain 5"
    );
}

/// Makes a provider answer that it is on chain 5.
fn on_another_chain(provider: &Provider) {
    provider.behave(|calls, ask| {
        let mut answers = ask(calls.clone());
        for (call, answer) in calls.as_array()?.iter().zip(answers.as_array_mut()?) {
            if call["method"] == "eth_chainId" {
                answer["result"] = json!("0x5");
            }
        }
        Some(answers)
    });
}

#[test]
fn gateways_with_different_proxies_are_refused() {
    let anvil = Anvil::start();
    let (first, _) = (anvil.contract("createAsset"), ());
    let actions = anvil.contract("actions");
    let owner = anvil.owner();
    // In the responses of both providers, another address replaces the first proxy of `GATEWAY_ACTIONS`.
    let (service, providers) = Service::on_anvil(&[], &anvil);
    for provider in &providers {
        let (from, to) = (word(first.as_bytes()), word(owner.as_bytes()));
        provider.behave(move |calls, ask| {
            let mut answers = ask(calls.clone());
            for (call, answer) in calls.as_array()?.iter().zip(answers.as_array_mut()?) {
                let is_of_gateway = call["params"][0]["to"]
                    .as_str()
                    .is_some_and(|to| to.eq_ignore_ascii_case(&actions.to_string()));
                if is_of_gateway && let Some(text) = answer["result"].as_str() {
                    answer["result"] = json!(text.replace(&from, &to));
                }
            }
            Some(answers)
        });
    }
    let why = refusal(&service);
    assert!(
        why.contains("but its proxy that creates assets is not the one of `GATEWAY_ACTIONS`"),
        "{why}"
    );
}

/// Returns the hexadecimal digits of an address, as JSON-RPC responses contain them.
fn word(address: &[u8]) -> String {
    address.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[test]
fn one_provider_alone_cannot_replace_a_proxy() {
    let anvil = Anvil::start();
    let (service, [first, _]) = Service::on_anvil(&[], &anvil);
    let proxy = word(anvil.contract("transferValue").as_bytes());
    let other = word(anvil.owner().as_bytes());
    first.behave(move |calls, ask| {
        let answers = ask(calls).to_string().replace(&proxy, &other);
        serde_json::from_str(&answers).ok()
    });
    let account = service.call(Person::new().get("/account"));
    account.fails(503, &[503_001]);
    let health = service.call(Call::get("/health")).data();
    assert!(health["chain"]["problem"].is_string());
    let lines = service.log.lines();
    let logged = lines.iter().any(|(_, line)| {
        line["event"] == "chain.no-answer"
            && line["why"]
                == "the providers of `RPC_URLS` disagree, or fewer than `QUORUM` of them answer"
    });
    assert!(logged, "{lines:?}");
    // The failure is cached for five seconds.
    first.recover();
    assert_eq!(service.call(Person::new().get("/account")).status, 503);
    service.advance(5_000);
    assert_eq!(service.call(Person::new().get("/account")).status, 200);
}

#[test]
fn settings_are_checked_against_the_chain_once_per_database() {
    let anvil = Anvil::start();
    let (mut service, providers) = Service::on_anvil(&[], &anvil);
    let gateway = service.call(Person::new().get("/account")).data()["gateway"].clone();
    assert_eq!(
        (&gateway["backend"], &gateway["chainId"]),
        (&json!("evm"), &json!(31_337))
    );
    for name in [
        "createAsset",
        "transferValue",
        "transferAsset",
        "safeTransferAsset",
        "updateAsset",
        "manageAbilities",
        "destroyAsset",
    ] {
        assert_eq!(gateway["proxies"][name], anvil.contract(name).to_string());
    }
    // A later isolate needs no provider.
    service.restart();
    providers.iter().for_each(|provider| provider.go_down());
    let ledgers = service.call(Person::new().get("/ledgers"));
    assert_eq!(ledgers.status, 200);
    // Changed settings are checked again, so the service needs the providers.
    let mut vars = anvil.vars(&providers);
    vars.retain(|(name, _)| name != "RELAYER_KEY");
    vars.push(("RELAYER_KEY".to_owned(), OTHER_KEY.to_owned()));
    let vars: Vec<(&str, String)> = vars
        .iter()
        .map(|(name, value)| (name.as_str(), value.clone()))
        .collect();
    service.configure(&vars);
    service.restart();
    assert_eq!(service.call(Person::new().get("/sessions")).status, 503);
    providers.iter().for_each(|provider| provider.recover());
    service.advance(5_000);
    assert_eq!(service.call(Person::new().get("/account")).status, 200);
}

#[test]
fn a_database_never_changes_its_chain() {
    let anvil = Anvil::start();
    let (mut service, providers) = Service::on_anvil(&[], &anvil);
    assert_eq!(service.call(Person::new().get("/account")).status, 200);
    let vars = |changed: &[(&'static str, &str)]| -> Vec<(&'static str, String)> {
        let given = anvil.vars(&providers);
        let kept = given
            .into_iter()
            .filter(|(name, _)| !changed.iter().any(|(other, _)| other == name));
        let kept = kept.map(|(name, value)| (&*name.leak(), value));
        kept.chain(
            changed
                .iter()
                .map(|(name, value)| (*name, (*value).to_owned())),
        )
        .collect()
    };
    for (name, value) in [
        ("CHAIN_ID", "1"),
        (
            "TOKEN_ADDRESS",
            "0x00000000000000000000000000000000000000AA",
        ),
        (
            "GATEWAY_ACTIONS",
            "0x00000000000000000000000000000000000000AA",
        ),
        (
            "GATEWAY_DEPLOY",
            "0x00000000000000000000000000000000000000AA",
        ),
    ] {
        service.configure(&vars(&[(name, value)]));
        service.restart();
        service.advance(1_000);
        let why = refusal(&service);
        let start = format!("`{name}` is `{value}`, but the database belongs to `");
        assert!(why.starts_with(&start), "{why}");
    }
    service.configure(&[("ENVIRONMENT", "development".to_owned())]);
    service.restart();
    service.advance(1_000);
    let health = service.call(Call::get("/health"));
    health.fails(503, &[503_001]);
    let why = health.json()["errors"][0]["message"].to_string();
    assert!(
        why.contains("`LEDGER` is `embedded`, but the database belongs to the chain 31337"),
        "{why}"
    );
    assert_eq!(service.call(Person::new().get("/account")).status, 503);
}

#[test]
fn a_database_of_the_embedded_ledger_is_refused() {
    let anvil = Anvil::start();
    for table in [
        "INSERT INTO balances (account_id, amount) VALUES ('0xaa', printf('%064d', 1))",
        "INSERT INTO ledgers (ref, id, name, symbol, uri_prefix, uri_postfix, schema_id, capabilities, owner_id, created_at) \
         VALUES ('r', '0xaa', 'n', 's', 'p', 'q', 'x', '[]', '0xbb', 1)",
    ] {
        let (service, _) = Service::on_anvil(&[], &anvil);
        service.database.execute(table).unwrap();
        let why = refusal(&service);
        assert!(
            why.starts_with("`LEDGER` is `evm`, but the database belongs to the embedded ledger"),
            "{why}"
        );
    }
}

#[test]
fn health_shows_the_chain_and_the_relayer() {
    let anvil = Anvil::start();
    let (service, providers) = Service::on_anvil(&[], &anvil);
    anvil.fund(anvil.relayer(), 10_u128.pow(18));
    anvil.mine_many(5);
    service.work();
    let health = service.call(Call::get("/health")).data();
    assert_eq!(health["ledger"], "evm");
    assert!(
        !health["weakening"]
            .as_array()
            .unwrap()
            .contains(&json!("ALLOW_ONE_PROVIDER"))
    );
    let (chain, head) = (&health["chain"], anvil.head());
    assert_eq!(chain["id"], 31_337);
    assert_eq!(
        (&chain["head"], &chain["final"], &chain["indexed"]),
        (&json!(head), &json!(head - 3), &json!(head))
    );
    assert_eq!(chain["problem"], json!(null));
    let relayer = &chain["relayer"];
    assert_eq!(relayer["address"], anvil.relayer().to_string());
    assert_eq!(relayer["balance"], "1000000000000000000");
    assert!(relayer["ordersLeft"].as_u64().unwrap() > 100, "{relayer}");
    assert_eq!(
        (&relayer["paused"], &relayer["oldestMs"]),
        (&json!(null), &json!(null))
    );
    // Probes within a second share one result.
    providers.iter().for_each(|provider| {
        provider.take_requests();
    });
    for _ in 0..50 {
        assert_eq!(service.call(Call::get("/health")).status, 200);
    }
    assert_eq!(
        providers
            .each_ref()
            .map(|provider| provider.take_requests()),
        [0, 0]
    );
    // The service stays up without providers.
    providers.iter().for_each(|provider| provider.go_down());
    service.advance(2_000);
    let health = service.call(Call::get("/health")).data();
    let chain = &health["chain"];
    assert_eq!(
        (&chain["head"], &chain["relayer"], &chain["indexed"]),
        (&json!(null), &json!(null), &json!(head))
    );
    assert!(chain["problem"].is_string(), "{chain}");
}

#[test]
fn a_single_provider_is_listed_as_weakening() {
    let anvil = Anvil::start();
    let vars = [("QUORUM", "1"), ("ALLOW_ONE_PROVIDER", "true")];
    let (service, _) = Service::on_anvil(&vars, &anvil);
    let health = service.call(Call::get("/health")).data();
    assert!(
        health["weakening"]
            .as_array()
            .unwrap()
            .contains(&json!("ALLOW_ONE_PROVIDER"))
    );
}
