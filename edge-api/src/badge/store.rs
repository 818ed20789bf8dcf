//! Caches answers in the isolate's memory and in the shared cache. Each entry contains its expiry, because the shared
//! cache may keep it longer than requested.

use std::rc::Rc;

use super::Badge;
use crate::outbound::{BUSY, OWN_HOST};

/// Cache-key version. Bump it when the stored format changes.
const FORM: &str = "badge/4";
/// Bytes of an entry's expiry: milliseconds since 1970, big-endian.
const END_BYTES: usize = 8;

/// Maximum seconds for which a failure is cached.
pub(super) const FAILURE_SECONDS: u64 = 10;

/// Returns the seconds for which an answer is cached. `failure` is the reason why a check or an image fetch failed, if it
/// failed.
pub(crate) fn seconds(ctx: &Badge<'_>, failure: Option<&str>) -> u64 {
    let lasts = ctx.config().badge_cache_seconds;
    match failure {
        None => lasts,
        // Failures with these reasons are not cached, because they depend on the request rather than on the asset.
        Some(OWN_HOST | BUSY) => 0,
        Some(_) => lasts.min(FAILURE_SECONDS),
    }
}

/// Returns the bytes cached under `key` and the time at which they expire. `None` if they are not cached or have expired.
pub(crate) async fn get(ctx: &Badge<'_>, key: &str) -> Option<(u64, Rc<[u8]>)> {
    let memory = ctx.memory;
    if let Some(kept) = get_here(ctx, key) {
        return Some(kept);
    }
    let stored = ctx.ports().cache.get(&format!("{FORM}/{key}")).await?;
    let (until, bytes) = decode(&stored)?;
    if until <= ctx.now() {
        return None;
    }
    memory.put(key, ctx.now(), until, bytes);
    Some((until, bytes.into()))
}

/// Caches bytes under `key` for `seconds` from now. Returns the time at which they expire.
pub(crate) async fn put(ctx: &Badge<'_>, key: &str, seconds: u64, bytes: &[u8]) -> u64 {
    let until = put_here(ctx, key, seconds, bytes);
    if seconds > 0 {
        ctx.ports()
            .cache
            .put(&format!("{FORM}/{key}"), encode(until, bytes), seconds)
            .await;
    }
    until
}

/// Like [`get`], but reads only the isolate's memory.
pub(super) fn get_here(ctx: &Badge<'_>, key: &str) -> Option<(u64, Rc<[u8]>)> {
    ctx.memory.get(key).filter(|(until, _)| *until > ctx.now())
}

/// Like [`put`], but caches the bytes only in the isolate's memory.
pub(super) fn put_here(ctx: &Badge<'_>, key: &str, seconds: u64, bytes: &[u8]) -> u64 {
    let until = ctx.now().saturating_add(seconds.saturating_mul(1000));
    if seconds > 0 {
        ctx.memory.put(key, ctx.now(), until, bytes);
    }
    until
}

fn encode(until: u64, bytes: &[u8]) -> Vec<u8> {
    [until.to_be_bytes().as_slice(), bytes].concat()
}

fn decode(stored: &[u8]) -> Option<(u64, &[u8])> {
    let (until, bytes) = stored.split_at_checked(END_BYTES)?;
    Some((u64::from_be_bytes(until.try_into().ok()?), bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_stored_form_is_pinned() {
        assert_eq!(encode(0x0102, b"x"), [0, 0, 0, 0, 0, 0, 1, 2, b'x']);
        assert_eq!(decode(&encode(u64::MAX, b"")), Some((u64::MAX, &b""[..])));
        assert_eq!(decode(b"1234567"), None);
    }
}
