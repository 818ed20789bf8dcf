-- A ledger may take its time with a record, or undo it: when it is asked again what became of the record.
ALTER TABLE records ADD COLUMN check_at INTEGER;
UPDATE records SET check_at = 0 WHERE status IN (2, 3);

DROP INDEX records_to_perform;
CREATE INDEX records_to_perform ON records (priority DESC, created_at) WHERE status = 1 AND aside_until IS NULL;
CREATE INDEX records_to_check ON records (check_at) WHERE status IN (2, 3) AND aside_until IS NULL;
