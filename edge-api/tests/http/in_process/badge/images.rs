//! The service's own images, and images on other sites that a caller names.

use edge_api::ports::FetchError;

use super::certificate::Certificate;
use super::world::{HOST, LEDGER, ORIGIN, World, badge};
use crate::support::{Answer, own_image};

const VALID: &str = "https://img.example.net/valid.png";
const OWN: [&str; 10] = [
    "trusted.svg",
    "unconfirmed.svg",
    "untrusted.svg",
    "withdrawn.svg",
    "not-issued.svg",
    "unknown.svg",
    "disowned.svg",
    "expired.svg",
    "replaced.svg",
    "no-longer-confirmed.svg",
];
const INVALID: &str = "https://img.example.net/invalid.png";

/// Returns a world in which asset 1 is valid, asset 2 is invalid, and asset 3 cannot be checked.
fn world() -> World {
    let world = World::new();
    world.publish(1, &Certificate::new());
    world.publish(2, &Certificate::new().altered("Ada", "Eva"));
    world.asset(LEDGER, 3, &"0".repeat(64));
    world.serve(VALID, 200, "image/png", "valid image");
    world.serve(INVALID, 200, "image/png", "invalid image");
    world
}

fn with_images(id: u64) -> String {
    format!("{}&validImg={VALID}&invalidImg={INVALID}", badge(id))
}

fn with_valid(world: &World, address: &str) -> Answer {
    let encoded: String = address.bytes().map(|byte| format!("%{byte:02X}")).collect();
    world.get(&format!("{}&validImg={encoded}", badge(1)))
}

/// Returns the addresses of the images that the service fetched since the last call.
fn images_asked(world: &World) -> Vec<String> {
    world
        .asked_for()
        .into_iter()
        .filter(|url| !url.starts_with(HOST))
        .collect()
}

#[test]
fn only_the_selected_image_is_fetched() {
    let world = world();
    for (id, validity, image, url) in [
        (1, "valid", "valid image", VALID),
        (2, "invalid", "invalid image", INVALID),
    ] {
        let answer = world.get(&with_images(id));
        assert_eq!((answer.says(), answer.text()), ((200, validity), image));
        assert_eq!(images_asked(&world), [url]);
        for (name, value) in [
            ("content-type", "image/png"),
            ("x-content-type-options", "nosniff"),
            (
                "content-security-policy",
                "default-src 'none'; style-src 'unsafe-inline'; sandbox",
            ),
            ("cache-control", "public, max-age=60"),
        ] {
            assert_eq!(answer.header(name), Some(value));
        }
    }
    world.get(&with_images(3)).refuses(400_017, "metadata");
    assert!(images_asked(&world).is_empty());
}

#[test]
fn the_address_of_the_unused_image_is_not_checked() {
    let world = world();
    for other in [
        "http://10.0.0.1/",
        "nonsense",
        "https://img.example.net/gone.png",
    ] {
        world
            .get(&format!("{}&invalidImg={other}", badge(1)))
            .shows(200, "valid", "unconfirmed.svg");
        world
            .get(&format!("{}&validImg={other}", badge(2)))
            .shows(200, "invalid", "untrusted.svg");
    }
}

#[test]
fn an_unusable_image_is_400019_with_the_verdict() {
    let world = world();
    let answer = world.get(&format!(
        "{}&invalidImg=https://img.example.net/gone.png",
        badge(2)
    ));
    answer.refuses(400_019, "invalidImg");
    assert_eq!(answer.says(), (400, "invalid"));

    for address in [
        "nonsense",
        "/images/valid.png",
        "data:image/png;base64,AAAA",
        "http://img.example.net/valid.png",
        "https://127.0.0.1/valid.png",
        "https://2130706433/valid.png",
        "https://[::1]/valid.png",
        "https://localhost/valid.png",
        "https://user@img.example.net/valid.png",
        "https://assay.example.com/badge?assetId=1",
        "https://assay.example.com/images/other.svg",
    ] {
        let answer = with_valid(&world, address);
        answer.refuses(400_019, "validImg");
        assert_eq!(answer.says(), (400, "valid"));
    }
    assert_eq!(images_asked(&world), ["https://img.example.net/gone.png"]);
}

#[test]
fn images_must_have_an_image_type_and_a_bounded_size() {
    let limit = 512 << 10;
    for (content_type, size, usable) in [
        ("image/png", limit, true),
        ("image/svg+xml; charset=utf-8", 10, true),
        ("image/png", limit + 1, false),
        ("image/png", 0, false),
        ("", 10, false),
        ("text/html", 10, false),
        ("application/octet-stream", 10, false),
        ("text/html, image/png", 10, false),
        ("image/png, text/html", 10, false),
        ("image/", 10, false),
    ] {
        let world = world();
        world.serve(VALID, 200, content_type, vec![b'x'; size]);
        let answer = with_valid(&world, VALID);
        if usable {
            assert_eq!(
                (answer.says(), answer.body.len()),
                ((200, "valid"), size),
                "{content_type}"
            );
            assert_eq!(
                answer.header("content-type"),
                content_type.split(';').next()
            );
        } else {
            answer.refuses(400_019, "validImg");
        }
    }
    for status in [204, 206, 304, 404, 500] {
        let world = world();
        world.serve(VALID, status, "image/png", "valid image");
        with_valid(&world, VALID).refuses(400_019, "validImg");
    }
    let world = world();
    world.fail(VALID, FetchError::Failed("refused".to_owned()));
    with_valid(&world, VALID).refuses(400_019, "validImg");
}

#[test]
fn images_may_redirect_like_documents() {
    let world = world();
    world.redirect("https://img.example.net/a", 302, "/valid.png");
    assert_eq!(
        with_valid(&world, "https://img.example.net/a").text(),
        "valid image"
    );
    world.redirect(
        "https://img.example.net/b",
        302,
        "https://10.0.0.1/valid.png",
    );
    with_valid(&world, "https://img.example.net/b").refuses(400_019, "validImg");
    assert!(
        world
            .asked_for()
            .iter()
            .all(|url| !url.contains("10.0.0.1"))
    );
}

#[test]
fn default_images_can_be_named_explicitly() {
    let world = world();
    for name in OWN {
        with_valid(&world, &format!("{ORIGIN}/images/{name}")).shows(200, "valid", name);
    }
    assert!(images_asked(&world).is_empty());
}

#[test]
fn only_confirmed_issuers_get_the_green_image() {
    let world = world();
    assert_eq!(world.report(1)["issuer"]["confirmed"], false);
    world.badge(1).shows(200, "valid", "unconfirmed.svg");
    // The interface specification has only the states valid and invalid. The caller may name an image for each.
    let green = format!("{ORIGIN}/images/trusted.svg");
    with_valid(&world, &green).shows(200, "valid", "trusted.svg");
}

#[test]
fn the_services_own_images_are_cached_publicly_for_a_day() {
    let world = world();
    for name in OWN {
        let answer = world.get(&format!("/images/{name}"));
        assert_eq!((answer.status, &answer.body), (200, &own_image(name)));
        assert_eq!(
            answer.header("cache-control"),
            Some("public, max-age=86400")
        );
        assert_eq!(answer.header("content-type"), Some("image/svg+xml"));
        assert_eq!(answer.header("x-content-type-options"), Some("nosniff"));
    }
    assert_eq!(world.get("/images/other.svg").status, 404);
}

#[test]
fn errors_are_images_for_clients_that_expect_images() {
    let world = world();
    let failing = [
        ("/badge".to_owned(), 400, "unknown", "unknown.svg"),
        (badge(9), 400, "unknown", "not-issued.svg"),
        (badge(3), 400, "unknown", "unknown.svg"),
        (
            format!("{}&validImg=nonsense", badge(1)),
            400,
            "valid",
            "unknown.svg",
        ),
    ];
    for (target, status, validity, image) in &failing {
        for accept in [
            "image/avif,image/webp,image/apng,image/svg+xml,image/*,*/*;q=0.8",
            "image/webp,*/*",
            "image/*;q=0.9",
            "IMAGE/PNG",
            " image/png , text/html",
        ] {
            let answer = world.get_accepting(target, accept);
            assert_eq!(answer.says(), (*status, *validity), "{target} {accept}");
            assert_eq!(answer.body, own_image(image));
            assert_eq!(answer.header("content-type"), Some("image/svg+xml"));
            assert_eq!(answer.header("cache-control"), Some("no-store"));
        }
        for accept in [
            "*/*",
            "application/json",
            "",
            "images/png",
            "ima",
            "\u{e9}mage/png",
        ] {
            let answer = world.get_accepting(target, accept);
            assert_eq!(
                (answer.says(), !answer.listed_errors().is_empty()),
                ((*status, *validity), true),
                "{target} {accept}"
            );
        }
        assert_eq!(
            world.get(target).header("content-type"),
            Some("application/json; charset=utf-8")
        );
    }
    // A badge without errors does not depend on `Accept`.
    assert_eq!(
        world.get_accepting(&badge(1), "application/json").body,
        own_image("unconfirmed.svg")
    );
    assert_eq!(
        world.get_accepting(&badge(2), "image/png").body,
        own_image("untrusted.svg")
    );
    // A report is never an image.
    let answer = world.get_accepting("/badge.json", "image/png");
    assert_eq!((answer.status, answer.listed_errors().len()), (400, 2));
}

#[test]
fn a_fault_shown_as_an_image_is_still_logged() {
    let world = world();
    world.execute("ALTER TABLE assets RENAME TO lost");
    world
        .get_accepting(&badge(1), "image/png")
        .shows(503, "unknown", "unknown.svg");
    assert!(
        world
            .service
            .log
            .lines()
            .iter()
            .any(|(_, line)| line["event"] == "badge.failed" && line["why"].is_string())
    );
}

#[test]
fn image_fetches_are_limited_per_client_address() {
    let mut world = world();
    let numbered = |number: usize| format!("https://img.example.net/{number}.png");
    for number in 0..40 {
        world.serve(&numbered(number), 200, "image/png", "image");
    }
    world.client_address = Some("192.0.2.1".to_owned());
    let answers: Vec<_> = (0..40)
        .map(|number| with_valid(&world, &numbered(number)).status)
        .collect();
    assert_eq!(answers, [[200; 20], [400; 20]].concat());
    assert_eq!(images_asked(&world).len(), 20);
    // Only fetches count. Cached images and the service's own images do not.
    assert_eq!(with_valid(&world, &numbered(0)).text(), "image");
    world.badge(1).shows(200, "valid", "unconfirmed.svg");
    let why = with_valid(&world, &numbered(39)).refuses(400_019, "validImg");
    assert!(why.contains("wait ten seconds"), "{why}");
    world.client_address = Some("192.0.2.2".to_owned());
    assert_eq!(with_valid(&world, &numbered(39)).text(), "image");
    world.client_address = Some("192.0.2.1".to_owned());
    world.clock.advance(10_000);
    assert_eq!(with_valid(&world, &numbered(38)).text(), "image");
}

#[test]
fn images_of_other_hosts_are_not_stored_and_only_hosts_are_logged() {
    let world = world();
    assert_eq!(with_valid(&world, VALID).text(), "valid image");
    assert!(
        world
            .cache
            .keys
            .borrow()
            .iter()
            .all(|key| !key.contains("image"))
    );
    with_valid(&world, "https://img.example.net/gone.png?token=secret");
    let lines = world.service.log.lines();
    assert!(
        lines
            .iter()
            .any(|(_, line)| line["event"] == "badge.unreachable"
                && line["host"] == "img.example.net")
    );
    assert!(
        lines
            .iter()
            .all(|(_, line)| !line.to_string().contains("secret"))
    );
}

#[test]
fn concurrent_images_are_bounded() {
    let world = world();
    let targets: Vec<String> = (0..12)
        .map(|number| {
            let url = format!("https://img.example.net/{number}.png");
            world.serve(&url, 200, "image/png", vec![b'x'; 512 << 10]);
            world.slow(&url, 1_000);
            format!("{}&validImg={url}", badge(1))
        })
        .collect();
    world.badge(1);
    let targets: Vec<&str> = targets.iter().map(String::as_str).collect();
    let answers = world.get_all(&targets);
    let shown = answers.iter().filter(|answer| answer.status == 200).count();
    assert_eq!(shown, 8);
    // A refusal because of too many concurrent images is not cached. Other failures are cached for ten seconds.
    assert_eq!(world.get(targets[11]).status, 200);
}

#[test]
fn a_domain_that_confirms_the_issuer_makes_the_badge_green() {
    let world = world();
    world.badge(1).shows(200, "valid", "unconfirmed.svg");
    let now = world.clock.now();
    world.execute(&format!(
        "INSERT INTO issuer_domains (account_id, ledger_id, domain, set_at) SELECT owner_id, '', 'uni.example', 0 FROM ledgers LIMIT 1; \
         INSERT INTO issuer_checks (account_id, domain, named, state, source, first_seen, last_seen, asked_at) \
         SELECT owner_id, 'uni.example', 1, 1, 0, 0, {now}, 0 FROM ledgers LIMIT 1"
    ));
    // The verdict on the documents is cached. The issuer and the ledger are read in one round trip.
    let trips = world.round_trips(|| world.badge(1).shows(200, "valid", "trusted.svg"));
    assert_eq!(trips, 1);
    assert_eq!(world.report(1)["headline"]["code"], "valid");
    world.badge(2).shows(200, "invalid", "untrusted.svg");
    world.execute("UPDATE issuer_checks SET state = 2");
    world
        .badge(1)
        .shows(200, "valid", "no-longer-confirmed.svg");
    world.execute("UPDATE issuer_checks SET state = 3, disowned_at = 1");
    world.badge(1).shows(200, "invalid", "disowned.svg");
}
