//! Finds texts that a spreadsheet destroyed, and spaces that are not visible.

use super::Doubt;

/// The maximum length of an error value, a number or a name, in characters. Two spaces in a row are usual in longer texts.
const MAX_SHORT: usize = 80;

/// Error values that end without an exclamation mark or a question mark, without their `#`. `is_error` also finds those like `#N/A`, with a letter
/// on each side of a slash.
const ERRORS: [&str; 5] = ["NV", "YOK", "HIÁNYZIK", "NENÍ_K_DISPOZICI", "GETTING_DATA"];

/// Returns true if a text is an error value of a spreadsheet in any language, such as `#REF!` and `#¿NOMBRE?`. Error numbers of `LibreOffice`
/// (`Err:502`) and the signs of a column that was too narrow (`###`) also count.
pub(super) fn is_error(text: &str) -> bool {
    let Some(text) = short(text) else {
        return false;
    };
    if let Some(number) = text.strip_prefix("Err") {
        let number = number.strip_prefix(is_space).unwrap_or(number);
        return number
            .strip_prefix(':')
            .is_some_and(|digits| digits.len() == 3 && is_digits(digits));
    }
    let Some(name) = text.strip_prefix('#') else {
        return false;
    };
    if name.len() >= 2 && name.bytes().all(|byte| byte == b'#') {
        return true;
    }
    if let Some(name) = name.strip_suffix(['!', '?']) {
        let name = name.strip_prefix(['¡', '¿']).unwrap_or(name);
        // French has a space before these marks.
        let name = name.strip_suffix(is_space).unwrap_or(name);
        return name.starts_with(char::is_uppercase)
            && name.chars().all(|char| {
                char.is_uppercase() || char.is_ascii_digit() || matches!(char, '/' | '_')
            });
    }
    let is_letter = |part: &str| part.chars().all(char::is_uppercase) && part.chars().count() == 1;
    ERRORS.contains(&name)
        || name
            .split_once('/')
            .is_some_and(|(one, other)| is_letter(one) && is_letter(other))
}

/// Returns true if a text is a number that a spreadsheet shortened, such as `9.91214E+15` and `1E+15`. A text such as `1E5` may be a code, so
/// an exponent without a sign needs decimals before it.
pub(super) fn is_shortened(text: &str) -> bool {
    let Some((number, exponent)) = short(text).and_then(|text| text.split_once(['e', 'E'])) else {
        return false;
    };
    let number = number.strip_prefix(['+', '-']).unwrap_or(number);
    let (whole, has_decimals) = match number.split_once(['.', ',']) {
        Some((whole, decimals)) => (whole, is_digits(decimals)),
        None => (number, false),
    };
    let is_whole = has_decimals || whole == number;
    let signless = exponent.strip_prefix(['+', '-']);
    let digits = signless.unwrap_or(exponent);
    is_whole
        && (1..=3).contains(&whole.len())
        && is_digits(whole)
        && (1..=3).contains(&digits.len())
        && is_digits(digits)
        && (has_decimals || signless.is_some())
}

/// Returns the doubt about spaces around a text, or about two spaces in a row inside a short text.
pub(super) fn spaces(text: &str) -> Option<Doubt> {
    if text.starts_with(is_space) || text.ends_with(is_space) {
        return Some(Doubt::Around);
    }
    let is_gap = |char: char| is_space(char) && !is_line_break(char);
    let mut after_gap = false;
    short(text)?
        .chars()
        .any(|char| {
            let is_double = after_gap && is_gap(char);
            after_gap = is_gap(char);
            is_double
        })
        .then_some(Doubt::Double)
}

/// Returns a text without the spaces around it, or `None` if the text is long.
fn short(text: &str) -> Option<&str> {
    let is_short = text.chars().nth(MAX_SHORT).is_none();
    is_short.then(|| text.trim_matches(is_space))
}

/// Returns true for white space of Unicode, and for characters without width that separate or join words.
fn is_space(char: char) -> bool {
    char.is_whitespace() || matches!(char, '\u{180e}' | '\u{200b}' | '\u{2060}' | '\u{feff}')
}

fn is_line_break(char: char) -> bool {
    matches!(char, '\n' | '\r' | '\u{85}' | '\u{2028}' | '\u{2029}')
}

fn is_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}
