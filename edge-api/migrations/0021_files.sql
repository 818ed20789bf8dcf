-- Files that the service hosts for ledgers and assets. The content of a file is an object in a bucket. These tables say which objects are
-- in use.

CREATE TABLE files (
  -- SHA-256 of the content, 64 hex digits.
  hash TEXT PRIMARY KEY,
  -- The object's key. A file that is stored again after its deletion gets a new object, so a late deletion cannot remove it.
  object TEXT NOT NULL,
  content_type TEXT NOT NULL,
  bytes INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- The uses of files. Several ledgers and assets may use the same file. A file is deleted when its last use ends.
CREATE TABLE file_uses (
  ledger_id TEXT NOT NULL REFERENCES ledgers (id),
  -- Empty for a file of the ledger itself.
  asset_id TEXT NOT NULL,
  -- `metadata`, `evidence`, or the hash of a file without a name.
  slot TEXT NOT NULL,
  hash TEXT NOT NULL REFERENCES files (hash),
  bytes INTEGER NOT NULL,
  -- The account that uploaded the file.
  account_id TEXT NOT NULL,
  -- The path of a named file below `/files/`. Null for a file without a name.
  path TEXT UNIQUE,
  -- The time at which the sweep checks whether the asset exists. Null after a check that found the asset, and for files of the ledger.
  check_at INTEGER,
  PRIMARY KEY (ledger_id, asset_id, slot)
) STRICT, WITHOUT ROWID;
CREATE INDEX file_uses_by_hash ON file_uses (hash);
CREATE INDEX file_uses_to_check ON file_uses (check_at) WHERE check_at IS NOT NULL;

-- Objects to delete: the objects of files without a use, and the objects of uploads that have not ended.
CREATE TABLE file_deletions (
  object TEXT PRIMARY KEY,
  due_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX file_deletions_due ON file_deletions (due_at);

-- The number and bytes of the uses of each ledger (`ledger:0x…`), and of the uses that each account uploaded (`account:0x…`).
CREATE TABLE file_totals (
  key TEXT PRIMARY KEY,
  files INTEGER NOT NULL,
  bytes INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- These triggers keep the sums correct and schedule the deletion of unused objects, whichever statement changes a use.
CREATE TRIGGER file_uses_added AFTER INSERT ON file_uses
BEGIN
  INSERT INTO file_totals (key, files, bytes)
    VALUES ('ledger:' || NEW.ledger_id, 1, NEW.bytes), ('account:' || NEW.account_id, 1, NEW.bytes)
    ON CONFLICT (key) DO UPDATE SET files = files + 1, bytes = bytes + excluded.bytes;
END;
CREATE TRIGGER file_uses_removed AFTER DELETE ON file_uses
BEGIN
  UPDATE file_totals SET files = files - 1, bytes = bytes - OLD.bytes
    WHERE key IN ('ledger:' || OLD.ledger_id, 'account:' || OLD.account_id);
  INSERT INTO file_deletions (object, due_at)
    SELECT object, 0 FROM files WHERE hash = OLD.hash AND NOT EXISTS (SELECT 1 FROM file_uses WHERE hash = OLD.hash);
  DELETE FROM files WHERE hash = OLD.hash AND NOT EXISTS (SELECT 1 FROM file_uses WHERE hash = OLD.hash);
END;
-- Makes the files of a destroyed asset due, so that the next sweep ends their uses.
CREATE TRIGGER withdrawals_added_with_files AFTER INSERT ON withdrawals
BEGIN
  UPDATE file_uses SET check_at = NEW.withdrawn_at WHERE ledger_id = NEW.ledger_id AND asset_id = NEW.asset_id;
END;
CREATE TRIGGER withdrawals_repeated_with_files AFTER UPDATE OF withdrawn_at ON withdrawals
BEGIN
  UPDATE file_uses SET check_at = NEW.withdrawn_at WHERE ledger_id = NEW.ledger_id AND asset_id = NEW.asset_id;
END;
