-- Events are sent only after the receiver has confirmed the webhook. When the receiver fails, the webhook rests for a while; after many
-- failures, it is paused.

-- The URL's host, without its port.
ALTER TABLE webhooks ADD COLUMN host TEXT NOT NULL DEFAULT '';
-- 0 pending, 1 active, 2 paused. While pending, wake_at is the time of the next challenge, or null if no challenge follows.
ALTER TABLE webhooks ADD COLUMN state INTEGER NOT NULL DEFAULT 0 CHECK (state BETWEEN 0 AND 2);
-- The reason why the webhook is not active, as a sentence for its owner.
ALTER TABLE webhooks ADD COLUMN state_reason TEXT;
-- The number of challenges sent since the webhook was registered, and the time of the registration.
ALTER TABLE webhooks ADD COLUMN challenges INTEGER NOT NULL DEFAULT 0;
ALTER TABLE webhooks ADD COLUMN registered_at INTEGER NOT NULL DEFAULT 0;
-- The number of failures since the last success, the time of the first of these failures, and the time until which no attempt is made.
ALTER TABLE webhooks ADD COLUMN failures INTEGER NOT NULL DEFAULT 0;
ALTER TABLE webhooks ADD COLUMN failing_since INTEGER;
ALTER TABLE webhooks ADD COLUMN rest_until INTEGER NOT NULL DEFAULT 0;

-- Working receivers have their turns before failing ones.
DROP INDEX webhooks_to_wake;
CREATE INDEX webhooks_to_wake ON webhooks (wake_at) WHERE state = 1 AND failures < 3;
CREATE INDEX webhooks_to_wake_last ON webhooks (wake_at) WHERE (state <> 1 OR failures >= 3);

-- Counts of challenges per hour and of events per day, for limits. The key says what is counted. The period is the number of
-- hours or days since 1970.
CREATE TABLE webhook_counts (
  period INTEGER NOT NULL,
  key TEXT NOT NULL,
  count INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  PRIMARY KEY (key, period)
) STRICT, WITHOUT ROWID;
CREATE INDEX webhook_counts_by_age ON webhook_counts (expires_at);

-- Takes the host out of `https://host:port`. Hosts in brackets (IPv6) occurred only in development, so the second statement may cut them
-- off.
UPDATE webhooks SET host = substr(origin, instr(origin, '://') + 3);
UPDATE webhooks SET host = substr(host, 1, instr(host, ':') - 1) WHERE instr(host, ':') > 0;
-- A receiver that has accepted an event counts as confirmed. All other webhooks must be registered again, which sends a challenge.
UPDATE webhooks SET state = 1 WHERE EXISTS
  (SELECT 1 FROM webhook_deliveries d WHERE d.account_id = webhooks.account_id AND d.state = 1);
UPDATE webhooks SET wake_at = NULL, state_reason = 'the receiver has not confirmed that it wants these events: send PUT /account/webhook again'
  WHERE state = 0;
UPDATE webhook_deliveries SET state = 3, due_at = NULL, leased_until = NULL WHERE state = 0 AND account_id IN
  (SELECT account_id FROM webhooks WHERE state = 0);
