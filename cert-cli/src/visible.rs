//! Escapes text that could deceive the reader of a terminal.

/// Escapes control characters, line and paragraph separators, and direction characters (Unicode Standard Annex #9, section 2) in text
/// that may come from a document. Otherwise, a key in a document could print additional lines or reverse the text around it.
pub(crate) fn visible(line: &str) -> String {
    let mut text = String::with_capacity(line.len());
    for char in line.chars() {
        match char {
            '\u{61c}'
            | '\u{200e}'..='\u{200f}'
            | '\u{2028}'..='\u{202e}'
            | '\u{2066}'..='\u{2069}' => text.extend(char.escape_unicode()),
            _ if char.is_control() => text.extend(char.escape_unicode()),
            _ => text.push(char),
        }
    }
    text
}
