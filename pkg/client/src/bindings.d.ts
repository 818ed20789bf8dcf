// The module that wasm-bindgen generates from cert-wasm/src/claims.rs.
declare module "bindings" {
  export function accountOf(privateKey: string): string;
  export function checksummed(address: string): string;
  export function authorization(privateKey: string, text: string): string;
  export function orderHash(request: string, gateway: string): string;
  export function deploymentHash(request: string, gateway: string): string;
  export function approvalHash(request: string): string;
  export function orderCancellation(request: string, gateway: string): string;
  export function deploymentCancellation(request: string, gateway: string): string;
  export function claim(privateKey: string, hash: string): string;
  export function initSync(options: { module: BufferSource | WebAssembly.Module }): unknown;
  export default function init(options?: { module_or_path: string | URL | Response | BufferSource | WebAssembly.Module }): Promise<unknown>;
}

// The WebAssembly beside the modules, in hosts that import it as a compiled module.
declare module "*.wasm" {
  const module: WebAssembly.Module;
  export default module;
}
