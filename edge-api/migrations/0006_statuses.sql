-- A copy of the record's status, for lists of records by status. An index has the records of each status in the order of
-- the lists, so reading a page does not read rows of other pages.
ALTER TABLE record_parties ADD COLUMN status INTEGER NOT NULL DEFAULT 0 CHECK (status BETWEEN 0 AND 7);
UPDATE record_parties SET status = (SELECT r.status FROM records r WHERE r.ref = record_parties.ref);
CREATE INDEX record_parties_by_status ON record_parties (account_id, kind, status, ref);
