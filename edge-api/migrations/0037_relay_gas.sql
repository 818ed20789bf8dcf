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
