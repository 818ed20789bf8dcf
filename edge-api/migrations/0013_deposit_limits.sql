-- An instance that has opened a live deposit gives no tokens for nothing, and few deposits are open at a time.

-- Whose client address it was that asked for it: a keyed hash, while the deposit is open.
ALTER TABLE deposits ADD COLUMN client TEXT;
CREATE INDEX deposits_live ON deposits (livemode) WHERE livemode = 1 AND status <> 'canceled';
CREATE INDEX deposits_open_of_account ON deposits (account_id) WHERE source = 'stripe' AND status IN ('pending', 'failed');
CREATE INDEX deposits_open_of_client ON deposits (client) WHERE status IN ('pending', 'failed') AND client IS NOT NULL;
