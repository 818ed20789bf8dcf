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
  export function signerOf(text: string, signature: string): string;
  export function initSync(options: { module: BufferSource | WebAssembly.Module }): unknown;
  export default function init(options?: { module_or_path: string | URL | Response | BufferSource | WebAssembly.Module }): Promise<unknown>;
}

// Modules of @assay/cert, which the build includes.
declare module "bytes" {
  export function viewOf(value: unknown): Uint8Array | undefined;
  export function fromBase64(text: string): Uint8Array<ArrayBuffer>;
}

// The WebAssembly as base64, beside the modules.
declare module "*/wasm.js" {
  const text: string;
  export default text;
}

// The WebAssembly beside the modules, in hosts that import it as a compiled module.
declare module "*.wasm?module" {
  const module: WebAssembly.Module;
  export default module;
}

declare module "*.wasm" {
  const module: WebAssembly.Module;
  export default module;
}

/** Vite sets this member. */
interface ImportMeta {
  readonly env?: { readonly PROD: boolean };
}
