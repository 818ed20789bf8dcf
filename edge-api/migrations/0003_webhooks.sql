-- One webhook an account, and the outbox of events on their way to it.

CREATE TABLE webhooks (
  account_id TEXT PRIMARY KEY,
  -- As it was given.
  url TEXT NOT NULL,
  -- The URL's origin: a secret is known to one origin only.
  origin TEXT NOT NULL,
  -- Under which origin this service was called when the URL was given: its own host is no receiver.
  service_origin TEXT NOT NULL,
  -- The sum of 1 << kind.
  kinds INTEGER NOT NULL CHECK (kinds BETWEEN 1 AND 15),
  secret TEXT NOT NULL,
  -- The secret before a rotation, and until when it still signs.
  previous_secret TEXT,
  previous_until INTEGER,
  -- When the account has its next turn; null while nothing waits for it.
  wake_at INTEGER
) STRICT, WITHOUT ROWID;
CREATE INDEX webhooks_to_wake ON webhooks (wake_at) WHERE wake_at IS NOT NULL;

-- Events and what became of them. A row is written in the transaction that makes the event.
CREATE TABLE webhook_deliveries (
  -- Ascends in the order in which events were made.
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  ref TEXT NOT NULL,
  account_id TEXT NOT NULL,
  -- What receivers tell events apart by; the same for everybody who gets the event, and for a redelivery.
  event_id TEXT NOT NULL,
  -- An account's deliveries of one stream go one after another. A record's reference, or the account for test events.
  stream TEXT NOT NULL,
  body TEXT NOT NULL,
  -- 0 waiting, 1 delivered, 2 given up, 3 canceled.
  state INTEGER NOT NULL DEFAULT 0 CHECK (state BETWEEN 0 AND 3),
  attempts INTEGER NOT NULL DEFAULT 0,
  -- When it is tried next; null while an earlier one of its stream waits, and when it no longer waits.
  due_at INTEGER,
  -- While an attempt may be under way, until when.
  leased_until INTEGER,
  first_attempt_at INTEGER,
  -- What came of the last attempt.
  response_status INTEGER,
  error TEXT,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX webhook_deliveries_by_ref ON webhook_deliveries (account_id, ref);
CREATE INDEX webhook_deliveries_by_account ON webhook_deliveries (account_id, id);
CREATE INDEX webhook_deliveries_in_order ON webhook_deliveries (stream, account_id, id) WHERE state = 0;
CREATE INDEX webhook_deliveries_due ON webhook_deliveries (account_id, due_at) WHERE state = 0;
CREATE INDEX webhook_deliveries_by_age ON webhook_deliveries (created_at) WHERE state <> 0;
