-- Accounts that asked the operator for permission to deploy ledgers. An approved account may deploy as if `DEPLOYERS` listed it.
CREATE TABLE admissions (
  account_id TEXT PRIMARY KEY,
  ref TEXT NOT NULL UNIQUE,
  -- 0 waiting, 1 approved, 2 declined.
  status INTEGER NOT NULL CHECK (status BETWEEN 0 AND 2),
  -- Null after the erasure of the account's personal data.
  organisation TEXT,
  contact TEXT,
  text TEXT,
  created_at INTEGER NOT NULL,
  decided_at INTEGER,
  -- The administrator.
  decided_by TEXT
) STRICT, WITHOUT ROWID;
CREATE INDEX admissions_by_status ON admissions (status, ref);
-- Waiting and declined requests, which are deleted after their retention time.
CREATE INDEX admissions_to_forget ON admissions (ref) WHERE status <> 1;
