-- Renames columns to the usual terms: to query a provider about a payment is to reconcile, and a stream of deliveries is an ordering key.
ALTER TABLE deposits RENAME COLUMN asked TO reconcile_attempts;
ALTER TABLE deposits RENAME COLUMN ask_at TO next_reconcile_at;
DROP INDEX deposits_to_ask;
CREATE INDEX deposits_to_reconcile ON deposits (next_reconcile_at) WHERE next_reconcile_at IS NOT NULL;

ALTER TABLE webhook_deliveries RENAME COLUMN stream TO ordering_key;
