-- The time at which the service next works on a record. It then performs or retries the record, asks the ledger for the record's outcome, or
-- cancels a lapsed record. Null for a record on which there is nothing left to do. The code of the release before this one writes `check_at`
-- and `retry_at` instead, and the code of this release writes all three.
ALTER TABLE records ADD COLUMN due_at INTEGER;
CREATE INDEX records_due_to_lapse ON records (due_at) WHERE status = 0 AND aside_until IS NULL;
CREATE INDEX records_due_to_check ON records (due_at) WHERE status IN (2, 3) AND aside_until IS NULL;
CREATE INDEX records_due_to_retry ON records (due_at) WHERE status = 5 AND aside_until IS NULL;

-- Records that the old code has stored or changed. The sweep sets their `due_at`.
CREATE INDEX records_of_old_code ON records (ref) WHERE due_at IS NULL AND status IN (0, 1, 2, 3, 5);
-- The old code changes a record without changing `due_at`. Drop the trigger together with `check_at` and `retry_at`.
CREATE TRIGGER records_changed_by_old_code AFTER UPDATE OF status, lapses_at, check_at, retry_at ON records
WHEN NEW.due_at IS OLD.due_at AND NEW.due_at IS NOT NULL
  AND (NEW.status <> OLD.status OR NEW.lapses_at <> OLD.lapses_at OR NEW.check_at IS NOT OLD.check_at OR NEW.retry_at IS NOT OLD.retry_at)
BEGIN
  UPDATE records SET due_at = NULL WHERE ref = NEW.ref;
END;
