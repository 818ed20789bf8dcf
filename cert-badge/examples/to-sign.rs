//! Reads signed badges and status lists, one JSON text on each line of standard input. Prints the bytes that their signatures cover, in hexadecimal digits, or `refused`.

use std::io::{self, BufRead as _, Write as _};

/// Returns the bytes of a credential with a description of its signature.
fn bytes(text: &str) -> Option<[u8; 64]> {
    if let Ok(list) = cert_badge::read_status_list(text) {
        return Some(cert_badge::to_sign(&list, list.proof()?));
    }
    let badge = cert_badge::read(text).ok()?;
    Some(cert_badge::to_sign(&badge, badge.proof()?))
}

fn main() -> io::Result<()> {
    let mut out = io::stdout().lock();
    for line in io::stdin().lock().lines() {
        let digits = bytes(&line?).map(const_hex::encode);
        writeln!(out, "{}", digits.unwrap_or_else(|| "refused".to_owned()))?;
    }
    Ok(())
}
