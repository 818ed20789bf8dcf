-- Finds the files that an account stored for a ledger itself, or for assets that are not known to exist.
CREATE INDEX file_uses_without_asset ON file_uses (ledger_id, account_id) WHERE asset_id = '' OR check_at IS NOT NULL;

-- The triggers for `file_totals` and for the queue of objects handle insertions and deletions only, so updates of these columns are refused.
CREATE TRIGGER file_uses_fixed BEFORE UPDATE OF ledger_id, asset_id, slot, hash, bytes, account_id ON file_uses
BEGIN
  SELECT RAISE(ABORT, 'a use of a file is replaced by another one, and not updated');
END;
