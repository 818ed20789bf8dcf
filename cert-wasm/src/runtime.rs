//! An allocator and a panic handler, in place of the standard library's.
//!
//! The standard library's versions would be a third of the bytes that a page loads. Most of their code formats panic messages that no one
//! would see.

use core::panic::PanicInfo;

use talc::wasm::{WasmDynamicTalc, new_wasm_dynamic_allocator};

#[global_allocator]
static ALLOCATOR: WasmDynamicTalc = new_wasm_dynamic_allocator();

/// Traps. JavaScript sees a `WebAssembly.RuntimeError`.
#[panic_handler]
fn panic(_: &PanicInfo<'_>) -> ! {
    core::arch::wasm32::unreachable()
}
