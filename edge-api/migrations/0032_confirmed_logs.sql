-- The logs with which a block was indexed: a hash of them, and their number. Before the block becomes final, they are compared with the logs
-- of a quorum of providers. Null after that, if a quorum answered them in the first place, or if an earlier release indexed the block.
ALTER TABLE chain_blocks ADD COLUMN logs TEXT;
ALTER TABLE chain_blocks ADD COLUMN log_count INTEGER;

-- How many times blocks were taken back. Afterwards, the same last block can have other rows than before.
ALTER TABLE chain ADD COLUMN undone INTEGER NOT NULL DEFAULT 0;
