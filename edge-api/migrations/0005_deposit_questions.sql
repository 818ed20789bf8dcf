-- Events of a payment provider can be lost. The service therefore queries the provider about waiting deposits, at growing intervals.
ALTER TABLE deposits ADD COLUMN asked INTEGER NOT NULL DEFAULT 0;
-- The time of the next query. Null if no query follows.
ALTER TABLE deposits ADD COLUMN ask_at INTEGER;
UPDATE deposits SET ask_at = created_at
  WHERE source = 'stripe' AND (status = 'pending' OR status = 'failed' AND intent_id IS NOT NULL);
CREATE INDEX deposits_to_ask ON deposits (ask_at) WHERE ask_at IS NOT NULL;

-- Refunds of payments or of parts of them. The money of a failed refund has returned to the operator.
CREATE TABLE refunds (
  id TEXT PRIMARY KEY,
  deposit_ref TEXT NOT NULL REFERENCES deposits (ref),
  -- EUR cents.
  amount INTEGER NOT NULL,
  failed INTEGER NOT NULL CHECK (failed IN (0, 1)),
  updated_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX refunds_by_deposit ON refunds (deposit_ref);
