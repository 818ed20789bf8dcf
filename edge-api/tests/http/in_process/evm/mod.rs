//! The service on a real chain: a node on this machine, with the original contracts.

mod badge;
mod index;
mod node;
mod reads;
mod relay;
pub mod scene;
mod settings;
