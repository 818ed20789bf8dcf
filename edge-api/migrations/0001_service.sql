-- Addresses are 0x + 40 lower-case hex digits. Amounts and asset ids are 64 lower-case hex digits, because SQLite's integers
-- are too small for them. Times are milliseconds since 1970. References are UUIDv7 text, which sorts by time.

-- One row with the random id of this instance. Derived addresses and claims depend on this id, so two instances never share them.
CREATE TABLE instance (
  only INTEGER PRIMARY KEY CHECK (only = 1),
  id TEXT NOT NULL
) STRICT;
INSERT INTO instance (only, id) VALUES (1, lower(hex(randomblob(32))));

-- A guard is a statement of a batch: INSERT INTO guards SELECT 0 WHERE <a condition does not hold>. If it selects a row, the check rejects
-- the row. This aborts the batch, which is one transaction. The table stays empty.
CREATE TABLE guards (
  holds INTEGER NOT NULL CONSTRAINT guard_holds CHECK (holds = 1)
) STRICT;

CREATE TABLE accounts (
  id TEXT PRIMARY KEY,
  information TEXT,
  created_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Orders (kind 0), deployments (1) and approvals (2). All three have the same states and transitions, and a hash is unique among them.
CREATE TABLE records (
  ref TEXT PRIMARY KEY,
  kind INTEGER NOT NULL CHECK (kind IN (0, 1, 2)),
  hash TEXT NOT NULL UNIQUE,
  creator_id TEXT NOT NULL,
  status INTEGER NOT NULL CHECK (status BETWEEN 0 AND 7),
  priority INTEGER NOT NULL CHECK (priority BETWEEN 1 AND 4),
  -- The first moment at which the record is no longer valid.
  expires_at INTEGER NOT NULL,
  -- JSON: the accepted request, with the claims that were added later.
  body TEXT NOT NULL,
  -- JSON: the result of performing the record, such as the new ledger's id.
  result TEXT,
  error_code INTEGER,
  error_message TEXT,
  tx_hash TEXT,
  -- The number of suspensions so far, and the time of the next attempt.
  attempts INTEGER NOT NULL DEFAULT 0,
  retry_at INTEGER,
  -- The number of changes. Every change is a compare-and-swap on this column.
  version INTEGER NOT NULL DEFAULT 0,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX records_to_perform ON records (priority DESC, created_at) WHERE status IN (1, 2);
CREATE INDEX records_to_retry ON records (retry_at) WHERE status = 5;
CREATE INDEX records_to_expire ON records (expires_at) WHERE status = 0;

-- The accounts that may list a record: its creator, signers and wildcard claimant.
CREATE TABLE record_parties (
  account_id TEXT NOT NULL,
  kind INTEGER NOT NULL,
  ref TEXT NOT NULL REFERENCES records (ref),
  PRIMARY KEY (account_id, kind, ref)
) STRICT, WITHOUT ROWID;

CREATE TABLE ledgers (
  id TEXT PRIMARY KEY,
  ref TEXT NOT NULL UNIQUE,
  name TEXT NOT NULL,
  symbol TEXT NOT NULL,
  uri_prefix TEXT NOT NULL,
  uri_postfix TEXT NOT NULL,
  schema_id TEXT NOT NULL,
  -- JSON list of capabilities, in the order in which they were deployed.
  capabilities TEXT NOT NULL,
  owner_id TEXT NOT NULL,
  -- Stored, because counting the assets of a large ledger takes longer than reading a page of them.
  asset_count INTEGER NOT NULL DEFAULT 0,
  created_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE assets (
  ledger_id TEXT NOT NULL REFERENCES ledgers (id),
  id TEXT NOT NULL,
  owner_id TEXT NOT NULL,
  imprint TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  PRIMARY KEY (ledger_id, id)
) STRICT, WITHOUT ROWID;
CREATE INDEX assets_by_creation ON assets (ledger_id, created_at, id);

CREATE TABLE abilities (
  ledger_id TEXT NOT NULL REFERENCES ledgers (id),
  account_id TEXT NOT NULL,
  -- The sum of the abilities' values. An account without abilities has no row.
  abilities INTEGER NOT NULL CHECK (abilities > 0),
  ledger_ref TEXT NOT NULL,
  PRIMARY KEY (ledger_id, account_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX abilities_by_account ON abilities (account_id, ledger_ref);

-- Accounts that may move or destroy all assets of an owner on a ledger.
CREATE TABLE operators (
  ledger_id TEXT NOT NULL REFERENCES ledgers (id),
  owner_id TEXT NOT NULL,
  operator_id TEXT NOT NULL,
  PRIMARY KEY (ledger_id, owner_id, operator_id)
) STRICT, WITHOUT ROWID;

-- Balances of the platform token.
CREATE TABLE balances (
  account_id TEXT PRIMARY KEY,
  amount TEXT NOT NULL CHECK (length(amount) = 64)
) STRICT, WITHOUT ROWID;

CREATE TABLE allowances (
  owner_id TEXT NOT NULL,
  spender_id TEXT NOT NULL,
  amount TEXT NOT NULL CHECK (length(amount) = 64),
  PRIMARY KEY (owner_id, spender_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE deposits (
  ref TEXT PRIMARY KEY,
  account_id TEXT NOT NULL,
  -- EUR cents.
  amount INTEGER NOT NULL,
  tokens TEXT NOT NULL CHECK (length(tokens) = 64),
  -- EUR per token when the deposit was created; decimal.
  price TEXT NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('pending', 'succeeded', 'failed')),
  livemode INTEGER NOT NULL,
  created_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX deposits_by_account ON deposits (account_id, ref);

-- The shift of a development instance's clock. It is read only if MOVABLE_CLOCK is on.
CREATE TABLE development (
  only INTEGER PRIMARY KEY CHECK (only = 1),
  clock_offset_ms INTEGER NOT NULL
) STRICT;
INSERT INTO development (only, clock_offset_ms) VALUES (1, 0);
