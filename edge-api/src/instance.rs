//! The instance: 32 random bytes that the first migration drew, and the addresses that derive from them, so that a
//! claim for one instance is worth nothing on another.

use order_core::Gateways;
use serde::Deserialize;

use crate::config::Config;
use crate::ports::{Database, DatabaseError, Statement};

/// What makes this instance differ from every other.
#[derive(Debug)]
pub(crate) struct Instance {
    /// The random bytes.
    pub(crate) id: [u8; 32],
    /// The addresses that claims are made for.
    pub(crate) gateways: Gateways,
}

/// Reads the instance.
pub(crate) async fn read(db: &dyn Database, config: &Config) -> Result<Instance, DatabaseError> {
    #[derive(Deserialize)]
    struct Row {
        id: String,
    }
    let row = db
        .query(Statement::new("SELECT id FROM instance"))
        .await?
        .first::<Row>()?;
    let id = row.and_then(|row| decode(&row.id)).ok_or_else(|| {
        DatabaseError::Unavailable("the migrations have not been applied".to_owned())
    })?;
    Ok(Instance {
        gateways: config.gateways(&id),
        id,
    })
}

fn decode(text: &str) -> Option<[u8; 32]> {
    let mut bytes = [0; 32];
    let mut digits = text.as_bytes().chunks_exact(2);
    for byte in &mut bytes {
        *byte = u8::from_str_radix(std::str::from_utf8(digits.next()?).ok()?, 16).ok()?;
    }
    digits.next().is_none().then_some(bytes)
}
