-- What an operator watches: the answers of all isolates, and nightly backups.

-- Sums of answers, which isolates add together with their lines of the log of requests. A period has five minutes, and its number counts from 1970.
-- Periods that are older than 20 minutes are added to period 0, so the sum of all rows never falls.
CREATE TABLE answers (
  period INTEGER PRIMARY KEY,
  requests INTEGER NOT NULL,
  -- Answers with a status of 500 or more.
  failures INTEGER NOT NULL,
  milliseconds INTEGER NOT NULL,
  -- Answers that took at most this number of milliseconds.
  within_100 INTEGER NOT NULL,
  within_300 INTEGER NOT NULL,
  within_1000 INTEGER NOT NULL,
  within_3000 INTEGER NOT NULL,
  within_10000 INTEGER NOT NULL
) STRICT;

-- Nightly backups in the bucket. Days count from 1970-01-01 in UTC. The object of a day is `backups/<date>.sql`.
CREATE TABLE backups (
  day INTEGER PRIMARY KEY,
  attempts INTEGER NOT NULL,
  -- The start of the last attempt.
  started_at INTEGER NOT NULL,
  -- The start of the last copy into the bucket.
  copying_at INTEGER,
  -- The end of the copy. Null until there is one.
  finished_at INTEGER,
  bytes INTEGER
) STRICT;
