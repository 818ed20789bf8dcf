// `cert batch` and `issueMany` against the Worker. They issue each row once, even if they are killed or lose responses at any step.
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { readFile, stat } from "node:fs/promises";
import { after, before, test } from "node:test";
import * as aih2 from "@assay/cert/aih2";
import { ActionKind, BatchError, Client, PrivateKeyProvider } from "@assay/client";
import { startServer } from "../support/server.mjs";
import { fromFragment } from "../../www/lib/file.ts";
import { certificateIn } from "../../www/lib/pdf-file.ts";
import { Desk, Network, SCHEMA, isBuilt, table } from "./world.mjs";

const VARS = { ENVIRONMENT: "development", DEPOSITS: "test", ALLOW_PRIVATE_FETCH: "true", MOVABLE_CLOCK: "true" };

let server;
let network;
before(async () => {
  await isBuilt();
  server = await startServer({ vars: VARS, quiet: true });
  network = await Network.start(server.url);
});
after(async () => {
  network?.stop();
  await server?.stop();
});

/** Calls `use` with a new desk, on a network without faults. */
async function at(options, use) {
  network.mangle = () => undefined;
  network.requests.length = 0;
  const desk = await Desk.of(network, options);
  try {
    await use(desk);
  } finally {
    network.mangle = () => undefined;
    await desk.leave();
  }
}

const rowsOf = (text) => text.split("\r\n").length - 1;

/** Asserts that each row became exactly one asset and was paid for exactly once. */
async function assertIssuedOnce(desk, rows) {
  const client = await desk.client(server.url);
  const lines = await desk.state();
  const { ledger } = lines.find(({ kind }) => kind === "ledger");
  const drawn = new Map(lines.filter(({ kind }) => kind === "row").map(({ key, asset }) => [key, asset]));
  assert.equal(drawn.size, rows);
  const assets = new Map();
  for await (const { id, imprint } of client.ledgerAssets(ledger)) assets.set(id, imprint);
  assert.deepEqual([...assets.keys()].toSorted(), [...drawn.values()].toSorted());
  for (const [key, asset] of drawn) {
    const holder = await desk.privateFile(asset);
    assert.deepEqual([holder.document.email, holder.imprint, holder.asset, holder.ledger], [key, assets.get(asset), asset, ledger]);
  }
  const {
    data: { balance, payment },
  } = await client.getAccount();
  let credited = 0n;
  for await (const { tokens } of client.deposits()) credited += BigInt(tokens);
  const { accountId } = client.provider;
  assert.notEqual(payment.receiverAddress, accountId);
  assert.equal(credited - BigInt(balance), BigInt(rows) * BigInt(payment.assetCreateCost) + BigInt(payment.assetDeployCost));
  return { client, ledger, drawn };
}

test("each row is issued once despite killed runs and lost responses", async () => {
  const rows = table(120);
  await at({ rows }, async (desk) => {
    const count = rowsOf(rows);
    const chances = { POST: 0 };
    network.mangle = ({ method, url }, number) => {
      if (method === "POST") {
        chances.POST += 1;
        if (chances.POST % 4 === 1) return "lost after";
        if (chances.POST % 7 === 3) return "lost before";
        if (url === "/orders" && chances.POST % 5 === 2) return { status: 429, headers: { "retry-after": "0" } };
      }
      return number % 13 === 5 ? { status: 503, headers: { "retry-after": "0" } } : undefined;
    };
    let kills = 0;
    let lines = 0;
    for (;;) {
      const { code, err } = await desk.killAt(lines + 1, "--per-order", "10", "--parallel", "2");
      if (code === 0) break;
      assert.equal(code, null, err);
      kills += 1;
      const now = (await desk.state()).length;
      lines = Math.max(lines + 1, now);
      assert.ok(kills < 300);
    }
    // The tool was killed at the first lines of the state, at the append of all rows, and at most lines of the twelve orders.
    assert.ok(kills >= 12, `${kills} kills`);
    await assertIssuedOnce(desk, count);
  });
});

test("hidden fields are in no public file, and the holder's file opens them", async () => {
  await at({ rows: `name,E-Mail,points\nAda,ada@example.com,97.5\n=1+1,grace@example.com,60\n` }, async (desk) => {
    const { code, err } = await desk.issue();
    assert.equal(code, 0, err);
    assert.match(err, /column `E-Mail` is the field `email` \(given\)\ncolumn `points` is the field `points` \(guessed\)/);
    assert.match(err, /2 of 2 certificates are issued\. Certifying took [\d.]+ s, issuing [\d.]+ s: [\d.]+ % of the time was certifying/);
    const { client, ledger, drawn } = await assertIssuedOnce(desk, 2);
    await desk.publish();
    const asset = drawn.get("ada@example.com");
    assert.equal((await client.getValidity(ledger, asset)).data.valid, true);
    for (const text of await desk.public()) assert.doesNotMatch(text, /ada@example\.com|97\.5/);

    const file = await desk.privateFile(asset);
    assert.deepEqual(Object.keys(file), ["assay", "service", "ledger", "asset", "imprint", "schema", "document", "evidence"]);
    const report = await new aih2.Cert({ schema: file.schema }).verify(file.document, file.evidence, file.imprint);
    assert.equal(report.valid, true);
    assert.deepEqual(file.document, { name: "Ada", email: "ada@example.com", points: 97.5, ledgerId: ledger, assetId: asset });

    const result = await desk.read("issued/result.csv");
    const link = `${network.url}/c/${ledger}/`;
    const other = drawn.get("grace@example.com");
    const [header, ada, grace, end] = result.split("\r\n");
    assert.equal(header, "\ufeffname,E-Mail,points,certificate_status,certificate_holder_link,certificate_public_link,certificate_file");
    const holderLink = ada.split(",")[4];
    assert.equal(ada, `Ada,ada@example.com,97.5,issued,${holderLink},${link}${asset},${await desk.privateName(asset)}`);
    assert.ok(holderLink.startsWith(`${link}${asset}#`), holderLink);
    const { schema, document, evidence } = file;
    assert.deepEqual(await fromFragment(new URL(holderLink).hash.slice(1)), { schema, document, evidence });
    assert.match(grace, /^'=1\+1,grace@example\.com,60,issued,/);
    assert.ok(grace.endsWith(`,${link}${other},${await desk.privateName(other)}`), grace);
    assert.equal(end, "");

    // The result is the table of `cert send`.
    await desk.write("mail.txt", "Subject: {name}\n\n{certificate_holder_link}\n");
    const words = ["send", "issued/result.csv", "--to", "E-Mail", "--from", "office@uni.example", "--template", "mail.txt", "--attach", "--dry-run", "mails"];
    const sent = await desk.start([], words).ended;
    assert.equal(sent.code, 0, sent.err);
    const mail = await desk.read("mails/00002.eml");
    assert.match(mail, /^To: ada@example\.com\r$/m);
    assert.ok(mail.replaceAll("=\r\n", "").replaceAll("=3D", "=").includes(holderLink), mail);
    assert.match(await desk.read("mails/00003.eml"), /^Subject: =1\+1\r$/m);
    for (const name of ["result.csv", "state.ndjson", "secret", `private/${await desk.privateName(asset)}`]) {
      assert.equal((await stat(desk.file(`issued/${name}`))).mode & 0o077, 0, name);
    }
  });
});

test("each issued row gets a PDF with its private file attached, which messages can have attached", async () => {
  const rows = "name,E-Mail,points\n王小明,ada@example.com,97.5\nไ,grace@example.com,60\n";
  await at({ rows }, async (desk) => {
    const { code, err } = await desk.issue("--pdf", "--layout", "landscape", "--lang", "de");
    assert.equal(code, 0, err);
    // The fonts have the first name, and say what to do about the second.
    assert.deepEqual(err.match(/(?<=no font has the character )./g), ["ไ"]);
    assert.match(err, /hint: add a TrueType or OpenType font .* `--font FILE`/);
    const [header, ...lines] = (await desk.read("issued/result.csv")).split("\r\n");
    assert.match(header, /certificate_file,certificate_pdf$/);
    for (const line of lines.slice(0, 2)) {
      const [file, pdf] = line.split(",").slice(-2);
      assert.equal(pdf, file.replace(".private.assay.json", ".pdf"));
      const bytes = await readFile(desk.file(`issued/private/${pdf}`));
      assert.equal(await certificateIn(new Uint8Array(bytes)), await desk.read(`issued/private/${file}`));
      assert.equal((await stat(desk.file(`issued/private/${pdf}`))).mode & 0o077, 0);
    }
    await desk.write("mail.txt", "Subject: {name}\n\nYour certificate is attached.\n");
    const words = ["send", "issued/result.csv", "--to", "E-Mail", "--from", "office@uni.example", "--template", "mail.txt", "--attach=pdf", "--dry-run", "mails"];
    const sent = await desk.start([], words).ended;
    assert.equal(sent.code, 0, sent.err);
    assert.match(await desk.read("mails/00002.eml"), /Content-Type: application\/pdf\r\n/);
  });
});

test("a picture that is no picture stops a batch before anything is issued", async () => {
  await at({}, async (desk) => {
    await desk.write("logo.png", "text");
    const { code, err } = await desk.issue("--pdf", "--logo", "logo.png");
    assert.equal(code, 2);
    assert.match(err, /error\[picture-invalid\]: logo\.png: /);
    assert.deepEqual(await desk.state(), []);
  });
});

test("asset ids cannot be guessed", async () => {
  await at({}, async (desk) => {
    assert.equal((await desk.issue()).code, 0);
    const ids = (await desk.state()).filter(({ kind }) => kind === "row").map(({ asset }) => BigInt(asset));
    // The probability that all five random 128-bit numbers are below 2^96 is 2^-160.
    assert.ok(ids.some((id) => id > 2n ** 96n) && ids.every((id) => id < 2n ** 128n));
    assert.equal(new Set(ids).size, 5);
  });
});

test("all invalid rows are reported by row and column, and nothing is issued", async () => {
  const rows = "name;E-Mail;points\nAda;ada@example.com;101\nGrace;grace@example.com;6,5 h\n;x@example.com;1\nEve;ada@example.com;2\nMal\n";
  await at({ rows }, async (desk) => {
    // Rows that cannot be parsed are reported first.
    const first = await desk.issue();
    assert.deepEqual(
      [
        first.code,
        first.out
          .trim()
          .split("\n")
          .map((line) => JSON.parse(line).row),
      ],
      [2, [6]],
    );
    await desk.write("people.csv", rows.replace("Mal\n", ""));
    const second = await desk.issue();
    const errors = (run) =>
      run.out
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line))
        .map(({ row, column }) => [row, column]);
    assert.deepEqual(
      [second.code, errors(second)],
      [
        2,
        [
          [3, "points"],
          [5, "E-Mail"],
        ],
      ],
    );
    await desk.write("people.csv", rows.replace("Mal\n", "").replace("6,5 h", "65").replace("Eve;ada", "Eve;eve"));
    const third = await desk.issue();
    assert.deepEqual(
      [third.code, errors(third)],
      [
        2,
        [
          [2, "points"],
          [4, null],
        ],
      ],
    );
    // A reading of numbers or dates is confirmed before the rows are checked.
    await desk.write("people.csv", "name;E-Mail;points\nAda;ada@example.com;6,5\n");
    const unread = await desk.issue();
    assert.deepEqual([unread.code, unread.out], [2, ""]);
    assert.match(unread.err, /reading-not-confirmed.*`6,5` is 6\.5, add --read "points=decimal-comma"/);
    assert.match(third.err, /Nothing was issued/);
    assert.deepEqual(network.requests, []);
  });
});

test("doubtful rows are issued only after their kinds are accepted", async () => {
  const rows = "name,E-Mail,note\nAda,a@example.com,9.91214E+15\n Ada ,b@example.com,2990-01-01\n#N/A,c@example.com,\nEve,d@example.com,\nEve,e@example.com,\n";
  const { email, ...properties } = SCHEMA.properties;
  const schema = { ...SCHEMA, properties: { ...properties, note: { type: "string" } }, required: ["name"] };
  await at({ rows, schema }, async (desk) => {
    const issue = (...more) => desk.issue("--map", "E-Mail=", ...more);
    const first = await issue();
    assert.equal(first.code, 2);
    assert.match(first.err, /row 3: `note`: this date .*\nrow 4: `name`: .*error value.*\nrow 2: `note`: .*shortened.*\nrow 6: row 5 has the same values\nrow 3: `name`: .*spaces/);
    assert.match(
      first.err,
      /error\[doubts-not-confirmed\]: nothing was issued: correct dates in row 3; errors in row 4; shortened in row 2; equal-rows in row 6; spaces in row 3\. .*--accept dates,errors,shortened,equal-rows,spaces/,
    );
    const some = await issue("--accept", "dates,errors,shortened", "--accept", "equal-rows");
    assert.match(some.err, /error\[doubts-not-confirmed\]: .*correct spaces in row 3\. /);
    assert.match((await issue("--accept", "space")).err, /possible values: dates, errors, shortened, equal-rows, spaces/);
    assert.deepEqual(network.requests, []);
    const all = await issue("--accept", "dates,errors,shortened,equal-rows,spaces");
    assert.match(all.err, /5 of 5 certificates are issued/);
  });
});

test("a schema as Pydantic writes it is filled, with one value for each type", async () => {
  const schema = {
    $defs: {
      Level: { enum: [1, 2], title: "Level", type: "integer" },
      Person: { properties: { first: { type: "string" }, born: { anyOf: [{ type: "integer" }, { type: "null" }] } }, required: ["first"], title: "Person", type: "object" },
    },
    properties: {
      version: { const: 5 },
      code: { const: "5" },
      level: { $ref: "#/$defs/Level" },
      points: { anyOf: [{ type: "number" }, { type: "null" }], default: null },
      holder: { $ref: "#/$defs/Person" },
    },
    required: ["version", "level", "holder"],
    type: "object",
  };
  const rows = "E-Mail,version,code,level,points,holder.first,born\na@example.com,5,5,2,97.5,Ada,1815\nb@example.com,5,5,1,,Grace,\n";
  await at({ rows, schema }, async (desk) => {
    const issue = () => desk.issue("--map", "E-Mail=", "--public", "level");
    await desk.write("schema.json", JSON.stringify({ ...schema, properties: { ...schema.properties, name: { type: "string" } } }));
    const done = await issue();
    assert.match(done.err, /2 of 2 certificates are issued/);
    const { asset } = (await desk.state()).find(({ key }) => key === "a@example.com");
    const { document } = await desk.privateFile(asset);
    assert.deepEqual(document, { version: 5, code: "5", level: 2, points: 97.5, holder: { first: "Ada", born: 1815 } });
    await desk.write("people.csv", rows.replace("5,5,2", "6,5,3"));
    const wrong = (await issue()).out
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line).column);
    assert.deepEqual(wrong, ["level", "version"]);
  });
});

test("without confirmation, the tool prints its plan and signs nothing", async () => {
  await at({}, async (desk) => {
    const plan = await desk.run("--new-ledger", "Courses");
    assert.equal(plan.code, 2);
    assert.match(plan.err, /cost: 15 tokens, 3 for each certificate\nledger: a new one, `Courses`, for 5 tokens\nerror\[not-confirmed\]/);
    assert.deepEqual(
      network.requests.map(({ method }) => method),
      ["GET"],
    );
    const preview = JSON.parse((await desk.run("--preview")).out);
    assert.deepEqual([preview.public.name, preview.hidden], ["Person 0, Dr.", ["email", "points"]]);
    const poor = await desk.run("--new-ledger", "Courses", "--yes");
    assert.match(poor.err, /error\[balance-too-small\]: the account 0x\w+ has 0 tokens and the batch needs 20: .*--deposit CENTS/);
    const dear = await desk.issue("--max-cost", "2.9");
    assert.match(dear.err, /error\[cost-too-high\]: a certificate costs 3 tokens and --max-cost allows 2\.9/);
  });
});

test("added rows are issued, and a changed row is refused", async () => {
  await at({ rows: table(3) }, async (desk) => {
    assert.equal((await desk.issue()).code, 0);
    const again = await desk.issue();
    assert.match(again.err, /3 of 3 certificates are issued/);
    const [header, ...rows] = table(5).split("\r\n");
    await desk.write("people.csv", [header, ...rows.toReversed()].join("\r\n"));
    const more = await desk.issue();
    assert.equal(more.code, 0, more.err);
    await assertIssuedOnce(desk, 5);
    await desk.write("people.csv", table(5).replace("Person 1,", "Person One,"));
    const changed = await desk.issue();
    assert.match(changed.err, /error\[row-changed\]: .*: 3\. Restore/);
    const elsewhere = await desk.issue("--public", "points");
    assert.match(elsewhere.err, /error\[batch-other\]/);
  });
});

test("an expired order or deployment is found at the service or sent again", async () => {
  const clock = (offsetMs) => fetch(`${server.url}/development/clock`, { method: "PUT", headers: { "content-type": "application/json" }, body: JSON.stringify({ offsetMs }) });
  const LATER = 3 * 86_400_000;
  const cases = ["/orders", "/deployments"].flatMap((sent) => ["lost after", "lost before"].map((lost) => [sent, lost]));
  for (const [address, lost] of cases) {
    await at({}, async (desk) => {
      // Kills the tool after it has sent its order or deployment.
      const sent = new Promise((resolve) => {
        network.mangle = ({ method, url }) => (method === "POST" && url === address ? (resolve(), lost) : undefined);
      });
      const run = desk.start(["--new-ledger", "Courses", "--deposit", "500000", "--yes"]);
      await sent;
      run.child.kill("SIGKILL");
      await run.ended;
      if (lost === "lost after") {
        const client = await desk.client(server.url);
        for await (const { ref } of client.orders()) await client.waitForOrder(ref);
        for await (const { ref } of client.deployments()) await client.waitForDeployment(ref);
      }
      network.mangle = () => undefined;
      try {
        await clock(LATER);
        const late = await desk.issue();
        // The tool's clock is not moved, so an order that it signs now has expired for the service.
        if (address === "/deployments")
          assert.match(late.err, lost === "lost after" ? /ledger 0x\w+ is deployed[^]*error\[order-failed\]: .*expired/ : /error\[deployment-failed\]: .*the expiration is in the past/);
        else if (lost === "lost after") assert.equal(late.code, 0, late.err);
        else assert.match(late.err, /error\[order-failed\]: .*expired/);
      } finally {
        await clock(0);
      }
      const last = await desk.issue();
      assert.equal(last.code, 0, last.err);
      await assertIssuedOnce(desk, 5);
    });
  }
});

/** Returns a function that certifies a row as the tool does. */
function certifier(schema, secret) {
  return async (row, { ledgerId, assetId }) => {
    const cert = new aih2.Cert({ schema, secret, assetId });
    return cert.imprint({ ...row, ledgerId, assetId });
  };
}

/** Opens the file store of the client's README. */
async function fileStore(desk) {
  const readme = await readFile(new URL("../../pkg/client/README.md", import.meta.url), "utf8");
  await desk.write("store.mjs", /^```js\n(\/\/ store\.mjs\n.*?)^```$/ms.exec(readme)[1]);
  const { openStore } = await import(desk.file("store.mjs"));
  return openStore(desk.file("issued/state.ndjson"));
}

test("the client and the tool can continue each other's batches", async () => {
  const rows = table(60);
  const list = rows
    .split("\r\n")
    .slice(1)
    .map((line, index) => ({ name: `Person ${index}, Dr.`, email: line.split(";")[1], points: index % 101 }));
  for (const first of ["tool", "client"]) {
    await at({ rows }, async (desk) => {
      // The tool sets up the batch. The tool is killed while its first order is in flight.
      const lines = first === "tool" ? 70 : 64;
      const killed = await desk.killAt(lines, "--per-order", "7", "--parallel", "1");
      assert.equal(killed.code, null, killed.err);
      const state = await desk.state();
      const { settings } = state[0];
      const { ledger } = state.find(({ kind }) => kind === "ledger");
      const secret = new Uint8Array(await readFile(desk.file("issued/secret")));
      const client = await desk.client(network.url);
      const store = await fileStore(desk);
      const options = { ledgerId: ledger, key: ({ email }) => email, certify: certifier(SCHEMA, secret), store, settings, perOrder: 7 };
      if (first === "tool") {
        const issued = await client.issueMany(list, options);
        assert.equal(issued.length, list.length);
        await store.close();
        // The tool writes the files that are missing.
        assert.equal((await desk.issue()).code, 0);
      } else {
        // The client stops at its third order.
        const stop = new AbortController();
        const stopped = client.issueMany(list, { ...options, parallel: 1, signal: stop.signal, onProgress: ({ issued }) => issued >= 14 && stop.abort(new Error("enough")) });
        await assert.rejects(stopped, /enough/);
        await store.close();
        const { code, err } = await desk.issue();
        assert.equal(code, 0, err);
      }
      await assertIssuedOnce(desk, list.length);
    });
  }
});

test("a second account signs the orders of a batch, and a declined order is proposed again", async () => {
  await at({ rows: table(2) }, async (desk) => {
    assert.equal((await desk.issue()).code, 0);
    const { ledger } = (await desk.state()).find(({ kind }) => kind === "ledger");
    const client = await desk.client(network.url);
    const colleague = new Client({ provider: await PrivateKeyProvider.from(randomBytes(32).toString("hex")), apiUrl: network.url });
    await colleague.init();
    const imprints = new Map(["a", "b", "c"].map((key) => [key, randomBytes(32).toString("hex")]));
    let state = "";
    const store = { read: () => state, append: (lines) => void (state += lines) };
    const waiting = [];
    /** Runs the batch, and calls `act` when all its orders are sent. */
    const run = (act, signal) =>
      client.issueMany(imprints.keys(), {
        ledgerId: ledger,
        key: (key) => key,
        certify: (key) => imprints.get(key),
        store,
        perOrder: 2,
        signal,
        reviewerId: colleague.provider.accountId,
        onWaiting: (keys) => {
          waiting.push(keys.join(""));
          act();
        },
      });
    const invited = async () => (await colleague.getOrders({ roles: ["invited"], statuses: [0] })).data;
    const created = ({ order }) => order.actions.filter(({ kind }) => kind === ActionKind.CREATE_ASSET).length;
    let decided;
    const decide = async () => {
      const orders = await invited();
      assert.deepEqual(orders.map(created).toSorted(), [1, 2]);
      for (const order of orders) await (created(order) === 2 ? colleague.signOrder(order.ref) : colleague.cancelOrder(order.ref));
    };
    await assert.rejects(
      run(() => (decided = decide())),
      (error) => error instanceof BatchError && error.reason === "failed" && error.cause.reason === "canceled",
    );
    await decided;
    const stop = new AbortController();
    await assert.rejects(
      run(() => stop.abort(new Error("later")), stop.signal),
      /later/,
    );
    // The next run sends the order that waits once more, which changes nothing.
    const issued = await run(async () => {
      const orders = await invited();
      assert.equal(orders.length, 1);
      await colleague.signOrder(orders[0].ref);
    });
    assert.equal(issued.length, 3);
    assert.deepEqual(waiting, ["abc", "c", "c"]);
    const assets = (await client.getLedgerAssets(ledger)).data.map(({ imprint }) => imprint);
    for (const imprint of imprints.values()) assert.equal(assets.filter((one) => one === imprint).length, 1);
  });
});

test("the client looks up an order that was refused as expired", async () => {
  await at({ rows: table(2) }, async (desk) => {
    assert.equal((await desk.issue()).code, 0);
    const lines = (await desk.state()).filter(({ kind }) => kind !== "final");
    const { ledger } = lines.find(({ kind }) => kind === "ledger");
    const order = lines.find(({ kind }) => kind === "order");
    const imprints = Object.fromEntries(order.rows.map((key, index) => [key, order.body.order.actions[index].assetImprint]));
    const client = await desk.client(network.url);
    const list = Object.keys(imprints);
    for (const isKnown of [true, false]) {
      const body = structuredClone(order.body);
      // The service refuses the order as expired.
      body.order.expiration = 1_600_000_000_000;
      if (!isKnown) body.order.actions[0].assetId = "77";
      const written = [];
      const text = lines.map((line) => `${JSON.stringify(line.kind === "order" ? { ...line, id: `${line.id}-${isKnown}`, body } : line)}\n`).join("");
      const store = { read: () => text, append: (more) => void written.push(JSON.parse(more).kind) };
      const issued = client.issueMany(list, { ledgerId: ledger, key: (key) => key, certify: (key) => imprints[key], store, settings: lines[0].settings });
      if (isKnown) assert.equal((await issued).length, 2);
      else await assert.rejects(issued, (error) => error instanceof BatchError && error.reason === "failed" && /expired/.test(error.message));
      assert.deepEqual(written, [isKnown ? "final" : "failed"]);
    }
  });
});

test("the client refuses changed rows, duplicate keys and another batch's store", async () => {
  await at({ rows: table(2) }, async (desk) => {
    assert.equal((await desk.issue()).code, 0);
    const state = await desk.read("issued/state.ndjson");
    const { ledger } = (await desk.state()).find(({ kind }) => kind === "ledger");
    const { settings } = (await desk.state())[0];
    const client = await desk.client(network.url);
    const list = [0, 1].map((index) => ({ email: `person${index}@example.com` }));
    const store = { read: () => state, append: () => assert.fail("nothing may be written") };
    const options = { ledgerId: ledger, key: ({ email }) => email, certify: () => "ab".repeat(32), store, settings };
    const reason = (reason, rows) => (error) => error instanceof BatchError && error.reason === reason && assert.deepEqual(error.rows, rows) === undefined;
    await assert.rejects(client.issueMany(list, options), reason("changed", [0, 1]));
    await assert.rejects(client.issueMany([...list, list[0]], options), reason("rows", [2]));
    await assert.rejects(client.issueMany(list, { ...options, settings: {} }), reason("state", []));
    await assert.rejects(client.issueMany(list, { ...options, ledgerId: client.provider.accountId }), reason("state", []));
    await assert.rejects(client.issueMany(list, { ...options, store: { ...store, read: () => state.slice(0, -1) } }), reason("state", []));
    await assert.rejects(client.issueMany(list, { ...options, certify: () => "x" }), reason("rows", [0]));
    await assert.rejects(client.issueMany(list, { ...options, perOrder: 100 }), { code: 7000008 });
    await assert.rejects(client.issueMany(list, { ...options, misspelt: 1 }), { code: 7000008 });
  });
});

test("the documented command issues a table", async () => {
  const text = await readFile(new URL("../../docs/batch.md", import.meta.url), "utf8");
  const [, command] = /^(cert batch (?:.*\\\n)*.*)$/m.exec(text);
  const rows = "name,email,points\nAda,ada@example.com,97.5\nGrace,grace@example.com,60\n";
  await at({ rows }, async (desk) => {
    const words = command
      .replaceAll("\\\n", " ")
      .match(/"[^"]*"|\S+/g)
      .map((word) => word.replaceAll('"', ""));
    const { code, err } = await desk.start(["--service", network.url], words.slice(1)).ended;
    assert.equal(code, 0, err);
    await assertIssuedOnce(desk, 2);
  });
});

test("items of products get the ids of their codes, and marketplaces get a link and traits", async () => {
  const string = { type: "string" };
  const traits = { type: "array", items: { type: "object", properties: { trait_type: string, value: string } } };
  const properties = {
    name: string,
    description: string,
    gtin: string,
    serial: string,
    maker: { ...string, title: "Made by" },
    external_url: string,
    attributes: traits,
    ledgerId: string,
    assetId: string,
  };
  const schema = { type: "object", title: "Passport", properties, required: ["name", "ledgerId", "assetId"] };
  const item = (gtin, serial, description = "Oak") => `Chair,${description},${gtin},${serial},Ada`;
  const table = (...rows) => ["name,description,gtin,serial,maker", ...rows].join("\n");
  await at({ rows: table(item("9506000134352", "12345"), item("09506000134352", "a/b")), schema }, async (desk) => {
    const run = (...more) =>
      desk.start(more, ["batch", "people.csv", "--schema", "schema.json", "--site", desk.site, "--account-key", "issuer.key", "--service", network.url, "--asset-id", "gs1:gtin,serial", "--nft"])
        .ended;
    const all = ["--public", "name,description,gtin,serial,maker"];
    const { code, err } = await run(...all, "--out", "issued", "--new-ledger", "Chairs", "--deposit", "500000", "--yes");
    assert.equal(code, 0, err);
    const lines = await desk.state();
    const { ledger } = lines.find(({ kind }) => kind === "ledger");
    const assets = lines.filter(({ kind }) => kind === "row").map(({ asset }) => asset);
    assert.equal(assets[0], "425269174091125022517913514534991359756086421408193289742450688");
    const { document, imprint } = await desk.privateFile(assets[1]);
    assert.equal(document.external_url, `${network.url}/c/${ledger.toLowerCase()}/${assets[1]}`);
    assert.deepEqual(document.attributes, [
      { trait_type: "gtin", value: "09506000134352" },
      { trait_type: "Made by", value: "Ada" },
      { trait_type: "serial", value: "a/b" },
    ]);
    const client = await desk.client(server.url);
    assert.equal((await client.getLedgerAsset(ledger, assets[1])).data.imprint, imprint);
    await desk.publish();
    const { data } = await client.getValidity(ledger, assets[1]);
    assert.deepEqual([data.valid, data.metadata.attributes], [true, document.attributes]);
    // The same batch issues nothing twice.
    assert.equal((await run(...all, "--out", "issued", "--new-ledger", "Chairs", "--yes")).code, 0);

    // Codes of other batches, repeated codes, malformed ones, and rows without a description.
    const refused = async (rows, ...more) => {
      await desk.write("people.csv", table(...rows));
      const { code, out } = await run(...(more.length > 0 ? more : all), "--out", "other", "--ledger", ledger, "--yes");
      assert.equal(code, 2);
      return out
        .split("\n")
        .slice(0, -1)
        .map((line) => JSON.parse(line));
    };
    const [taken] = await refused([item("09506000134352", "1"), item("09506000134352", "12345")]);
    assert.deepEqual([taken.row, taken.message], [3, `the ledger already has the certificate of this item, ${assets[0]}`]);
    assert.deepEqual(await refused([item("09506000134352", "1"), item("9506000134352", "1"), item("9506000134353", "1"), item("09506000134352", "a b"), item("", "1")]), [
      { row: 3, column: "serial", message: "row 2 has the same GTIN and serial number" },
      { row: 4, column: "gtin", message: "the last digit of the GTIN does not fit the others" },
      { row: 5, column: "serial", message: "the serial number may have only letters and digits of ASCII and the characters !\"%&'()*+,-./:;<=>?_" },
      { row: 6, column: "gtin", message: "`gtin` is needed for the asset's id" },
    ]);
    assert.deepEqual(await refused([item("09506000134352", "2", "")]), [{ row: 2, column: "description", message: "marketplaces need a description" }]);
    assert.deepEqual(await refused([item("09506000134352", "2")], "--public", "name"), []);
    const count = (await client.getLedgerAssets(ledger)).meta.total;
    assert.equal(count, 2);
  });
});
