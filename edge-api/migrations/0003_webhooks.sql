-- Each account may have one webhook. Events wait in an outbox until they are delivered.

CREATE TABLE webhooks (
  account_id TEXT PRIMARY KEY,
  -- The URL as the account sent it.
  url TEXT NOT NULL,
  -- The URL's origin. Each origin gets its own secret.
  origin TEXT NOT NULL,
  -- This service's origin in the request that set the URL. Events are not sent to the service's own host.
  service_origin TEXT NOT NULL,
  -- The kinds of events that are delivered: the sum of 1 << kind.
  kinds INTEGER NOT NULL CHECK (kinds BETWEEN 1 AND 15),
  secret TEXT NOT NULL,
  -- The secret before a rotation, and the time until which events are also signed with it.
  previous_secret TEXT,
  previous_until INTEGER,
  -- The time of the account's next turn; null if no event waits.
  wake_at INTEGER
) STRICT, WITHOUT ROWID;
CREATE INDEX webhooks_to_wake ON webhooks (wake_at) WHERE wake_at IS NOT NULL;

-- Events and the state of their delivery. A row is written in the transaction that causes the event.
CREATE TABLE webhook_deliveries (
  -- Ascending in the order in which events were created.
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  ref TEXT NOT NULL,
  account_id TEXT NOT NULL,
  -- The event's id. It is the same for all recipients and all redeliveries of the event, so receivers can recognise repeated events.
  event_id TEXT NOT NULL,
  -- Deliveries to an account with the same stream are sent one after another. The stream is a record's reference, or the account for test
  -- events.
  stream TEXT NOT NULL,
  body TEXT NOT NULL,
  -- 0 waiting, 1 delivered, 2 given up, 3 canceled.
  state INTEGER NOT NULL DEFAULT 0 CHECK (state BETWEEN 0 AND 3),
  attempts INTEGER NOT NULL DEFAULT 0,
  -- The time of the next attempt. Null while an earlier delivery of the stream waits, and when this delivery has ended.
  due_at INTEGER,
  -- The time until which an attempt may be running. Null if no attempt is running.
  leased_until INTEGER,
  first_attempt_at INTEGER,
  -- The result of the last attempt.
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
