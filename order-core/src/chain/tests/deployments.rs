//! Compares deployments read from inputs of transactions with the results of the original gateway: `tests/vectors/chain/README.md`.

use super::*;
use crate::Capability;
use crate::testing::chain_views;

fn gateway(file: &Value) -> Address {
    address(text(file, "gateway"))
}

fn bytes_of(entry: &Value, key: &str) -> Vec<u8> {
    hex::decode(text(entry, key)).unwrap()
}

/// Returns the recorded deployments. Each is read from the transaction's input and from the gateway's log.
fn performed_inputs() -> Vec<(DeployInput, DeployEvent)> {
    let file = chain_views();
    let read = |entry: &Value| {
        let topics: Vec<B256> = list(&entry["log"], "topics")
            .iter()
            .map(|topic| word(topic.as_str().unwrap()))
            .collect();
        let data = bytes_of(&entry["log"], "data");
        let log = Log {
            topics: &topics,
            data: &data,
        };
        let event = DeployEvent::read(&log).unwrap().unwrap();
        let input = read_deployment(gateway(&file), &bytes_of(entry, "input"));
        (input.unwrap(), event)
    };
    list(&file, "deployments").iter().map(read).collect()
}

#[test]
fn inputs_have_the_hashes_of_the_gateways_logs() {
    let inputs = performed_inputs();
    assert_eq!(inputs.len(), 6);
    for (input, event) in inputs {
        let DeployEvent::Performed { claim, .. } = event else {
            panic!("the log is of another kind");
        };
        assert_eq!(input.claim, claim);
    }
}

#[test]
fn inputs_of_other_senders_have_the_data_of_the_ledger() {
    let [first, odd, taken, received, any, zero] = <[_; 6]>::try_from(performed_inputs())
        .unwrap()
        .map(|(input, _)| input);
    let account = |key: usize| address(text(&list(&claims(), "accounts")[key], "address"));
    assert_eq!(
        first,
        DeployInput {
            claim: first.claim,
            name: Some("Näme 界😀".into()),
            symbol: Some("S".into()),
            schema_id: [0x12; 32].into(),
            // The input also has an unknown interface, and one interface twice.
            capabilities: crate::Capabilities::from_list(&[2, 3]).unwrap(),
            owner: Some(account(0)),
        }
    );
    // The input has texts that the service does not accept.
    assert_eq!((&odd.name, &odd.symbol), (&None, &None));
    assert_eq!(odd.owner, first.owner);
    for input in [&taken, &received, &any] {
        assert_eq!((&input.name, &input.symbol), (&first.name, &first.symbol));
    }
    assert_eq!(zero.owner, None);
}

/// Returns the input of the gateway's function: the selector, the deployment's offset, an empty signature, and the deployment.
fn with_arguments(deployment: &[u8]) -> Vec<u8> {
    let mut input = Vec::from(DeployGateway::performAnyTakerCall::SELECTOR);
    input.extend(integer(5 * 32));
    input.extend([0; 4 * 32]);
    input.extend(deployment);
    input
}

#[test]
fn unusual_encodings_are_read_or_refused_as_by_the_gateway() {
    let file = chain_views();
    let whole = bytes_of(&file["deployments"][0], "input").split_off(4 + 5 * 32);
    let (mut accepted, mut refused) = (0, 0);
    for case in list(&file, "layouts") {
        let mut deployment = whole.clone();
        for (index, number) in case["words"].as_object().unwrap() {
            let number: U256 = number.as_str().unwrap().parse().unwrap();
            let start = index.parse::<usize>().unwrap() * 32;
            deployment[start..start + 32].copy_from_slice(&number.to_be_bytes::<32>());
        }
        deployment.resize(
            usize::try_from(case["bytes"].as_u64().unwrap()).unwrap(),
            0x77,
        );
        let read = read_deployment(gateway(&file), &with_arguments(&deployment));
        let claim = read.map(|input| prefixed(input.claim));
        assert_eq!(json!(claim), case["claim"], "{case}");
        match claim {
            Some(_) => accepted += 1,
            None => refused += 1,
        }
    }
    assert!(accepted > 40 && refused > 40, "{accepted} {refused}");
}

#[test]
fn deployments_of_this_service_are_read_back() {
    let mut deployments = 0;
    for (request, vector) in recorded() {
        let call = perform(&request, &gateways_for(&vector)).unwrap();
        let read = read_deployment(call.to, &call.data);
        let Request::Deployment(request) = request else {
            assert_eq!(read, None);
            continue;
        };
        deployments += 1;
        let deploy = request.deploy;
        let ledger = deploy.asset_ledger_data.clone();
        let expected = DeployInput {
            claim: deploy.hash(&gateways()),
            name: Some(ledger.name),
            symbol: Some(ledger.symbol),
            schema_id: ledger.schema_id,
            capabilities: ledger.capabilities,
            owner: Some(ledger.owner_id),
        };
        assert_eq!(read, Some(expected));
        for other in [
            DeployGateway::cancelCall::SELECTOR,
            ActionsGateway::performCall::SELECTOR,
        ] {
            let mut data = call.data.clone();
            data[..4].copy_from_slice(&other);
            assert_eq!(read_deployment(call.to, &data), None);
        }
        for length in 0..call.data.len() {
            assert_eq!(
                read_deployment(call.to, &call.data[..length]),
                None,
                "{length}"
            );
        }
    }
    assert_eq!(deployments, 3);
}

#[test]
fn a_deployment_is_found_inside_the_input_of_another_contract() {
    let (request, vector) = recorded()
        .into_iter()
        .find(|(request, _)| matches!(request, Request::Deployment(_)))
        .unwrap();
    let call = perform(&request, &gateways_for(&vector)).unwrap();
    let alone = read_deployment(call.to, &call.data).unwrap();
    let decoy = &call.data[..200];
    let mut input = vec![0x8d, 0x80, 0xff, 0x0a];
    for _ in 0..63 {
        input.extend(decoy);
    }
    let around = [&input[..], &call.data, &[0; 31]].concat();
    let find = |claim: &B256, input: &[u8]| find_deployment(call.to, claim, input);
    assert_eq!(find(&alone.claim, &around), Some(alone.clone()));
    assert_eq!(find(&alone.claim, &call.data), Some(alone.clone()));
    assert_eq!(find(&B256::ZERO, &around), None);
    input.extend(decoy);
    let too_late = [&input[..], &call.data].concat();
    assert_eq!(find(&alone.claim, &too_late), None);
}

proptest! {
    /// The inputs begin with numbers that look like offsets and lengths, and end with arbitrary bytes.
    #[test]
    fn no_input_of_a_deployment_makes_the_reader_panic(
        words in proptest::collection::vec(
            prop_oneof![6 => (0_u64..24).prop_map(|words| words * 32), 1 => 0_u64..40, 1 => Just(u64::MAX)],
            8..40,
        ),
        rest in proptest::collection::vec(any::<u8>(), 0..70),
    ) {
        let words = words.iter().flat_map(|number| integer(*number));
        let deployment: Vec<u8> = words.chain(rest).collect();
        let input = with_arguments(&deployment);
        if let Some(read) = read_deployment(address("0x1111111111111111111111111111111111111111"), &input) {
            let texts = [read.name, read.symbol];
            prop_assert!(texts.iter().flatten().all(|text| text.len() <= input.len()));
            prop_assert!(read.capabilities.iter().count() <= Capability::ALL.len());
        }
    }
}
