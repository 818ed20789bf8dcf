-- The factors by which administrators have raised quotas. `key` is the key of the quota.
CREATE TABLE quota_raises (
  key TEXT PRIMARY KEY,
  factor INTEGER NOT NULL CHECK (factor > 1)
) STRICT, WITHOUT ROWID;
