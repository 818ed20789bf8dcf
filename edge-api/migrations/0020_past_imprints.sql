-- Earlier imprints of assets. Verification uses them to report a document with an earlier imprint as replaced or withdrawn, not as
-- changed or forged.
CREATE TABLE past_imprints (
  ledger_id TEXT NOT NULL REFERENCES ledgers (id),
  asset_id TEXT NOT NULL,
  imprint TEXT NOT NULL,
  -- The time at which the asset got another imprint or was destroyed.
  ended_at INTEGER NOT NULL,
  -- 1 if the asset was destroyed, 0 if its imprint was updated.
  withdrawn INTEGER NOT NULL CHECK (withdrawn IN (0, 1)),
  PRIMARY KEY (ledger_id, asset_id, ended_at, imprint)
) STRICT, WITHOUT ROWID;

-- The last owner of a destroyed asset; null if it was destroyed before this column existed.
ALTER TABLE withdrawals ADD COLUMN owner_id TEXT;
-- The reason of the withdrawal (plain text of at most 280 characters), and the account that gave it.
ALTER TABLE withdrawals ADD COLUMN reason TEXT;
ALTER TABLE withdrawals ADD COLUMN reason_by TEXT;
