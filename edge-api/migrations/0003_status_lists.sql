-- The places of certificates in status lists (docs/decisions/0069-status-lists.md). The lists themselves are computed.
CREATE TABLE status_entries (
  ledger_id TEXT NOT NULL REFERENCES ledgers (id),
  -- The number of the list. A ledger's lists are filled one after the other.
  list INTEGER NOT NULL,
  -- The number of the entry in its list, in the order in which the entries were added.
  position INTEGER NOT NULL,
  -- The index of the bit in the list, random.
  place INTEGER NOT NULL,
  -- 64 hex digits. The asset need not exist yet.
  asset_id TEXT NOT NULL,
  -- 64 hex digits, as in `assets`.
  imprint TEXT NOT NULL,
  PRIMARY KEY (ledger_id, list, position)
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX status_entries_by_place ON status_entries (ledger_id, list, place);
-- Equal certificates get equal places.
CREATE UNIQUE INDEX status_entries_by_certificate ON status_entries (ledger_id, asset_id, imprint);
