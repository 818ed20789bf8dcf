// The register book: its format, its merges, and what it takes from documents.
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import { FACTS, MAX_ENTRIES, entryOf, merged, newsFor, readBook, writeBook } from "../../www/lib/book.ts";
import { holderColumn, isAddress, keyIn, personIn } from "../../www/lib/people.ts";
import { UNSEEN, judge } from "../../www/console/book/checking.ts";
import { decrypted, keyOf, newRecovery, publicKeyOf, seal, unseal } from "../../www/console/book/sealed.ts";
import { mayBeginAgain, readersOf, reduce, sortedBooks, startOf } from "../../www/console/book/sharing-state.ts";
import { completed, fromCompact, toCompact } from "../../www/lib/compact.ts";
import { copiesWithHolder } from "../../www/lib/named.ts";
import { Cert } from "@assay/cert/aih2";
import * as course from "./shared.mjs";

const LEDGER = `0x${"a1".repeat(20)}`;
const SERVICE = "https://certs.example";
const ENTRY = entryOf({ ledger: LEDGER.toUpperCase().replace("X", "x"), asset: "7", holder: " Ada ", email: "ada@example.com", title: "" }, 5);

test("an entry has the facts that were given, and its ledger in lower case", () => {
  assert.deepEqual(ENTRY, { ledger: LEDGER, asset: "7", holder: ["Ada", 5], email: ["ada@example.com", 5] });
});

test("news for another book are certificates and facts that it lacks, but not the same text again", () => {
  const again = entryOf({ ledger: LEDGER, asset: "7", holder: "Ada" }, 9);
  const corrected = entryOf({ ledger: LEDGER, asset: "7", holder: "Eda" }, 9);
  const other = entryOf({ ledger: LEDGER, asset: "8", holder: "Bob" }, 1);
  const news = [[ENTRY], [merged(ENTRY, again)], [merged(ENTRY, corrected)], [ENTRY, other]].map((entries) => newsFor([ENTRY], entries));
  assert.deepEqual(news, [0, 0, 1, 1]);
  assert.equal(newsFor([], [ENTRY, other]), 2);
});

test("the format of a saved book does not change", () => {
  const text = `{"assayBook":1,"service":"${SERVICE}","entries":[{"ledger":"${LEDGER}","asset":"7","holder":["Ada",5],"email":["ada@example.com",5]}]}`;
  assert.equal(writeBook([ENTRY], SERVICE), text);
  assert.deepEqual(readBook(text, SERVICE), [ENTRY]);
});

test("books of other services, versions and forms are refused", () => {
  const book = (changes, entry = {}) => JSON.stringify({ assayBook: 1, service: SERVICE, entries: [{ ...ENTRY, ...entry }], ...changes });
  const refused = [
    ["", "wrong"],
    ["[]", "wrong"],
    ["null", "wrong"],
    [book({ assayBook: 2 }), "newer"],
    [book({ assayBook: "1" }), "wrong"],
    [book({ service: "https://other.example" }), "elsewhere"],
    [book({ service: 1 }), "wrong"],
    [book({ entries: {} }), "wrong"],
    [book({ entries: [null] }), "wrong"],
    [book({ entries: Array(MAX_ENTRIES + 1).fill(0) }), "full"],
    ...[
      { ledger: "0xA1" },
      { ledger: LEDGER.toUpperCase() },
      { asset: "07" },
      { asset: 7 },
      { asset: "../7" },
      { holder: "Ada" },
      { holder: ["Ada"] },
      { holder: ["Ada", -1] },
      { holder: ["Ada", 0.5] },
      { holder: ["a".repeat(301), 1] },
      { holder: [1, 1] },
      { holder: { 0: "Ada", 1: 1 } },
    ].map((entry) => [book({}, entry), "wrong"]),
  ];
  for (const [text, code] of refused) assert.throws(() => readBook(text, SERVICE), { key: `console.book.${code}` }, text.slice(0, 200));
  assert.deepEqual(readBook(book({}, { later: ["x", 1] }), SERVICE), [ENTRY]);
});

test("a fact from the future is dropped, because nobody could correct it", () => {
  const [now, day] = [1_782_777_600_000, 86_400_000];
  const of = (at) => readBook(writeBook([{ ...ENTRY, holder: ["Eve", at] }], SERVICE), SERVICE, now)[0].holder;
  assert.deepEqual([of(now + day), of(now + day + 1), of(Number.MAX_SAFE_INTEGER)], [["Eve", now + day], undefined, undefined]);
});

/** A generator of numbers that is the same in each run. */
function numbers(seed) {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

test("merging is the same in any order and grouping, and when it is repeated", () => {
  const draw = numbers(7);
  const entry = () => {
    const facts = FACTS.filter(() => draw(3) > 0).map((name) => [name, [["", "a", "b"][draw(3)], draw(3)]]);
    return { ledger: LEDGER, asset: "7", ...Object.fromEntries(facts) };
  };
  for (let round = 0; round < 2000; round += 1) {
    const [one, two, three] = [entry(), entry(), entry()];
    assert.deepEqual(merged(one, two), merged(two, one));
    assert.deepEqual(merged(merged(one, two), three), merged(one, merged(two, three)));
    assert.deepEqual(merged(one, one), one);
  }
});

test("a later file without an address does not remove the address", () => {
  const later = entryOf({ ledger: LEDGER, asset: "7", holder: "Ada Lovelace", email: "" }, 9);
  const { holder, email } = merged(ENTRY, later);
  assert.deepEqual(
    [holder, email],
    [
      ["Ada Lovelace", 9],
      ["ada@example.com", 5],
    ],
  );
});

test("the person and the title of a document are found", () => {
  const template = { title: "Course certificate", properties: { name: {}, description: {}, holder: {}, issuedAt: {}, hours: {}, grade: {}, validUntil: {} } };
  const of = (document, schema, cells) => Object.values(personIn(document, schema, cells));
  assert.deepEqual(of({ name: "Logic", holder: "Ada" }, template, ["Ada", "ada@example.com"]), ["Ada", "ada@example.com", "Logic"]);
  assert.deepEqual(of({ name: "Logic", description: "by x@example.com and others" }, template), ["", "", "Logic"]);
  assert.deepEqual(of({ Course: "Logic", "Full name": "Ada" }, { title: "Diploma" }), ["Ada", "", "Diploma"]);
  assert.deepEqual(of({ holder: { email: "ada@example.com", name: "Ada", city: "London" } }, {}), ["Ada", "ada@example.com", ""]);
  assert.deepEqual(of({ Inhaber: "Jörg" }, {}), ["Jörg", "", ""]);
  for (const odd of [null, "Ada", [], { holder: 7 }, { holder: "a".repeat(301) }, { $schema: "name" }]) assert.deepEqual(of(odd, null), ["", "", ""], JSON.stringify(odd));
});

test("the column of holders is found, and not one that the batch has added", () => {
  assert.deepEqual([holderColumn(["Course name", "Holder"]), holderColumn(["E-Mail", "Name"]), holderColumn(["x", ""])], [1, 1, -1]);
});

test("an address is a whole text with one @, without what other programs would split", () => {
  for (const text of ["ada@example.com", " ada+x@mail.example.org "]) assert.ok(isAddress(text), text);
  for (const text of ["", "@", "ada@", "ada@x@y", "Ada <ada@example.com>", "a@b,c@d", "a b@c", 'a@b"', `${"a".repeat(65)}@b`]) assert.ok(!isAddress(text), text);
});

test("the key of a whole certificate is found in its holder's evidence, and none in other evidence", async () => {
  assert.match(keyIn(await course.cert.notarize(course.data)), /^S[\w-]{43}$/);
  for (const other of [await course.cert.disclose(course.data, [["hours"]]), null, [], { proof: 7 }, { proof: "S" }]) assert.equal(keyIn(other), "");
});

const [ADA, GRACE, EMMY, EVE] = ["ad", "9c", "e1", "e0"].map((byte) => `0x${byte.repeat(20)}`);
/** A version as the service returns it. `forged` stands for a signature of another text. */
const version = (number, writerId, readers, changes = {}) => ({
  version: number,
  hash: `${number}`.repeat(64).slice(0, 64),
  bytes: 1,
  readers,
  writerId,
  signature: "0x",
  createdAt: "2026-06-30T00:00:00.000Z",
  ...changes,
});
const isSigned = async ({ signature }) => signature !== "forged";
const judged = async (versions, seen = UNSEEN, account = ADA) => judge(versions, seen, account, isSigned);
/** What Ada's browser knows after version 3, which she and Grace can read. */
const THREE = { ...UNSEEN, version: 3, hash: "3".repeat(64), readers: [ADA, GRACE] };

test("the key of the book and the public evidence prove the holder's name, if the values beside it are public or absent", async () => {
  const text = { type: "string" };
  const certified = async (names, data, open) => {
    const schema = { type: "object", properties: Object.fromEntries(names.map((name) => [name, text])) };
    const cert = new Cert({ schema, key: course.key });
    const paths = open.map((name) => [name]);
    const given = { schema, document: cert.expose(data, paths), evidence: await cert.disclose(data, paths) };
    return { given, cert, imprint: await cert.imprint(data), fileKey: keyIn(await cert.notarize(data)) };
  };
  /** Returns the holders' fields of which a copy is proven. */
  const proven = async ({ given, cert, imprint, fileKey }, name) => {
    const copies = await copiesWithHolder(given, fileKey, name);
    const valid = await Promise.all(copies.map(({ document, evidence }) => cert.verify(document, evidence, imprint).then(({ valid }) => valid)));
    return copies.flatMap(({ document }, index) => (valid[index] ? Object.keys(document).filter((key) => given.document[key] === undefined) : []));
  };
  const COURSE = ["name", "description", "holder", "issuedAt", "hours", "grade", "validUntil"];
  const data = { name: "Logic", holder: "Ada", issuedAt: "2026-06-30" };
  for (const names of [COURSE, ["holder", "issuedAt", "name"], ["a", "b", "c", "d", "e", "f", "g", "holder", "issuedAt", "name"], [...COURSE, "recipient"]]) {
    const one = await certified(names, data, ["name", "issuedAt"]);
    assert.deepEqual(await proven(one, "Ada"), ["holder"], names.join());
    assert.deepEqual(await proven(one, "Eve"), []);
  }
  // The code of the sheet carries it, also with only what the public evidence lacks.
  const { given, cert, imprint, fileKey } = await certified(COURSE, data, ["name", "issuedAt"]);
  const [copy] = await copiesWithHolder(given, fileKey, "Ada");
  const ids = { ledger: LEDGER, asset: "7" };
  for (const form of [await toCompact(copy, ids), await toCompact(copy, ids, given.evidence)]) {
    const { document, evidence } = await completed(fromCompact(form), { schema: given.schema, metadata: given.document, evidence: given.evidence }, ids);
    assert.deepEqual([document, (await cert.verify(document, evidence, imprint)).valid], [{ ...data }, true]);
  }
  const graded = await certified(COURSE, { ...data, grade: "A" }, ["name", "issuedAt"]);
  assert.deepEqual(await proven(graded, "Ada"), []);
  const replaced = await certified(COURSE, data, ["name", "issuedAt"]);
  assert.deepEqual(await proven({ ...replaced, fileKey: `S${"A".repeat(43)}` }, "Ada"), []);
  for (const fileKey of ["", "S", "AAAA"]) assert.deepEqual(await copiesWithHolder(replaced.given, fileKey, "Ada"), []);
  // A public name needs no other proof, and there is no field for a name of other kinds.
  const shown = await certified(COURSE, data, ["name", "holder", "issuedAt"]);
  assert.deepEqual(await copiesWithHolder(shown.given, shown.fileKey, "Ada"), []);
});

test("a version counts if a reader of the version before signed it, and trust passes on", async () => {
  const books = [version(5, EMMY, [ADA, GRACE, EMMY]), version(4, GRACE.toUpperCase().replace("X", "x"), [ADA, GRACE, EMMY]), version(3, ADA, [ADA, GRACE])];
  const { kind, seen } = await judged(books, THREE);
  assert.deepEqual([kind, seen], ["good", { version: 5, hash: "5".repeat(64), readers: [ADA, GRACE, EMMY], confirmed: [] }]);
  assert.equal((await judged([])).kind, "none");
  assert.equal((await judged([version(1, ADA, [ADA])])).kind, "good");
  // Reading the same version again changes nothing.
  assert.deepEqual((await judged([version(3, ADA, [ADA, GRACE])], THREE)).seen, THREE);
});

test("what the service could make up is refused", async () => {
  const own = version(3, ADA, [ADA, GRACE]);
  const refused = [
    ["older", [version(2, ADA, [ADA])], THREE],
    ["older", [], THREE],
    ["forged", [version(4, ADA, [ADA, EVE], { signature: "forged" }), own], THREE],
    ["forged", [{ ...own, hash: "e".repeat(64) }], THREE],
    ["forged", [{ ...own, readers: [ADA, GRACE, EVE], signature: "forged" }], THREE],
    // A later version does not hide that an earlier one is forged.
    ["forged", [version(5, ADA, [ADA]), version(4, GRACE, [ADA], { signature: "forged" })], THREE],
    ["forged", [version(4, GRACE, [ADA]), { ...own, hash: "e".repeat(64) }], THREE],
    ...[{ version: "4" }, { version: 0 }, { version: 4.5 }, { hash: 7 }, { readers: "0x" }, { readers: [7] }, { writerId: null }].map((wrong) => ["forged", [version(4, ADA, [ADA], wrong)], THREE]),
    ["forged", [null], UNSEEN],
    // An account of the service's own signs a known content for itself, or stands behind the version of a reader.
    ["forged", [version(3, EVE, [ADA, GRACE, EVE], { hash: own.hash })], THREE],
    ["forged", [version(4, GRACE, [ADA, GRACE]), version(4, EVE, [ADA, EVE], { hash: "e".repeat(64) })], THREE],
    ["forged", [own, own], THREE],
    // An account of the service's own signs correctly, but nobody has let it read.
    ["stranger", [version(4, EVE, [ADA, EVE]), own], THREE],
    ["stranger", [version(1, EVE, [ADA, EVE])], UNSEEN],
    // Grace was left out by version 4, and cannot write version 5.
    ["stranger", [version(5, GRACE, [ADA, GRACE]), version(4, ADA, [ADA]), own], THREE],
    // A stranger between the versions passes no trust on.
    ["stranger", [version(5, EMMY, [ADA, EMMY]), version(4, EVE, [ADA, EMMY]), own], THREE],
  ];
  for (const [kind, books, seen] of refused) assert.equal((await judged(books, seen)).kind, kind, JSON.stringify(books));
  // Until the person has compared the digits.
  assert.equal((await judged([version(1, GRACE, [ADA, GRACE])], { ...UNSEEN, confirmed: [GRACE] })).kind, "good");
});

test("the next version is for the readers of the last one and those that the person lets read, and for nobody without a signed key", () => {
  const members = [ADA, GRACE, EMMY].map((account) => ({ account, key: account, mayWrite: true }));
  const shared = { kind: "good", version: null, members, readers: [ADA, GRACE, EVE], unsigned: 0 };
  const readers = (...accounts) => {
    const state = accounts.reduce((state, account) => reduce(state, { type: "toggled", account }), reduce(startOf(LEDGER), { type: "read", ledger: LEDGER, shared, isReader: true }));
    return readersOf(shared, state, ADA.toUpperCase().replace("X", "x")).map(({ account }) => account);
  };
  assert.deepEqual(readers(), [ADA, GRACE]);
  assert.deepEqual(readers(EMMY, GRACE), [ADA, EMMY]);
  assert.deepEqual(readers(EMMY, EMMY, GRACE, GRACE), [ADA, GRACE]);
  assert.deepEqual(readers(ADA, EVE), [ADA, GRACE]);
  // The book of another register is late.
  const start = startOf(LEDGER);
  assert.equal(reduce(start, { type: "read", ledger: ADA, shared, isReader: true }).shared, start.shared);
  // Another register begins anew.
  const { added, shared: later } = reduce(reduce({ ...start, shared }, { type: "toggled", account: EMMY }), { type: "chosen", ledger: ADA });
  assert.deepEqual([added.size, later], [0, null]);
});

test("a manager begins the book again that it cannot read, but not an older or a forged one", () => {
  const member = (account, mayManage) => ({ account, key: account, mayWrite: true, mayManage });
  const members = [member(ADA, true), member(GRACE, false), member(EMMY, true)];
  const sharedAs = (kind, readers = []) => ({ kind, version: null, members, readers, unsigned: 0 });
  const may = (kind, readers, account = ADA, isUnopened = false) => mayBeginAgain(sharedAs(kind, readers), isUnopened, account);
  assert.deepEqual([may("good", [GRACE]), may("stranger", []), may("good", [ADA], ADA.toUpperCase().replace("X", "x"), true)], [true, true, true]);
  for (const kind of ["none", "older", "forged"]) assert.equal(may(kind, []), false, kind);
  // A reader merges. An account that does not manage the register has to ask a reader.
  assert.deepEqual([may("good", [ADA, GRACE]), may("good", [ADA], GRACE), may("good", [ADA], EVE), may("stranger", [], GRACE)], [false, false, false, false]);

  const read = (shared, isReader) => ({ type: "read", ledger: LEDGER, shared, isReader });
  const toggle = (account) => ({ type: "toggled", account });
  const readers = (...actions) => {
    const state = actions.reduce(reduce, startOf(LEDGER));
    return readersOf(state.shared, state, ADA).map(({ account }) => account);
  };
  const none = read(sharedAs("none"), false);
  // The managers are suggested once. The person's choice stays.
  assert.deepEqual(readers(none), [ADA, EMMY]);
  assert.deepEqual(readers(none, toggle(EMMY), none), [ADA]);
  assert.deepEqual(readers(none, { type: "written", ledger: LEDGER }, read(sharedAs("good", [ADA]), true)), [ADA]);
  // The earlier readers stay readers.
  assert.deepEqual(readers(read(sharedAs("good", [GRACE]), false)), [ADA, GRACE, EMMY]);
  // A book that opens adds nobody of whom the page did not ask.
  for (const before of [none, read(sharedAs("stranger"), false), { type: "unopened", ledger: LEDGER, shared: sharedAs("good", [ADA]), why: "locked" }])
    assert.deepEqual(readers(before, read(sharedAs("good", [ADA, GRACE]), true)), [ADA, GRACE]);
  assert.deepEqual(readers(read(sharedAs("good", [ADA]), true), toggle(GRACE), read(sharedAs("good", [ADA]), true)), [ADA, GRACE]);
});

test("the books of several registers are kept apart, and those to look at are named", () => {
  const [first, second, third, fourth] = ["0x1", "0x2", "0x3", "0x4"];
  const readAs = (ledger, kind, isReader = true) => ({ type: "read", ledger, isReader, shared: { kind, version: null, members: [], readers: [], unsigned: 0 } });
  const actions = [readAs(first, "good"), readAs(second, "good", false), readAs(third, "none"), { type: "unopened", ledger: fourth, why: "locked" }];
  const state = actions.reduce(reduce, startOf(first));
  const registers = [first, second, third, fourth, "0x5"].map((id) => ({ id }));
  const named = ({ read, doubtful }) => [read.map(({ register }) => register.id), doubtful.map(({ register, book }) => [register.id, book])];
  assert.deepEqual(named(sortedBooks(state, registers)), [
    [first],
    [
      [second, "notReader"],
      [fourth, "locked"],
    ],
  ]);
  // The book of another register does not lock the chosen one.
  assert.deepEqual([state.unopened, state.shared.kind], [null, "good"]);
  assert.equal(reduce(state, { type: "chosen", ledger: second }).books, state.books);
  assert.deepEqual(named(sortedBooks(reduce(state, { type: "unread", ledger: first }), registers))[1][0], [first, "unread"]);
  // Another key opens other books.
  assert.equal(reduce(state, { type: "keyKnown", key: "k" }).books.size, 0);
});

test("an encrypted book opens with the keys of its readers alone, and with the recovery key that was typed from paper", async () => {
  const [mine, theirs] = [await newRecovery(), await newRecovery()];
  const key = await keyOf(mine);
  assert.equal(key.extractable, false);
  const book = writeBook([ENTRY], SERVICE);
  const sealed = await seal(book, [await publicKeyOf(key)]);
  assert.match(new TextDecoder().decode(sealed.subarray(0, 40)), /^age-encryption\.org\/v1\n-> X25519 /);
  const typed = mine.toLowerCase().replace(/(.{8})/g, "$1 ");
  assert.equal(await unseal(sealed, await keyOf(typed)), book);
  await assert.rejects(unseal(sealed, await keyOf(theirs)), { key: "book.sharing.notForYou" });
  for (const at of [sealed.length - 1, sealed.length - 20]) {
    const damaged = sealed.with(at, sealed[at] ^ 1);
    await assert.rejects(unseal(damaged, key), { key: "book.sharing.damaged" });
  }
  for (const wrong of [new Uint8Array(0), sealed.subarray(0, 60), new TextEncoder().encode(book)]) await assert.rejects(unseal(wrong, key), { key: "book.sharing.damaged" });
  for (const wrong of ["", mine.slice(0, -1), mine.replace(/.$/, (last) => (last === "Q" ? "P" : "Q")), "AGE-SECRET-KEY-1", key])
    await assert.rejects(keyOf(String(wrong)), { key: "book.sharing.recoveryWrong" });
  for (const wrong of ["", "AQ", "!"]) await assert.rejects(seal(book, [wrong]));
  // A point of small order has no secret.
  for (const wrong of ["A".repeat(43), `AQ${"A".repeat(41)}`]) await assert.rejects(seal(book, [await publicKeyOf(key), wrong]), { key: "book.sharing.keyWrong" });
});

/** Vectors of the project CCTV (C2SP) for `age`, by their names, and the key that all of them name. */
const VECTORS = {
  x25519:
    "YWdlLWVuY3J5cHRpb24ub3JnL3YxCi0+IFgyNTUxOSBURWlGMHlwcXIrYnB2Y3FYTnlDVkpwTDdPdXdQZFZ3UEw3S1FFYkZET0NjCmhqYWJHWHdTTFE5YzNTNkx3MmkrUzJUdTJmaXdRSEhzbGJCTjZCNDFGTEUKLS0tIFd5SnA5Ri85Rk9aaDdnSmRoZXEyV0lKY3dIZ1ljOE5JVmgzZGR3aHJjTmcK7s9ix86RtDMnTmjU8vkTTLdMW/73vqpSyPC8DpksHoMx+2Y=",
  x25519_multiple_recipients:
    "YWdlLWVuY3J5cHRpb24ub3JnL3YxCi0+IFgyNTUxOSBhanRxQXZERWtWTnIyQjd6VU90cTJtQVFYRFNCbE5yVkF1TS9kS2I1c1Q0CjBldnJLL0hRWFZzUTRZYURlKzY1OWw1T1F6dkF6RDJ5dExHSFFMUWlxeGcKLT4gWDI1NTE5IDBxQzd1NkFiTHh1d25NOHRQRk9XVnRXWm4vWlplN3o3Z2NzUDVrZ0EwRkkKWTNPemV2TG0yM1Z4N1BOOWszM0Y5eStlcmNXZS9iY1pKTHFocUEzaDQwOAotLS0gODU1cEtibFF6WjNvYWJEb3d4UkRRdlNqL3hvNDdaU2g1V1Rqa21LMEkwVQrwuBi+DzVUQjmZIK2AhJZLb5XDbbNeT1nY+J488m8tH6VCEw==",
  x25519_bad_tag:
    "YWdlLWVuY3J5cHRpb24ub3JnL3YxCi0+IFgyNTUxOSBURWlGMHlwcXIrYnB2Y3FYTnlDVkpwTDdPdXdQZFZ3UEw3S1FFYkZET0NjCmhqYWJHWHdTTFE5YzNTNkx3MmkrUzJUdTJmaXdRSEhzbGJCTjZCNDFGRTQKLS0tIHpPQ0hweW5WMGFWN3A0UjZjK2JPYXBncHE5VHRwRmdHZ1lnaFEyK1BJWDgK7s9ix86RtDMnTmjU8vkTTLdMW/73vqpSyPC8DpksHoMx+2Y=",
  x25519_low_order:
    "YWdlLWVuY3J5cHRpb24ub3JnL3YxCi0+IFgyNTUxOSBYNXlWdktOUWpDU3gwTEZWbklQdld3UkVYTVJZSEk2RzJDSk8zZENmRWRjCjNFME5wRmFucy9tMFdMV0Y3KzU0WkJkTmozaXFRcXByYUdERmlhUmt2QkEKLS0tIHNYdzMyN1lNVDEvVUxYZStaeVJNYk1ZMFoyam5XSEdnSTlqMXdlNnlROEEKrF0/NwblUHHTpgQgRpe5CQWVwvf1267oDXoBjChyBYrzznw=",
};
const OF_VECTORS = "AGE-SECRET-KEY-1EGTZVFFV20835NWYV6270LXYVK2VKNX2MMDKWYKLMGR48UAWX40Q2P2LM0";

test("files of other programs are opened, and those that the specification refuses are not", async () => {
  const key = await keyOf(OF_VECTORS);
  const open = (name) => decrypted(new Uint8Array(Buffer.from(VECTORS[name], "base64")), key);
  for (const name of ["x25519", "x25519_multiple_recipients"]) {
    const hash = createHash("sha256")
      .update(await open(name))
      .digest("hex");
    assert.equal(hash, "013f54400c82da08037759ada907a8b864e97de81c088a182062c4b5622fd2ab", name);
  }
  await assert.rejects(open("x25519_bad_tag"), { key: "book.sharing.notForYou" });
  await assert.rejects(open("x25519_low_order"), { key: "book.sharing.damaged" });
});
