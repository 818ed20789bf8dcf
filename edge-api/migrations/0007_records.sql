-- A record that cannot be read or worked on is set aside, so that the sweep goes on with the others: how often that happened since
-- its last change, and when it is tried next.
ALTER TABLE records ADD COLUMN faults INTEGER NOT NULL DEFAULT 0;
ALTER TABLE records ADD COLUMN aside_until INTEGER;
-- When an order that is still open is canceled.
ALTER TABLE records ADD COLUMN lapses_at INTEGER NOT NULL DEFAULT 0;

-- Expirations count whole seconds: orders and value approvals end when theirs begins, the others when it is over. None is later than
-- the year 9999; before there was a last one, some were stored that a double does not hold.
UPDATE records SET expires_at = min(253402300800000, CASE
  WHEN kind = 0 THEN expires_at / 1000 * 1000
  WHEN kind = 2 AND body ->> '$.approval.kind' = 8 THEN (expires_at - 1) / 1000 * 1000
  ELSE (expires_at - 1) / 1000 * 1000 + 1000 END);

-- Open orders lapse after 30 days, unless somebody who holds tokens has signed one for its creator. Those that are there start now.
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
