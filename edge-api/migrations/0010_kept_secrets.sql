-- Removes secrets from stored answers.
UPDATE idempotency_keys SET body = json_replace(body, '$.data.clientSecret', NULL) WHERE path = '/deposits' AND json_valid(body);
UPDATE idempotency_keys SET body = json_replace(body, '$.data.secret', NULL)
  WHERE path = '/account/webhook/rotate' AND json_valid(body);
