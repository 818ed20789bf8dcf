//! The service on a local Ethereum node with the original contracts.

mod badge;
mod index;
mod node;
mod reads;
mod relay;
pub mod scene;
mod settings;
