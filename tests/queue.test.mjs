// The Worker as a queue consumer: an unreadable message does not delay other messages, and dead letters are stored.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { Miniflare } from "miniflare";
import { applyMigrations } from "../edge-api/host/migrations.mjs";
import { home, readConfiguration, simulatorOptions } from "../edge-api/host/runtime.mjs";

const DIST = fileURLToPath(new URL("../edge-api/dist", import.meta.url));
let simulator;

before(async () => {
  const configuration = await readConfiguration();
  const vars = { ENVIRONMENT: "development", RATE_LIMIT_ADDRESS: "off", RATE_LIMIT_ACCOUNT: "off" };
  simulator = new Miniflare(await simulatorOptions(configuration, { dist: DIST, vars, privateNetwork: true }));
  const [database] = configuration.d1_databases;
  await applyMigrations(await simulator.getD1Database(database.binding), `${home}/${database.migrations_dir}`, database.migrations_table);
});
after(() => simulator?.dispose());

test("an unreadable message does not fail its batch", async () => {
  const worker = await simulator.getWorker();
  const bodies = [{ job: "perform", ref: "none" }, "garbage", { job: "of another version" }, null, { job: "deliver", orderingKey: "none" }];
  const messages = bodies.map((body, index) => ({ id: `${index}`, timestamp: new Date(), attempts: 1, body }));
  const { outcome, explicitAcks, retryMessages, retryBatch } = await worker.queue("assay-jobs", messages);
  assert.equal(outcome, "ok");
  assert.deepEqual([...explicitAcks].sort(), ["0", "1", "2", "3", "4"]);
  assert.deepEqual([retryMessages, retryBatch.retry], [[], false]);
});

test("a dead letter with any content is stored, and only once", async () => {
  const worker = await simulator.getWorker();
  const bodies = [{ job: "perform", ref: "none" }, "garbage", null];
  const messages = bodies.map((body, index) => ({ id: `dead-${index}`, timestamp: new Date(), attempts: 1, body }));
  for (const batch of [messages, messages.slice(0, 1)]) {
    const { outcome, explicitAcks } = await worker.queue("assay-jobs-dead", batch);
    assert.deepEqual([outcome, [...explicitAcks].sort()], ["ok", batch.map(({ id }) => id)]);
  }
  const database = await simulator.getD1Database("DB");
  const { results } = await database.prepare("SELECT body FROM dead_letters ORDER BY message_id").all();
  assert.deepEqual(
    results.map(({ body }) => JSON.parse(body)),
    bodies,
  );
});
