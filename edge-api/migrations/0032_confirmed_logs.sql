-- The hash and the number of the logs with which a block was indexed. Before the block becomes final, these logs are compared with the logs
-- of a quorum of providers. Null after the comparison, if a quorum gave the logs in the first place, or if an earlier release indexed the
-- block.
ALTER TABLE chain_blocks ADD COLUMN logs TEXT;
ALTER TABLE chain_blocks ADD COLUMN log_count INTEGER;

-- The number of times that the indexing of blocks was undone. After an undo, the tables can differ although the last block is the same.
ALTER TABLE chain ADD COLUMN undone INTEGER NOT NULL DEFAULT 0;
