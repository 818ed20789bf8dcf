-- Destroyed assets. Without this table, a withdrawn certificate could not be distinguished from one that never
-- existed. An asset in `assets` is in force even if it has a row here, because it may have been created again.
CREATE TABLE withdrawals (
  ledger_id TEXT NOT NULL REFERENCES ledgers (id),
  asset_id TEXT NOT NULL,
  -- The time at which the destroyed asset was created. Null if the asset was destroyed before this table existed.
  issued_at INTEGER,
  withdrawn_at INTEGER NOT NULL,
  -- The order that destroyed the asset.
  record_ref TEXT NOT NULL,
  PRIMARY KEY (ledger_id, asset_id)
) STRICT, WITHOUT ROWID;

-- Adds the assets that were destroyed earlier, from the orders that destroyed them. Assets with ids of more than 18 digits are left out,
-- because SQLite's integers are too small for them.
INSERT INTO withdrawals (ledger_id, asset_id, issued_at, withdrawn_at, record_ref)
SELECT l.id, printf('%064x', CAST(a.value ->> 'assetId' AS INTEGER)), NULL, max(r.updated_at), r.ref
FROM records r, json_each(r.body, '$.order.actions') a
JOIN ledgers l ON l.id = lower(a.value ->> 'ledgerId')
WHERE r.kind = 0 AND r.status IN (3, 7) AND a.value ->> 'kind' = 6
  AND length(a.value ->> 'assetId') <= 18 AND (a.value ->> 'assetId') NOT GLOB '*[^0-9]*'
GROUP BY 1, 2;
