//! Domain names for people. Letters of another script can make a name look like a different name. A name is therefore shown
//! in its own script only if all its letters are of one script, or of scripts that are written together. The rule is
//! "highly restrictive" of UTS 39, section 5.2, applied to the whole name.

/// Prefix of a label in Punycode (RFC 5890, section 2.3.2.5).
const ACE: &str = "xn--";
/// Maximum letters of a decoded label. A label has at most 63 bytes.
const LETTERS_MAX: usize = 63;

/// Returns a name in its own script. Returns the name unchanged if it mixes scripts, has a malformed label, or has a letter
/// that [`script`] does not know.
pub(super) fn displayed(name: &str) -> String {
    let decoded = |label: &str| match label.strip_prefix(ACE) {
        Some(code) => decode(code),
        None => Some(label.to_owned()),
    };
    let labels: Option<Vec<String>> = name.split('.').map(decoded).collect();
    match labels.map(|labels| labels.join(".")) {
        Some(text) if is_of_one_script(&text) => text,
        _ => name.to_owned(),
    }
}

/// The script of a letter.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Script {
    Latin,
    Greek,
    Cyrillic,
    Armenian,
    Hebrew,
    Arabic,
    Devanagari,
    Thai,
    Georgian,
    Hangul,
    Kana,
    Han,
}

/// Returns the script of a letter. Returns `None` for letters that domain names rarely have, and for two Latin letters that
/// look like others.
fn script(letter: char) -> Option<Script> {
    Some(match letter {
        // The dotless i and kra look like other Latin letters.
        '\u{131}' | '\u{138}' => return None,
        'a'..='z' | 'ß'..='ö' | 'ø'..='\u{17e}' => Script::Latin,
        '\u{3ac}'..='\u{3ce}' => Script::Greek,
        '\u{430}'..='\u{45f}' | '\u{490}'..='\u{491}' => Script::Cyrillic,
        '\u{561}'..='\u{586}' => Script::Armenian,
        '\u{5d0}'..='\u{5ea}' => Script::Hebrew,
        '\u{620}'..='\u{64a}' | '\u{671}'..='\u{6d3}' => Script::Arabic,
        '\u{904}'..='\u{94d}' => Script::Devanagari,
        '\u{e01}'..='\u{e4e}' => Script::Thai,
        '\u{10d0}'..='\u{10f0}' => Script::Georgian,
        '\u{ac00}'..='\u{d7a3}' => Script::Hangul,
        '\u{3041}'..='\u{3096}' | '\u{30a1}'..='\u{30fa}' | '\u{30fc}' => Script::Kana,
        '\u{4e00}'..='\u{9fff}' | '\u{3005}' => Script::Han,
        _ => return None,
    })
}

/// Returns true if all letters are of one script, or of scripts that are written together and do not look alike.
fn is_of_one_script(text: &str) -> bool {
    const TOGETHER: [&[Script]; 2] = [
        &[Script::Latin, Script::Han, Script::Kana],
        &[Script::Latin, Script::Han, Script::Hangul],
    ];
    let is_letter = |character: &char| !character.is_ascii_digit() && !"-.".contains(*character);
    let scripts: Option<Vec<Script>> = text.chars().filter(is_letter).map(script).collect();
    let Some(scripts) = scripts else {
        return false;
    };
    let first = scripts.first().copied();
    let is_one = scripts.iter().all(|script| Some(*script) == first);
    is_one
        || TOGETHER
            .iter()
            .any(|set| scripts.iter().all(|script| set.contains(script)))
}

/// Decodes a label without its prefix (RFC 3492, section 6.2). Returns `None` if it is malformed.
fn decode(code: &str) -> Option<String> {
    const BASE: u32 = 36;
    const T_MIN: u32 = 1;
    const T_MAX: u32 = 26;
    let (basic, extended) = code.rsplit_once('-').unwrap_or(("", code));
    let mut letters: Vec<char> = basic.chars().collect();
    let (mut next, mut index, mut bias) = (128_u32, 0_u32, 72_u32);
    let mut digits = extended.bytes().peekable();
    while digits.peek().is_some() {
        let start = index;
        let (mut weight, mut k) = (1_u32, BASE);
        loop {
            let digit = match digits.next()? {
                letter @ b'a'..=b'z' => u32::from(letter).checked_sub(97)?,
                number @ b'0'..=b'9' => u32::from(number).checked_sub(22)?,
                _ => return None,
            };
            index = index.checked_add(digit.checked_mul(weight)?)?;
            let threshold = k.saturating_sub(bias).clamp(T_MIN, T_MAX);
            if digit < threshold {
                break;
            }
            weight = weight.checked_mul(BASE.checked_sub(threshold)?)?;
            k = k.checked_add(BASE)?;
        }
        let count = u32::try_from(letters.len()).ok()?.checked_add(1)?;
        bias = adapted(index.checked_sub(start)?, count, start == 0)?;
        next = next.checked_add(index.checked_div(count)?)?;
        index = index.checked_rem(count)?;
        if letters.len() >= LETTERS_MAX {
            return None;
        }
        let at = usize::try_from(index).ok()?;
        letters.insert(at, char::from_u32(next)?);
        index = index.checked_add(1)?;
    }
    Some(letters.into_iter().collect())
}

/// Returns the bias after a letter (RFC 3492, section 6.1).
fn adapted(delta: u32, count: u32, is_first: bool) -> Option<u32> {
    const DAMP: u32 = 700;
    let mut delta = delta.checked_div(if is_first { DAMP } else { 2 })?;
    delta = delta.checked_add(delta.checked_div(count)?)?;
    let mut k = 0_u32;
    while delta > 455 {
        delta = delta.checked_div(35)?;
        k = k.checked_add(36)?;
    }
    let rest = delta.checked_mul(36)?.checked_div(delta.checked_add(38)?)?;
    k.checked_add(rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Samples of RFC 3492, section 7.1, in lower case, and labels of real domain names.
    #[test]
    fn punycode_is_decoded() {
        for (code, text) in [
            ("egbpdaj6bu4bxfgehfvwxn", "ليهمابتكلموشعربي؟"),
            ("ihqwcrb4cv8a8dqg056pqjye", "他们为什么不说中文"),
            ("4dbcagdahymbxekheh6e0a7fei0b", "למההםפשוטלאמדבריםעברית"),
            (
                "b1abfaaepdrnnbgefbadotcwatmq2g4l",
                "почемужеонинеговорятпорусски",
            ),
            ("3b-ww4c5e180e575a65lsy2b", "3年b組金八先生"),
            ("mnchen-3ya", "münchen"),
            ("p1ai", "рф"),
            ("fiqs8s", "中国"),
        ] {
            assert_eq!(decode(code).as_deref(), Some(text), "{code}");
        }
        for code in ["é", "A", "99999999", "zzzzzzzzzzzz", "a-!"] {
            assert_eq!(decode(code), None, "{code}");
        }
    }

    #[test]
    fn a_name_of_one_script_is_shown_in_that_script() {
        for (name, shown) in [
            ("uni.example", "uni.example"),
            ("xn--mnchen-3ya.example", "münchen.example"),
            ("xn--e1afmkfd.xn--p1ai", "пример.рф"),
            ("xn--fsqu00a.xn--fiqs8s", "例子.中国"),
            ("xn--r8jz45g.jp", "例え.jp"),
            ("uni-2.xn--mnchen-3ya.example", "uni-2.münchen.example"),
        ] {
            assert_eq!(displayed(name), shown);
        }
    }

    #[test]
    fn a_look_alike_is_shown_in_punycode() {
        for (name, looks_like) in [
            (
                "xn--80ak6aa92e.com",
                "apple, in Cyrillic below a Latin name",
            ),
            ("xn--ui-wlc.example", "uni, with one Cyrillic letter"),
            ("xn--mxaa.example", "aa, in Greek"),
            (
                "xn--unversty-ukbe.example",
                "university, with dotless letters",
            ),
            ("xn--39dv.example", "letters of a script that is not listed"),
        ] {
            assert_eq!(displayed(name), name, "{looks_like}");
        }
    }

    #[test]
    fn a_name_with_a_malformed_label_is_shown_unchanged() {
        assert_eq!(displayed("xn--99999999.example"), "xn--99999999.example");
        assert_eq!(displayed(""), "");
    }
}
