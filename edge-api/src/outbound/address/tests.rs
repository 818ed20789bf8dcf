use super::*;
use crate::native::{FakeHttp, parse_url};

const OWN: &str = "https://assay.example.com";

fn policy(http: bool, loopback: bool) -> Policy<'static> {
    Policy {
        fetcher: Box::leak(Box::<FakeHttp>::default()),
        http,
        loopback,
        own: Some(host(OWN)),
        only: None,
        stored: None,
    }
}

fn host(address: &str) -> Host {
    Host::of(&parse_url(address, None).unwrap())
}

fn production(address: &str) -> Result<String, Reason> {
    policy(false, false)
        .check(address)
        .map(|target| target.as_str().to_owned())
        .map_err(|refused| refused.reason)
}

#[test]
fn public_https_addresses_are_allowed_in_their_normal_form() {
    for (address, normal) in [
        ("https://example.com/1.json", "https://example.com/1.json"),
        (
            "HTTPS://EXAMPLE.com:443/a b#part",
            "https://example.com/a%20b",
        ),
        (
            "https://example.com:8443/?q=1",
            "https://example.com:8443/?q=1",
        ),
        ("https://example.com./x", "https://example.com./x"),
        (
            "https://bücher.example/x",
            "https://xn--bcher-kva.example/x",
        ),
        (
            "https://localhost.example.com/",
            "https://localhost.example.com/",
        ),
        ("https://10.example.com/", "https://10.example.com/"),
        ("https://example.com/a/./../b", "https://example.com/b"),
    ] {
        assert_eq!(production(address).as_deref(), Ok(normal));
    }
}

#[test]
fn ip_addresses_are_refused_in_every_notation() {
    for host in [
        "127.0.0.1",
        "127.0.0.1.",
        "127.1",
        "2130706433",
        "017700000001",
        "0x7f000001",
        "0x7f.0.0.1",
        "0177.0.0.1",
        "0x7F.1",
        "0",
        "0.0.0.0",
        "10.0.0.1",
        "169.254.169.254",
        "192.168.1.1",
        "8.8.8.8",
        "127。0。0。1",
        "１２７.0.0.1",
        "%31%32%37.0.0.1",
        "[::1]",
        "[::]",
        "[0:0:0:0:0:0:0:1]",
        "[::ffff:127.0.0.1]",
        "[::ffff:7f00:1]",
        "[64:ff9b::7f00:1]",
        "[fd00::1]",
        "[fe80::1]",
        "[2606:4700:4700::1111]",
    ] {
        assert_eq!(
            production(&format!("https://{host}/x")),
            Err(Reason::IpLiteral),
            "{host}"
        );
        assert_eq!(
            production(&format!("https://{host}:8443/x")),
            Err(Reason::IpLiteral),
            "{host}"
        );
    }
}

#[test]
fn names_that_are_not_public_are_refused() {
    for host in [
        "localhost",
        "LOCALHOST",
        "localhost.",
        "localhost..",
        "ⓛocalhost",
        "%6cocalhost",
        "metadata",
        "intranet.",
    ] {
        assert_eq!(
            production(&format!("https://{host}/x")),
            Err(Reason::SingleLabel),
            "{host}"
        );
    }
    for host in [
        "a.localhost",
        "printer.local",
        "printer.LOCAL.",
        "metadata.google.internal",
        "x.internal.",
        "nas.home.arpa",
    ] {
        assert_eq!(
            production(&format!("https://{host}/x")),
            Err(Reason::Local),
            "{host}"
        );
    }
}

#[test]
fn other_schemes_and_malformed_addresses_are_refused() {
    for address in [
        "ftp://example.com/",
        "file:///etc/passwd",
        "data:application/json,{}",
        "ipfs://bafy/1",
        "javascript:1",
        "ws://example.com/",
    ] {
        assert_eq!(production(address), Err(Reason::Scheme), "{address}");
    }
    for address in [
        "",
        " ",
        "example.com",
        "/1.json",
        "https://",
        "https://exa mple.com/",
        "https://[::1",
        "https://1.2.3.256/",
        "https://example.com:99999/",
        "https://a..0x1/",
        "https://xn--a/",
    ] {
        assert_eq!(production(address), Err(Reason::NotAnAddress), "{address}");
    }
    let long = format!("https://example.com/{}", "a".repeat(ADDRESS_MAX));
    assert_eq!(production(&long), Err(Reason::TooLong));
    assert!(
        policy(false, false)
            .check(&long)
            .unwrap_err()
            .to_string()
            .len()
            < 400
    );
}

#[test]
fn user_names_and_passwords_are_refused_and_not_repeated() {
    for address in [
        "https://me@example.com/",
        "https://me:secret@example.com/",
        "https://:secret@example.com/",
        "https://example.com@evil.example/",
    ] {
        let refused = policy(true, true).check(address).unwrap_err();
        assert_eq!(refused.reason, Reason::Credentials, "{address}");
        assert!(!refused.to_string().contains("secret"));
    }
    assert!(production("https://example.com/@me").is_ok());
}

#[test]
fn requests_to_the_services_own_host_are_refused() {
    for address in [
        "https://assay.example.com/x",
        "https://ASSAY.example.com.:8443/x",
        "https://assay%2eexample.com/",
    ] {
        assert_eq!(production(address), Err(Reason::OwnHost), "{address}");
    }
    assert!(production("https://www.assay.example.com/").is_ok());
}

#[test]
fn only_stored_addresses_are_allowed_on_the_own_host() {
    let fetcher = Box::leak(Box::<FakeHttp>::default());
    let start = format!("{OWN}/files/");
    let policy = policy(false, false).read_by(fetcher, Box::leak(start.into_boxed_str()));
    let check = |address: &str| policy.check(address).map_err(|refused| refused.reason);
    assert!(check("https://assay.example.com/files/a/b/1").is_ok());
    assert!(check("https://ASSAY.example.com:443/x/../files/1?q#f").is_ok());
    for path in [
        "/badge.json",
        "/files",
        "/files/../badge",
        "/files/%2e%2e/badge",
        "/Files/1",
    ] {
        let found = check(&format!("{OWN}{path}"));
        assert_eq!(found.err(), Some(Reason::OwnHost), "{path}");
    }
    let found = check("https://assay.example.com:444/files/1");
    assert_eq!(found.err(), Some(Reason::OwnHost));
    let base = check("https://example.com/1").unwrap();
    assert!(
        policy
            .resolve(&base, "https://assay.example.com/files/1")
            .is_ok()
    );
}

#[test]
fn plain_http_is_allowed_only_in_development() {
    assert_eq!(production("http://example.com/x"), Err(Reason::Insecure));
    assert!(policy(true, false).check("http://example.com/x").is_ok());
    for address in [
        "http://127.0.0.1/",
        "http://localhost/",
        "http://10.0.0.1/",
        "http://printer.local/",
    ] {
        assert!(policy(true, false).check(address).is_err(), "{address}");
    }
}

#[test]
fn private_fetches_reach_this_machine_but_no_other_private_host() {
    let policy = policy(true, true);
    for address in [
        "http://127.0.0.1:9000/x",
        "http://127.8.8.8/",
        "http://[::1]:9000/",
        "http://localhost:9000/",
        "http://a.localhost/",
    ] {
        assert!(policy.check(address).is_ok(), "{address}");
    }
    for address in [
        "http://10.0.0.1/",
        "http://0.0.0.0/",
        "http://[::ffff:10.0.0.1]/",
        "http://printer.local/",
        "http://intranet/",
        OWN,
    ] {
        assert!(policy.check(address).is_err(), "{address}");
    }
    // A caller has reached the development instance at a loopback address. The instance may fetch from another port of the
    // same machine.
    let local = Policy {
        own: Some(host("http://127.0.0.1:8787")),
        ..policy
    };
    assert!(local.check("http://127.0.0.1:9000/x").is_ok());
}

#[test]
fn resolved_references_are_checked_like_addresses() {
    let policy = policy(false, false);
    let base = policy
        .check("https://example.com/assets/1.json?v=2")
        .unwrap();
    for (reference, address) in [
        (
            "1-evidence.json",
            "https://example.com/assets/1-evidence.json",
        ),
        ("./../e/1.json", "https://example.com/e/1.json"),
        ("/e/1.json", "https://example.com/e/1.json"),
        ("//cdn.example.com/1.json", "https://cdn.example.com/1.json"),
        (
            "https://other.example/1.json",
            "https://other.example/1.json",
        ),
        ("?x", "https://example.com/assets/1.json?x"),
    ] {
        assert_eq!(policy.resolve(&base, reference).unwrap().as_str(), address);
    }
    for (reference, reason) in [
        ("//127.0.0.1/x", Reason::IpLiteral),
        ("//localhost", Reason::SingleLabel),
        ("http://example.com/", Reason::Insecure),
        ("\\\\localhost\\x", Reason::SingleLabel),
        ("ht\ntps://10.1/", Reason::IpLiteral),
        ("file:///x", Reason::Scheme),
        ("//assay.example.com/", Reason::OwnHost),
        ("//u:p@example.com/", Reason::Credentials),
        ("//[", Reason::NotAnAddress),
    ] {
        assert_eq!(
            policy.resolve(&base, reference).unwrap_err().reason,
            reason,
            "{reference}"
        );
    }
}

#[test]
fn refusals_advise_which_address_to_use() {
    for reason in [
        Reason::TooLong,
        Reason::NotAnAddress,
        Reason::Scheme,
        Reason::Insecure,
        Reason::Credentials,
        Reason::IpLiteral,
        Reason::SingleLabel,
        Reason::Local,
        Reason::OwnHost,
    ] {
        let text = Refused {
            address: "a".to_owned(),
            reason,
        }
        .to_string();
        assert!(
            text.starts_with("the address `a` ") && text.contains(';'),
            "{text}"
        );
    }
}

#[test]
fn a_policy_for_one_origin_refuses_all_other_origins() {
    let policy = policy(false, false);
    let target = policy.check("https://uni.example/did.json").unwrap();
    let policy = policy.only(&target);
    for same in ["https://uni.example/", "https://UNI.example:443/other"] {
        assert!(policy.check(same).is_ok(), "{same}");
    }
    for other in [
        "https://www.uni.example/did.json",
        "https://uni.example:8443/did.json",
        "https://evil.example/",
        "https://127.0.0.1/",
    ] {
        let refused = policy.check(other).unwrap_err();
        assert_eq!(refused.reason, Reason::OtherOrigin, "{other}");
        assert!(policy.resolve(&target, other).is_err(), "{other}");
    }
}
