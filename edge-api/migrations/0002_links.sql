-- Short links (docs/decisions/0075-short-links.md). The service has no key for the cipher text.
CREATE TABLE links (
  -- 16 characters of base64url, random.
  id TEXT NOT NULL PRIMARY KEY,
  -- The encrypted address of a shared certificate, base64url.
  ciphertext TEXT NOT NULL,
  -- SHA-256 of the key that ends the link, as hex digits.
  end_hash TEXT NOT NULL,
  -- Milliseconds since 1970.
  expires_at INTEGER NOT NULL
) STRICT;

CREATE INDEX links_expires_at ON links (expires_at);
