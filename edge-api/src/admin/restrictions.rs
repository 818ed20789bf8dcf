//! Restrictions: paused changes, blocked accounts and ledgers, and accounts that refuse the signed header.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::rc::Rc;

use order_core::Address;
use serde::Deserialize;

use crate::accounts;
use crate::api::{Block, Pause, Timestamp};
use crate::assets::Reason;
use crate::context::Context;
use crate::db::{Decision, List, Page};
use crate::ledger::projection::ledger_key;
use crate::ports::{Database, DatabaseError, Statement, exactly};
use crate::text::account_key;

/// Milliseconds for which an isolate uses the restrictions that it has read. A new restriction is therefore in force in every
/// isolate after this time.
const FRESH_MS: u64 = 5_000;
/// Maximum number of blocked addresses. An isolate that gets requests reads these addresses every five seconds.
pub(crate) const BLOCKS_MAX: u32 = 1_000;

/// Maximum number of cached accounts that refuse the signed header. If more accounts refuse it, each request with a signed
/// header needs a query.
const WITHOUT_HEADER_MAX: u32 = 1_000;

/// The restrictions in force.
#[derive(Debug, Default)]
pub(crate) struct Restrictions {
    pause: Option<String>,
    blocked: BTreeSet<Address>,
    /// The addresses and references of the blocked ledgers, as the database stores them.
    ledgers: BTreeSet<String>,
    /// The accounts that refuse the signed header. `None` if there are too many to cache.
    without_header: Option<BTreeSet<Address>>,
}

impl Restrictions {
    /// Returns the operator's message if changes are paused.
    pub(crate) fn pause(&self) -> Option<&str> {
        self.pause.as_deref()
    }

    /// Returns true if the account refuses the signed header. Returns `None` if the accounts are not cached, so a query must
    /// decide.
    pub(crate) fn refuses_header(&self, account: &Address) -> Option<bool> {
        let accounts = self.without_header.as_ref()?;
        Some(accounts.contains(account))
    }

    /// Returns true if the account is blocked.
    pub(crate) fn blocks(&self, account: &Address) -> bool {
        self.blocked.contains(account)
    }

    /// Returns true if the ledger with this address or reference is blocked.
    pub(crate) fn blocks_ledger(&self, name: &str) -> bool {
        self.ledgers.contains(&ledger_key(name))
    }
}

/// An isolate's cache of the restrictions, with the time at which they were read.
#[derive(Default)]
pub(crate) struct RestrictionsMemory(RefCell<Option<(u64, Rc<Restrictions>)>>);

impl RestrictionsMemory {
    /// Returns the restrictions, at most [`FRESH_MS`] old.
    pub(crate) async fn current(
        &self,
        ctx: &Context<'_>,
    ) -> Result<Rc<Restrictions>, DatabaseError> {
        let now = ctx.ports().clock.now_ms();
        if let Some((at, known)) = &*self.0.borrow()
            && now.saturating_sub(*at) < FRESH_MS
        {
            return Ok(Rc::clone(known));
        }
        let read = Rc::new(read(ctx.db()).await?);
        self.0.replace(Some((now, Rc::clone(&read))));
        Ok(read)
    }
}

async fn read(db: &dyn Database) -> Result<Restrictions, DatabaseError> {
    #[derive(Deserialize)]
    struct Row {
        address: Address,
        /// `None` if no ledger has the address.
        ledger_ref: Option<String>,
    }
    let blocked = Statement::new(
        "SELECT address, l.ref AS ledger_ref FROM blocks LEFT JOIN ledgers l ON l.id = address ORDER BY address LIMIT ?1",
    );
    let statements = vec![
        select_pause(),
        blocked.bind(BLOCKS_MAX),
        accounts::select_without_header(WITHOUT_HEADER_MAX.saturating_add(1)),
    ];
    let [pause, blocked, without_header] = exactly(db.batch(statements).await?)?;
    let (blocked, without_header): (Vec<Row>, Vec<Row>) = (blocked.all()?, without_header.all()?);
    let ledgers = blocked.iter().filter_map(|row| {
        let reference = row.ledger_ref.clone()?;
        Some([account_key(&row.address), reference])
    });
    let most = usize::try_from(WITHOUT_HEADER_MAX).unwrap_or(usize::MAX);
    let is_cached = without_header.len() <= most;
    let without_header = without_header.iter().map(|row| row.address);
    Ok(Restrictions {
        pause: pause.first::<PauseRow>()?.map(|row| row.message),
        ledgers: ledgers.flatten().collect(),
        blocked: blocked.iter().map(|row| row.address).collect(),
        without_header: is_cached.then(|| without_header.collect()),
    })
}

#[derive(Deserialize)]
struct PauseRow {
    message: String,
    paused_at: u64,
}

fn select_pause() -> Statement {
    Statement::new("SELECT message, paused_at FROM pauses WHERE only = 1")
}

/// Returns the pause in force. Its fields are empty if changes are not paused.
pub(crate) async fn pause_state(db: &dyn Database) -> Result<Pause, DatabaseError> {
    let row = db.query(select_pause()).await?.first::<PauseRow>()?;
    Ok(row.map_or_else(Pause::default, |row| Pause {
        message: Some(row.message),
        paused_at: Some(Timestamp(row.paused_at)),
    }))
}

/// Pauses changes. If changes are already paused, replaces the message and the time of the pause.
pub(crate) fn pause(ctx: &Context<'_>, message: &Reason) -> Decision<Pause> {
    let statement = Statement::new(
        "INSERT INTO pauses (only, message, paused_at) VALUES (1, ?1, ?2) \
         ON CONFLICT (only) DO UPDATE SET message = excluded.message, paused_at = excluded.paused_at",
    )
    .bind(message.as_str())
    .bind(ctx.now());
    let pause = Pause {
        message: Some(message.as_str().to_owned()),
        paused_at: Some(Timestamp(ctx.now())),
    };
    Decision::new("admin", vec![statement], pause)
}

/// Ends the pause.
pub(crate) fn resume() -> Decision<Pause> {
    let statement = Statement::new("DELETE FROM pauses WHERE only = 1");
    Decision::new("admin", vec![statement], Pause::default())
}

/// Blocks an account or a ledger. Replaces the reason and the time of an existing block. Returns `None` if [`BLOCKS_MAX`] other addresses
/// are blocked.
pub(crate) async fn block(
    ctx: &Context<'_>,
    address: Address,
    reason: &Reason,
) -> Result<Option<Decision<Block>>, DatabaseError> {
    let others = Statement::new(
        "SELECT count(*) AS total FROM (SELECT 1 FROM blocks WHERE address <> ?1 LIMIT ?2)",
    )
    .bind(account_key(&address))
    .bind(BLOCKS_MAX);
    if ctx.db().query(others).await?.total()? >= BLOCKS_MAX {
        return Ok(None);
    }
    let guard = Statement::new(
        "INSERT INTO guards SELECT 0 WHERE (SELECT count(*) FROM (SELECT 1 FROM blocks WHERE address <> ?1 LIMIT ?2)) >= ?2",
    )
    .bind(account_key(&address))
    .bind(BLOCKS_MAX)
    .storing_exactly(0);
    let statement = Statement::new(
        "INSERT INTO blocks (address, reason, blocked_at) VALUES (?1, ?2, ?3) \
         ON CONFLICT (address) DO UPDATE SET reason = excluded.reason, blocked_at = excluded.blocked_at",
    )
    .bind(account_key(&address))
    .bind(reason.as_str())
    .bind(ctx.now());
    let block = Block {
        address,
        reason: Some(reason.as_str().to_owned()),
        blocked_at: Some(Timestamp(ctx.now())),
    };
    Ok(Some(Decision::new("admin", vec![guard, statement], block)))
}

/// Unblocks an account or a ledger. Has no effect if it is not blocked.
pub(crate) fn unblock(address: Address) -> Decision<Block> {
    let statement =
        Statement::new("DELETE FROM blocks WHERE address = ?1").bind(account_key(&address));
    let block = Block {
        address,
        reason: None,
        blocked_at: None,
    };
    Decision::new("admin", vec![statement], block)
}

/// Returns a page of the blocked addresses, the first row of the next page if there is one, and the total up to `TOTAL_MAX`.
pub(crate) async fn blocks(
    db: &dyn Database,
    page: &Page,
) -> Result<(Vec<Block>, u32), DatabaseError> {
    List::new("address, reason, blocked_at", "blocks", &["address"])
        .fetch(db, page)
        .await
}
