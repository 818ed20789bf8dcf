-- Events of a payment provider can be lost: deposits that wait are asked for, ever more seldom.
ALTER TABLE deposits ADD COLUMN asked INTEGER NOT NULL DEFAULT 0;
-- When the provider is asked next; null where nothing is waited for any more.
ALTER TABLE deposits ADD COLUMN ask_at INTEGER;
UPDATE deposits SET ask_at = created_at
  WHERE source = 'stripe' AND (status = 'pending' OR status = 'failed' AND intent_id IS NOT NULL);
CREATE INDEX deposits_to_ask ON deposits (ask_at) WHERE ask_at IS NOT NULL;

-- Parts of payments that were sent back, each by itself: one that fails has returned.
CREATE TABLE refunds (
  id TEXT PRIMARY KEY,
  deposit_ref TEXT NOT NULL REFERENCES deposits (ref),
  -- EUR cents.
  amount INTEGER NOT NULL,
  failed INTEGER NOT NULL CHECK (failed IN (0, 1)),
  updated_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX refunds_by_deposit ON refunds (deposit_ref);
