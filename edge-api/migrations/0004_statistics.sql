-- An account's requests and costs, prices of the token, and deposits through a payment provider.
-- References and ticker ids are UUIDv7, which sort by creation time. An index on them therefore also serves queries by time.

-- The log of requests. It is kept for 90 days. The daily sums in the tables below are kept forever.
CREATE TABLE requests (
  ref TEXT PRIMARY KEY,
  account_id TEXT NOT NULL,
  method TEXT NOT NULL,
  host TEXT NOT NULL,
  path TEXT NOT NULL,
  url TEXT NOT NULL,
  status INTEGER NOT NULL,
  -- JSON list of the answer's errors.
  errors TEXT NOT NULL,
  duration_ms INTEGER NOT NULL,
  created_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX requests_by_account ON requests (account_id, ref);

-- Days count from 1970-01-01 in UTC.
CREATE TABLE traffic (
  account_id TEXT NOT NULL,
  day INTEGER NOT NULL,
  requests INTEGER NOT NULL,
  queries INTEGER NOT NULL,
  mutations INTEGER NOT NULL,
  failures INTEGER NOT NULL,
  PRIMARY KEY (account_id, day)
) STRICT, WITHOUT ROWID;

CREATE TABLE costs (
  account_id TEXT NOT NULL,
  day INTEGER NOT NULL,
  orders INTEGER NOT NULL,
  deployments INTEGER NOT NULL,
  approvals INTEGER NOT NULL,
  actions INTEGER NOT NULL,
  -- The amount that the payment receiver got.
  amount TEXT NOT NULL CHECK (length(amount) = 64),
  PRIMARY KEY (account_id, day)
) STRICT, WITHOUT ROWID;

CREATE TABLE tickers (
  id TEXT PRIMARY KEY,
  base TEXT NOT NULL,
  quote TEXT NOT NULL,
  -- Decimal.
  price TEXT NOT NULL,
  created_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- The table of deposits is replaced by one that also has the payment provider's data.
DROP INDEX deposits_by_account;
ALTER TABLE deposits RENAME TO deposits_before;
CREATE TABLE deposits (
  ref TEXT PRIMARY KEY,
  account_id TEXT NOT NULL,
  -- EUR cents.
  amount INTEGER NOT NULL,
  tokens TEXT NOT NULL CHECK (length(tokens) = 64),
  -- EUR per token when the deposit was created; decimal.
  price TEXT NOT NULL,
  source TEXT NOT NULL CHECK (source IN ('test', 'stripe')),
  livemode INTEGER NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('pending', 'succeeded', 'failed', 'canceled')),
  -- The provider's id of the payment, and the secret that the payer needs to pay.
  intent_id TEXT UNIQUE,
  client_secret TEXT,
  -- The provider's code of the last failure.
  failure TEXT,
  -- EUR cents that went back to the payer.
  refunded INTEGER NOT NULL DEFAULT 0,
  -- EUR cents whose tokens were to be taken back, and the tokens that were taken. The account may not have had all of them any more.
  reclaimed INTEGER NOT NULL DEFAULT 0,
  taken TEXT NOT NULL CHECK (length(taken) = 64),
  -- The number of changes. Every change is a compare-and-swap on this column.
  version INTEGER NOT NULL DEFAULT 0,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
INSERT INTO deposits (ref, account_id, amount, tokens, price, source, livemode, status, taken, created_at, updated_at)
  SELECT ref, account_id, amount, tokens, price, 'test', livemode, status, printf('%064d', 0), created_at, created_at
  FROM deposits_before;
DROP TABLE deposits_before;
CREATE INDEX deposits_by_account ON deposits (account_id, ref);
-- Deposits without money whose tokens were credited. An instance that has such deposits may not take payments.
CREATE INDEX deposits_without_money ON deposits (source) WHERE livemode = 0 AND status = 'succeeded';

-- Payments that the payer's bank disputes.
CREATE TABLE disputes (
  id TEXT PRIMARY KEY,
  deposit_ref TEXT NOT NULL REFERENCES deposits (ref),
  -- EUR cents.
  amount INTEGER NOT NULL,
  standing TEXT NOT NULL CHECK (standing IN ('inquiry', 'open', 'lost', 'won')),
  updated_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX disputes_by_deposit ON disputes (deposit_ref);
