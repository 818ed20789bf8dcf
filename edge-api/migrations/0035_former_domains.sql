-- The domains that confirmed an account first are read in each check, even if the account no longer names them.

-- The time of the first confirmation. Null if the domain has not confirmed the account since this migration.
ALTER TABLE issuer_checks ADD COLUMN confirmed_at INTEGER;
-- Domains that confirmed the account, that it no longer names, and that have not disowned it.
CREATE INDEX issuer_checks_former ON issuer_checks (account_id, confirmed_at)
WHERE named = 0 AND confirmed_at IS NOT NULL AND disowned_at IS NULL;
