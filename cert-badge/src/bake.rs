//! Badges inside pictures: a text chunk of a PNG, or an element of an SVG (Open Badges 3.0, section 5.3).

use std::io::Cursor;

use quick_xml::events::{BytesCData, BytesEnd, BytesStart, Event};
use quick_xml::{Reader, Writer};

use crate::badge::MAX_BYTES;
use crate::refusal::Refusal;

/// The maximum size of a picture with its badge, in bytes.
pub const MAX_PICTURE: usize = MAX_BYTES.saturating_mul(2);

const SIGNATURE: &[u8] = b"\x89PNG\r\n\x1a\n";
/// The keyword of the chunk, and the local name of the element.
const KEYWORD: &[u8] = b"openbadgecredential";
const ELEMENT: &str = "openbadges:credential";
const NAMESPACE: &str = "https://purl.imsglobal.org/ob/v3p0";

/// Puts a badge into a picture. Replaces a badge that the picture already has.
///
/// # Errors
///
/// [`Refusal::Picture`] if the picture is damaged, or is neither PNG nor SVG. [`Refusal::TooLarge`] for more than [`MAX_PICTURE`].
pub fn bake(picture: &[u8], badge: &str) -> Result<Vec<u8>, Refusal> {
    if picture.len().saturating_add(badge.len()) > MAX_PICTURE {
        return Err(Refusal::TooLarge);
    }
    match picture.strip_prefix(SIGNATURE) {
        Some(chunks) => into_png(chunks, badge),
        None => into_svg(picture, badge),
    }
}

/// Takes the badge out of a picture.
///
/// # Errors
///
/// [`Refusal::Unbaked`], [`Refusal::Repeated`] or [`Refusal::Compressed`] if the picture does not have exactly one readable badge. [`Refusal::Picture`] if it is
/// damaged, or is neither PNG nor SVG. [`Refusal::TooLarge`] for more than [`MAX_PICTURE`].
pub fn unbake(picture: &[u8]) -> Result<String, Refusal> {
    if picture.len() > MAX_PICTURE {
        return Err(Refusal::TooLarge);
    }
    match picture.strip_prefix(SIGNATURE) {
        Some(chunks) => from_png(chunks),
        None => from_svg(picture),
    }
}

/// A chunk of a PNG.
struct Chunk<'a> {
    kind: &'a [u8],
    data: &'a [u8],
    /// The chunk as it stands in the file, with its length and checksum.
    whole: &'a [u8],
}

/// Takes the next chunk from the bytes of a PNG.
fn next_chunk<'a>(rest: &mut &'a [u8]) -> Result<Chunk<'a>, Refusal> {
    let length = rest.first_chunk().map(|length| u32::from_be_bytes(*length));
    let length = usize::try_from(length.ok_or(Refusal::Picture)?).map_err(|_| Refusal::Picture)?;
    let whole = rest
        .get(..length.saturating_add(12))
        .ok_or(Refusal::Picture)?;
    let end = length.saturating_add(8);
    let parts = (
        whole.get(4..8),
        whole.get(8..end),
        whole.get(4..end),
        whole.get(end..),
    );
    let (Some(kind), Some(data), Some(checked), Some(sum)) = parts else {
        return Err(Refusal::Picture);
    };
    if crc32fast::hash(checked).to_be_bytes() != sum {
        return Err(Refusal::Picture);
    }
    *rest = rest.get(whole.len()..).unwrap_or_default();
    Ok(Chunk { kind, data, whole })
}

/// Returns the text behind the keyword of a badge. `None` for other chunks.
fn text_of<'a>(chunk: &Chunk<'a>) -> Option<&'a [u8]> {
    let text = chunk.data.strip_prefix(KEYWORD)?.strip_prefix(b"\0")?;
    (chunk.kind == b"iTXt").then_some(text)
}

fn into_png(mut chunks: &[u8], badge: &str) -> Result<Vec<u8>, Refusal> {
    // No compression, and neither language nor translated keyword.
    let data = [KEYWORD, b"\0\0\0\0\0", badge.as_bytes()].concat();
    let length = u32::try_from(data.len()).map_err(|_| Refusal::TooLarge)?;
    let checked = [b"iTXt", data.as_slice()].concat();
    let sum = crc32fast::hash(&checked);
    let own = [
        &length.to_be_bytes(),
        checked.as_slice(),
        &sum.to_be_bytes(),
    ]
    .concat();

    let mut baked = SIGNATURE.to_vec();
    let mut is_first = true;
    while !chunks.is_empty() {
        let chunk = next_chunk(&mut chunks)?;
        if is_first != (chunk.kind == b"IHDR") {
            return Err(Refusal::Picture);
        }
        if text_of(&chunk).is_none() {
            baked.extend_from_slice(chunk.whole);
        }
        if is_first {
            baked.extend_from_slice(&own);
        }
        is_first = false;
    }
    match is_first {
        true => Err(Refusal::Picture),
        false => Ok(baked),
    }
}

fn from_png(mut chunks: &[u8]) -> Result<String, Refusal> {
    let mut found = None;
    while !chunks.is_empty() {
        let chunk = next_chunk(&mut chunks)?;
        let Some(text) = text_of(&chunk) else {
            continue;
        };
        if found.is_some() {
            return Err(Refusal::Repeated);
        }
        let (Some([0, _]), Some(rest)) = (text.first_chunk::<2>(), text.get(2..)) else {
            return Err(Refusal::Compressed);
        };
        // The language and the translated keyword end with a zero each.
        let mut parts = rest.splitn(3, |byte| *byte == 0);
        let badge = parts.nth(2).ok_or(Refusal::Picture)?;
        let badge = core::str::from_utf8(badge).map_err(|_| Refusal::Picture)?;
        found = Some(badge.to_owned());
    }
    found.ok_or(Refusal::Unbaked)
}

/// Returns true for the element of a badge. Its prefix is read as written, like the programs of the badge format do.
fn is_badge(name: &str) -> bool {
    name == ELEMENT
}

fn into_svg(picture: &[u8], badge: &str) -> Result<Vec<u8>, Refusal> {
    let text = core::str::from_utf8(picture).map_err(|_| Refusal::Picture)?;
    let mut reader = Reader::from_str(text);
    let mut writer = Writer::new(Cursor::new(Vec::new()));
    let mut write = |event: Event<'_>| writer.write_event(event).map_err(|_| Refusal::Picture);
    let mut is_inside = false;
    let mut has_root = false;
    loop {
        let event = reader.read_event().map_err(|_| Refusal::Picture)?;
        match event {
            Event::Eof => break,
            // A document type can define entities.
            Event::DocType(_) => return Err(Refusal::Picture),
            Event::Start(ref start) if is_badge(start.name().as_ref()) => is_inside = true,
            Event::End(ref end) if is_badge(end.name().as_ref()) => is_inside = false,
            Event::Empty(ref start) if is_badge(start.name().as_ref()) => {}
            Event::Start(ref start) if !has_root => {
                if start.local_name().as_ref() != "svg" {
                    return Err(Refusal::Picture);
                }
                has_root = true;
                let mut root = start.to_owned();
                let is_declared = start
                    .try_get_attribute("xmlns:openbadges")
                    .map_err(|_| Refusal::Picture)?;
                if is_declared.is_none() {
                    root.push_attribute(("xmlns:openbadges", NAMESPACE));
                }
                write(Event::Start(root))?;
                write(Event::Start(BytesStart::new(ELEMENT)))?;
                for part in BytesCData::escaped(badge) {
                    write(Event::CData(part))?;
                }
                write(Event::End(BytesEnd::new(ELEMENT)))?;
            }
            other if is_inside => drop(other),
            other => write(other)?,
        }
    }
    match has_root {
        true => Ok(writer.into_inner().into_inner()),
        false => Err(Refusal::Picture),
    }
}

fn from_svg(picture: &[u8]) -> Result<String, Refusal> {
    let text = core::str::from_utf8(picture).map_err(|_| Refusal::Picture)?;
    let mut reader = Reader::from_str(text);
    let mut found: Option<String> = None;
    let mut inside: Option<String> = None;
    let mut has_root = false;
    loop {
        match reader.read_event().map_err(|_| Refusal::Picture)? {
            Event::Eof => break,
            Event::DocType(_) => return Err(Refusal::Picture),
            Event::Start(start) if is_badge(start.name().as_ref()) => inside = Some(String::new()),
            Event::End(end) if is_badge(end.name().as_ref()) => {
                if found.is_some() {
                    return Err(Refusal::Repeated);
                }
                found = inside.take();
            }
            Event::Start(start) => {
                has_root |= start.local_name().as_ref() == "svg";
                if !has_root {
                    return Err(Refusal::Picture);
                }
            }
            Event::CData(text) => {
                if let Some(inside) = &mut inside {
                    *inside += &*text;
                }
            }
            _ => {}
        }
    }
    match (has_root, found) {
        (false, _) => Err(Refusal::Picture),
        (true, None) => Err(Refusal::Unbaked),
        (true, Some(badge)) => Ok(badge.trim().to_owned()),
    }
}
