-- The tables of a ledger on a chain. In a service with the embedded ledger, they stay empty.

-- One row: the chain and contracts to which this database belongs, and the last block that was indexed. `number` and `hash` begin with the
-- block before CHAIN_START_BLOCK. `final` is the number of the last final block whose records were finalized. `next_at` is the time from
-- which another process may schedule the next look at the chain.
CREATE TABLE chain (
  only INTEGER PRIMARY KEY CHECK (only = 1),
  chain_id INTEGER NOT NULL,
  actions TEXT NOT NULL,
  deploy TEXT NOT NULL,
  token TEXT NOT NULL,
  -- The gateways' proxies: a JSON list in the order of their numbers.
  proxies TEXT NOT NULL,
  -- A hash of the settings that were checked against the chain. Other settings are checked again.
  checked TEXT NOT NULL,
  number INTEGER NOT NULL,
  hash TEXT NOT NULL,
  -- The timestamp of the last indexed block, in milliseconds since 1970. Null before the first block is indexed.
  time INTEGER,
  final INTEGER NOT NULL,
  next_at INTEGER NOT NULL DEFAULT 0,
  -- The daily comparison of the numbers of assets: the time of the next step, and the last compared ledger of an unfinished comparison.
  supply_at INTEGER NOT NULL DEFAULT 0,
  supply_after TEXT NOT NULL DEFAULT ''
) STRICT;

-- The indexed blocks that a reorganisation may undo, and the block before them.
CREATE TABLE chain_blocks (
  number INTEGER PRIMARY KEY,
  hash TEXT NOT NULL
) STRICT;

-- The rows that a block changed, as they were before the block: `image` is a JSON object of the row's columns, or null if the row did not
-- exist. Only the first change of a row in a block is stored.
CREATE TABLE chain_undo (
  block INTEGER NOT NULL,
  name TEXT NOT NULL,
  -- JSON list of the key's columns.
  key TEXT NOT NULL,
  image TEXT,
  PRIMARY KEY (block, name, key)
) STRICT, WITHOUT ROWID;

-- The claims that were performed or canceled on the chain, also claims without a record in this database.
CREATE TABLE chain_claims (
  hash TEXT NOT NULL,
  canceled INTEGER NOT NULL CHECK (canceled IN (0, 1)),
  is_deployment INTEGER NOT NULL CHECK (is_deployment IN (0, 1)),
  block INTEGER NOT NULL,
  tx_hash TEXT NOT NULL,
  -- The ledger that a deployment created.
  ledger_id TEXT,
  PRIMARY KEY (hash, canceled)
) STRICT, WITHOUT ROWID;
CREATE INDEX chain_claims_by_block ON chain_claims (block);

-- References of ledgers that a reorganisation removed, by the hash of the deployment. The ledger gets its reference back.
CREATE TABLE chain_refs (
  hash TEXT PRIMARY KEY,
  ref TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- The accounts that send transactions. `next_nonce` changes only in the database transaction that stores the chain transaction with this
-- nonce.
CREATE TABLE relayers (
  address TEXT PRIMARY KEY,
  next_nonce INTEGER NOT NULL,
  -- The number of the account's transactions that blocks had when a process last stored this number.
  mined INTEGER NOT NULL,
  -- The reason why nothing new is sent: `price` if gas is too expensive, or `funds` and the balance in wei from which sending continues.
  paused TEXT,
  -- 1 if the balance suffices for only a few more requests.
  is_low INTEGER NOT NULL DEFAULT 0 CHECK (is_low IN (0, 1))
) STRICT, WITHOUT ROWID;

-- A slot: a nonce of a relayer, and the record for which the nonce is used. `ref` is null for a transaction that does nothing. A slot is
-- closed when its nonce is final and its record is decided.
CREATE TABLE relay_slots (
  relayer TEXT NOT NULL,
  nonce INTEGER NOT NULL,
  ref TEXT,
  closed INTEGER NOT NULL DEFAULT 0 CHECK (closed IN (0, 1)),
  -- The time of the slot's creation, in milliseconds since 1970.
  since INTEGER NOT NULL,
  -- 1 if the transaction may only be sent to addresses that keep it private.
  is_private INTEGER NOT NULL CHECK (is_private IN (0, 1)),
  PRIMARY KEY (relayer, nonce)
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX relay_slots_open ON relay_slots (ref) WHERE closed = 0 AND ref IS NOT NULL;
CREATE INDEX relay_slots_by_ref ON relay_slots (ref) WHERE ref IS NOT NULL;
CREATE INDEX relay_slots_to_close ON relay_slots (relayer, nonce) WHERE closed = 0;

-- Every signed transaction. It is stored before it is sent. Prices are in wei, as decimal text, because SQLite's integers are too small.
CREATE TABLE relay_txs (
  tx_hash TEXT PRIMARY KEY,
  relayer TEXT NOT NULL,
  nonce INTEGER NOT NULL,
  raw TEXT NOT NULL,
  max_fee TEXT NOT NULL,
  tip TEXT NOT NULL,
  gas INTEGER NOT NULL,
  -- The number of the chain's last block when the transaction was signed.
  at_block INTEGER NOT NULL,
  -- 1 if the transaction does nothing, in place of a request that can no longer be performed.
  is_empty INTEGER NOT NULL CHECK (is_empty IN (0, 1))
) STRICT, WITHOUT ROWID;
CREATE INDEX relay_txs_by_nonce ON relay_txs (relayer, nonce);

-- Approvals that were sent. No log of a contract names their claims, so the relayer looks at all of these approvals.
CREATE INDEX records_approvals_sent ON records (ref) WHERE kind = 2 AND status IN (2, 3);
