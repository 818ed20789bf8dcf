//! Reads signed badges, one JSON text on each line of standard input. Prints the bytes that their signatures cover, in hexadecimal digits, or `refused`.

use std::io::{self, BufRead as _, Write as _};

fn main() -> io::Result<()> {
    let mut out = io::stdout().lock();
    for line in io::stdin().lock().lines() {
        let badge = cert_badge::read(&line?);
        let bytes = badge
            .as_ref()
            .ok()
            .and_then(|badge| Some(cert_badge::to_sign(badge, badge.proof()?)));
        let digits = bytes.map(const_hex::encode);
        writeln!(out, "{}", digits.unwrap_or_else(|| "refused".to_owned()))?;
    }
    Ok(())
}
