//! The first profile.

pub(crate) mod closing;
pub(crate) mod connect;
pub(crate) mod disclose;
pub(crate) mod evidence;
pub(crate) mod order;
pub(crate) mod proof;
pub(crate) mod recompute;
pub(crate) mod tree;
pub(crate) mod walk;
