// A minimal Worker for `GET /ledgers/…/assets/…`: one database batch, the envelope, and a row of the log after the answer.
// It has no authorization and no checks. The difference between the service and this Worker is the cost of the service without its host.
const LEDGER = "SELECT id, ref, name, symbol, uri_prefix, uri_postfix, schema_id, capabilities, owner_id, asset_count, created_at FROM ledgers WHERE id = ?1 OR ref = ?1";
const ASSET = "SELECT id, owner_id, imprint, created_at, updated_at FROM assets WHERE ledger_id = (SELECT id FROM ledgers WHERE id = ?1 OR ref = ?1) AND id = ?2";
const LOG = "INSERT INTO requests (ref, account_id, method, host, path, url, status, errors, duration_ms, created_at) SELECT ?2, id, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10 FROM accounts WHERE id = ?1";

export default {
  async fetch(request, { DB, ACCOUNT }, context) {
    const started = Date.now();
    const url = new URL(request.url);
    const [, ref, asset] = /^\/ledgers\/([^/]+)\/assets\/([0-9]+)$/.exec(url.pathname) ?? [];
    if (ref === undefined) return new Response("this Worker has one route");

    const key = BigInt(asset).toString(16).padStart(64, "0");
    const [ledgers, assets] = await DB.batch([DB.prepare(LEDGER).bind(ref), DB.prepare(ASSET).bind(ref, key)]);
    const [ledger, found] = [ledgers.results[0], assets.results[0]];
    const id = crypto.randomUUID();
    const data = {
      id: asset,
      ledgerRef: ledger.ref,
      ledgerId: ledger.id,
      ownerId: found.owner_id,
      imprint: found.imprint,
      uri: `${ledger.uri_prefix}${asset}${ledger.uri_postfix}`,
      createdAt: new Date(found.created_at).toISOString(),
      updatedAt: new Date(found.updated_at).toISOString(),
    };
    const answer = Response.json({ id, status: 200, data, meta: {} }, { headers: { "x-request-id": id, "cache-control": "no-store" } });
    const row = [ACCOUNT, id, request.method, url.host, url.pathname, url.href, 200, "[]", Date.now() - started, started];
    context.waitUntil(
      DB.prepare(LOG)
        .bind(...row)
        .run(),
    );
    return answer;
  },
};
