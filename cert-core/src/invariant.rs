//! Stops the program at impossible states, because a verifier must not continue with a wrong hash. Each call names its invariant.
//! Outside input must not cause such a state. Fuzz targets look for input that does.
//!
//! In WebAssembly, the stop is a trap without a message. With messages, every page would also have to load the code that
//! formats them.

/// Stops, because an invariant does not hold.
#[cfg(target_arch = "wasm32")]
#[inline(always)]
pub(crate) fn impossible(_: &'static str) -> ! {
    core::arch::wasm32::unreachable()
}

/// Stops, because an invariant does not hold.
#[cfg(not(target_arch = "wasm32"))]
#[cold]
#[track_caller]
pub(crate) fn impossible(invariant: &'static str) -> ! {
    unreachable!("{invariant}")
}

/// Returns the value. Stops if there is no value, although the invariant says that there is one.
#[inline(always)]
#[track_caller]
pub(crate) fn certain<T>(value: Option<T>, invariant: &'static str) -> T {
    match value {
        Some(value) => value,
        None => impossible(invariant),
    }
}
