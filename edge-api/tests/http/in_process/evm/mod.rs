//! The service on a real chain: a node on this machine, with the original contracts.

mod index;
mod node;
mod relay;
