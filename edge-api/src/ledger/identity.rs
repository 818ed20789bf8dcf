//! The identity of a ledger: its backend and its addresses. The addresses are derived from the instance's 32 random bytes,
//! so a claim for one instance is invalid on another.

use alloy_primitives::hex;
use order_core::Instance;
use serde::Deserialize;

use crate::config::Config;
use crate::ports::{Database, DatabaseError, Statement};

/// The identity of this service's ledger.
#[derive(Debug)]
pub(crate) struct Identity {
    /// The kind of ledger, as `GET /account` names it.
    pub(crate) backend: &'static str,
    /// The ledger's chain, if it is on a chain.
    pub(crate) chain_id: Option<u64>,
    /// The instance and its addresses.
    pub(crate) instance: Instance,
}

/// Reads the instance. The first migration drew its random bytes.
pub(super) async fn instance(
    db: &dyn Database,
    config: &Config,
) -> Result<Instance, DatabaseError> {
    #[derive(Deserialize)]
    struct Row {
        id: String,
    }
    let row: Option<Row> = db
        .query(Statement::new("SELECT id FROM instance"))
        .await?
        .first()?;
    let id: [u8; 32] = row
        .and_then(|row| hex::decode_to_array(row.id).ok())
        .ok_or_else(|| {
            DatabaseError::Unavailable("the migrations have not been applied".to_owned())
        })?;
    Ok(Instance {
        gateways: config.gateways(&id),
        id,
    })
}
