-- A webhook is confirmed by its receiver before events flow, rests when its receiver fails, and is paused when that lasts.

-- The URL's host, without its port.
ALTER TABLE webhooks ADD COLUMN host TEXT NOT NULL DEFAULT '';
-- 0 pending, 1 active, 2 paused. While pending, wake_at is the time of the next challenge; null when none follows.
ALTER TABLE webhooks ADD COLUMN state INTEGER NOT NULL DEFAULT 0 CHECK (state BETWEEN 0 AND 2);
-- Why it is not active, as its owner reads it.
ALTER TABLE webhooks ADD COLUMN state_reason TEXT;
-- Challenges sent since it was registered, and when that was.
ALTER TABLE webhooks ADD COLUMN challenges INTEGER NOT NULL DEFAULT 0;
ALTER TABLE webhooks ADD COLUMN registered_at INTEGER NOT NULL DEFAULT 0;
-- Attempts that failed since the last that did not, when the first of them did, and until when the receiver is left alone.
ALTER TABLE webhooks ADD COLUMN failures INTEGER NOT NULL DEFAULT 0;
ALTER TABLE webhooks ADD COLUMN failing_since INTEGER;
ALTER TABLE webhooks ADD COLUMN rest_until INTEGER NOT NULL DEFAULT 0;

-- Receivers that work have their turns before those that do not.
DROP INDEX webhooks_to_wake;
CREATE INDEX webhooks_to_wake ON webhooks (wake_at) WHERE state = 1 AND failures < 3;
CREATE INDEX webhooks_to_wake_last ON webhooks (wake_at) WHERE (state <> 1 OR failures >= 3);

-- How much of a limit is used up: challenges an hour, events a day. What is counted is in the key, the hour or day since 1970 is
-- the period.
CREATE TABLE webhook_counts (
  period INTEGER NOT NULL,
  key TEXT NOT NULL,
  count INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  PRIMARY KEY (key, period)
) STRICT, WITHOUT ROWID;
CREATE INDEX webhook_counts_by_age ON webhook_counts (expires_at);

-- `https://host:port` without the scheme and what follows a colon. Numbers in brackets were for this machine alone.
UPDATE webhooks SET host = substr(origin, instr(origin, '://') + 3);
UPDATE webhooks SET host = substr(host, 1, instr(host, ':') - 1) WHERE instr(host, ':') > 0;
-- Whatever received an event wants events. The others register once more, which sends the first challenge.
UPDATE webhooks SET state = 1 WHERE EXISTS
  (SELECT 1 FROM webhook_deliveries d WHERE d.account_id = webhooks.account_id AND d.state = 1);
UPDATE webhooks SET wake_at = NULL, state_reason = 'the receiver has not confirmed that it wants these events: send PUT /account/webhook again'
  WHERE state = 0;
UPDATE webhook_deliveries SET state = 3, due_at = NULL, leased_until = NULL WHERE state = 0 AND account_id IN
  (SELECT account_id FROM webhooks WHERE state = 0);
