-- Credentials that wait for a wallet (docs/decisions/0091-wallet-offers.md). The key of the cipher text is computed from the code.
CREATE TABLE wallet_offers (
  -- SHA-256 of the code, 64 hex digits. The code itself is only in the offer's link.
  code_hash TEXT NOT NULL PRIMARY KEY,
  ledger_id TEXT NOT NULL REFERENCES ledgers (id),
  -- The credential configuration in the service's metadata.
  configuration TEXT NOT NULL,
  -- The encrypted credential, base64url.
  ciphertext TEXT NOT NULL,
  -- SHA-256 of the token, 64 hex digits. Null until a wallet has used the code.
  token_hash TEXT UNIQUE,
  -- Milliseconds since 1970. The use of the code shortens it to some minutes.
  expires_at INTEGER NOT NULL
) STRICT;

CREATE INDEX wallet_offers_by_ledger ON wallet_offers (ledger_id, expires_at);
CREATE INDEX wallet_offers_expires_at ON wallet_offers (expires_at);
