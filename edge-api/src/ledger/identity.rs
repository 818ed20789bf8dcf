//! The identity of a ledger: its backend and its addresses. An embedded ledger derives the addresses from the instance's 32 random bytes,
//! so a claim for one instance is invalid on another.

use alloy_primitives::hex;
use order_core::Instance;
use serde::Deserialize;

use super::{Ledger, LedgerError};
use crate::config::Config;
use crate::context::Context;
use crate::ports::{Database, DatabaseError, Rows, Statement, exactly};

/// The identity of this service's ledger.
#[derive(Debug)]
pub(crate) struct Identity {
    /// The kind of ledger, as `GET /account` names it.
    pub(crate) backend: &'static str,
    /// The id of the ledger's chain. `None` for the embedded ledger.
    pub(crate) chain_id: Option<u64>,
    /// The instance and its addresses.
    pub(crate) instance: Instance,
}

/// Selects the instance's random bytes, which the first migration generated. [`instance_id`] reads the result.
pub(super) fn select_instance() -> Statement {
    Statement::new("SELECT id FROM instance")
}

/// Returns the instance's random bytes.
///
/// # Errors
/// If the database has no such row yet, or if the row is corrupt.
pub(super) fn instance_id(rows: Rows) -> Result<[u8; 32], DatabaseError> {
    #[derive(Deserialize)]
    struct Row {
        id: String,
    }
    let row: Option<Row> = rows.first()?;
    row.and_then(|row| hex::decode_to_array(row.id).ok())
        .ok_or_else(|| {
            DatabaseError::Unavailable("the migrations have not been applied".to_owned())
        })
}

/// Reads the instance of an embedded ledger.
///
/// # Errors
/// If the database fails, or if it belongs to a chain. Its tables then show the state of the chain's contracts.
pub(super) async fn instance(db: &dyn Database, config: &Config) -> Result<Instance, LedgerError> {
    #[derive(Deserialize)]
    struct OfChain {
        chain_id: u64,
    }
    let of_chain = Statement::new("SELECT chain_id FROM chain WHERE only = 1");
    let [instances, chains] = exactly(db.batch(vec![select_instance(), of_chain]).await?)?;
    if let Some(OfChain { chain_id }) = chains.first()? {
        return Err(LedgerError::Misconfigured(format!(
            "`LEDGER` is `embedded`, but the database belongs to the chain {chain_id}: an instance never changes its ledger, so set \
             `LEDGER=evm` or use a new database"
        )));
    }
    let id = instance_id(instances)?;
    Ok(Instance {
        gateways: config.gateways(&id),
        id,
    })
}

/// Computes the keys of the client's networks. They are hashes that include the instance's random bytes. Does nothing if the host does not know the
/// client's address.
pub(crate) async fn identify_client(
    ctx: &Context<'_>,
    ledger: &dyn Ledger,
) -> Result<(), LedgerError> {
    if ctx.client_address.is_some() {
        let identity = ledger.identity(ctx).await?;
        ctx.identify_client(&identity.instance.id);
    }
    Ok(())
}
