-- Sums that quotas limit: bytes stored, challenges, events. The key names what is counted. A row is deleted when its period is over.
CREATE TABLE quotas (
  key TEXT NOT NULL,
  -- The hour or day since 1970 in UTC.
  period INTEGER NOT NULL,
  used INTEGER NOT NULL,
  -- End of the period, in milliseconds since 1970.
  expires_at INTEGER NOT NULL,
  PRIMARY KEY (key, period)
) STRICT, WITHOUT ROWID;
CREATE INDEX quotas_by_expiry ON quotas (expires_at);

-- Stays empty, as `guards` does: a batch that would insert here is aborted. The constraint names the quota that is used up.
CREATE TABLE quota_guards (
  exceeded TEXT NOT NULL,
  CONSTRAINT quota_shared CHECK (exceeded <> 'shared'),
  CONSTRAINT quota_of_account CHECK (exceeded <> 'account')
) STRICT;

-- Today's events and challenges keep their counts. The sums of bytes start anew: their keys were hashes of client addresses without a
-- secret. The two older tables stay, empty, for a Worker of the version before that still runs.
INSERT INTO quotas (key, period, used, expires_at) SELECT replace(key, 'events:strangers', 'events:unfunded'), period, count, expires_at FROM webhook_counts;
DELETE FROM webhook_counts;
DELETE FROM stranger_days;

-- Whether an account owns an asset: holders have a quota of their own.
CREATE INDEX assets_by_owner ON assets (owner_id);
