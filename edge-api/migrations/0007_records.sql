-- A record whose processing fails unexpectedly is set aside, and the sweep continues with other records. The columns are
-- the number of such failures since the record's last change, and the time of the next attempt.
ALTER TABLE records ADD COLUMN faults INTEGER NOT NULL DEFAULT 0;
ALTER TABLE records ADD COLUMN aside_until INTEGER;
-- The time at which an order is canceled if it is still open.
ALTER TABLE records ADD COLUMN lapses_at INTEGER NOT NULL DEFAULT 0;

-- Expirations are whole seconds. Orders and value approvals end when that second begins, other records when it is
-- over. The latest expiration is in the year 9999. Earlier releases had no maximum, and could store expirations that do not
-- fit a double.
UPDATE records SET expires_at = min(253402300800000, CASE
  WHEN kind = 0 THEN expires_at / 1000 * 1000
  WHEN kind = 2 AND body ->> '$.approval.kind' = 8 THEN (expires_at - 1) / 1000 * 1000
  ELSE (expires_at - 1) / 1000 * 1000 + 1000 END);

-- Open orders lapse after 30 days, unless a signer that is not the creator holds tokens and has signed. For existing orders, the 30 days
-- start now.
UPDATE records SET lapses_at = expires_at;
UPDATE records SET lapses_at = min(expires_at, unixepoch() * 1000 + 2592000000) WHERE status = 0 AND NOT EXISTS (
  SELECT 1 FROM json_each(body, '$.order.signers') s JOIN balances b ON b.account_id = lower(s.value ->> '$.accountId')
  WHERE s.value ->> '$.claim' <> '' AND b.account_id <> creator_id AND b.amount > printf('%064d', 0));

DROP INDEX records_to_perform;
DROP INDEX records_to_retry;
DROP INDEX records_to_expire;
CREATE INDEX records_to_perform ON records (priority DESC, created_at) WHERE status IN (1, 2) AND aside_until IS NULL;
CREATE INDEX records_to_retry ON records (retry_at) WHERE status = 5 AND aside_until IS NULL;
CREATE INDEX records_to_lapse ON records (lapses_at) WHERE status = 0 AND aside_until IS NULL;
CREATE INDEX records_aside ON records (aside_until) WHERE aside_until IS NOT NULL;
