//! Encodings of a signature. The service refuses most of them, and accepts a few as the same signature.

/// The order of secp256k1 (SEC 2, section 2.4.1).
const ORDER: &str = "fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141";
/// The prime of secp256k1's field.
const PRIME: &str = "fffffffffffffffffffffffffffffffffffffffffffffffffffffffefffffc2f";

/// The parts of a signature, as hex.
#[derive(Clone)]
struct Parts {
    kind: String,
    r: String,
    s: String,
    v: u8,
}

impl Parts {
    fn of(text: &str) -> Self {
        let (kind, rest) = text.split_once(":0x").expect("a claim");
        Self {
            kind: kind.to_owned(),
            r: rest[..64].to_owned(),
            s: rest[64..128].to_owned(),
            v: u8::from_str_radix(&rest[128..], 16).expect("a byte"),
        }
    }

    fn written(&self, r: &str, s: &str, v: u8) -> String {
        format!("{}:0x{r}{s}{v:02x}", self.kind)
    }
}

/// Returns `one - other` for numbers of 64 hex digits.
fn minus(one: &str, other: &str) -> String {
    let bytes = |text: &str| alloy_primitives::U256::from_str_radix(text, 16).expect("hex");
    format!("{:064x}", bytes(one) - bytes(other))
}

fn plus(one: &str, other: u64) -> String {
    let number = alloy_primitives::U256::from_str_radix(one, 16).expect("hex");
    format!("{:064x}", number + alloy_primitives::U256::from(other))
}

/// Returns encodings of a valid signature that the service must refuse, each after its name.
pub(super) fn refused(good: &str) -> Vec<(String, String)> {
    let parts = Parts::of(good);
    let Parts { kind, r, s, v } = parts.clone();
    let hex = &good[good.find("0x").expect("a prefix")..];
    let (zero, one) = ("0".repeat(64), format!("{:064x}", 1));
    let high = minus(ORDER, &s);
    let mut edges: Vec<(String, String)> = [
        (
            "the other form, s above half",
            parts.written(&r, &high, 55 - v),
        ),
        ("s above half, v as it was", parts.written(&r, &high, v)),
        ("r zero", parts.written(&zero, &s, v)),
        ("s zero", parts.written(&r, &zero, v)),
        ("r and s zero", parts.written(&zero, &zero, v)),
        ("r at the order", parts.written(ORDER, &s, v)),
        ("s at the order", parts.written(&r, ORDER, v)),
        ("r above the order", parts.written(&plus(ORDER, 1), &s, v)),
        ("s above the order", parts.written(&r, &plus(ORDER, 1), v)),
        ("r at the prime", parts.written(PRIME, &s, v)),
        (
            "r and s of ones",
            parts.written(&"f".repeat(64), &"f".repeat(64), v),
        ),
        (
            "s just below the order",
            parts.written(&r, &minus(ORDER, &one), v),
        ),
        // The curve has no point with the x-coordinate 5.
        (
            "r of no point",
            parts.written(&format!("{:064x}", 5), &s, v),
        ),
        ("one byte short", good[..good.len() - 2].to_owned()),
        ("half a byte short", good[..good.len() - 1].to_owned()),
        ("one byte more", format!("{good}00")),
        ("half a byte more", format!("{good}0")),
        ("twice", format!("{good}{}", &hex[2..])),
        ("r and s alone", format!("{kind}:0x{r}{s}")),
        ("compact, with the parity in s (EIP-2098)", {
            let top = if v == 28 { "8" } else { "0" };
            format!("{kind}:0x{r}{top}{}", &s[1..])
        }),
        ("DER", format!("{kind}:0x3044022{}0220{s}{v:02x}", &r[1..])),
        ("v first", format!("{kind}:0x{v:02x}{r}{s}")),
        ("s first", parts.written(&s, &r, v)),
        ("no prefix", format!("{kind}:{}", &hex[2..])),
        ("an upper-case prefix", format!("{kind}:0X{}", &hex[2..])),
        ("the prefix twice", format!("{kind}:0x{hex}")),
        ("no kind", hex.to_owned()),
        ("an empty kind", format!(":{hex}")),
        ("no colon", format!("{kind}{hex}")),
        ("two colons", format!("{kind}::{hex}")),
        ("a padded kind", format!("0{kind}:{hex}")),
        ("a signed kind", format!("+{kind}:{hex}")),
        ("a named kind", format!("PERSONAL_SIGN:{hex}")),
        ("a space after the colon", format!("{kind}: {hex}")),
        ("a space before the colon", format!("{kind} :{hex}")),
        ("a space inside", format!("{} {}", &good[..70], &good[71..])),
        (
            "a letter that is not a digit",
            format!("{}g{}", &good[..70], &good[71..]),
        ),
        ("two claims", format!("{good},{good}")),
        ("nothing but a kind", format!("{kind}:")),
        ("nothing but a prefix", format!("{kind}:0x")),
        ("an account", format!("{kind}:0x{}", "a".repeat(40))),
    ]
    .into_iter()
    .map(|(name, text)| (name.to_owned(), text))
    .collect();
    for wrong in [2, 3, 26, 29, 30, 31, 34, 35, 36, 37, 38, 127, 128, 255] {
        edges.push((format!("v {wrong}"), parts.written(&r, &s, wrong)));
    }
    for wrong in [
        "1", "2", "4", "5", "7", "10", "27", "30", "-3", "3.0", "0x3",
    ] {
        edges.push((format!("kind {wrong}"), format!("{wrong}:{hex}")));
    }
    edges
}

/// Returns the encodings of [`refused`], and encodings that only a body can transmit. For example, HTTP removes spaces at
/// the start and end of a header's value.
pub(super) fn refused_in_a_body(good: &str) -> Vec<(String, String)> {
    let mut edges = refused(good);
    for (name, text) in [
        ("a space at the start", format!(" {good}")),
        ("a space at the end", format!("{good} ")),
        ("a newline at the end", format!("{good}\n")),
        ("a null at the end", format!("{good}\0")),
        ("a byte order mark", format!("\u{feff}{good}")),
        (
            "digits of another script",
            good.replacen('0', "\u{ff10}", 1),
        ),
        ("only a space", " ".to_owned()),
    ] {
        edges.push((name.to_owned(), text));
    }
    edges
}

/// Returns the accepted encodings of a signature, each after its name. All have the same `r` and `s`.
pub(super) fn accepted(good: &str) -> Vec<(&'static str, String)> {
    let Parts { kind, r, s, v } = Parts::of(good);
    let other = if kind == "3" { "0" } else { "3" };
    vec![
        ("as it is", good.to_owned()),
        (
            "upper-case digits",
            format!("{kind}:0x{}{}{v:02X}", r.to_uppercase(), s.to_uppercase()),
        ),
        ("v 0 or 1", format!("{kind}:0x{r}{s}{:02x}", v - 27)),
        // Both kinds sign the same bytes.
        ("the other kind", format!("{other}:0x{r}{s}{v:02x}")),
    ]
}
