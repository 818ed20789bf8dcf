//! An allocator and a handler of panics, which the standard library would bring along otherwise.
//!
//! Its own would be a third of what a page loads, most of it for printing panics to nowhere.

use core::panic::PanicInfo;

use talc::wasm::{WasmDynamicTalc, new_wasm_dynamic_allocator};

#[global_allocator]
static ALLOCATOR: WasmDynamicTalc = new_wasm_dynamic_allocator();

/// A trap, which JavaScript sees as a `WebAssembly.RuntimeError`.
#[panic_handler]
fn panic(_: &PanicInfo<'_>) -> ! {
    core::arch::wasm32::unreachable()
}
