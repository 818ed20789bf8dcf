-- Assets that were destroyed: without this, a withdrawn certificate looks like one that never was. An asset that is on its ledger
-- is in force, whatever stands here: its id may have been created again.
CREATE TABLE withdrawals (
  ledger_id TEXT NOT NULL REFERENCES ledgers (id),
  asset_id TEXT NOT NULL,
  -- When the destroyed asset was created; null where it was destroyed before this table.
  issued_at INTEGER,
  withdrawn_at INTEGER NOT NULL,
  -- The order that destroyed it.
  record_ref TEXT NOT NULL,
  PRIMARY KEY (ledger_id, asset_id)
) STRICT, WITHOUT ROWID;

-- What was destroyed before, from the orders that did it. Ids of more than 18 digits are too large for SQLite's integers.
INSERT INTO withdrawals (ledger_id, asset_id, issued_at, withdrawn_at, record_ref)
SELECT l.id, printf('%064x', CAST(a.value ->> 'assetId' AS INTEGER)), NULL, max(r.updated_at), r.ref
FROM records r, json_each(r.body, '$.order.actions') a
JOIN ledgers l ON l.id = lower(a.value ->> 'ledgerId')
WHERE r.kind = 0 AND r.status IN (3, 7) AND a.value ->> 'kind' = 6
  AND length(a.value ->> 'assetId') <= 18 AND (a.value ->> 'assetId') NOT GLOB '*[^0-9]*'
GROUP BY 1, 2;
