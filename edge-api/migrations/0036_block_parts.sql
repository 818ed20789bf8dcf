-- A block with very many logs is indexed in parts. `part` is the position in the block after the last indexed one, as JSON: the block's hash,
-- the index of the transaction with the next log, the lowest index of the next log, and the hash and the number of the logs so far. Null if no
-- part of that block is indexed.
ALTER TABLE chain ADD COLUMN part TEXT;
-- 1 if the block was indexed in parts. A query for all of its logs may be too large for a provider.
ALTER TABLE chain_blocks ADD COLUMN in_parts INTEGER NOT NULL DEFAULT 0 CHECK (in_parts IN (0, 1));
