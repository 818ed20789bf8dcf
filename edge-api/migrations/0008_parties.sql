-- The account's role: 0 created the record, 1 has signed another account's record, 2 has yet to sign it.
ALTER TABLE record_parties ADD COLUMN role INTEGER NOT NULL DEFAULT 0 CHECK (role BETWEEN 0 AND 2);
UPDATE record_parties SET role = CASE
  WHEN EXISTS (SELECT 1 FROM records r WHERE r.ref = record_parties.ref AND r.creator_id = account_id) THEN 0
  WHEN status IN (1, 2, 3, 5, 7) OR EXISTS (
    SELECT 1 FROM records r, json_each(r.body, '$.order.signers') s WHERE r.ref = record_parties.ref
    AND lower(s.value ->> '$.accountId') = account_id AND s.value ->> '$.claim' <> '') THEN 1
  WHEN EXISTS (SELECT 1 FROM records r WHERE r.ref = record_parties.ref
    AND lower(r.body ->> '$.order.wildcardClaim.accountId') = account_id) THEN 1
  ELSE 2 END;
-- Indexes have the records of each role, and of each role and status, in the order of the lists. Reading a page therefore does not read
-- rows of other pages.
DROP INDEX record_parties_by_status;
CREATE INDEX record_parties_by_role ON record_parties (account_id, kind, role, ref);
CREATE INDEX record_parties_by_status ON record_parties (account_id, kind, role, status, ref);

-- The total size in bytes of an account's open orders.
CREATE TABLE open_orders (
  creator_id TEXT PRIMARY KEY,
  bytes INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
INSERT INTO open_orders (creator_id, bytes)
  SELECT creator_id, sum(length(body)) FROM records WHERE status = 0 GROUP BY creator_id;

-- Canceled orders keep only their signers and their hash.
UPDATE records SET body = json_set(body, '$.order.actions', json('[]'), '$.order.wildcardClaim.claim', '', '$.order.signers',
  json((SELECT json_group_array(json_object('accountId', s.value ->> '$.accountId', 'claim', ''))
   FROM json_each(body, '$.order.signers') s)))
  WHERE status = 6 AND kind = 0;
