//! Badges inside pictures.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::arithmetic_side_effects,
    reason = "a test that cannot go on should stop"
)]

use cert_badge::Refusal;
use cert_badge::bake::{MAX_PICTURE, bake, unbake};
use proptest::prelude::*;

/// A PNG of one pixel.
const PNG: &[u8] = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01\x08\0\0\0\0:~\x9bU\0\0\0\nIDATx\x9cc\xf8\x0f\0\x01\x01\x01\0\xb18\xf6\x14\0\0\0\0IEND\xaeB`\x82";
const SVG: &str = r#"<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg" width="1"><rect width="1" height="1"/></svg>"#;

fn chunk(kind: &[u8; 4], data: &[u8]) -> Vec<u8> {
    let checked = [kind.as_slice(), data].concat();
    let sum = crc32fast::hash(&checked).to_be_bytes();
    [
        &u32::try_from(data.len()).unwrap().to_be_bytes(),
        checked.as_slice(),
        &sum,
    ]
    .concat()
}

/// Puts a chunk behind the first one.
fn with(chunk: &[u8]) -> Vec<u8> {
    [&PNG[..33], chunk, &PNG[33..]].concat()
}

#[test]
fn a_badge_is_read_from_the_picture_into_which_it_was_put() {
    for badge in ["{}", r#"{"name":"]]> <x> & \u00e9"}"#, "]]>]]>"] {
        for picture in [PNG, SVG.as_bytes()] {
            let once = bake(picture, "{\"old\":1}").unwrap();
            assert_eq!(unbake(&once).unwrap(), "{\"old\":1}");
            // The second badge replaces the first one.
            assert_eq!(unbake(&bake(&once, badge).unwrap()).unwrap(), badge);
        }
    }
    let baked = bake(PNG, "{}").unwrap();
    assert_eq!(
        &baked[33..],
        [
            &chunk(b"iTXt", b"openbadgecredential\0\0\0\0\0{}"),
            &PNG[33..]
        ]
        .concat()
    );
    let baked = String::from_utf8(bake(SVG.as_bytes(), "{}").unwrap()).unwrap();
    assert!(baked.contains(r#"xmlns:openbadges="https://purl.imsglobal.org/ob/v3p0"><openbadges:credential><![CDATA[{}]]></openbadges:credential><rect"#), "{baked}");
}

#[test]
fn pictures_without_exactly_one_readable_badge_are_refused() {
    let badge = chunk(b"iTXt", b"openbadgecredential\0\0\0\0\0{}");
    assert_eq!(unbake(PNG), Err(Refusal::Unbaked));
    assert_eq!(
        unbake(&with(&[badge.clone(), badge.clone()].concat())),
        Err(Refusal::Repeated)
    );
    assert_eq!(
        unbake(&with(&chunk(b"iTXt", b"openbadgecredential\0\x01\0\0\0xx"))),
        Err(Refusal::Compressed)
    );
    assert_eq!(
        unbake(&with(&chunk(b"iTXt", b"openbadgecredential\0\0\0"))),
        Err(Refusal::Picture)
    );
    assert_eq!(
        unbake(&with(&chunk(b"iTXt", b"openbadgecredential\0\0\0\0\0\xff"))),
        Err(Refusal::Picture)
    );
    let mut broken = with(&badge);
    broken[60] ^= 1;
    assert_eq!(unbake(&broken), Err(Refusal::Picture));
    assert_eq!(unbake(SVG.as_bytes()), Err(Refusal::Unbaked));
    for wrong in [
        &b""[..],
        b"GIF89a",
        b"<svg",
        b"<html></html>",
        b"<!DOCTYPE svg [<!ENTITY a \"b\">]><svg></svg>",
        &PNG[..20],
        b"\x89PNG\r\n\x1a\n",
        &[0xff, 0xfe],
    ] {
        assert_eq!(bake(wrong, "{}"), Err(Refusal::Picture), "{wrong:?}");
        assert!(unbake(wrong).is_err(), "{wrong:?}");
    }
    assert_eq!(bake(PNG, &" ".repeat(MAX_PICTURE)), Err(Refusal::TooLarge));
}

proptest! {
    #[test]
    fn damaged_pictures_do_not_panic(at in 0_usize..200, byte: u8, end in 0_usize..400) {
        for picture in [bake(PNG, "{\"a\":\"b\"}").unwrap(), bake(SVG.as_bytes(), "{\"a\":\"b\"}").unwrap()] {
            let mut picture = picture;
            if let Some(place) = picture.get_mut(at) {
                *place = byte;
            }
            picture.truncate(end);
            let _ = unbake(&picture);
            let _ = bake(&picture, "{}");
        }
    }
}
