-- Bytes stored per day for accounts without tokens and assets. Migration 0016 replaces this table by `quotas`.
CREATE TABLE stranger_days (
  -- Days since 1970-01-01, in UTC.
  day INTEGER NOT NULL,
  -- `all`, `log`, or a hash of the client address, the day and the instance.
  source TEXT NOT NULL,
  bytes INTEGER NOT NULL,
  PRIMARY KEY (day, source)
) STRICT, WITHOUT ROWID;

-- Like `guards`, this table stays empty: its check aborts a batch that inserts 0.
CREATE TABLE stranger_guards (
  within INTEGER NOT NULL CONSTRAINT stranger_budget CHECK (within = 1)
) STRICT;
