-- The time at which a domain's confirmation ends if no check succeeds. Null unless the last check failed and the confirmation still counts.
ALTER TABLE issuer_checks ADD COLUMN confirmed_until INTEGER;

-- 1 if the last alert about the cause was critical. A warning that becomes critical is sent before its hour is over.
ALTER TABLE alerts ADD COLUMN critical INTEGER NOT NULL DEFAULT 0;

-- The time at which the last final block became final. Null before the first one.
ALTER TABLE chain ADD COLUMN final_at INTEGER;
