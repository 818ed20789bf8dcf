-- Answers to POST requests that carried an Idempotency-Key, and those that are still being worked on.
CREATE TABLE idempotency_keys (
  account_id TEXT NOT NULL,
  path TEXT NOT NULL,
  key TEXT NOT NULL,
  -- Of the body as the service read it, 0x + 64 hex digits: another body is another request.
  body_hash TEXT NOT NULL,
  -- Whose turn it is, and the id of the answer.
  request_id TEXT NOT NULL,
  -- Until then nobody else takes the turn.
  lease_until INTEGER NOT NULL,
  -- The answer, once there is one.
  status INTEGER,
  body TEXT,
  expires_at INTEGER NOT NULL,
  PRIMARY KEY (account_id, path, key)
) STRICT, WITHOUT ROWID;
CREATE INDEX idempotency_keys_by_expiry ON idempotency_keys (expires_at);
