#![no_main]
#![allow(missing_docs, reason = "the engine's macro makes public items")]

libfuzzer_sys::fuzz_target!(|input: &[u8]| fuzz::badge(input));
