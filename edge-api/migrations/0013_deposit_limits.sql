-- Supports two new rules. An instance with a live deposit gives no tokens for test deposits. The number of open deposits is limited.

-- Keyed hash of the client network that created the deposit. Null once the deposit is no longer open.
ALTER TABLE deposits ADD COLUMN client TEXT;
CREATE INDEX deposits_live ON deposits (livemode) WHERE livemode = 1 AND status <> 'canceled';
CREATE INDEX deposits_open_of_account ON deposits (account_id) WHERE source = 'stripe' AND status IN ('pending', 'failed');
CREATE INDEX deposits_open_of_client ON deposits (client) WHERE status IN ('pending', 'failed') AND client IS NOT NULL;
