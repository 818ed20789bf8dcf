-- The last block when the settings were checked against the chain. The check saw the configuration of the gateways in this block.
ALTER TABLE chain ADD COLUMN checked_block INTEGER NOT NULL DEFAULT 0;
