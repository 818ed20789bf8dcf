-- New URLs of webhooks that wait for confirmation. Until the confirmation, events go to the receiver that was confirmed before.
CREATE TABLE webhook_challenges (
  account_id TEXT PRIMARY KEY,
  -- The URL as the account sent it.
  url TEXT NOT NULL,
  origin TEXT NOT NULL,
  service_origin TEXT NOT NULL,
  host TEXT NOT NULL,
  -- Null if the secret of the confirmed webhook stays, because the origin is the same.
  secret TEXT,
  -- Keyed hash of the client network that registered the URL, for quotas.
  client TEXT,
  -- The number of challenges sent since the URL was registered, and the time of the registration.
  sent INTEGER NOT NULL DEFAULT 0,
  registered_at INTEGER NOT NULL,
  -- The time of the next challenge. Null if no challenge follows.
  due_at INTEGER,
  -- The reason why the URL is not confirmed, as a sentence for the account's owner.
  reason TEXT
) STRICT, WITHOUT ROWID;
CREATE INDEX webhook_challenges_due ON webhook_challenges (due_at) WHERE due_at IS NOT NULL;
INSERT INTO webhook_challenges (account_id, url, origin, service_origin, host, sent, registered_at, due_at, reason)
  SELECT account_id, url, origin, service_origin, host, challenges, registered_at, wake_at, state_reason FROM webhooks WHERE state = 0;
UPDATE webhooks SET wake_at = NULL WHERE state = 0;

-- Receivers with a lower rank have their turns first. 0 to 2: the receiver answers quickly, and this many attempts in a row failed. 3: the
-- receiver is slow or fails more often.
ALTER TABLE webhooks ADD COLUMN turn_rank INTEGER NOT NULL DEFAULT 0;
UPDATE webhooks SET turn_rank = min(failures, 3);
DROP INDEX webhooks_to_wake;
DROP INDEX webhooks_to_wake_last;
CREATE INDEX webhooks_to_wake ON webhooks (turn_rank, wake_at) WHERE state = 1 AND wake_at IS NOT NULL;
