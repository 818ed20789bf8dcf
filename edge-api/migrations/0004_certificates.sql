-- The certificates of a register: who issued them, their history, and their number in each month.

-- The order that created the asset. Null if this service does not have the order. Its creator is the asset's author.
ALTER TABLE assets ADD COLUMN created_ref TEXT;
-- The account that signed the creation, if it is not the creator of the order.
ALTER TABLE assets ADD COLUMN created_by TEXT;
-- The time at which the asset last got another imprint. Null if it has its first imprint.
ALTER TABLE assets ADD COLUMN replaced_at INTEGER;
CREATE INDEX assets_replaced ON assets (ledger_id, created_at, id) WHERE replaced_at IS NOT NULL;

-- Copies of the destroyed asset's columns.
ALTER TABLE withdrawals ADD COLUMN created_ref TEXT;
ALTER TABLE withdrawals ADD COLUMN created_by TEXT;
ALTER TABLE withdrawals ADD COLUMN replaced_at INTEGER;
-- The account that signed the destruction. Null if this service does not have the order.
ALTER TABLE withdrawals ADD COLUMN withdrawn_by TEXT;
-- 1 while an asset with the same id exists.
ALTER TABLE withdrawals ADD COLUMN is_reissued INTEGER NOT NULL DEFAULT 0;
-- The certificates that are withdrawn now, in the order in which they were issued.
CREATE INDEX withdrawals_by_issue ON withdrawals (ledger_id, issued_at, asset_id) WHERE is_reissued = 0 AND issued_at IS NOT NULL;
CREATE INDEX withdrawals_by_owner ON withdrawals (owner_id, ledger_id, issued_at, asset_id)
WHERE is_reissued = 0 AND issued_at IS NOT NULL;

CREATE TRIGGER assets_reissued AFTER INSERT ON assets
BEGIN
  UPDATE withdrawals SET is_reissued = 1 WHERE ledger_id = NEW.ledger_id AND asset_id = NEW.id;
END;

CREATE TRIGGER assets_destroyed AFTER DELETE ON assets
BEGIN
  UPDATE withdrawals SET is_reissued = 0 WHERE ledger_id = OLD.ledger_id AND asset_id = OLD.id AND is_reissued = 1;
END;

-- The order that gave the asset another imprint or destroyed it, and the account that signed the action.
ALTER TABLE past_imprints ADD COLUMN record_ref TEXT;
ALTER TABLE past_imprints ADD COLUMN ended_by TEXT;

-- Assets that got another owner.
CREATE TABLE asset_transfers (
  ledger_id TEXT NOT NULL REFERENCES ledgers (id) ON DELETE CASCADE,
  asset_id TEXT NOT NULL,
  moved_at INTEGER NOT NULL,
  from_id TEXT NOT NULL,
  to_id TEXT NOT NULL,
  -- The order, and the account that signed the action. Null if this service does not have the order.
  record_ref TEXT,
  moved_by TEXT,
  PRIMARY KEY (ledger_id, asset_id, moved_at, to_id)
) STRICT, WITHOUT ROWID;

-- The number of assets that were ever created on the ledger. `asset_count` has those that exist.
ALTER TABLE ledgers ADD COLUMN issued_count INTEGER NOT NULL DEFAULT 0;

-- The months in which a ledger got assets. The number of a month's assets is the difference between its row and the next one. So a new
-- asset writes no row of its own.
CREATE TABLE ledger_months (
  ledger_id TEXT NOT NULL REFERENCES ledgers (id) ON DELETE CASCADE,
  -- The month in UTC, as in 2026-11.
  month TEXT NOT NULL,
  -- `issued_count` of the ledger before the month's first asset.
  issued_before INTEGER NOT NULL,
  PRIMARY KEY (ledger_id, month)
) STRICT, WITHOUT ROWID;

-- For each month, the number of its assets that have another imprint than at first, and the number of its assets that were destroyed.
CREATE TABLE ledger_endings (
  ledger_id TEXT NOT NULL REFERENCES ledgers (id) ON DELETE CASCADE,
  -- The month in which the assets were created.
  month TEXT NOT NULL,
  replaced INTEGER NOT NULL DEFAULT 0,
  withdrawn INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (ledger_id, month)
) STRICT, WITHOUT ROWID;

-- These triggers keep `ledger_endings` correct, also when a block of a chain is undone. The creation of an asset runs none of their statements.
CREATE TRIGGER assets_counted_as_replaced AFTER UPDATE OF replaced_at ON assets
WHEN (OLD.replaced_at IS NULL) <> (NEW.replaced_at IS NULL)
BEGIN
  INSERT INTO ledger_endings (ledger_id, month, replaced)
    VALUES (NEW.ledger_id, strftime('%Y-%m', NEW.created_at / 1000, 'unixepoch'), iif(NEW.replaced_at IS NULL, -1, 1))
    ON CONFLICT (ledger_id, month) DO UPDATE SET replaced = replaced + excluded.replaced;
END;

CREATE TRIGGER assets_restored_as_replaced AFTER INSERT ON assets WHEN NEW.replaced_at IS NOT NULL
BEGIN
  INSERT INTO ledger_endings (ledger_id, month, replaced)
    VALUES (NEW.ledger_id, strftime('%Y-%m', NEW.created_at / 1000, 'unixepoch'), 1)
    ON CONFLICT (ledger_id, month) DO UPDATE SET replaced = replaced + 1;
END;

CREATE TRIGGER assets_replaced_and_removed AFTER DELETE ON assets WHEN OLD.replaced_at IS NOT NULL
BEGIN
  UPDATE ledger_endings SET replaced = replaced - 1
    WHERE ledger_id = OLD.ledger_id AND month = strftime('%Y-%m', OLD.created_at / 1000, 'unixepoch');
END;

CREATE TRIGGER withdrawals_counted AFTER INSERT ON withdrawals WHEN NEW.issued_at IS NOT NULL
BEGIN
  INSERT INTO ledger_endings (ledger_id, month, withdrawn)
    VALUES (NEW.ledger_id, strftime('%Y-%m', NEW.issued_at / 1000, 'unixepoch'), 1)
    ON CONFLICT (ledger_id, month) DO UPDATE SET withdrawn = withdrawn + 1;
END;

-- An id that is destroyed again counts twice, because it was issued twice.
CREATE TRIGGER withdrawals_repeated AFTER UPDATE OF withdrawn_at ON withdrawals
WHEN NEW.issued_at IS NOT NULL AND NEW.withdrawn_at > OLD.withdrawn_at
BEGIN
  INSERT INTO ledger_endings (ledger_id, month, withdrawn)
    VALUES (NEW.ledger_id, strftime('%Y-%m', NEW.issued_at / 1000, 'unixepoch'), 1)
    ON CONFLICT (ledger_id, month) DO UPDATE SET withdrawn = withdrawn + 1;
END;

-- Only the undo of a block takes a withdrawal back to an earlier time.
CREATE TRIGGER withdrawals_taken_back AFTER UPDATE OF withdrawn_at ON withdrawals
WHEN OLD.issued_at IS NOT NULL AND NEW.withdrawn_at < OLD.withdrawn_at
BEGIN
  UPDATE ledger_endings SET withdrawn = withdrawn - 1
    WHERE ledger_id = OLD.ledger_id AND month = strftime('%Y-%m', OLD.issued_at / 1000, 'unixepoch');
END;

CREATE TRIGGER withdrawals_removed AFTER DELETE ON withdrawals WHEN OLD.issued_at IS NOT NULL
BEGIN
  UPDATE ledger_endings SET withdrawn = withdrawn - 1
    WHERE ledger_id = OLD.ledger_id AND month = strftime('%Y-%m', OLD.issued_at / 1000, 'unixepoch');
END;
