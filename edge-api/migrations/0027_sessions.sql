-- Sessions of accounts that signed in with Ethereum, and API keys. Tokens are stored as hashes.
CREATE TABLE sessions (
  account_id TEXT NOT NULL,
  ref TEXT NOT NULL,
  -- SHA-256 of the token, 64 hex digits.
  token_hash TEXT NOT NULL UNIQUE,
  created_at INTEGER NOT NULL,
  -- The last recorded use. A use is recorded at most every five minutes.
  used_at INTEGER NOT NULL,
  -- The time at which the session ends unless it is used before.
  expires_at INTEGER NOT NULL,
  PRIMARY KEY (account_id, ref)
) STRICT, WITHOUT ROWID;
CREATE INDEX sessions_by_expiry ON sessions (expires_at);

-- Nonces of messages with which accounts have signed in, so that no message can be used twice. An unused nonce has no row.
CREATE TABLE used_nonces (
  nonce TEXT PRIMARY KEY,
  expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX used_nonces_by_expiry ON used_nonces (expires_at);

CREATE TABLE api_keys (
  account_id TEXT NOT NULL,
  ref TEXT NOT NULL,
  -- SHA-256 of the key, 64 hex digits.
  token_hash TEXT NOT NULL UNIQUE,
  name TEXT NOT NULL,
  -- JSON list of `read`, `orders` and `webhooks`.
  scopes TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  -- The last recorded use; null before the first.
  used_at INTEGER,
  -- Null if the key does not expire.
  expires_at INTEGER,
  PRIMARY KEY (account_id, ref)
) STRICT, WITHOUT ROWID;
CREATE INDEX api_keys_by_expiry ON api_keys (expires_at) WHERE expires_at IS NOT NULL;

-- The time at which the account turned off the signed Authorization header; null if it accepts the header.
ALTER TABLE accounts ADD COLUMN header_off_at INTEGER;
CREATE INDEX accounts_without_header ON accounts (id) WHERE header_off_at IS NOT NULL;
