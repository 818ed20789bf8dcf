-- The service reads the ledgers' prefixes and postfixes from the chain once an hour. These columns have the time of the next step, and the
-- last ledger that was read in this round.
ALTER TABLE chain ADD COLUMN uris_at INTEGER NOT NULL DEFAULT 0;
ALTER TABLE chain ADD COLUMN uris_after TEXT NOT NULL DEFAULT '';
