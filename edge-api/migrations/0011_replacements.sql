-- Replaced certificates in the order of their replacement.
CREATE INDEX past_imprints_by_time ON past_imprints (ledger_id, ended_at, asset_id) WHERE withdrawn = 0;
