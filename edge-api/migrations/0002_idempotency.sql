-- POST requests with an Idempotency-Key: finished requests with their answers, and requests that are still running.
CREATE TABLE idempotency_keys (
  account_id TEXT NOT NULL,
  path TEXT NOT NULL,
  key TEXT NOT NULL,
  -- Hash of the request's body, 0x + 64 hex digits. A request that has the same key but another body is refused.
  body_hash TEXT NOT NULL,
  -- The id of the request that runs or ran. The stored answer has this id.
  request_id TEXT NOT NULL,
  -- Until this time, no other request with the key runs.
  lease_until INTEGER NOT NULL,
  -- The answer; null while the request runs.
  status INTEGER,
  body TEXT,
  expires_at INTEGER NOT NULL,
  PRIMARY KEY (account_id, path, key)
) STRICT, WITHOUT ROWID;
CREATE INDEX idempotency_keys_by_expiry ON idempotency_keys (expires_at);
