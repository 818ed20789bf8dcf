-- Finds the files that an account stored for a ledger, and that no asset is known to use.
CREATE INDEX file_uses_without_asset ON file_uses (ledger_id, account_id) WHERE asset_id = '' OR check_at IS NOT NULL;

-- The sums of `file_totals` and the queue of objects follow insertions and deletions only.
CREATE TRIGGER file_uses_fixed BEFORE UPDATE OF ledger_id, asset_id, slot, hash, bytes, account_id ON file_uses
BEGIN
  SELECT RAISE(ABORT, 'a use of a file is replaced by another one, and not updated');
END;
