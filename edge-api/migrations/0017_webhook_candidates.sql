-- Addresses that wait for confirmation, apart from the webhook: a receiver that was confirmed stays in use until the next one is.
CREATE TABLE webhook_challenges (
  account_id TEXT PRIMARY KEY,
  -- As it was given.
  url TEXT NOT NULL,
  origin TEXT NOT NULL,
  service_origin TEXT NOT NULL,
  host TEXT NOT NULL,
  -- Null where it is the webhook's own, because the origin is the same.
  secret TEXT,
  -- Keyed hash of the client network that registered it, for quotas.
  client TEXT,
  -- Challenges sent since it was registered, and when that was.
  sent INTEGER NOT NULL DEFAULT 0,
  registered_at INTEGER NOT NULL,
  -- Time of the next challenge; null when none follows.
  due_at INTEGER,
  -- Why it is not confirmed, as its owner reads it.
  reason TEXT
) STRICT, WITHOUT ROWID;
CREATE INDEX webhook_challenges_due ON webhook_challenges (due_at) WHERE due_at IS NOT NULL;
INSERT INTO webhook_challenges (account_id, url, origin, service_origin, host, sent, registered_at, due_at, reason)
  SELECT account_id, url, origin, service_origin, host, challenges, registered_at, wake_at, state_reason FROM webhooks WHERE state = 0;
UPDATE webhooks SET wake_at = NULL WHERE state = 0;

-- Order of turns: 0 to 2 is the number of failures in a row of a receiver that answers quickly, 3 a receiver that is slow or fails more often.
ALTER TABLE webhooks ADD COLUMN turn_rank INTEGER NOT NULL DEFAULT 0;
UPDATE webhooks SET turn_rank = min(failures, 3);
DROP INDEX webhooks_to_wake;
DROP INDEX webhooks_to_wake_last;
CREATE INDEX webhooks_to_wake ON webhooks (turn_rank, wake_at) WHERE state = 1 AND wake_at IS NOT NULL;
