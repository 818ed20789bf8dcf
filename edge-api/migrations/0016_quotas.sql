-- Sums that quotas limit, such as stored bytes, challenges and events. The key says what is counted. A row is deleted after its period.
CREATE TABLE quotas (
  key TEXT NOT NULL,
  -- The number of hours or days since 1970, in UTC.
  period INTEGER NOT NULL,
  used INTEGER NOT NULL,
  -- End of the period, in milliseconds since 1970.
  expires_at INTEGER NOT NULL,
  PRIMARY KEY (key, period)
) STRICT, WITHOUT ROWID;
CREATE INDEX quotas_by_expiry ON quotas (expires_at);

-- Like `guards`, this table stays empty: its checks abort a batch that inserts a row. The violated constraint shows which quota is
-- exceeded.
CREATE TABLE quota_guards (
  exceeded TEXT NOT NULL,
  CONSTRAINT quota_shared CHECK (exceeded <> 'shared'),
  CONSTRAINT quota_of_account CHECK (exceeded <> 'account')
) STRICT;

-- Counts of today's events and challenges are kept. The sums of bytes start at 0, because their keys were hashes of
-- client addresses without a secret key. The two older tables stay empty, because Workers of the previous version may
-- still use them.
INSERT INTO quotas (key, period, used, expires_at) SELECT replace(key, 'events:strangers', 'events:unfunded'), period, count, expires_at FROM webhook_counts;
DELETE FROM webhook_counts;
DELETE FROM stranger_days;

-- Finds out whether an account owns an asset, because owners of assets have a separate quota.
CREATE INDEX assets_by_owner ON assets (owner_id);
