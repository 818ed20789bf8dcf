-- What the ledger's tables and the log of requests do not tell: changes of abilities, and changes of an account's settings.

-- Changes of abilities by orders of this service. The abilities of a new ledger are not listed.
CREATE TABLE ability_changes (
  ledger_id TEXT NOT NULL REFERENCES ledgers (id) ON DELETE CASCADE,
  changed_at INTEGER NOT NULL,
  account_id TEXT NOT NULL,
  -- The sums of the abilities' values before and after the change.
  old_abilities INTEGER NOT NULL,
  new_abilities INTEGER NOT NULL,
  record_ref TEXT NOT NULL,
  -- The account that signed the change.
  changed_by TEXT,
  PRIMARY KEY (ledger_id, changed_at, account_id)
) STRICT, WITHOUT ROWID;

-- Domains that were set or removed, and API keys that were created or revoked. Kept for 400 days.
CREATE TABLE account_events (
  ref TEXT PRIMARY KEY,
  account_id TEXT NOT NULL,
  at INTEGER NOT NULL,
  -- 3 domain set, 4 domain removed, 5 key created, 6 key revoked.
  kind INTEGER NOT NULL CHECK (kind BETWEEN 3 AND 6),
  -- The ledger whose domain was set or removed. Null for all ledgers of the account, and for keys.
  ledger_id TEXT,
  -- The domain, or the name of the key.
  detail TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX account_events_by_account ON account_events (account_id, at, ref);
-- For the export of an account's data, in the order of references.
CREATE INDEX account_events_for_export ON account_events (account_id, ref);
CREATE INDEX account_events_by_ledger ON account_events (ledger_id, at, ref) WHERE ledger_id IS NOT NULL;

-- Withdrawn certificates in the order of their withdrawal.
CREATE INDEX withdrawals_by_time ON withdrawals (ledger_id, withdrawn_at, asset_id);
