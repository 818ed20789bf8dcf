-- Domains that accounts name as their own, and whether these domains confirm the accounts.

CREATE TABLE issuer_domains (
  account_id TEXT NOT NULL,
  -- Empty if the domain is for all ledgers without a row of their own.
  ledger_id TEXT NOT NULL,
  -- In lower case and Punycode.
  domain TEXT NOT NULL,
  set_at INTEGER NOT NULL,
  PRIMARY KEY (account_id, ledger_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX issuer_domains_by_domain ON issuer_domains (account_id, domain);

-- Checks. A row stays after its domain was removed, if the domain ever confirmed or disowned the account.
CREATE TABLE issuer_checks (
  account_id TEXT NOT NULL,
  domain TEXT NOT NULL,
  -- Whether a row of issuer_domains has the domain.
  named INTEGER NOT NULL CHECK (named IN (0, 1)),
  -- 0 not checked yet, 1 confirmed, 2 not confirmed, 3 disowned.
  state INTEGER NOT NULL DEFAULT 0 CHECK (state BETWEEN 0 AND 3),
  -- The source of the last confirmation: 0 the file, 1 DNS.
  source INTEGER CHECK (source IN (0, 1)),
  -- From the domain's file, of the last confirmation.
  name TEXT,
  logo TEXT,
  -- JSON list of the only ledgers that are confirmed; null for all.
  ledgers TEXT,
  -- Start and end of the last period for which the domain confirmed the account.
  first_seen INTEGER,
  last_seen INTEGER,
  -- JSON list of [first_seen, last_seen] of earlier periods.
  periods TEXT NOT NULL DEFAULT '[]',
  disowned_at INTEGER,
  -- The reason of the last check that did not confirm, and a sentence for the owner.
  reason TEXT,
  message TEXT,
  -- The times of the owner's last request for a check, of the end of the last check, and of the next one (null if none follows).
  asked_at INTEGER NOT NULL,
  checked_at INTEGER,
  check_at INTEGER,
  -- Keyed hash of the client network of that request, for quotas.
  client TEXT,
  PRIMARY KEY (account_id, domain)
) STRICT, WITHOUT ROWID;
CREATE INDEX issuer_checks_due ON issuer_checks (check_at) WHERE check_at IS NOT NULL;
-- Confirmations by domains that the account no longer names.
CREATE INDEX issuer_checks_ended ON issuer_checks (account_id, last_seen) WHERE named = 0 AND last_seen IS NOT NULL;
CREATE INDEX issuer_checks_disowned ON issuer_checks (account_id, disowned_at) WHERE disowned_at IS NOT NULL;
