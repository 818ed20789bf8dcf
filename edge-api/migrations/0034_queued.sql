-- 0 while an order waits for its claims, or for its creator's call to perform it. A chain can perform the order meanwhile, and a
-- reorganisation can undo that. Rows of earlier releases have 1, so that they are performed as before.
ALTER TABLE records ADD COLUMN queued INTEGER NOT NULL DEFAULT 1 CHECK (queued IN (0, 1));
