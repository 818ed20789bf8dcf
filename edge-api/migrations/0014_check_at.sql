-- The time at which the sweep checks a record's state on the ledger again. A ledger may process a record slowly, or undo it.
ALTER TABLE records ADD COLUMN check_at INTEGER;
UPDATE records SET check_at = 0 WHERE status IN (2, 3);

DROP INDEX records_to_perform;
CREATE INDEX records_to_perform ON records (priority DESC, created_at) WHERE status = 1 AND aside_until IS NULL;
CREATE INDEX records_to_check ON records (check_at) WHERE status IN (2, 3) AND aside_until IS NULL;
