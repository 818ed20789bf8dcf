-- What accounts that have nothing here had stored in a day (see edge-api/src/strangers.rs).
CREATE TABLE stranger_days (
  -- Counts from 1970-01-01 in UTC.
  day INTEGER NOT NULL,
  -- `all`, `log`, or a hash of a client address that is worth nothing on another day or instance.
  source TEXT NOT NULL,
  bytes INTEGER NOT NULL,
  PRIMARY KEY (day, source)
) STRICT, WITHOUT ROWID;

-- Stays empty, as `guards` does: a batch that would insert here ends.
CREATE TABLE stranger_guards (
  within INTEGER NOT NULL CONSTRAINT stranger_budget CHECK (within = 1)
) STRICT;
