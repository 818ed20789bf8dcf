-- The X25519 keys to which colleagues encrypt register books, each with its account's signature.
CREATE TABLE book_keys (
  account_id TEXT PRIMARY KEY,
  -- 32 bytes as base64url.
  key TEXT NOT NULL,
  signature TEXT NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- The last versions of each ledger's register book. The objects contain cipher text.
CREATE TABLE books (
  ledger_id TEXT NOT NULL REFERENCES ledgers (id) ON DELETE CASCADE,
  version INTEGER NOT NULL,
  -- SHA-256 of the cipher text, 64 hex digits.
  hash TEXT NOT NULL,
  object TEXT NOT NULL,
  bytes INTEGER NOT NULL,
  -- JSON list of the accounts that can read the version, as the writer signed it.
  readers TEXT NOT NULL,
  writer_id TEXT NOT NULL,
  signature TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (ledger_id, version)
) STRICT, WITHOUT ROWID;

-- Books count in the sums of files, and a deleted version queues its object for deletion.
CREATE TRIGGER books_added AFTER INSERT ON books
BEGIN
  INSERT INTO file_totals (key, files, bytes)
    VALUES ('ledger:' || NEW.ledger_id, 1, NEW.bytes), ('account:' || NEW.writer_id, 1, NEW.bytes)
    ON CONFLICT (key) DO UPDATE SET files = files + 1, bytes = bytes + excluded.bytes;
END;

CREATE TRIGGER books_removed AFTER DELETE ON books
BEGIN
  UPDATE file_totals SET files = files - 1, bytes = bytes - OLD.bytes
    WHERE key IN ('ledger:' || OLD.ledger_id, 'account:' || OLD.writer_id);
  INSERT INTO file_deletions (object, due_at) VALUES (OLD.object, 0);
END;
