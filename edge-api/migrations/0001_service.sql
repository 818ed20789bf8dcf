-- Addresses are 0x + 40 lower-case hex digits. Amounts and asset ids are 64 lower-case hex digits, because SQLite's integers
-- are too small for them. Times are milliseconds since 1970. References are UUIDv7 text, which sorts by time.

-- One row with the random id of this instance. Derived addresses and claims depend on this id, so two instances never share them.
CREATE TABLE instance (
  only INTEGER PRIMARY KEY CHECK (only = 1),
  id TEXT NOT NULL
) STRICT;
INSERT INTO instance (only, id) VALUES (1, lower(hex(randomblob(32))));

-- A guard is a statement of a batch: INSERT INTO guards SELECT 0 WHERE <a condition does not hold>. If it selects a row, the check rejects
-- the row. This aborts the batch, which is one transaction. The table stays empty.
CREATE TABLE guards (
  holds INTEGER NOT NULL CONSTRAINT guard_holds CHECK (holds = 1)
) STRICT;

CREATE TABLE accounts (
  id TEXT PRIMARY KEY,
  information TEXT,
  created_at INTEGER NOT NULL,
  -- The time at which the account turned off the signed Authorization header; null if it accepts the header.
  header_off_at INTEGER
) STRICT, WITHOUT ROWID;
CREATE INDEX accounts_without_header ON accounts (id) WHERE header_off_at IS NOT NULL;

-- Orders (kind 0), deployments (1) and approvals (2). All three have the same states and transitions, and a hash is unique among them.
CREATE TABLE records (
  ref TEXT PRIMARY KEY,
  kind INTEGER NOT NULL CHECK (kind IN (0, 1, 2)),
  hash TEXT NOT NULL UNIQUE,
  creator_id TEXT NOT NULL,
  status INTEGER NOT NULL CHECK (status BETWEEN 0 AND 7),
  priority INTEGER NOT NULL CHECK (priority BETWEEN 1 AND 4),
  -- The first moment at which the record is no longer valid.
  expires_at INTEGER NOT NULL,
  -- JSON: the accepted request, with the claims that were added later.
  body TEXT NOT NULL,
  -- JSON: the result of performing the record, such as the new ledger's id.
  result TEXT,
  error_code INTEGER,
  error_message TEXT,
  tx_hash TEXT,
  -- The number of suspensions so far.
  attempts INTEGER NOT NULL DEFAULT 0,
  -- The number of changes. Every change is a compare-and-swap on this column.
  version INTEGER NOT NULL DEFAULT 0,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  -- A record whose processing fails unexpectedly is set aside, and the sweep continues with other records. The columns are
  -- the number of such failures since the record's last change, and the time of the next attempt.
  faults INTEGER NOT NULL DEFAULT 0,
  aside_until INTEGER,
  -- The time at which the service next works on a record. It then performs or retries the record, asks the ledger for the record's outcome, or
  -- cancels a lapsed record. Null for a record on which there is nothing left to do.
  due_at INTEGER,
  -- 0 while an order waits for its claims, or for its creator's call to perform it. A chain can perform the order meanwhile, and a
  -- reorganisation can undo that.
  queued INTEGER NOT NULL CHECK (queued IN (0, 1))
) STRICT, WITHOUT ROWID;
CREATE INDEX records_aside ON records (aside_until) WHERE aside_until IS NOT NULL;
CREATE INDEX records_to_perform ON records (priority DESC, created_at) WHERE status = 1 AND aside_until IS NULL;

-- Records in quarantine, in the order of the list for administrators.
CREATE INDEX records_stuck ON records (ref) WHERE aside_until IS NOT NULL;
CREATE INDEX records_to_lapse ON records (due_at) WHERE status = 0 AND aside_until IS NULL;
CREATE INDEX records_to_check ON records (due_at) WHERE status IN (2, 3) AND aside_until IS NULL;
CREATE INDEX records_to_retry ON records (due_at) WHERE status = 5 AND aside_until IS NULL;

-- Approvals that were sent. No log of a contract names their claims, so the relayer looks at all of these approvals.
CREATE INDEX records_approvals_sent ON records (ref) WHERE kind = 2 AND status IN (2, 3);

-- The accounts that may list a record: its creator, signers and wildcard claimant.
CREATE TABLE record_parties (
  account_id TEXT NOT NULL,
  kind INTEGER NOT NULL,
  ref TEXT NOT NULL REFERENCES records (ref),
  -- A copy of the record's status, for lists of records by status. An index has the records of each status in the order of
  -- the lists, so reading a page does not read rows of other pages.
  status INTEGER NOT NULL CHECK (status BETWEEN 0 AND 7),
  -- The account's role: 0 created the record, 1 has signed another account's record, 2 has yet to sign it.
  role INTEGER NOT NULL CHECK (role BETWEEN 0 AND 2),
  PRIMARY KEY (account_id, kind, ref)
) STRICT, WITHOUT ROWID;
CREATE INDEX record_parties_by_status ON record_parties (account_id, kind, role, status, ref);

CREATE TABLE ledgers (
  id TEXT PRIMARY KEY,
  ref TEXT NOT NULL UNIQUE,
  name TEXT NOT NULL,
  symbol TEXT NOT NULL,
  uri_prefix TEXT NOT NULL,
  uri_postfix TEXT NOT NULL,
  schema_id TEXT NOT NULL,
  -- JSON list of capabilities, in the order in which they were deployed.
  capabilities TEXT NOT NULL,
  owner_id TEXT NOT NULL,
  -- Stored, because counting the assets of a large ledger takes longer than reading a page of them.
  asset_count INTEGER NOT NULL DEFAULT 0,
  created_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE assets (
  ledger_id TEXT NOT NULL REFERENCES ledgers (id),
  id TEXT NOT NULL,
  owner_id TEXT NOT NULL,
  imprint TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  PRIMARY KEY (ledger_id, id)
) STRICT, WITHOUT ROWID;
CREATE INDEX assets_by_creation ON assets (ledger_id, created_at, id);

-- Lists the assets of an owner, and finds out whether an account owns an asset, because owners of assets have a separate quota.
CREATE INDEX assets_by_owner ON assets (owner_id, ledger_id, created_at, id);

CREATE TABLE abilities (
  ledger_id TEXT NOT NULL REFERENCES ledgers (id),
  account_id TEXT NOT NULL,
  -- The sum of the abilities' values. An account without abilities has no row.
  abilities INTEGER NOT NULL CHECK (abilities > 0),
  ledger_ref TEXT NOT NULL,
  PRIMARY KEY (ledger_id, account_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX abilities_by_account ON abilities (account_id, ledger_ref);

-- Accounts that may move or destroy all assets of an owner on a ledger.
CREATE TABLE operators (
  ledger_id TEXT NOT NULL REFERENCES ledgers (id),
  owner_id TEXT NOT NULL,
  operator_id TEXT NOT NULL,
  PRIMARY KEY (ledger_id, owner_id, operator_id)
) STRICT, WITHOUT ROWID;

-- Balances of the platform token.
CREATE TABLE balances (
  account_id TEXT PRIMARY KEY,
  amount TEXT NOT NULL CHECK (length(amount) = 64)
) STRICT, WITHOUT ROWID;

CREATE TABLE allowances (
  owner_id TEXT NOT NULL,
  spender_id TEXT NOT NULL,
  amount TEXT NOT NULL CHECK (length(amount) = 64),
  PRIMARY KEY (owner_id, spender_id)
) STRICT, WITHOUT ROWID;

-- The shift of a development instance's clock. It is read only if MOVABLE_CLOCK is on.
CREATE TABLE development (
  only INTEGER PRIMARY KEY CHECK (only = 1),
  clock_offset_ms INTEGER NOT NULL
) STRICT;
INSERT INTO development (only, clock_offset_ms) VALUES (1, 0);

-- POST requests with an Idempotency-Key: finished requests with their answers, and requests that are still running.
CREATE TABLE idempotency_keys (
  account_id TEXT NOT NULL,
  path TEXT NOT NULL,
  key TEXT NOT NULL,
  -- Hash of the request's body, 0x + 64 hex digits. A request that has the same key but another body is refused.
  body_hash TEXT NOT NULL,
  -- The id of the request that runs or ran. The stored answer has this id.
  request_id TEXT NOT NULL,
  -- Until this time, no other request with the key runs.
  lease_until INTEGER NOT NULL,
  -- The answer; null while the request runs.
  status INTEGER,
  body TEXT,
  expires_at INTEGER NOT NULL,
  PRIMARY KEY (account_id, path, key)
) STRICT, WITHOUT ROWID;
CREATE INDEX idempotency_keys_by_expiry ON idempotency_keys (expires_at);

CREATE TABLE webhooks (
  account_id TEXT PRIMARY KEY,
  -- The URL as the account sent it.
  url TEXT NOT NULL,
  -- The URL's origin. Each origin gets its own secret.
  origin TEXT NOT NULL,
  -- This service's origin in the request that set the URL. Events are not sent to the service's own host.
  service_origin TEXT NOT NULL,
  secret TEXT NOT NULL,
  -- The secret before a rotation, and the time until which events are also signed with it.
  previous_secret TEXT,
  previous_until INTEGER,
  -- The time of the account's next turn; null if no event waits.
  wake_at INTEGER,
  -- The URL's host, without its port.
  host TEXT NOT NULL,
  -- 0 pending, 1 active, 2 paused.
  state INTEGER NOT NULL CHECK (state BETWEEN 0 AND 2),
  -- The reason why the webhook is not active, as a sentence for its owner.
  state_reason TEXT,
  -- The number of failures since the last success, the time of the first of these failures, and the time until which no attempt is made.
  failures INTEGER NOT NULL DEFAULT 0,
  failing_since INTEGER,
  rest_until INTEGER NOT NULL DEFAULT 0,
  -- Receivers with a lower rank have their turns first. 0 to 2: the receiver answers quickly, and this many attempts in a row failed. 3: the
  -- receiver is slow or fails more often.
  turn_rank INTEGER NOT NULL DEFAULT 0,
  -- The event kinds that are delivered: the sum of 1 << kind, or null for all kinds, including later ones.
  event_kinds INTEGER CHECK (event_kinds > 0)
) STRICT, WITHOUT ROWID;
CREATE INDEX webhooks_to_wake ON webhooks (turn_rank, wake_at) WHERE state = 1 AND wake_at IS NOT NULL;

-- Events and the state of their delivery. A row is written in the transaction that causes the event.
CREATE TABLE webhook_deliveries (
  -- Ascending in the order in which events were created.
  id INTEGER PRIMARY KEY,
  ref TEXT NOT NULL,
  account_id TEXT NOT NULL,
  -- The event's id. It is the same for all recipients and all redeliveries of the event, so receivers can recognise repeated events.
  event_id TEXT NOT NULL,
  -- Deliveries to an account with the same ordering key are sent one after another. The key is a record's reference, or the account for test
  -- events.
  ordering_key TEXT NOT NULL,
  body TEXT NOT NULL,
  -- 0 waiting, 1 delivered, 2 given up, 3 canceled.
  state INTEGER NOT NULL DEFAULT 0 CHECK (state BETWEEN 0 AND 3),
  attempts INTEGER NOT NULL DEFAULT 0,
  -- The time of the next attempt. Null while an earlier delivery with the same key waits, and when this delivery has ended.
  due_at INTEGER,
  -- The time until which an attempt may be running, of this delivery or of those that wait for it. Null if none is running.
  leased_until INTEGER,
  first_attempt_at INTEGER,
  -- The result of the last attempt.
  response_status INTEGER,
  error TEXT,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX webhook_deliveries_by_ref ON webhook_deliveries (account_id, ref);
CREATE INDEX webhook_deliveries_in_order ON webhook_deliveries (ordering_key, account_id, id) WHERE state = 0;
CREATE INDEX webhook_deliveries_due ON webhook_deliveries (account_id, due_at) WHERE state = 0 AND due_at IS NOT NULL;

-- The log of requests. It is kept for 90 days. The daily sums in `traffic` and `costs` are kept forever.
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
  updated_at INTEGER NOT NULL,
  -- The number of queries to the provider about the payment, and the time of the next one. Null if none follows.
  reconcile_attempts INTEGER NOT NULL DEFAULT 0,
  next_reconcile_at INTEGER,
  -- Keyed hash of the client network that created the deposit. Null once the deposit is no longer open.
  client TEXT
) STRICT, WITHOUT ROWID;
CREATE INDEX deposits_by_account ON deposits (account_id, ref);

-- Deposits without money whose tokens were credited. An instance that has such deposits may not take payments.
CREATE INDEX deposits_without_money ON deposits (source) WHERE livemode = 0 AND status = 'succeeded';
CREATE INDEX deposits_live ON deposits (livemode) WHERE livemode = 1 AND status <> 'canceled';
CREATE INDEX deposits_open_of_account ON deposits (account_id) WHERE source = 'stripe' AND status IN ('pending', 'failed');
CREATE INDEX deposits_open_of_client ON deposits (client) WHERE status IN ('pending', 'failed') AND client IS NOT NULL;
CREATE INDEX deposits_to_reconcile ON deposits (next_reconcile_at) WHERE next_reconcile_at IS NOT NULL;

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

-- Refunds of payments or of parts of them. The money of a failed refund has returned to the operator.
CREATE TABLE refunds (
  id TEXT PRIMARY KEY,
  deposit_ref TEXT NOT NULL REFERENCES deposits (ref),
  -- EUR cents.
  amount INTEGER NOT NULL,
  failed INTEGER NOT NULL CHECK (failed IN (0, 1)),
  updated_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX refunds_by_deposit ON refunds (deposit_ref);

-- The total size in bytes of an account's open orders.
CREATE TABLE open_orders (
  creator_id TEXT PRIMARY KEY,
  bytes INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Destroyed assets. Without this table, a withdrawn certificate could not be distinguished from one that never
-- existed. An asset in `assets` is in force even if it has a row here, because it may have been created again.
CREATE TABLE withdrawals (
  ledger_id TEXT NOT NULL REFERENCES ledgers (id),
  asset_id TEXT NOT NULL,
  -- The time at which the destroyed asset was created. Null if it is not known.
  issued_at INTEGER,
  withdrawn_at INTEGER NOT NULL,
  -- The order that destroyed the asset.
  record_ref TEXT NOT NULL,
  -- The last owner of the destroyed asset. Null if it is not known.
  owner_id TEXT,
  -- The reason of the withdrawal (plain text of at most 280 characters), and the account that gave it.
  reason TEXT,
  reason_by TEXT,
  PRIMARY KEY (ledger_id, asset_id)
) STRICT, WITHOUT ROWID;

-- Makes the files of a destroyed asset due, so that the next sweep ends their uses.
CREATE TRIGGER withdrawals_added_with_files AFTER INSERT ON withdrawals
BEGIN
  UPDATE file_uses SET check_at = NEW.withdrawn_at WHERE ledger_id = NEW.ledger_id AND asset_id = NEW.asset_id;
END;

CREATE TRIGGER withdrawals_repeated_with_files AFTER UPDATE OF withdrawn_at ON withdrawals
BEGIN
  UPDATE file_uses SET check_at = NEW.withdrawn_at WHERE ledger_id = NEW.ledger_id AND asset_id = NEW.asset_id;
END;

-- Sums that quotas limit, such as stored bytes, challenges and events. The key says what is counted. A row is deleted after its period.
CREATE TABLE quotas (
  key TEXT NOT NULL,
  -- The number of hours or days since 1970, in UTC.
  period INTEGER NOT NULL,
  used INTEGER NOT NULL,
  -- End of the period, in milliseconds since 1970.
  expires_at INTEGER NOT NULL,
  PRIMARY KEY (key, period)
) STRICT, WITHOUT ROWID;
CREATE INDEX quotas_by_expiry ON quotas (expires_at);

-- Like `guards`, this table stays empty: its checks abort a batch that inserts a row. The violated constraint shows which quota is
-- exceeded.
CREATE TABLE quota_guards (
  exceeded TEXT NOT NULL,
  CONSTRAINT quota_shared CHECK (exceeded <> 'shared'),
  CONSTRAINT quota_of_account CHECK (exceeded <> 'account')
) STRICT;

-- New URLs of webhooks that wait for confirmation. Until the confirmation, events go to the receiver that was confirmed before.
CREATE TABLE webhook_challenges (
  account_id TEXT PRIMARY KEY,
  -- The URL as the account sent it.
  url TEXT NOT NULL,
  origin TEXT NOT NULL,
  service_origin TEXT NOT NULL,
  host TEXT NOT NULL,
  -- Null if the secret of the confirmed webhook stays, because the origin is the same.
  secret TEXT,
  -- Keyed hash of the client network that registered the URL, for quotas.
  client TEXT,
  -- The number of challenges sent since the URL was registered, and the time of the registration.
  sent INTEGER NOT NULL DEFAULT 0,
  registered_at INTEGER NOT NULL,
  -- The time of the next challenge. Null if no challenge follows.
  due_at INTEGER,
  -- The reason why the URL is not confirmed, as a sentence for the account's owner.
  reason TEXT
) STRICT, WITHOUT ROWID;
CREATE INDEX webhook_challenges_due ON webhook_challenges (due_at) WHERE due_at IS NOT NULL;

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
  -- The time of the first confirmation. Null if the domain never confirmed the account.
  confirmed_at INTEGER,
  PRIMARY KEY (account_id, domain)
) STRICT, WITHOUT ROWID;
CREATE INDEX issuer_checks_due ON issuer_checks (check_at) WHERE check_at IS NOT NULL;

-- Confirmations by domains that the account no longer names.
CREATE INDEX issuer_checks_ended ON issuer_checks (account_id, last_seen) WHERE named = 0 AND last_seen IS NOT NULL;
CREATE INDEX issuer_checks_disowned ON issuer_checks (account_id, disowned_at) WHERE disowned_at IS NOT NULL;

-- Domains that confirmed the account, that it no longer names, and that have not disowned it.
CREATE INDEX issuer_checks_former ON issuer_checks (account_id, confirmed_at)
WHERE named = 0 AND confirmed_at IS NOT NULL AND disowned_at IS NULL;

-- Earlier imprints of assets. Verification uses them to report a document with an earlier imprint as replaced or withdrawn, not as
-- changed or forged.
CREATE TABLE past_imprints (
  ledger_id TEXT NOT NULL REFERENCES ledgers (id),
  asset_id TEXT NOT NULL,
  imprint TEXT NOT NULL,
  -- The time at which the asset got another imprint or was destroyed.
  ended_at INTEGER NOT NULL,
  -- 1 if the asset was destroyed, 0 if its imprint was updated.
  withdrawn INTEGER NOT NULL CHECK (withdrawn IN (0, 1)),
  PRIMARY KEY (ledger_id, asset_id, ended_at, imprint)
) STRICT, WITHOUT ROWID;

CREATE TABLE files (
  -- SHA-256 of the content, 64 hex digits.
  hash TEXT PRIMARY KEY,
  -- The object's key. A file that is stored again after its deletion gets a new object, so a late deletion cannot remove it.
  object TEXT NOT NULL,
  content_type TEXT NOT NULL,
  bytes INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- The uses of files. Several ledgers and assets may use the same file. A file is deleted when its last use ends.
CREATE TABLE file_uses (
  ledger_id TEXT NOT NULL REFERENCES ledgers (id),
  -- Empty for a file of the ledger itself.
  asset_id TEXT NOT NULL,
  -- `metadata`, `evidence`, or the hash of a file without a name.
  slot TEXT NOT NULL,
  hash TEXT NOT NULL REFERENCES files (hash),
  bytes INTEGER NOT NULL,
  -- The account that uploaded the file.
  account_id TEXT NOT NULL,
  -- The path of a named file below `/files/`. Null for a file without a name.
  path TEXT UNIQUE,
  -- The time at which the sweep checks whether the asset exists. Null after a check that found the asset, and for files of the ledger.
  check_at INTEGER,
  PRIMARY KEY (ledger_id, asset_id, slot)
) STRICT, WITHOUT ROWID;
CREATE INDEX file_uses_by_hash ON file_uses (hash);
CREATE INDEX file_uses_to_check ON file_uses (check_at) WHERE check_at IS NOT NULL;

-- These triggers keep the sums correct and schedule the deletion of unused objects, whichever statement changes a use.
CREATE TRIGGER file_uses_added AFTER INSERT ON file_uses
BEGIN
  INSERT INTO file_totals (key, files, bytes)
    VALUES ('ledger:' || NEW.ledger_id, 1, NEW.bytes), ('account:' || NEW.account_id, 1, NEW.bytes)
    ON CONFLICT (key) DO UPDATE SET files = files + 1, bytes = bytes + excluded.bytes;
END;

CREATE TRIGGER file_uses_removed AFTER DELETE ON file_uses
BEGIN
  UPDATE file_totals SET files = files - 1, bytes = bytes - OLD.bytes
    WHERE key IN ('ledger:' || OLD.ledger_id, 'account:' || OLD.account_id);
  INSERT INTO file_deletions (object, due_at)
    SELECT object, 0 FROM files WHERE hash = OLD.hash AND NOT EXISTS (SELECT 1 FROM file_uses WHERE hash = OLD.hash);
  DELETE FROM files WHERE hash = OLD.hash AND NOT EXISTS (SELECT 1 FROM file_uses WHERE hash = OLD.hash);
END;

-- Finds the files that an account stored for a ledger itself, or for assets that are not known to exist.
CREATE INDEX file_uses_without_asset ON file_uses (ledger_id, account_id) WHERE asset_id = '' OR check_at IS NOT NULL;

-- The triggers for `file_totals` and for the queue of objects handle insertions and deletions only, so updates of these columns are refused.
CREATE TRIGGER file_uses_fixed BEFORE UPDATE OF ledger_id, asset_id, slot, hash, bytes, account_id ON file_uses
BEGIN
  SELECT RAISE(ABORT, 'a use of a file is replaced by another one, and not updated');
END;

-- Objects to delete: the objects of files without a use, and the objects of uploads that have not ended.
CREATE TABLE file_deletions (
  object TEXT PRIMARY KEY,
  due_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX file_deletions_due ON file_deletions (due_at);

-- The number and bytes of the uses of each ledger (`ledger:0x…`), and of the uses that each account uploaded (`account:0x…`).
CREATE TABLE file_totals (
  key TEXT PRIMARY KEY,
  files INTEGER NOT NULL,
  bytes INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Successful calls of administrators. Triggers keep this log append-only: no statement of the service can change or delete a row.
CREATE TABLE audit_log (
  -- The id in the answer to the call, a UUIDv7.
  ref TEXT PRIMARY KEY,
  account_id TEXT NOT NULL,
  -- Method and path pattern: `POST /admin/blocks`.
  action TEXT NOT NULL,
  -- The address or reference that the call is about.
  subject TEXT,
  -- JSON: the fields of the body without `reason`, truncated.
  detail TEXT,
  -- Null for calls that only read.
  reason TEXT,
  created_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TRIGGER audit_log_unchanged BEFORE UPDATE ON audit_log
BEGIN
  SELECT RAISE(ABORT, 'the audit log is append-only');
END;

CREATE TRIGGER audit_log_undeleted BEFORE DELETE ON audit_log
BEGIN
  SELECT RAISE(ABORT, 'the audit log is append-only');
END;

-- REPLACE deletes the old row without running the trigger above, so replacing is refused here.
CREATE TRIGGER audit_log_unreplaced BEFORE INSERT ON audit_log WHEN EXISTS (SELECT 1 FROM audit_log WHERE ref = NEW.ref)
BEGIN
  SELECT RAISE(ABORT, 'the audit log is append-only');
END;

-- One row while changes are paused.
CREATE TABLE pauses (
  only INTEGER PRIMARY KEY CHECK (only = 1),
  message TEXT NOT NULL,
  paused_at INTEGER NOT NULL
) STRICT;

-- Blocked accounts and ledgers.
CREATE TABLE blocks (
  address TEXT PRIMARY KEY,
  reason TEXT NOT NULL,
  blocked_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Queue messages that failed at every attempt.
CREATE TABLE dead_letters (
  ref TEXT PRIMARY KEY,
  -- The queue's id of the message. Because it is unique, a repeated delivery of the message stores nothing.
  message_id TEXT NOT NULL UNIQUE,
  -- JSON: the message.
  body TEXT NOT NULL,
  received_at INTEGER NOT NULL,
  -- The time at which an administrator last sent the message again. Null if no administrator did.
  retried_at INTEGER
) STRICT, WITHOUT ROWID;
CREATE INDEX dead_letters_waiting ON dead_letters (ref) WHERE retried_at IS NULL;

-- The last alert for each cause.
CREATE TABLE alerts (
  cause TEXT PRIMARY KEY,
  -- The time of the first alert about the present problem. Null after the problem is resolved.
  since INTEGER,
  sent_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- The factors by which administrators have raised quotas. `key` is the key of the quota.
CREATE TABLE quota_raises (
  key TEXT PRIMARY KEY,
  factor INTEGER NOT NULL CHECK (factor > 1)
) STRICT, WITHOUT ROWID;

-- Sessions of accounts that signed in with Ethereum, and API keys. Tokens are stored as hashes.
CREATE TABLE sessions (
  account_id TEXT NOT NULL,
  ref TEXT NOT NULL,
  -- SHA-256 of the token, 64 hex digits.
  token_hash TEXT NOT NULL UNIQUE,
  created_at INTEGER NOT NULL,
  -- The last recorded use. A use is recorded at most every five minutes.
  used_at INTEGER NOT NULL,
  -- The time at which the session ends unless it is used before.
  expires_at INTEGER NOT NULL,
  PRIMARY KEY (account_id, ref)
) STRICT, WITHOUT ROWID;
CREATE INDEX sessions_by_expiry ON sessions (expires_at);

-- Nonces of messages with which accounts have signed in, so that no message can be used twice. An unused nonce has no row.
CREATE TABLE used_nonces (
  nonce TEXT PRIMARY KEY,
  expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX used_nonces_by_expiry ON used_nonces (expires_at);

CREATE TABLE api_keys (
  account_id TEXT NOT NULL,
  ref TEXT NOT NULL,
  -- SHA-256 of the key, 64 hex digits.
  token_hash TEXT NOT NULL UNIQUE,
  name TEXT NOT NULL,
  -- JSON list of `read`, `orders` and `webhooks`.
  scopes TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  -- The last recorded use; null before the first.
  used_at INTEGER,
  -- Null if the key does not expire.
  expires_at INTEGER,
  PRIMARY KEY (account_id, ref)
) STRICT, WITHOUT ROWID;
CREATE INDEX api_keys_by_expiry ON api_keys (expires_at) WHERE expires_at IS NOT NULL;

-- One row: the chain and contracts to which this database belongs, and the last block that was indexed. `number` and `hash` begin with the
-- block before CHAIN_START_BLOCK. `final` is the number of the last final block whose records were finalized. `next_at` is the time from
-- which another process may schedule the next look at the chain.
CREATE TABLE chain (
  only INTEGER PRIMARY KEY CHECK (only = 1),
  chain_id INTEGER NOT NULL,
  actions TEXT NOT NULL,
  deploy TEXT NOT NULL,
  token TEXT NOT NULL,
  -- The gateways' proxies: a JSON list in the order of their numbers.
  proxies TEXT NOT NULL,
  -- A hash of the settings that were checked against the chain. Other settings are checked again.
  checked TEXT NOT NULL,
  number INTEGER NOT NULL,
  hash TEXT NOT NULL,
  -- The timestamp of the last indexed block, in milliseconds since 1970. Null before the first block is indexed.
  time INTEGER,
  final INTEGER NOT NULL,
  next_at INTEGER NOT NULL DEFAULT 0,
  -- The daily comparison of the numbers of assets: the time of the next step, and the last compared ledger of an unfinished comparison.
  supply_at INTEGER NOT NULL DEFAULT 0,
  supply_after TEXT NOT NULL DEFAULT '',
  -- The number of times that the indexing of blocks was undone. After an undo, the tables can differ although the last block is the same.
  undone INTEGER NOT NULL DEFAULT 0,
  -- The service reads the ledgers' prefixes and postfixes from the chain once an hour. These columns have the time of the next step, and the
  -- last ledger that was read in this round.
  uris_at INTEGER NOT NULL DEFAULT 0,
  uris_after TEXT NOT NULL DEFAULT '',
  -- A block with very many logs is indexed in parts. `part` is the position in the block after the last indexed one, as JSON: the block's hash,
  -- the index of the transaction with the next log, the lowest index of the next log, and the hash and the number of the logs so far. Null if no
  -- part of that block is indexed.
  part TEXT,
  -- The last block when the settings were checked against the chain. The check saw the configuration of the gateways in this block.
  checked_block INTEGER NOT NULL DEFAULT 0
) STRICT;

-- The indexed blocks that a reorganisation may undo, and the block before them.
CREATE TABLE chain_blocks (
  number INTEGER PRIMARY KEY,
  hash TEXT NOT NULL,
  -- The hash and the number of the logs with which a block was indexed. Before the block becomes final, these logs are compared with the logs
  -- of a quorum of providers. Null after the comparison, or if a quorum gave the logs in the first place.
  logs TEXT,
  log_count INTEGER,
  -- 1 if the block was indexed in parts. A query for all of its logs may be too large for a provider.
  in_parts INTEGER NOT NULL DEFAULT 0 CHECK (in_parts IN (0, 1))
) STRICT;

-- The rows that a block changed, as they were before the block: `image` is a JSON object of the row's columns, or null if the row did not
-- exist. Only the first change of a row in a block is stored.
CREATE TABLE chain_undo (
  block INTEGER NOT NULL,
  name TEXT NOT NULL,
  -- JSON list of the key's columns.
  key TEXT NOT NULL,
  image TEXT,
  PRIMARY KEY (block, name, key)
) STRICT, WITHOUT ROWID;

-- The claims that were performed or canceled on the chain, also claims without a record in this database.
CREATE TABLE chain_claim_logs (
  hash TEXT NOT NULL,
  canceled INTEGER NOT NULL CHECK (canceled IN (0, 1)),
  is_deployment INTEGER NOT NULL CHECK (is_deployment IN (0, 1)),
  block INTEGER NOT NULL,
  tx_hash TEXT NOT NULL,
  -- The ledger that a deployment created.
  ledger_id TEXT,
  PRIMARY KEY (hash, canceled)
) STRICT, WITHOUT ROWID;
CREATE INDEX chain_claim_logs_by_block ON chain_claim_logs (block);

-- References of ledgers that a reorganisation removed, by the hash of the deployment. The ledger gets its reference back.
CREATE TABLE chain_refs (
  hash TEXT PRIMARY KEY,
  ref TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- The accounts that send transactions. `next_nonce` changes only in the database transaction that stores the chain transaction with this
-- nonce.
CREATE TABLE relayers (
  address TEXT PRIMARY KEY,
  next_nonce INTEGER NOT NULL,
  -- The number of the account's transactions that blocks had when a process last stored this number.
  mined INTEGER NOT NULL,
  -- The reason why nothing new is sent: `price` if gas is too expensive, or `funds` and the balance in wei from which sending continues.
  paused TEXT,
  -- 1 if the balance suffices for only a few more requests.
  is_low INTEGER NOT NULL DEFAULT 0 CHECK (is_low IN (0, 1))
) STRICT, WITHOUT ROWID;

-- A slot: a nonce of a relayer, and the record for which the nonce is used. `ref` is null for a transaction that does nothing. A slot is
-- closed when its nonce is final and its record is decided.
CREATE TABLE relay_slots (
  relayer TEXT NOT NULL,
  nonce INTEGER NOT NULL,
  ref TEXT,
  closed INTEGER NOT NULL DEFAULT 0 CHECK (closed IN (0, 1)),
  -- The time of the slot's creation, in milliseconds since 1970.
  since INTEGER NOT NULL,
  -- 1 if the transaction may only be sent to addresses that keep it private.
  is_private INTEGER NOT NULL CHECK (is_private IN (0, 1)),
  PRIMARY KEY (relayer, nonce)
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX relay_slots_open ON relay_slots (ref) WHERE closed = 0 AND ref IS NOT NULL;
CREATE INDEX relay_slots_by_ref ON relay_slots (ref) WHERE ref IS NOT NULL;
CREATE INDEX relay_slots_to_close ON relay_slots (relayer, nonce) WHERE closed = 0;

-- Every signed transaction. It is stored before it is sent. Prices are in wei, as decimal text, because SQLite's integers are too small.
CREATE TABLE relay_txs (
  tx_hash TEXT PRIMARY KEY,
  relayer TEXT NOT NULL,
  nonce INTEGER NOT NULL,
  raw TEXT NOT NULL,
  max_fee TEXT NOT NULL,
  tip TEXT NOT NULL,
  gas INTEGER NOT NULL,
  -- The number of the chain's last block when the transaction was signed.
  at_block INTEGER NOT NULL,
  -- 1 if the transaction does nothing, in place of a request that can no longer be performed.
  is_empty INTEGER NOT NULL CHECK (is_empty IN (0, 1))
) STRICT, WITHOUT ROWID;
CREATE INDEX relay_txs_by_nonce ON relay_txs (relayer, nonce);

-- The gas that requests may use up without an effect. A row belongs to a signed request, and to an account that signed the request or receives an
-- asset by it. `key` is the account, or `*` once for each request that failed on the chain. Until a block shows that the request was performed,
-- `gas` is the maximum gas of its transaction. If its transaction fails, `gas` is the used gas, and `failed` is 1.
CREATE TABLE relay_gas (
  key TEXT NOT NULL,
  ref TEXT NOT NULL,
  gas INTEGER NOT NULL,
  since INTEGER NOT NULL,
  failed INTEGER NOT NULL DEFAULT 0 CHECK (failed IN (0, 1)),
  PRIMARY KEY (key, ref)
) STRICT, WITHOUT ROWID;
CREATE INDEX relay_gas_by_ref ON relay_gas (ref);
CREATE INDEX relay_gas_failed ON relay_gas (since) WHERE failed = 1;
