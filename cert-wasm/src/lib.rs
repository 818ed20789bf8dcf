//! WebAssembly bindings. They only convert: what a certificate is, `cert-core` decides.
//!
//! # Shape
//! Data, schemas, evidence and paths come in packed (`pkg/cert/src/pack.js`, [`cert_core::Packed`]), proofs go out packed and other
//! results as text, once per operation: no call goes from WebAssembly to JavaScript, and keys such as `__proto__` are keys of data on
//! both sides. The classes that JavaScript sees are written in JavaScript (`pkg/cert/src`), over the handle of [`cert`]; so is the
//! check that data is JSON at all.
//!
//! An error goes out as a result, too, and is made into a real one there. Nothing is thrown, which would take a table of JavaScript's
//! values to cross the border.
//!
//! # What the npm package expects in `pkg/cert/dist`
//! | file | what it is |
//! |---|---|
//! | `cert_bg.wasm` | wasm-bindgen on `cert_wasm.wasm`, target `bundler`: the module, optimised |
//! | `cert_bg.js` | its bindings, which `pkg/cert/src/core.js` joins with it |
//! | `embedded.js` | the module as JavaScript, for `pkg/cert/src/development.js` |
//! | `node.cjs` | `pkg/cert/src/node.js` bundled for CommonJS, see below |
//! | `index.d.cts` | a copy of `pkg/cert/index.d.ts` |
//!
//! ```text
//! esbuild pkg/cert/src/node.js --bundle --platform=node --target=node20 --format=cjs
//!     --define:import.meta.url=__url --banner:js="const __url=require('node:url').pathToFileURL(__filename).href;"
//!     --outfile=pkg/cert/dist/node.cjs
//! ```
//!
//! `pkg/cert/validate/dist` holds the same of the feature `validate`, of which `@assay/cert/validate` is made. It takes the standard
//! library.
//!
//! One WebAssembly file serves every host: each loader in `pkg/cert/src` brings it along in its
//! host's way and gives it to `initSync` or `init` of `core.js`.

#![cfg_attr(all(target_arch = "wasm32", not(feature = "validate")), no_std)]

extern crate alloc;

#[cfg(feature = "cert")]
mod cert;
#[cfg(feature = "claims")]
mod claims;
#[cfg(any(feature = "cert", feature = "validate"))]
mod result;
#[cfg(all(target_arch = "wasm32", not(feature = "validate")))]
mod runtime;
#[cfg(feature = "validate")]
mod validate;

#[cfg(feature = "cert")]
pub use cert::Certifier;
#[cfg(feature = "claims")]
pub use claims::{account_of, approval_hash, authorization, claim, deployment_hash, order_hash};
#[cfg(feature = "validate")]
pub use validate::SchemaValidator;
