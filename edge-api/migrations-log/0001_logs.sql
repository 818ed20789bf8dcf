-- The optional database of logs: rows that no decision depends on (docs/decisions/0054-database-of-logs.md). Columns are those of the main
-- database, so that the same statements read both.

-- The log of requests. It is kept for 90 days.
CREATE TABLE requests (
  ref TEXT PRIMARY KEY,
  account_id TEXT NOT NULL,
  method TEXT NOT NULL,
  host TEXT NOT NULL,
  path TEXT NOT NULL,
  url TEXT NOT NULL,
  status INTEGER NOT NULL,
  -- JSON list of the answer's errors.
  errors TEXT NOT NULL,
  duration_ms INTEGER NOT NULL,
  created_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX requests_by_account ON requests (account_id, ref);

-- Ended deliveries, with their numbers of the main database.
CREATE TABLE webhook_deliveries (
  id INTEGER PRIMARY KEY,
  ref TEXT NOT NULL,
  account_id TEXT NOT NULL,
  event_id TEXT NOT NULL,
  ordering_key TEXT NOT NULL,
  body TEXT NOT NULL,
  -- 1 delivered, 2 given up, 3 canceled.
  state INTEGER NOT NULL,
  attempts INTEGER NOT NULL,
  -- Always null: only waiting deliveries have these times.
  due_at INTEGER,
  leased_until INTEGER,
  response_status INTEGER,
  error TEXT,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX webhook_deliveries_by_ref ON webhook_deliveries (account_id, ref);
CREATE INDEX webhook_deliveries_by_account ON webhook_deliveries (account_id, id);
CREATE INDEX webhook_deliveries_by_age ON webhook_deliveries (created_at) WHERE state <> 0;

-- The time of an account's last erasure. Rows that were created before it are not moved here, so that a move in flight cannot bring
-- erased rows back.
CREATE TABLE erasures (
  account_id TEXT PRIMARY KEY,
  erased_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
