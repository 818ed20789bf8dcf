//! The addresses in the codes of products.

use serde_json::{Value, json};

use crate::files::{self, Archive};
use crate::status_lists::address;
use crate::support::{self, Answer, Call};

const GTIN: &str = "09506000134352";
/// The id of the asset of the item `12345`, as in the vectors.
const ASSET: &str = "425269174091125022517913514534991359756086421408193289742450688";

fn asked(archive: &Archive, method: &'static str, path: &str, accept: &str) -> Answer {
    let call = Call::new(method, path).header("accept", accept);
    archive.world.call(call)
}

#[test]
fn the_address_of_an_item_leads_to_its_certificate() {
    let archive = Archive::on(support::shared(&files::settings()));
    let ledger = archive.ledger("items", None);
    let id = address(&ledger);
    let root = format!("/gs1/{id}/01/{GTIN}");
    let page = format!("{}/c/{id}/{ASSET}", archive.origin);
    let anchor = format!("{}{root}/21/12345", archive.origin);
    let link =
        format!("<{anchor}?linkType=linkset>; rel=\"linkset\"; type=\"application/linkset+json\"");
    for (query, kept) in [
        ("", ""),
        ("/", ""),
        ("?17=261231&x=%C3%A9", "?17=261231&x=%C3%A9"),
        ("?linkType=gs1:defaultLink", "?linkType=gs1:defaultLink"),
        (
            "?linkType=https://ref.gs1.org/voc/certificationInfo",
            "?linkType=https://ref.gs1.org/voc/certificationInfo",
        ),
    ] {
        for method in ["GET", "HEAD"] {
            let answer = asked(
                &archive,
                method,
                &format!("{root}/21/12345{query}"),
                "text/html",
            );
            assert_eq!(answer.status, 307, "{query}");
            let location = format!("{page}{kept}");
            for (name, value) in [
                ("location", location.as_str()),
                ("link", &link),
                ("vary", "accept"),
                ("access-control-allow-origin", "*"),
                ("access-control-expose-headers", "link, x-request-id"),
                ("cache-control", "public, max-age=300"),
            ] {
                assert_eq!(answer.header(name), Some(value), "{query} {name}");
            }
        }
    }
    // An address of the ledger in upper case, and escaped characters.
    let upper = ledger["id"].as_str().expect("an id");
    let answer = archive.get(&format!("/gs1/{upper}/01/{GTIN}/21/1%2345"));
    answer.fails(400, &[400_108]);
    let answer = archive.get(&format!("/gs1/{upper}/01/{GTIN}/21/a%2Fb%3F"));
    assert_eq!(answer.status, 307);
    let link = answer.header("link").expect("a link");
    assert!(link.contains("/21/a%2Fb%3F?linkType=linkset>"), "{link}");

    let href = json!([{ "href": page, "title": "Certificate", "type": "text/html" }]);
    let expected = json!({ "linkset": [{
        "anchor": anchor,
        "description": ledger["name"],
        "https://ref.gs1.org/voc/defaultLink": href,
        "https://ref.gs1.org/voc/certificationInfo": href,
    }] });
    for (query, accept) in [
        ("?linkType=linkset", "*/*"),
        ("?linkType=all", "text/html"),
        ("?17=261231", "application/linkset+json"),
    ] {
        let answer = asked(&archive, "GET", &format!("{root}/21/12345{query}"), accept);
        assert_eq!(answer.status, 200, "{query}");
        assert_eq!(
            answer.header("content-type"),
            Some("application/linkset+json")
        );
        assert_eq!(answer.json(), expected);
    }

    // Without a serial number.
    let answer = archive.get(&root);
    assert_eq!(answer.status, 404);
    let expected: Value = json!({ "linkset": [
        { "anchor": format!("{}{root}", archive.origin), "description": ledger["name"] }
    ] });
    assert_eq!(answer.json(), expected);
    // Another ledger has no name, but its items have addresses.
    let unknown = format!("/gs1/0x{}/01/{GTIN}", "1".repeat(40));
    archive.get(&unknown).fails(400, &[400_004]);
    assert_eq!(archive.status(&format!("{unknown}/21/1")), 307);
}

#[test]
fn addresses_that_are_no_digital_link_are_refused() {
    let archive = Archive::on(support::shared(&files::settings()));
    let id = format!("0x{}", "1".repeat(40));
    for (path, expected) in [
        (format!("/gs1/{id}/01/9506000134352/21/1"), "400108 gtin"),
        (format!("/gs1/{id}/01/09506000134353/21/1"), "400108 gtin"),
        (format!("/gs1/{id}/01/09506000134353"), "400108 gtin"),
        (
            format!("/gs1/{id}/01/{GTIN}/21/{}", "1".repeat(21)),
            "400108 serial",
        ),
        (format!("/gs1/{id}/01/{GTIN}/21/a%20b"), "400108 serial"),
        (format!("/gs1/{id}/01/{GTIN}/21/%ff"), "400108 serial"),
        (format!("/gs1/{id}/01/{GTIN}/10/1"), "400108 qualifier"),
        (format!("/gs1/0x12/01/{GTIN}/21/1"), "400108 ledgerRef"),
        (
            format!("/gs1/{id}/01/{GTIN}/21/1?linkType=gs1:pip"),
            "404007",
        ),
        (
            format!("/gs1/{id}/01/{GTIN}/21/1?linkType=defaultLink"),
            "404007",
        ),
        (format!("/gs1/{id}/00/{GTIN}/21/1"), "400000"),
        (format!("/gs1/{id}/01/{GTIN}/10/1/21/1"), "400000"),
    ] {
        assert_eq!(archive.get(&path).errors(), [expected], "{path}");
    }
    let resolver = archive.get("/.well-known/gs1resolver");
    assert_eq!(resolver.header("content-type"), Some("application/json"));
    assert_eq!(
        resolver.json(),
        json!({
            "name": "assay",
            "resolverRoot": format!("{}/gs1", archive.origin),
            "supportedPrimaryKeys": ["01"],
            "supportedLinkType": [{ "namespace": "https://ref.gs1.org/voc/", "prefix": "gs1:" }],
            "linkTypeDefaultCanBeLinkset": false,
        })
    );
}
