-- Domains that accounts name as their own, and the checks of whether these domains confirm the accounts.

CREATE TABLE issuer_domains (
  account_id TEXT NOT NULL,
  -- Empty if the domain is for all ledgers without a row of their own.
  ledger_id TEXT NOT NULL,
  -- The domain in lower case and Punycode.
  domain TEXT NOT NULL,
  set_at INTEGER NOT NULL,
  PRIMARY KEY (account_id, ledger_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX issuer_domains_by_domain ON issuer_domains (account_id, domain);

-- The last check of each domain for each account. If the domain ever confirmed or disowned the account, the row stays after the account
-- has removed the domain.
CREATE TABLE issuer_checks (
  account_id TEXT NOT NULL,
  domain TEXT NOT NULL,
  -- 1 if the account names the domain in a row of issuer_domains.
  named INTEGER NOT NULL CHECK (named IN (0, 1)),
  -- 0 not checked yet, 1 confirmed, 2 not confirmed, 3 disowned.
  state INTEGER NOT NULL DEFAULT 0 CHECK (state BETWEEN 0 AND 3),
  -- The source of the last confirmation: 0 the file, 1 DNS.
  source INTEGER CHECK (source IN (0, 1)),
  -- Name and logo in the domain's file at the last confirmation.
  name TEXT,
  logo TEXT,
  -- JSON list of the ledgers for which the domain confirms the account. Null for all ledgers.
  ledgers TEXT,
  -- Start and end of the last period for which the domain confirmed the account.
  first_seen INTEGER,
  last_seen INTEGER,
  -- JSON list of [first_seen, last_seen] of earlier periods.
  periods TEXT NOT NULL DEFAULT '[]',
  disowned_at INTEGER,
  -- The reason why the last check did not confirm the account, and a sentence for the account's owner. Null after a confirmation.
  reason TEXT,
  message TEXT,
  -- The time at which the account last set the domain, the end of the last check, and the due time of the next check (null if none is due).
  asked_at INTEGER NOT NULL,
  checked_at INTEGER,
  check_at INTEGER,
  -- Keyed hash of the client network from which the account last set the domain, for quotas.
  client TEXT,
  PRIMARY KEY (account_id, domain)
) STRICT, WITHOUT ROWID;
CREATE INDEX issuer_checks_due ON issuer_checks (check_at) WHERE check_at IS NOT NULL;
-- Confirmations by domains that the account no longer names.
CREATE INDEX issuer_checks_ended ON issuer_checks (account_id, last_seen) WHERE named = 0 AND last_seen IS NOT NULL;
CREATE INDEX issuer_checks_disowned ON issuer_checks (account_id, disowned_at) WHERE disowned_at IS NOT NULL;
