-- Lists of records by status: the record's status again, beside who may list it, so that an index has each status's records in
-- their order, and a page of them costs what it shows.
ALTER TABLE record_parties ADD COLUMN status INTEGER NOT NULL DEFAULT 0 CHECK (status BETWEEN 0 AND 7);
UPDATE record_parties SET status = (SELECT r.status FROM records r WHERE r.ref = record_parties.ref);
CREATE INDEX record_parties_by_status ON record_parties (account_id, kind, status, ref);
