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

-- Records in quarantine, in the order of the list for administrators.
CREATE INDEX records_stuck ON records (ref) WHERE aside_until IS NOT NULL;
