//! Decodes the bytes of a table's file.

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE};

use crate::problem::{Foreign, Problem};

/// The maximum number of words in a sample, and their maximum length in characters.
const MAX_WORDS: usize = 4;
const MAX_WORD: usize = 40;

/// The beginning of an archive.
const ARCHIVE: &[u8] = b"PK\x03\x04";

/// The beginnings of files of other formats.
const BEGINNINGS: [(&[u8], Foreign); 3] = [
    (ARCHIVE, Foreign::Archive),
    (b"\xd0\xcf\x11\xe0", Foreign::OldWorkbook),
    (b"%PDF", Foreign::Pdf),
];

/// Returns the encoding with a label of the WHATWG's Encoding Standard, such as `windows-1252`. The encodings that only replace text do not count.
pub fn encoding(label: &str) -> Option<&'static Encoding> {
    Encoding::for_label_no_replacement(label.as_bytes())
}

/// Returns true if the bytes are a workbook: of Excel (`.xlsx`) or of OpenDocument (`.ods`). A workbook is an archive, whose directory is not compressed and
/// names this file.
pub fn is_workbook(bytes: &[u8]) -> bool {
    const NAME: &[u8] = b"xl/workbook.xml";
    let is_excel = bytes.starts_with(ARCHIVE) && bytes.windows(NAME.len()).any(|part| part == NAME);
    is_excel || is_open_document(bytes)
}

/// Returns true if the bytes are a spreadsheet of OpenDocument. The first file of its archive is not compressed, and has the media type (OpenDocument 1.3, part 2,
/// section 3.3).
pub(crate) fn is_open_document(bytes: &[u8]) -> bool {
    const TYPE: &[u8] = b"mimetypeapplication/vnd.oasis.opendocument.spreadsheet";
    /// The length of an archive's header before the file's name, with room for an extra field.
    const START: usize = 30;
    const ROOM: usize = 200;
    let end = START.saturating_add(ROOM).saturating_add(TYPE.len());
    let beginning = bytes.get(..end.min(bytes.len())).unwrap_or_default();
    bytes.starts_with(ARCHIVE) && beginning.windows(TYPE.len()).any(|part| part == TYPE)
}

/// Decodes a table's bytes, and removes a byte order mark.
///
/// Without a chosen encoding, the text is UTF-8 or UTF-16. Text that is neither may be in one of many encodings, which cannot be told apart with
/// certainty. A person has to choose one.
///
/// # Errors
/// - [`Problem::Foreign`] for another format.
/// - [`Problem::Encoding`] with a proposal, if an encoding has to be chosen.
/// - [`Problem::NotEncoded`] if the text is not in the chosen encoding.
/// - [`Problem::Control`] for control characters other than tabs and line breaks.
pub fn decode(bytes: &[u8], chosen: Option<&'static Encoding>) -> Result<String, Problem> {
    if let Some((_, foreign)) = BEGINNINGS
        .iter()
        .find(|(beginning, _)| bytes.starts_with(beginning))
    {
        return Err(Problem::Foreign(*foreign));
    }
    let unicode = Encoding::for_bom(bytes)
        .map(|(encoding, _)| encoding)
        .or_else(|| by_zeros(bytes));
    let text = match (unicode, chosen) {
        (Some(encoding), None) => whole(encoding, bytes)?,
        (None, None) => match std::str::from_utf8(bytes) {
            Ok(text) => text.to_owned(),
            Err(_) => return Err(proposal(bytes)),
        },
        // Text of UTF-8 is also text of most other encodings, with other letters.
        (unicode, Some(encoding))
            if unicode.is_some_and(|unicode| unicode != encoding)
                || (encoding != UTF_8
                    && !bytes.is_ascii()
                    && std::str::from_utf8(bytes).is_ok()) =>
        {
            return Err(Problem::NotEncoded {
                encoding: encoding.name(),
            });
        }
        (_, Some(encoding)) => whole(encoding, bytes)?,
    };
    // Bytes that an encoding does not define decode to control characters.
    let control = text
        .chars()
        .find(|char| char.is_control() && !matches!(char, '\n' | '\r' | '\t'));
    control.map_or(Ok(text), |char| Err(Problem::Control(char)))
}

/// Decodes text. Fails at malformed bytes, instead of replacing them.
fn whole(encoding: &'static Encoding, bytes: &[u8]) -> Result<String, Problem> {
    let (text, is_malformed) = encoding.decode_with_bom_removal(bytes);
    if is_malformed {
        return Err(Problem::NotEncoded {
            encoding: encoding.name(),
        });
    }
    Ok(text.into_owned())
}

/// Returns the byte order of UTF-16 without a byte order mark. The first line of a table has ASCII characters, of which one byte is zero.
fn by_zeros(bytes: &[u8]) -> Option<&'static Encoding> {
    match bytes {
        [0, one, ..] if *one != 0 && bytes.len().is_multiple_of(2) => Some(UTF_16BE),
        [one, 0, ..] if *one != 0 && bytes.len().is_multiple_of(2) => Some(UTF_16LE),
        _ => None,
    }
}

/// Returns the problem that proposes the most likely encoding.
fn proposal(bytes: &[u8]) -> Problem {
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Deny);
    detector.feed(bytes, true);
    let encoding = detector.guess(None, Utf8Detection::Deny);
    Problem::Encoding {
        encoding: encoding.name(),
        sample: sample(&encoding.decode_without_bom_handling(bytes).0),
    }
}

/// Returns the first words that have characters outside ASCII.
fn sample(text: &str) -> String {
    let mut words: Vec<String> = Vec::new();
    let all = text.split(|char: char| char.is_whitespace() || matches!(char, ',' | ';' | '"'));
    for word in all.filter(|word| !word.is_ascii()) {
        let word: String = word
            .chars()
            .take(MAX_WORD)
            .map(|char| if char.is_control() { ' ' } else { char })
            .collect();
        if !words.contains(&word) {
            words.push(word);
        }
        if words.len() == MAX_WORDS {
            break;
        }
    }
    words.join(" ")
}
