//! The QR code of a sheet, as docs/spec/file.md specifies it.

use krilla::geom::{Path, PathBuilder};
use qrcodegen::{QrCode, QrCodeEcc, QrSegment, Version};

/// The largest version of a code that is easy to read from paper. It has 85 modules on a side.
const MAX_PRINTED: u8 = 17;
/// The light modules around a code (ISO/IEC 18004). Scanners need them to find it.
pub(crate) const QUIET: i32 = 4;

/// Returns the code of a link that is easy to read from paper, with error correction M or else L. `None` if the link is too long.
pub(crate) fn printed(link: &str) -> Option<QrCode> {
    let segments = segments(link);
    let encode = |level| {
        QrCode::encode_segments_advanced(
            &segments,
            level,
            Version::MIN,
            Version::new(MAX_PRINTED),
            None,
            false,
        )
        .ok()
    };
    encode(QrCodeEcc::Medium).or_else(|| encode(QrCodeEcc::Low))
}

/// Returns true if a link has a code that is easy to read from paper.
#[must_use]
pub fn is_printable(link: &str) -> bool {
    printed(link).is_some()
}

/// Divides a link into segments. Host and path in capitals, and digits, take fewer bits than other characters. Camera apps refuse a scheme in capitals.
fn segments(link: &str) -> Vec<QrSegment> {
    let bytes = |text: &str| QrSegment::make_bytes(text.as_bytes());
    let Some((scheme, address, digits)) = compact(link) else {
        return vec![bytes(link)];
    };
    let address = format!("://{}", address.to_ascii_uppercase());
    if !QrSegment::is_alphanumeric(&address) {
        return vec![bytes(link)];
    }
    let mut segments = vec![bytes(scheme), QrSegment::make_alphanumeric(&address)];
    if let Some(digits) = digits {
        segments.extend([bytes("#"), QrSegment::make_numeric(digits)]);
    }
    segments
}

/// Splits the link of a certificate into scheme, host and path, and the digits of form 2. `None` for any other link.
fn compact(link: &str) -> Option<(&str, &str, Option<&str>)> {
    let (scheme, rest) = link.split_once("://")?;
    let (address, form) = match rest.split_once('#') {
        Some((address, form)) => (address, Some(form)),
        None => (rest, None),
    };
    let is_form = form
        .is_none_or(|form| form.starts_with('2') && form.bytes().all(|byte| byte.is_ascii_digit()));
    (matches!(scheme, "http" | "https") && is_form).then_some((scheme, address, form))
}

/// Returns the dark modules as one path, in a square whose side has the modules and the quiet zone. Adjacent modules of a row are one rectangle.
pub(crate) fn path(code: &QrCode, left: f32, top: f32, module: f32) -> Option<Path> {
    let mut path = PathBuilder::new();
    let at = |start: f32, index: i32| start + module * index.saturating_add(QUIET) as f32;
    for y in 0..code.size() {
        let mut x = 0;
        while x < code.size() {
            let start = x;
            while x < code.size() && code.get_module(x, y) {
                x = x.saturating_add(1);
            }
            if x > start {
                let (x0, x1) = (at(left, start), at(left, x));
                let (y0, y1) = (at(top, y), at(top, y.saturating_add(1)));
                path.move_to(x0, y0);
                path.line_to(x1, y0);
                path.line_to(x1, y1);
                path.line_to(x0, y1);
                path.close();
            }
            x = x.saturating_add(1);
        }
    }
    path.finish()
}

#[cfg(test)]
mod tests {
    use qrcodegen::QrSegmentMode;

    use super::*;

    fn modes(link: &str) -> Vec<QrSegmentMode> {
        segments(link).iter().map(QrSegment::mode).collect()
    }

    #[test]
    fn links_of_certificates_have_segments() {
        use QrSegmentMode::{Alphanumeric, Byte, Numeric};
        let page = "https://certs.example/c/0x0000000000000000000000000000000000000001/17";
        assert_eq!(modes(page), [Byte, Alphanumeric]);
        let proving = format!("{page}#20012345");
        assert_eq!(modes(&proving), [Byte, Alphanumeric, Byte, Numeric]);
        for link in [
            format!("{page}#1abc"),
            format!("{page}#20012x"),
            format!("ftp{page}"),
            "https://é.example/c/1".to_owned(),
            "text".to_owned(),
        ] {
            assert_eq!(modes(&link), [Byte], "{link}");
        }
    }

    #[test]
    fn a_long_link_has_no_printed_code() {
        let link = |count: usize| format!("https://a.example/c/0x1/1#2{}", "1".repeat(count));
        assert!(is_printable(&link(1400)));
        assert!(!is_printable(&link(1600)));
        assert!(printed(&link(100)).unwrap().size() < printed(&link(1000)).unwrap().size());
    }
}
