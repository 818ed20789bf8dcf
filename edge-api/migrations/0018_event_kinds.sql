-- The event kinds that are delivered: the sum of 1 << kind, or null for all kinds, including later ones.
ALTER TABLE webhooks ADD COLUMN event_kinds INTEGER CHECK (event_kinds > 0);
UPDATE webhooks SET event_kinds = nullif(kinds, 15);

-- The code of the release before this one reads and writes `kinds`, whose 15 means all. The code of this release writes both columns.
-- If they differ, the old code has written `kinds`. Drop the triggers together with `kinds`.
CREATE TRIGGER webhooks_inserted_by_old_code AFTER INSERT ON webhooks
WHEN NEW.kinds <> coalesce(nullif(NEW.event_kinds & 15, 0), 15)
BEGIN
  UPDATE webhooks SET event_kinds = nullif(NEW.kinds, 15) WHERE account_id = NEW.account_id;
END;
CREATE TRIGGER webhooks_changed_by_old_code AFTER UPDATE OF kinds ON webhooks
WHEN NEW.kinds <> coalesce(nullif(NEW.event_kinds & 15, 0), 15)
BEGIN
  UPDATE webhooks SET event_kinds = nullif(NEW.kinds, 15) WHERE account_id = NEW.account_id;
END;
