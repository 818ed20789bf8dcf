//! Shows untrusted text so that hidden characters cannot mislead a reader, as `docs/spec/text.md` specifies.

use alloc::borrow::Cow;
use alloc::string::String;

#[rustfmt::skip]
mod table;

use table::{APART, EMOJI, HIDDEN, JOINING, RIGHT_TO_LEFT, Ranges, VARYING};

/// Escapes hidden characters, such as `\u{202e}`, except where their script or an emoji uses them.
///
/// ```
/// use cert_core::text::visible;
///
/// assert_eq!(visible("علی\u{200c}رضا"), "علی\u{200c}رضا");
/// assert_eq!(visible("Ev\u{200c}e"), "Ev\\u{200c}e");
/// ```
#[must_use]
pub fn visible(text: &str) -> Cow<'_, str> {
    if !text.chars().any(is_hidden) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len());
    each(text, |part, is_used| {
        if is_used {
            shown.push_str(part);
        } else {
            shown.extend(part.chars().flat_map(char::escape_unicode));
        }
    });
    Cow::Owned(shown)
}

/// Returns true if [`visible`] shows the text unchanged.
#[must_use]
pub fn is_visible(text: &str) -> bool {
    let mut is_visible = true;
    each(text, |_, is_used| is_visible &= is_used);
    is_visible
}

/// Calls `visit` with each part of the text, and with false for a hidden character that its context does not use.
fn each<'text>(text: &'text str, mut visit: impl FnMut(&'text str, bool)) {
    let is_right_to_left = text.chars().any(|character| has(RIGHT_TO_LEFT, character));
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let is_mark = matches!(first, '\u{61c}' | '\u{200e}' | '\u{200f}');
        let (count, is_used) = match sequence(rest) {
            0 => (1, !is_hidden(first) || (is_mark && is_right_to_left)),
            count => (count, true),
        };
        let end = rest
            .char_indices()
            .nth(count)
            .map_or(rest.len(), |(at, _)| at);
        let Some((part, after)) = rest.split_at_checked(end) else {
            return;
        };
        visit(part, is_used);
        rest = after;
    }
}

/// Returns the number of characters at the start of `rest` in which a script or an emoji uses a hidden character. Returns 0 if there are none.
fn sequence(rest: &str) -> usize {
    let mut chars = rest.chars();
    let [first, second, third, fourth] = core::array::from_fn(|_| chars.next().unwrap_or('\0'));
    let (joins, is_emoji) = (has(JOINING, first), has(EMOJI, first));
    match second {
        '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200d}' | '\u{fe00}' if joins => 2,
        '\u{200d}' if is_emoji && has(EMOJI, third) => 2,
        '\u{fe0f}' if is_emoji && third == '\u{200d}' && has(EMOJI, fourth) => 3,
        '\u{fe0e}' | '\u{fe0f}' if is_emoji => 2,
        '\u{fe0f}' if matches!(first, '#' | '*' | '0'..='9') && third == '\u{20e3}' => 2,
        '\u{fe00}'..='\u{fe02}' | '\u{e0100}'..='\u{e01ef}' if has(VARYING, first) => 2,
        '\u{34f}' if has(RIGHT_TO_LEFT, first) => 2,
        '\u{ad}' if is_letter(first) && is_letter(third) => 2,
        _ if matches!(first, '\u{200b}'..='\u{200d}') && has(JOINING, second) => 1,
        _ if first == '\u{1f3f4}' => flag(rest),
        _ => 0,
    }
}

/// Returns the number of characters of a flag of a subdivision (UTS 51, section 3.2): the black flag, two letters, one to three letters or digits, and the end tag.
fn flag(rest: &str) -> usize {
    let tags = || rest.chars().skip(1);
    let is_code = |(at, tag): (usize, char)| match tag {
        '\u{e0061}'..='\u{e007a}' => true,
        _ => at >= 2 && matches!(tag, '\u{e0030}'..='\u{e007a}'),
    };
    let code = tags()
        .enumerate()
        .take(6)
        .take_while(|tag| is_code(*tag))
        .count();
    if (3..=5).contains(&code) && tags().nth(code) == Some('\u{e007f}') {
        code.saturating_add(2)
    } else {
        0
    }
}

fn is_hidden(character: char) -> bool {
    has(HIDDEN, character)
}

/// Returns true for characters between which a soft hyphen is shown: letters, and other characters outside of ASCII.
fn is_letter(character: char) -> bool {
    !has(APART, character) && !is_hidden(character)
}

fn has(ranges: Ranges, character: char) -> bool {
    let code = u32::from(character);
    let after = ranges.partition_point(|(_, last)| *last < code);
    ranges.get(after).is_some_and(|(first, _)| *first <= code)
}
