// The reducers of the pages with state, without a browser.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { namesIn, namesake, withName } from "../../www/lib/contacts.ts";
import { fingerprintOf } from "../../www/lib/fingerprint.ts";
import { abilitiesOf, isLookSafe, offeredRoles, powerOf } from "../../www/console/people/roles.ts";
import { abandonedBy, changesTo, leftOf, ordersOf, ownOf, peopleOn, personOf, reduce as reducePeople, startOf as startPeople, tokensIn } from "../../www/console/people/state.ts";
import {
  START as PROBLEMS,
  problemOfCertificate,
  problemOfDelivery,
  problemOfDeployment,
  problemOfDomain,
  problemOfOrder,
  problemOfWebhook,
  reduce as reduceProblems,
} from "../../www/console/problems/state.ts";
import { accountsOf, dayIn, optionsOf, reduce as reduceActivity, startOf as startActivity } from "../../www/console/activity/state.ts";
import { read as readActivity, readAll as readAllActivity } from "../../www/console/activity/source.ts";
import { EMPTY, START as OPERATOR, actionIn, factorIn, isLook, isShown, partIn, reasonIn, reduce as reduceOperator, reduceList as reduceOfAdmin } from "../../www/console/operator/state.ts";
import { shownDecimal } from "../../www/lib/decimals.ts";
import { isNoted, noteOperator } from "../../www/console/operator/known.ts";
import { START as DEVELOPERS, curlOf, othersOf, refIn, reduce as reduceDevelopers } from "../../www/console/developers/state.ts";
import { aroundMonth, centsIn, monthsUpTo, reduce as reduceMoney, startOf as startMoney, sumsOf } from "../../www/console/money/state.ts";
import { alarmOf, reduce as reduceOrganisation, standingOf, startOf as startOrganisation } from "../../www/console/organisation/state.ts";
import { NEW, UNCHOSEN, chosenLedger, incompleteField, lostLedger } from "../../www/components/ledger-state.ts";
import { organisationIn } from "../../www/lib/organisation.ts";
import { issuerFile, publishedIn } from "../../www/lib/issuer-file.ts";
import { START as MANY, isUnfinished as isUnfinishedList, reduce as reduceMany, restOf, unfinishedOf as unfinishedList } from "../../www/issue/many/state.ts";
import { START as VERIFY, knownOf, reduce as reduceVerify } from "../../www/verify/state.ts";
import { START as ISSUE, isUnfinished, reduce as reduceIssue, unfinishedOf } from "../../www/issue/state.ts";
import { addressIn, fragmentOf } from "../../www/console/address.ts";
import { START as CONSOLE, reduce as reduceConsole } from "../../www/console/state.ts";
import { START as REVIEW, isAbout, proposalOf, reduce as reduceReview, reviewed, signable } from "../../www/console/review/state.ts";
import { reviewersOf } from "../../www/lib/reviewers.ts";
import { readReview, writeReview } from "../../www/lib/review.ts";
import { foundInBook, isConfirmedBy, knownOf as knownIn, reduce as reduceList, registersIn, shownOf, startOf, ticksOf } from "../../www/console/certificates/state.ts";
import { START as ISSUED, reduce as reduceIssued, tickedOf } from "../../www/issued/state.ts";

/** Returns the state after actions. Each part of a state is frozen, so a reducer that changes its input fails. */
const after = (reduce, start, ...actions) => actions.reduce((state, action) => frozen(reduce(state, action)), start);

function frozen(value) {
  if (typeof value === "object" && value !== null && !Object.isFrozen(value) && !ArrayBuffer.isView(value)) {
    Object.freeze(value);
    Object.values(value).forEach(frozen);
  }
  return value;
}

const BUSY = { kind: "busy", text: "…" };
const fileOf = (name) => ({ name, bytes: new Uint8Array(1), choices: {} });
const tableOf = (columns, ...rows) => ({ header: 1, delimiter: ",", columns, rows: rows.map((cells, index) => ({ row: index + 2, cells })), errors: [] });
const fieldOf = (key, title = key) => ({ path: [key], title });
const FIELDS = [fieldOf("name", "Course"), fieldOf("holder", "Holder"), fieldOf("hours", "Hours")];
const TEMPLATE = {
  name: "course",
  schema: { properties: { name: {}, holder: {}, hours: {}, issuedAt: {} } },
  schemaIn: () => null,
  shown: [["name"], ["issuedAt"]],
  ledger: { name: "Courses", symbol: "C" },
  fields: FIELDS,
  document: { issuedAt: "2026-06-30" },
};
const mappedBy = (table, guesses, template = TEMPLATE) => ({ type: "mapped", table, template, guesses, remembered: null });

/** Returns the state with a table whose columns have these fields. */
function withTable(table, guesses) {
  const file = fileOf("people.csv");
  return after(reduceMany, MANY, { type: "reading", file, answer: BUSY }, { type: "read", file, table }, mappedBy(table, guesses));
}
const PEOPLE = tableOf(["Person", "Mail", "Hours"], ["Ada", "a@example.com", "1"], ["Ada", "b@example.com", "2"]);
const people = () => withTable(PEOPLE, [FIELDS[1], null, FIELDS[2]]);
const columnsOf = ({ mapping }) => mapping.columns.map(({ field, isPublic }) => [field?.path[0] ?? null, isPublic]);
const CHECKED = { template: TEMPLATE, schema: {}, mapped: [], paths: [["name"]], hidden: [], rows: [{ row: 2 }, { row: 3 }] };

test("the table of an earlier file is ignored", () => {
  const [first, second] = [fileOf("1.csv"), fileOf("2.csv")];
  const waiting = after(reduceMany, MANY, { type: "reading", file: first, answer: BUSY }, { type: "reading", file: second, answer: BUSY });
  for (const late of [
    { type: "read", file: first, table: PEOPLE },
    { type: "asked", file: first, question: { about: "sheet", text: "?", options: [] } },
    { type: "unread", file: first, answer: BUSY },
  ]) {
    assert.equal(reduceMany(waiting, late), waiting);
  }
  const { table, answer } = after(reduceMany, waiting, { type: "read", file: second, table: PEOPLE });
  assert.deepEqual([table, answer], [PEOPLE, null]);
});

test("a file that cannot be read leaves no table, and another one begins anew", () => {
  const file = fileOf("other.csv");
  const state = after(reduceMany, people(), { type: "reading", file, answer: BUSY }, { type: "unread", file, answer: { kind: "unchecked", text: "no" } });
  assert.deepEqual([state.table, state.mapping, state.file, state.answer.kind], [null, null, null, "unchecked"]);
});

test("columns get the guessed fields, and the rest becomes a form with its values kept", () => {
  const state = people();
  assert.deepEqual(columnsOf(state), [
    ["holder", false],
    [null, false],
    ["hours", false],
  ]);
  assert.deepEqual([Object.keys(state.form.schema.properties), state.form.document], [["name", "issuedAt"], { issuedAt: "2026-06-30" }]);
  assert.deepEqual(state.focus, { id: "columns-title", scroll: "element" });
  const content = { document: { name: "Logic" }, paths: [["name"]], hidden: [], problems: [] };
  const next = after(reduceMany, state, { type: "formChanged", content }, { type: "fieldChosen", column: 2, field: null });
  assert.deepEqual([Object.keys(next.form.schema.properties), next.form.document], [["name", "hours", "issuedAt"], { name: "Logic" }]);
});

test("the choices for an earlier table with the same columns come before guesses", () => {
  const choice = (path, isPublic = false, reading = null) => ({ path, isPublic, reading });
  const remembered = { columns: [choice(["holder"], true), choice(["gone"], true), choice(["hours"], false, "decimal-comma")], keyColumn: 0 };
  const file = fileOf("people.csv");
  const mapped = { ...mappedBy(PEOPLE, [FIELDS[0], FIELDS[1], null]), remembered };
  const state = after(reduceMany, MANY, { type: "reading", file, answer: BUSY }, { type: "read", file, table: PEOPLE }, mapped);
  assert.deepEqual(columnsOf(state), [
    ["holder", true],
    [null, false],
    ["hours", false],
  ]);
  assert.deepEqual([state.keyColumn, state.mapping.isRemembered, state.mapping.columns[2].reading], [0, true, "decimal-comma"]);
  assert.equal(reduceMany(state, { type: "fieldChosen", column: 0, field: null }).mapping.isRemembered, true);
  // No column of the earlier table told its rows apart, for example because one row stood there twice.
  const corrected = after(reduceMany, MANY, { type: "reading", file, answer: BUSY }, { type: "read", file, table: PEOPLE }, { ...mapped, remembered: { ...remembered, keyColumn: null } });
  assert.equal(corrected.keyColumn, 1);
});

test("a guess for another table or template is ignored", () => {
  const state = people();
  assert.equal(reduceMany(state, mappedBy(tableOf(["x"]), [null])), state);
  assert.equal(reduceMany(state, mappedBy(PEOPLE, [null, null, null], { ...TEMPLATE, name: "artwork" })), state);
});

test("a column Name becomes the holder, unless another column is the holder", () => {
  const [name, holder] = FIELDS;
  assert.deepEqual(columnsOf(withTable(tableOf(["Name"], ["Ada"]), [name])), [["holder", false]]);
  assert.deepEqual(columnsOf(withTable(tableOf(["Holder", "Name"], ["Ada", "Logic"]), [holder, name])), [
    ["holder", false],
    [null, false],
  ]);
  assert.deepEqual(columnsOf(withTable(tableOf(["course"], ["Logic"]), [name])), [["name", true]]);
});

test("the first column of different codes identifies the rows, else of different texts", () => {
  const keyOf = (...rows) => withTable(tableOf(["a", "b"], ...rows), [null, null]).keyColumn;
  assert.equal(people().keyColumn, 1);
  assert.equal(keyOf(["x", "y"], ["z", "y"]), 0);
  assert.equal(keyOf(["x", "y"], [" x", "y"]), null);
  assert.equal(keyOf(["", "1"], ["x", "1"]), null);
});

test("answered questions about columns stay while they are possible", () => {
  const reading = (name) => ({ name, texts: ["24.5"] });
  const asked = (state, readings) => ({ type: "columnsAsked", table: PEOPLE, mapped: state.mapping.columns.map(({ field }) => field), questions: [{ column: 2, examples: ["24,5"], readings }] });
  const start = people();
  const chosen = after(reduceMany, start, asked(start, [reading("comma"), reading("point")]), { type: "readingChosen", column: 2, reading: "comma" });
  assert.equal(after(reduceMany, chosen, asked(chosen, [reading("comma")])).mapping.columns[2].reading, "comma");
  assert.equal(after(reduceMany, chosen, asked(chosen, [reading("point")])).mapping.columns[2].reading, null);
  // The answer is about a field that the column no longer has.
  const moved = after(reduceMany, start, { type: "fieldChosen", column: 2, field: null }, asked(start, [reading("comma")]));
  assert.deepEqual(moved.mapping.columns[2].readings, []);
});

test("each change of what was checked removes the check and its late answer", () => {
  const check = {};
  const checking = after(reduceMany, people(), { type: "checking", check, answer: BUSY });
  const checked = after(reduceMany, checking, { type: "checked", check, checked: CHECKED });
  assert.deepEqual([checked.checked, checked.isSigning, checked.ledgers.name, checked.answer], [CHECKED, true, "Courses", null]);
  const content = { document: {}, paths: [], hidden: [], problems: [] };
  for (const change of [
    { type: "fieldChosen", column: 0, field: null },
    { type: "publicTicked", column: 0, isPublic: true },
    { type: "readingChosen", column: 0, reading: "comma" },
    { type: "keyChosen", column: null },
    { type: "formChanged", content },
    { type: "reading", file: fileOf("next.csv"), answer: BUSY },
  ]) {
    const { isSigning, checked: left } = after(reduceMany, checked, change);
    assert.deepEqual([left, isSigning], [null, false], change.type);
    const late = after(reduceMany, checking, change, { type: "checked", check, checked: CHECKED }, { type: "problemsFound", check, problems: [{ row: 1 }] });
    assert.deepEqual([late.checked, late.problems], [null, []], change.type);
  }
});

test("the preview turns from the first row to the last", () => {
  const check = {};
  const state = after(reduceMany, people(), { type: "checking", check, answer: BUSY }, { type: "checked", check, checked: CHECKED });
  const turn = (step) => ({ type: "turned", step });
  assert.deepEqual([after(reduceMany, state, turn(-1)).at, after(reduceMany, state, turn(1), turn(1)).at], [0, 1]);
});

const OWN = { id: "0x1", name: "mine", schemaId: "aa" };
const FOREIGN = { id: "0x2", name: "planted", schemaId: "AA", isForeign: true };

test("the account's own ledger is offered first, and one that others deployed only after the person chose it", () => {
  const search = {};
  const found = (last, ...ledgers) =>
    after(reduceMany, MANY, { type: "ledgersSearched", search }, { type: "ledgersFound", search, found: ledgers, schemas: new Map(), isHosting: true, last, lost: null }).ledgers;
  assert.equal(found(null, FOREIGN, OWN).chosen, OWN.id);
  assert.equal(found(null).chosen, NEW);
  // A new ledger would be outside of the office's one.
  const foreign = found(null, FOREIGN);
  assert.deepEqual([foreign.chosen, incompleteField({ ...foreign, name: "Office" })], [UNCHOSEN, "ledger-choice"]);
  assert.equal(chosenLedger(foreign), undefined);
  assert.equal(found(FOREIGN.id, FOREIGN, OWN).chosen, FOREIGN.id);
  assert.equal(found("0x3", FOREIGN, OWN).chosen, OWN.id);
  const late = after(reduceMany, MANY, { type: "ledgersSearched", search: {} }, { type: "ledgersFound", search, found: [OWN], schemas: new Map(), isHosting: true, last: null, lost: null });
  assert.equal(late.ledgers.found, null);
});

for (const [page, reduce, start] of [
  ["one", reduceIssue, ISSUE],
  ["many", reduceMany, MANY],
]) {
  test(`a chosen register never changes by itself (${page})`, () => {
    const chosen = { type: "ledgerChosen", id: FOREIGN.id };
    const found = (state, ledgers, { lost = null, last = null, ids = ["aa"] } = {}) => {
      const search = {};
      const schemas = new Map(ids.map((id) => [id, {}]));
      return after(reduce, state, { type: "ledgersSearched", search }, { type: "ledgersFound", search, found: ledgers, schemas, isHosting: true, last, lost });
    };
    const is = ({ ledgers }, id, lost = null) => assert.deepEqual([ledgers.chosen, lostLedger(ledgers), chosenLedger(ledgers)?.id], [id, lost, [NEW, UNCHOSEN].includes(id) ? undefined : id]);
    const office = after(reduce, found(start, [OWN, FOREIGN]), chosen);
    // The manager took the role back while the form was open: no other register takes its place, and least of all a new one.
    for (const left of [[OWN], []]) {
      const lost = found(office, left, { last: OWN.id });
      is(lost, UNCHOSEN, FOREIGN);
      assert.equal(incompleteField({ ...lost.ledgers, name: "Office" }), "ledger-choice");
      is(found(lost, left), UNCHOSEN, FOREIGN);
      // The manager gave it again, or the person chose.
      is(found(lost, [OWN, FOREIGN]), FOREIGN.id);
      is(after(reduce, lost, { type: "ledgerChosen", id: NEW }), NEW);
      is(found(after(reduce, lost, { type: "ledgerChosen", id: NEW }), [OWN]), NEW);
    }
    is(found(office, [OWN, FOREIGN], { last: OWN.id }), FOREIGN.id);
    // The service says it at the order.
    const refused = after(reduce, office, { type: "ledgerLost", ledger: FOREIGN });
    is(refused, UNCHOSEN, FOREIGN);
    assert.deepEqual(refused.ledgers.found, [OWN]);
    // After a reload, the browser's note says in which register the account issued.
    is(found(start, [OWN], { lost: FOREIGN }), UNCHOSEN, FOREIGN);
    // Another kind of certificate has other registers, and so has another account.
    is(found(office, [], { ids: ["bb"] }), NEW);
    is(found(after(reduce, office, { type: "signedIn", session: { account: "0xother" } }), []), NEW);
    const signedIn = after(reduce, start, { type: "signedIn", session: { account: "0xme" } });
    is(found(after(reduce, found(signedIn, [OWN, FOREIGN]), chosen, { type: "signedIn", session: { account: "0xme" } }), []), UNCHOSEN, FOREIGN);
    is(found(after(reduce, found(signedIn, []), { type: "ledgerDeployed", ledger: OWN, isHosting: true }), [FOREIGN, OWN]), OWN.id);
  });
}

test("a batch runs from its start to its result, and a failure leads back", () => {
  const batch = { rows: [{}, {}] };
  const working = after(reduceMany, people(), { type: "resumed", batch }, { type: "started", batch });
  assert.deepEqual([working.stage, working.resuming, working.progress.total], ["working", null, 2]);
  assert.equal(after(reduceMany, working, { type: "failed" }).stage, "making");
  const finished = after(reduceMany, working, { type: "issued", batch, results: [] });
  assert.deepEqual([finished.stage, finished.focus.id], ["finished", "finished-title"]);
  const again = after(reduceMany, finished, { type: "begunAgain" });
  assert.deepEqual([again.stage, again.done, again.table, again.focus.id], ["making", null, null, "table-title"]);
});

test("only the new rows of a list are left to issue, also after a trial, and an answer about another ledger is ignored", () => {
  const check = {};
  const [first, second, third] = ["a", "b", "c"].map((key) => ({ key }));
  const checked = { ...CHECKED, rows: [first, second, third] };
  const state = after(reduceMany, people(), { type: "checking", check, answer: BUSY }, { type: "checked", check, checked }, { type: "ledgerChosen", id: "0x1" });
  const found = { type: "standingFound", checked, ledger: "0x1", standing: { fresh: [second, third], issued: [first], withdrawn: [], replaced: [] } };
  assert.deepEqual(restOf(state), checked.rows);
  assert.deepEqual(restOf(after(reduceMany, state, { ...found, ledger: "0x2" }, { ...found, checked: CHECKED })), checked.rows);
  const known = after(reduceMany, state, found);
  assert.deepEqual(restOf(known), [second, third]);
  const tried = after(reduceMany, known, { type: "issued", batch: {}, results: [second], leftOut: { withdrawn: [], replaced: [] } });
  assert.deepEqual(restOf(tried), [third]);
  assert.notEqual(unfinishedList(tried), null);
  assert.equal(unfinishedList(after(reduceMany, tried, { type: "issued", batch: {}, results: [first, second, third], leftOut: { withdrawn: [], replaced: [] } })), null);
  // Another check knows nothing of it.
  assert.equal(after(reduceMany, known, { type: "checking", check: {}, answer: BUSY }).standing, null);
});

test("a table that is read drops the list that waited for its account", () => {
  const waiting = after(reduceMany, MANY, { type: "resumed", batch: { rows: [] } });
  assert.equal(waiting.isSigning, true);
  const { resuming, isSigning } = after(reduceMany, waiting, { type: "reading", file: fileOf("a.csv"), answer: BUSY });
  assert.deepEqual([resuming, isSigning], [null, false]);
});

test("a draft of a list has its columns again, also without a column that identifies the rows, and another file does not", () => {
  assert.equal(unfinishedList(MANY), null);
  const content = { document: { issuedAt: "2026-01-01" }, paths: [], hidden: [["issuedAt"]], problems: [] };
  const left = after(reduceMany, people(), { type: "fieldChosen", column: 1, field: FIELDS[0] }, { type: "keyChosen", column: null }, { type: "formChanged", content });
  const unfinished = JSON.parse(JSON.stringify(unfinishedList(left)));
  assert.ok(!isUnfinishedList(unfinished) && isUnfinishedList({ ...unfinished, choices: { encoding: null, delimiter: ";", sheet: null } }));
  const file = fileOf("people.csv");
  const restored = after(reduceMany, MANY, { type: "restored", unfinished, file }, { type: "reading", file, answer: BUSY });
  assert.deepEqual(unfinishedList(restored), unfinished);
  const again = after(reduceMany, restored, { type: "read", file, table: PEOPLE }, mappedBy(PEOPLE, [null, null, null]));
  assert.deepEqual([columnsOf(again), again.keyColumn, again.form.document], [columnsOf(left), null, content.document]);
  // What the person made private stays private when another column changes.
  assert.deepEqual(again.form.shown, [["name"]]);
  assert.deepEqual(unfinishedList(again), unfinished);
  const other = fileOf("others.csv");
  assert.equal(after(reduceMany, restored, { type: "reading", file: other, answer: BUSY }).wanted, null);
  const done = after(reduceMany, again, { type: "issued", batch: {}, results: [] });
  assert.equal(unfinishedList(done), null);
  assert.equal(after(reduceMany, done, { type: "begunAgain" }).file, null);
  const wrong = [{ template: "x" }, { kind: null }, { choices: null }, { columns: { columns: [7], keyColumn: null } }, { columns: 7 }, { document: [] }, { hidden: 7 }, { paths: [7] }, { name: 7 }];
  for (const change of wrong) assert.equal(isUnfinishedList({ ...unfinished, choices: { encoding: null, delimiter: null, sheet: null }, ...change }), false, JSON.stringify(change));
});

// One certificate

const COURSE = { schema: { properties: { name: {} } }, schemaIn: () => null, shown: [["name"]], ledger: { name: "Courses", symbol: "C" }, document: {} };
const ART = { ...COURSE, ledger: { name: "Works", symbol: "A" } };
const choose = (template) => ({ type: "chosen", choice: "x", template });
const CONTENT = { document: { name: "Logic" }, paths: [["name"]], hidden: [], problems: [] };

test("another template begins anew, and late answers about the first are ignored", () => {
  const first = after(reduceIssue, ISSUE, choose(COURSE), { type: "formShown", content: CONTENT }, { type: "drafted", draft: { content: "1" } });
  const second = after(reduceIssue, first, choose(ART));
  assert.deepEqual([second.content, second.draft, second.ledgers.name, second.form.document], [null, null, "Works", {}]);
  assert.equal(reduceIssue(second, { type: "wholeFound", template: COURSE, text: "late" }), second);
  const own = after(reduceIssue, second, choose(null));
  assert.deepEqual([own.template, own.form, own.content], [null, null, null]);
});

test("a refused attempt keeps the draft, and the certificate of the same content is made again", () => {
  const draft = { content: "1", assetId: "7", secret: "s", isSent: true };
  const busy = after(reduceIssue, ISSUE, choose(COURSE), { type: "issuing", incomplete: [] }, { type: "stepped", step: "record", answer: BUSY }, { type: "drafted", draft });
  const { isIssuing, step, draft: kept } = after(reduceIssue, busy, { type: "stopped", answer: BUSY });
  assert.deepEqual([isIssuing, step, kept], [false, null, draft]);
});

test("a deployed ledger is chosen, so another attempt does not deploy a second one", () => {
  const search = {};
  const ledgers = { type: "ledgersFound", search, found: [OWN], schemas: new Map(), isHosting: false, last: null, lost: null };
  const state = after(reduceIssue, ISSUE, choose(COURSE), { type: "ledgersSearched", search }, ledgers, { type: "ledgerDeployed", ledger: { id: "0x9" }, isHosting: true });
  assert.deepEqual([state.ledgers.chosen, state.ledgers.found.map(({ id }) => id)], ["0x9", ["0x9", OWN.id]]);
});

test("hosted files are checked at once, others after they are published", () => {
  const issuedWith = (files, review = null) => after(reduceIssue, ISSUE, choose(COURSE), { type: "issued", issued: { files, review } });
  assert.deepEqual([issuedWith([]).checks, issuedWith([{}]).checks], [1, 0]);
  // Before the second signature, there is nothing to check.
  const review = { order: "1", outcome: "waiting" };
  const waiting = issuedWith([], review);
  assert.equal(waiting.checks, 0);
  const ended = (order, isSigned) => after(reduceIssue, waiting, { type: "reviewEnded", order, isSigned });
  assert.equal(ended("2", true), waiting);
  assert.deepEqual([ended("1", true).issued.review, ended("1", true).checks], [null, 1]);
  assert.deepEqual([ended("1", false).issued.review.outcome, ended("1", false).checks, ended("1", false).isSaved], ["declined", 0, true]);
  assert.equal(after(reduceIssue, issuedWith([{}]), { type: "checked" }).checks, 1);
});

test("a view that is shown again has the form as it was filled in, and a result that came meanwhile", () => {
  const filled = { document: { name: "Logic" }, paths: [["name"]], hidden: [], problems: [] };
  const left = after(reduceIssue, ISSUE, choose(COURSE), { type: "formChanged", content: filled }, { type: "answered", answer: { kind: "unchecked", text: "x" } });
  const again = after(reduceIssue, left, { type: "left" });
  assert.deepEqual([again.form.document, again.form.shown, again.answer], [filled.document, filled.paths, null]);
  const issued = { files: [], review: null };
  assert.deepEqual(after(reduceIssue, left, { type: "issued", issued }, { type: "left" }).issued, issued);
  assert.equal(after(reduceIssue, ISSUE, { type: "left" }).form, null);
});

test("a draft has what was entered and the number of a sent certificate, and an issued certificate has none", () => {
  assert.deepEqual([unfinishedOf(ISSUE), unfinishedOf(after(reduceIssue, ISSUE, choose(COURSE), { type: "formShown", content: { ...CONTENT, document: {} } }))], [null, null]);
  const draft = { content: "1", assetId: "7", secret: "s", isSent: true };
  const course = { ...choose(COURSE), choice: "course" };
  const left = after(reduceIssue, ISSUE, course, { type: "formChanged", content: CONTENT }, { type: "reviewerChosen", account: "0x1" }, { type: "drafted", draft });
  const unfinished = JSON.parse(JSON.stringify(unfinishedOf(left)));
  assert.ok(isUnfinished(unfinished));
  const again = after(reduceIssue, ISSUE, { type: "restored", unfinished, template: COURSE });
  assert.deepEqual([again.form.document, again.form.shown, again.reviewer, again.draft, again.template], [CONTENT.document, CONTENT.paths, "0x1", draft, COURSE]);
  assert.deepEqual(unfinishedOf(again), unfinished);
  const pasted = after(reduceIssue, ISSUE, choose(null), { type: "exampleEntered", example: "{" });
  assert.equal(after(reduceIssue, ISSUE, { type: "restored", unfinished: unfinishedOf(pasted), template: null }).example, "{");
  assert.equal(unfinishedOf(after(reduceIssue, left, { type: "issued", issued: { files: [], review: null } })), null);
  const wrong = [
    { choice: "own" },
    { example: 7 },
    { document: [] },
    { document: null },
    { paths: [7] },
    { paths: [[null]] },
    { draft: { assetId: "7" } },
    { draft: 1 },
    { isFilling: 1 },
    { reviewer: null },
  ];
  for (const change of wrong) assert.equal(isUnfinished({ ...unfinished, ...change }), false, JSON.stringify(change));
  for (const value of [null, [], "x"]) assert.equal(isUnfinished(value), false);
});

test("the next certificate begins with an empty form and without the earlier draft", () => {
  const issued = after(reduceIssue, ISSUE, choose(COURSE), { type: "formShown", content: CONTENT }, { type: "issued", issued: { files: [] } }, { type: "saved", text: "ok" });
  assert.equal(issued.isSaved, true);
  const next = after(reduceIssue, issued, { type: "begunAgain", template: { ...COURSE } });
  assert.deepEqual([next.issued, next.content, next.focus.id], [null, null, "form-title"]);
});

test("another account has to be confirmed anew, and a late domain is ignored", () => {
  const session = {};
  const state = after(reduceIssue, ISSUE, { type: "signedIn", session }, { type: "domainChanged", domain: { answer: "no", ways: {} } }, { type: "signedIn", session: null });
  assert.deepEqual([state.domain.answer, state.domain.ways], ["", null]);
  assert.deepEqual(reduceIssue(state, { type: "domainKnown", session, name: "uni.example", summary: "yes" }), state);
});

// The list of issued certificates

const LEDGERS = [
  { id: "0xA1", ref: "a1", name: "Courses" },
  { id: "0xB2", ref: "b2", name: "Badges" },
];
const SESSION = { account: "0x0" };
const assetOf = (id) => ({ id, ledgerId: "0xA1", createdAt: "2026-06-30T00:00:00Z" });

/** Returns the state of a list with these assets on its first page. */
function listed(...ids) {
  const start = after(reduceIssued, ISSUED, { type: "signedIn", session: SESSION }, { type: "ledgersFound", session: SESSION, ledgers: LEDGERS, keys: new Map([["0xa1/1", "ada@example.com"]]) });
  return after(reduceIssued, start, { type: "pageFound", list: start.list, after: undefined, assets: ids.map(assetOf), next: "cursor" });
}
const idsOf = ({ items }) => items.map(({ asset }) => asset.id);

test("the first ledger is listed, and rows of this browser's batches have their keys", () => {
  const { list, items, next } = listed("1", "2");
  assert.deepEqual([list.ledger.name, items.map(({ known }) => known), next], ["Courses", ["ada@example.com", null], "cursor"]);
});

test("pages of an earlier list, and a page that is read twice, are ignored", () => {
  const state = listed("1");
  const page = { type: "pageFound", list: state.list, after: "cursor", assets: [assetOf("2")], next: null };
  const whole = after(reduceIssued, state, page);
  assert.deepEqual(idsOf(after(reduceIssued, whole, page)), ["1", "2"]);
  const other = after(reduceIssued, state, { type: "ledgerChosen", id: "0xB2" });
  assert.deepEqual([other.list.ledger.name, idsOf(after(reduceIssued, other, page))], ["Badges", []]);
  const late = after(reduceIssued, other, { type: "named", list: state.list, id: "1", record: {}, name: "x" }, { type: "goneFound", list: state.list, gone: { ledgerId: "0xA1", id: "9" } });
  assert.equal(late, other);
});

test("ledgers of an earlier account are ignored, and another account begins anew", () => {
  const state = after(reduceIssued, listed("1"), { type: "signedIn", session: null });
  assert.deepEqual([state.list, state.items, state.unexplained], [null, [], []]);
  assert.equal(reduceIssued(state, { type: "ledgersFound", session: SESSION, ledgers: LEDGERS, keys: new Map() }), state);
});

test("withdrawn certificates cannot be ticked again, and wait for their reason", () => {
  const state = after(reduceIssued, listed("1", "2"), { type: "allTicked", isTicked: true });
  const [first] = tickedOf(state);
  const withdrawn = after(reduceIssued, state, { type: "reasonAsked", items: [first] }, { type: "withdrawn", items: [first], reason: "by mistake" }, { type: "allTicked", isTicked: true });
  assert.deepEqual(
    tickedOf(withdrawn).map(({ asset }) => asset.id),
    ["2"],
  );
  assert.deepEqual(
    withdrawn.unexplained.map(({ asset, reason }) => [asset.id, reason]),
    [["1", "by mistake"]],
  );
  assert.deepEqual(after(reduceIssued, withdrawn, { type: "explained", id: "1" }).unexplained, []);
});

test("the content of another certificate's replacement is ignored", () => {
  const state = listed("1", "2");
  const [first, second] = state.items;
  const [ledger] = LEDGERS;
  const replacing = after(reduceIssued, state, { type: "replacing", item: first, ledger }, { type: "cancelled" }, { type: "replacing", item: second, ledger });
  const late = [
    { type: "contentRead", item: first, schemas: {}, form: {} },
    { type: "ordered", item: first, content: "", certified: {} },
  ];
  for (const action of late) assert.equal(reduceIssued(replacing, action), replacing);
  const replaced = after(reduceIssued, replacing, { type: "replaced", answer: { kind: "valid", text: "" } });
  assert.deepEqual([replaced.replacement, idsOf(replaced), replaced.list.ledger], [null, [], ledger]);
  assert.notEqual(replaced.list, replacing.list);
});

// The console

test("a fragment names a view and its parts, and other fragments name none", () => {
  assert.deepEqual(addressIn(fragmentOf("certificates", "0xA1", "7/8 ü")), { view: "certificates", parts: ["0xA1", "7/8 ü"] });
  assert.deepEqual(addressIn(""), CONSOLE.address);
  for (const other of ["#main", "#certificatesx", "#/certificates", "#__proto__"]) assert.equal(addressIn(other), null, other);
  assert.deepEqual(addressIn("#certificates/%E0%A4%A").parts, ["%E0%A4%A"]);
});

test("another account begins anew in the same view, and late answers about the first are ignored", () => {
  const session = { ...SESSION };
  const address = { view: "certificates", parts: ["0xA1", "1"] };
  const known = after(reduceConsole, CONSOLE, { type: "moved", address }, { type: "signedIn", session }, { type: "registersFound", session, registers: LEDGERS });
  assert.deepEqual(known.registers, LEDGERS);
  const other = after(reduceConsole, known, { type: "signedIn", session: { ...SESSION } });
  assert.deepEqual([other.registers, other.isConfirmed, other.address], [null, null, address]);
  for (const late of [
    { type: "registersFound", session, registers: LEDGERS },
    { type: "standingFound", session, isConfirmed: true },
  ])
    assert.equal(reduceConsole(other, late), other, late.type);
});

test("another view closes the menu and gets the focus, and a part of the same view does not", () => {
  const session = { ...SESSION };
  const known = after(reduceConsole, CONSOLE, { type: "signedIn", session }, { type: "registersFound", session, registers: LEDGERS });
  const open = after(reduceConsole, known, { type: "menuToggled" }, { type: "answered", answer: BUSY });
  const part = after(reduceConsole, open, { type: "moved", address: { view: "certificates", parts: ["1"] } });
  assert.deepEqual([part.isMenuOpen, part.answer, part.focus], [false, null, null]);
  const book = { type: "moved", address: { view: "book", parts: [] } };
  assert.equal(after(reduceConsole, open, book).focus.id, "view-title");
  // Before the registers are known, there may be no heading.
  assert.equal(after(reduceConsole, CONSOLE, book).focus, null);
});

// The certificates of the console

const certificateOf = (id, date = "2026-06-30T00:00:00Z") => ({ ledgerId: "0xA1", id, asset: assetOf(id), date, by: "0x0", status: "inForce" });
const entryFor = (asset, holder) => ({ ledger: "0xa1", asset, holder: [holder, 1], title: ["Logic", 1] });
const bookOf = (...entries) => knownIn(new Map(entries.map((entry) => [`${entry.ledger}/${entry.asset}`, entry])));
const REGISTERS = new Set(["0xa1"]);
const shownIds = (state) => shownOf(state, REGISTERS).map(({ id }) => id);

test("another filter lists anew, and parts of the earlier list are ignored", () => {
  const first = after(reduceList, startOf(), { type: "ticked", key: "0xa1/1", isTicked: true });
  const other = after(reduceList, first, { type: "filtered", filter: { month: "2026-06" } });
  assert.notEqual(other.list, first.list);
  assert.deepEqual([other.ticked.size, other.filter], [0, { register: null, status: "inForce", month: "2026-06" }]);
  for (const late of [
    { type: "read", list: first.list, found: [certificateOf("1")], isEnd: true },
    { type: "reading", list: first.list },
    { type: "unread", list: first.list },
  ])
    assert.equal(reduceList(other, late), other, late.type);
});

test("a search finds people in the book without capital letters and accents, and all words must fit", () => {
  const book = bookOf(entryFor("11", "Zoë Lovelace"), entryFor("12", "Ada Lovelace"), { ...entryFor("13", "Zoë Lovelace"), ledger: "0xb2" });
  const idsFor = (query) => foundInBook(book, query, REGISTERS).map(({ id }) => id);
  assert.deepEqual([idsFor("zoe LOVE"), idsFor("lovelace"), idsFor("lovelace logic 12"), idsFor("1"), idsFor("  "), idsFor("grace")], [["11"], ["11", "12"], ["12"], [], [], []]);
});

test("a search finds letters that a keyboard lacks", () => {
  const book = bookOf(entryFor("11", "Łukasz Weiß"), entryFor("12", "BJØRN ÆRØ"), entryFor("13", "Işıl Đorđe Œuvre"));
  const idsFor = (query) => foundInBook(book, query, REGISTERS).map(({ id }) => id);
  assert.deepEqual(["lukasz weiss", "Łukasz Weiß", "łukasz WEISS", "bjorn aero", "isil dorde oeuvre"].map(idsFor), [["11"], ["11"], ["11"], ["12"], ["13"]]);
});

test("a search shows the book's certificates before the list was read that far, with their status once it is known", () => {
  const start = after(reduceList, startOf(), { type: "bookRead", book: bookOf(entryFor("11", "Ada"), entryFor("12", "Ada")) }, { type: "searched", query: "ada" });
  assert.deepEqual(
    shownOf(start, REGISTERS).map(({ id, status }) => [id, status]),
    [
      ["12", "unknown"],
      ["11", "unknown"],
    ],
  );
  const known = after(reduceList, start, { type: "lookedUp", found: [certificateOf("12")] });
  assert.deepEqual([shownIds(known), shownOf(known, REGISTERS)[0].status], [["12", "11"], "inForce"]);
  const listed = after(
    reduceList,
    known,
    { type: "read", list: known.list, found: [certificateOf("5557911"), certificateOf("7911555"), certificateOf("5791155")], isEnd: true },
    { type: "searched", query: "7911" },
  );
  assert.deepEqual(shownIds(listed), ["7911555", "5557911"]);
  // A certificate that was declined is in the book alone.
  assert.deepEqual(shownIds(after(reduceList, known, { type: "lookedAll" })), ["12"]);
  assert.deepEqual(shownIds(after(reduceList, known, { type: "filtered", filter: { status: null } }, { type: "lookedAll" })), ["12", "11"]);
  assert.deepEqual(shownIds(after(reduceList, listed, { type: "searched", query: "" })).length, 3);
});

test("a search finds digits in numbers only if it has no other words, and sorts a batch as the list does", () => {
  const batch = ["15007", "91500", "300", "21500", "4"].map((id) => certificateOf(id));
  const entries = ["15007", "91500", "300", "21500", "4"].map((id, index) => entryFor(id, `Person No ${index + 1497}`));
  const state = after(reduceList, startOf(), { type: "read", list: startOf().list, found: [], isEnd: true }, { type: "bookRead", book: bookOf(...entries) }, { type: "lookedUp", found: batch });
  const idsFor = (query) => shownIds(after(reduceList, state, { type: "searched", query }));
  assert.deepEqual([idsFor("person no 1500"), idsFor("1500"), idsFor("person"), idsFor("person 91500")], [["21500"], ["91500", "21500", "15007"], ["91500", "21500", "15007", "300", "4"], ["91500"]]);
});

test("all rows that were read are ticked, also those that are not drawn, and ticks outside of a search are counted", () => {
  const start = startOf();
  const found = ["1", "2", "3"].map((id) => certificateOf(id));
  const gone = { ...certificateOf("4"), asset: null, status: "withdrawn" };
  const listed = after(
    reduceList,
    start,
    { type: "bookRead", book: bookOf(entryFor("2", "Ada")) },
    { type: "read", list: start.list, found: [...found, gone], isEnd: false },
    { type: "listTicked", list: start.list },
  );
  const ticks = (state) => ticksOf(shownOf(state, REGISTERS), state.ticked);
  assert.deepEqual(ticks(listed), { tickable: 3, inView: 3, outside: 0 });
  assert.deepEqual(ticks(after(reduceList, listed, { type: "searched", query: "ada" })), { tickable: 1, inView: 1, outside: 2 });
  assert.equal(reduceList(listed, { type: "listTicked", list: {} }), listed);
});

test("registers that others deployed are left out without a filter, unless the account has no other", () => {
  const [own, foreign] = [OWN, FOREIGN];
  const idsIn = (registers, filter) => registersIn(registers, filter).map(({ id }) => id);
  assert.deepEqual([idsIn([own, foreign], null), idsIn([foreign], null), idsIn([own, foreign], "all"), idsIn([own, foreign], "0x2")], [["0x1"], ["0x2"], ["0x1", "0x2"], ["0x2"]]);
});

test("a withdrawn certificate loses its tick and waits for its reason", () => {
  const list = startOf();
  const state = after(
    reduceList,
    list,
    { type: "read", list: list.list, found: [certificateOf("1"), certificateOf("2")], isEnd: true },
    { type: "counted", count: { valid: 2, replaced: 1, withdrawn: 0, isMinimum: false } },
    { type: "ticked", key: "0xa1/1", isTicked: true },
  );
  const gone = after(reduceList, state, { type: "withdrawn", ids: [{ ledgerId: "0xA1", id: "1" }], reason: "by mistake" });
  // The column still names the issuer.
  assert.equal(gone.rows[0].by, "0x0");
  assert.deepEqual([gone.rows.map(({ status }) => status), gone.ticked.size, gone.count.valid, gone.count.withdrawn, gone.unexplained.length], [["withdrawn", "inForce"], 0, 1, 1, 1]);
  assert.deepEqual(after(reduceList, gone, { type: "explained", id: { ledgerId: "0xa1", id: "1" } }).unexplained, []);
  // It stays in the search that led to it, until another list is asked for.
  const searched = after(reduceList, gone, { type: "bookRead", book: bookOf(entryFor("1", "Ada")) }, { type: "searched", query: "ada" }, { type: "lookedAll" });
  assert.deepEqual(shownIds(searched), ["1"]);
  assert.deepEqual(shownIds(after(reduceList, searched, { type: "filtered", filter: {} }, { type: "lookedAll" })), []);
});

test("only the last four digits of the number confirm", () => {
  const id = certificateOf("123456789");
  assert.deepEqual(
    ["6789", " 6789 ", "789", "123456789", "", "0000"].map((typed) => isConfirmedBy(typed, id)),
    [true, true, false, false, false, false],
  );
  assert.deepEqual([isConfirmedBy("12", certificateOf("12")), isConfirmedBy("", certificateOf("12"))], [true, false]);
});

// The verify page

const TEXTS = { metadata: "{}", evidence: "[]", schema: "{}" };
const KNOWN = { imprint: "AB", name: "ledger", record: { status: "…" }, texts: TEXTS };
const loadedAs = (turn, answer = null) => ({ type: "loaded", turn, known: KNOWN, record: KNOWN.record, answer });

test("what was opened before the last attempt is ignored", () => {
  const [first, second] = [{}, {}];
  const waiting = after(reduceVerify, VERIFY, { type: "opening", opening: first, isReading: true }, { type: "opening", opening: second, isReading: true });
  for (const late of [
    { type: "shown", opening: first, shown: {}, whose: [], isWarning: false },
    { type: "refused", opening: first, answer: BUSY },
  ])
    assert.equal(reduceVerify(waiting, late), waiting, late.type);
  const { isReading, refusal } = after(reduceVerify, waiting, { type: "refused", opening: second, answer: BUSY });
  assert.deepEqual([isReading, refusal], [false, BUSY]);
});

test("each change of a document, asset or imprint removes the verdict and its late answer", () => {
  const turn = {};
  const checking = after(reduceVerify, VERIFY, { type: "checking", turn, answer: BUSY });
  const checked = after(reduceVerify, checking, { type: "checked", turn, answer: { kind: "unchanged", text: "" }, result: {} });
  assert.deepEqual(checked.expert.result, {});
  for (const change of [{ type: "edited" }, { type: "assetEntered", ledgerId: "0x1", assetId: "2", note: "" }, { type: "imprintEntered", imprint: "" }]) {
    const { answer, record, result } = after(reduceVerify, checked, change).expert;
    assert.deepEqual([answer, record, result], [null, null, null], change.type);
    const late = after(reduceVerify, checking, change, { type: "checked", turn, answer: BUSY, result: {} }, { type: "failed", turn, answer: BUSY });
    assert.deepEqual([late.expert.answer, late.expert.result], [null, null], change.type);
  }
});

test("a loaded certificate is checked at once, unless the ledger's record is already the answer", () => {
  const turn = {};
  const asked = after(reduceVerify, VERIFY, { type: "asked", turn, answer: BUSY });
  assert.equal(reduceVerify(asked, loadedAs({})), asked);
  const { expert } = after(reduceVerify, asked, loadedAs(turn));
  assert.deepEqual([expert.loaded.isComplete, expert.loaded.texts, expert.imprint], [true, TEXTS, "AB"]);
  assert.equal(after(reduceVerify, asked, loadedAs(turn, { kind: "withdrawn", text: "" })).expert.loaded.isComplete, false);
});

test("the ledger's record applies only while the field has its imprint", () => {
  const turn = {};
  const loaded = after(reduceVerify, VERIFY, { type: "asked", turn, answer: BUSY }, loadedAs(turn));
  const entered = (imprint) => after(reduceVerify, loaded, { type: "imprintEntered", imprint }, { type: "checking", turn: {}, answer: BUSY }).expert;
  assert.equal(entered(" ab ").record, KNOWN.record);
  assert.deepEqual([entered("cd").record, knownOf(entered("cd"))], [null, null]);
});

test("the certificate that was handed over has no record", () => {
  const { expert } = after(reduceVerify, VERIFY, { type: "received", made: { ...TEXTS, imprint: "ab" } });
  assert.deepEqual([knownOf(expert).name, knownOf(expert).record, expert.loaded.texts], ["made", null, TEXTS]);
});

const EVERYTHING = [1, 2, 16, 32, 64, 128, 256, 512, 1024];
const [ADA, BOB] = [`0x${"A".repeat(40)}`, `0x${"b".repeat(40)}`];
const registerOf = (digit, isManaged = true) => ({ id: `0x${digit.repeat(40)}`, name: `Register ${digit}`, capabilities: [1, 2], isManaged });
const personWith = (account, ...list) => ({ account, abilities: new Map(list.map(([{ id }, abilities]) => [id.toLowerCase(), abilities])) });

test("roles are the fewest abilities that the service asks for, and look adds none to others", () => {
  const [whole, old, pausable] = [
    [1, 2, 4],
    [1, 2],
    [1, 2, 3, 4],
  ].map((capabilities) => ({ capabilities }));
  const list = (register, ...roles) => abilitiesOf(new Set(roles), register);
  assert.deepEqual(list(whole, "manage", "issue", "look", "replace", "withdraw"), [2, 32, 512, 1024]);
  assert.deepEqual(list(whole, "look"), [64]);
  assert.deepEqual(list(whole), []);
  for (const roles of [["issue"], ["replace", "manage"], ["withdraw"], ["look"]]) assert.deepEqual(powerOf(list(whole, ...roles)), { kind: "roles", roles });
  // A register without a capability does not have the role.
  assert.deepEqual([list(old, "withdraw", "issue"), list(old, "withdraw"), list(old, "withdraw", "look"), list(pausable, "look")], [[512], [], [64], []]);
  assert.deepEqual(powerOf(EVERYTHING.toReversed()), { kind: "everything" });
  for (const abilities of [[16], [512, 16], [64, 512], EVERYTHING.slice(1)]) assert.deepEqual(powerOf(abilities), { kind: "own", abilities });
  assert.deepEqual(
    [[1, 2], [3]].map((capabilities) => isLookSafe({ capabilities })),
    [true, false],
  );
});

test("on a chain, the role that withdraws can only be taken back", () => {
  const roles = ["issue", "replace", "withdraw", "manage", "look"];
  const others = roles.filter((role) => role !== "withdraw");
  assert.deepEqual([offeredRoles(false, new Set()), offeredRoles(true, new Set(["issue"])), offeredRoles(true, new Set(["withdraw"]))], [roles, others, roles]);
});

test("a change of roles covers chosen registers that the account manages, and no register without a difference", () => {
  const [one, two, three] = [registerOf("1"), registerOf("2"), registerOf("3", false)];
  const bob = personWith(BOB, [one, [1024, 512]]);
  const changes = changesTo(bob, [one, two, three], [512, 1024]);
  assert.deepEqual(
    changes.map(({ register, before, after }) => [register.name, before, after]),
    [["Register 2", [], [512, 1024]]],
  );
  const many = changesTo(
    personWith(BOB),
    Array.from({ length: 199 }, () => one),
    [512],
  );
  assert.deepEqual(
    ordersOf(many).map((order) => order.length),
    [98, 98, 3],
  );
});

test("people who left are those with a name and no role", () => {
  const people = [personWith(BOB, [registerOf("1"), [512]])];
  const names = new Map([ADA, BOB, `0x${"d".repeat(40)}`].map((account) => [account.toLowerCase(), "Name"]));
  assert.deepEqual(leftOf({ people, names }, ADA), [`0x${"d".repeat(40)}`]);
  assert.deepEqual(leftOf({ people: [], names }, ADA), [BOB.toLowerCase(), `0x${"d".repeat(40)}`]);
});

test("taking the last ability to manage abandons a register, in whatever case its account is written", () => {
  const [one, two] = [registerOf("a"), registerOf("2")];
  const people = [personWith(ADA, [one, EVERYTHING], [two, EVERYTHING]), personWith(BOB, [two, [2]])];
  const left = changesTo(personOf({ people }, ADA.toLowerCase()), [one, two], []);
  assert.deepEqual(
    abandonedBy(people, left).map(({ name }) => name),
    ["Register a"],
  );
  assert.deepEqual(abandonedBy(people, changesTo(people[1], [two], [])), []);
  // Nobody could manage it before, so the change takes nothing.
  assert.deepEqual(abandonedBy([personWith(BOB, [one, [512]])], changesTo(personWith(BOB, [one, [512]]), [one], [])), []);
  const state = after(reducePeople, startPeople(new Map()), { type: "read", registers: [one, two], people, isPartial: false }, { type: "changed", changes: left });
  assert.deepEqual(
    state.people.map(({ account }) => account),
    [BOB],
  );
});

test("registers of others and their people count only without own registers, or by choice", () => {
  const [own, theirs] = [registerOf("1"), { ...registerOf("2"), isForeign: true }];
  assert.deepEqual(ownOf([own, theirs]), [own]);
  assert.deepEqual(ownOf([theirs]), [theirs]);
  const people = [personWith(ADA, [own, EVERYTHING]), personWith(BOB, [theirs, [512]])];
  assert.deepEqual(
    [[own], [own, theirs]].map((registers) => peopleOn(people, registers).length),
    [1, 2],
  );
});

test("a number of tokens is decimal, and more than nothing", () => {
  assert.deepEqual(["", " 50 ", "0,5", "0.000000000000000001"].map(tokensIn), ["", "50", "0.5", "0.000000000000000001"]);
  for (const text of ["0", "0.0", "-1", "1e3", "1.", "1,000.5", "x", "0.0000000000000000001"]) assert.equal(tokensIn(text), null, text);
});

test("a dialog about people does not open while an order is sent", () => {
  const asked = { account: BOB, name: "", changes: [], tokens: "", isLeaving: false };
  const busy = after(reducePeople, startPeople(new Map()), { type: "busy", isBusy: true }, { type: "asked", asked });
  assert.equal(busy.asked, null);
  assert.equal(after(reducePeople, busy, { type: "busy", isBusy: false }, { type: "asked", asked }).asked, asked);
});

test("the address list keeps names by account, and drops what another program stored", () => {
  const names = withName(withName(new Map(), ADA, "  Ada "), BOB, "Bob");
  assert.deepEqual([...withName(names, BOB.toUpperCase().replace("X", "x"), "")], [[ADA.toLowerCase(), "Ada"]]);
  assert.equal(withName(names, ADA, "a".repeat(1000)).get(ADA.toLowerCase()).length, 80);
  for (const text of [null, "", "{", "[]", "7", '{"0x12":"x"}', `{"${BOB}":7}`]) assert.equal(namesIn(text).size, 0, text);
  const full = new Map(Array.from({ length: 1000 }, (_, index) => [`0x${String(index).padStart(40, "0")}`, "x"]));
  assert.equal(withName(full, BOB, "Bob").has(BOB), false);
});

test("another account with the same name is found, however it is written", () => {
  const names = withName(new Map(), ADA, "Zoë  Desk");
  for (const name of ["Zoë Desk", "zoe desk ", "ZOE\u00a0DESK", "Zoe\u0308 Desk"]) assert.equal(namesake(names, BOB, name), ADA.toLowerCase(), name);
  assert.deepEqual([namesake(names, ADA, "Zoë Desk"), namesake(names, BOB, "Zoë"), namesake(names, BOB, "")], [null, null, null]);
});

test("the digits of an account do not depend on capital letters", async () => {
  const digits = await fingerprintOf(ADA);
  assert.match(digits, /^(\d{4} ){4}\d{4}$/);
  assert.equal(await fingerprintOf(ADA.toLowerCase()), digits);
  assert.notEqual(await fingerprintOf(BOB), digits);
});

const NOW = Date.parse("2026-06-30T12:00:00Z");
const [RECENT, EARLIER, LONG_AGO] = ["2026-06-30T11:59:00Z", "2026-06-30T11:00:00Z", "2026-05-01T00:00:00Z"];
const ISSUING = [{ kind: 1 }, { kind: 1 }, { kind: 3 }];
const orderWith = (changes, signers = [{ accountId: ADA, claim: "3:0x" }]) => ({
  ref: "o",
  status: 4,
  creatorId: ADA,
  order: { signers, actions: ISSUING, expiration: String(NOW + 3_600_000) },
  error: { code: 422075, message: "no" },
  automatedPerform: true,
  updatedAt: RECENT,
  ...changes,
});
const whatOf = (problem) => problem?.what ?? null;

test("an order is a problem if it failed, is stuck, waits for others, or is signed and not performed", () => {
  const unsigned = [
    { accountId: ADA, claim: "3:0x" },
    { accountId: BOB, claim: "" },
  ];
  const cases = [
    [orderWith({}), "orderFailed"],
    [orderWith({ updatedAt: LONG_AGO }), null],
    [orderWith({ status: 7 }), null],
    [orderWith({ status: 2 }), null],
    [orderWith({ status: 2, updatedAt: EARLIER }), "orderStuck"],
    [orderWith({ status: 0 }), null],
    [orderWith({ status: 0, automatedPerform: false }), "orderReady"],
    [orderWith({ status: 0 }, unsigned), "orderUnsigned"],
    [orderWith({ status: 0, automatedPerform: false }, unsigned), "orderUnsigned"],
    // The account's own signature is missing, so nobody else keeps it waiting.
    [orderWith({ status: 0 }, [{ accountId: ADA, claim: null }]), null],
  ];
  for (const [order, what] of cases) assert.equal(whatOf(problemOfOrder(order, ADA.toLowerCase(), NOW)), what, JSON.stringify(order));
  assert.deepEqual(problemOfOrder(orderWith({}), ADA, NOW).actions, [[1, 2]]);
  assert.deepEqual(problemOfOrder(orderWith({}), ADA, NOW).remedy, { kind: "leaveOut", ref: "o" });
  assert.deepEqual(problemOfOrder(orderWith({ status: 0, automatedPerform: false }), ADA, NOW).remedy, { kind: "perform", ref: "o" });
});

test("the sender of a declined order sees who declined, and the certificate that this browser has noted", () => {
  // The service deletes the actions and claims of a canceled order.
  const canceled = (changes = {}, signers = [ADA, BOB]) => ({
    ...orderWith({ status: 6, error: null, ...changes }),
    order: { signers: signers.map((accountId) => ({ accountId, claim: null })), actions: [], seed: "99", expiration: String(NOW) },
  });
  const noted = { ledgerId: "0x1", id: "7" };
  const { what, signer, proposed, remedy } = problemOfOrder(canceled(), ADA.toLowerCase(), NOW, new Map([["o", [noted]]]));
  assert.deepEqual([what, signer, proposed, remedy], ["orderDeclined", BOB, [noted], { kind: "leaveOut", ref: "o" }]);
  assert.deepEqual(problemOfOrder(canceled(), ADA, NOW, new Map([["other", [noted]]])).proposed, []);
  // An order of a list is known by its seed, and the list knows the holders.
  const listed = [
    { ledgerId: "0x1", id: "7", holder: "Fay", title: "Logic" },
    { ledgerId: "0x1", id: "8", holder: "Gus", title: "Logic" },
  ];
  assert.deepEqual(
    problemOfOrder(
      canceled(),
      ADA,
      NOW,
      new Map([
        ["99", listed],
        ["98", [noted]],
      ]),
    ).proposed,
    listed,
  );
  const waiting = orderWith({ status: 0 }, [
    { accountId: ADA, claim: "3:0x" },
    { accountId: BOB, claim: null },
  ]);
  const late = { ...waiting, order: { ...waiting.order, expiration: String(NOW), actions: [{ kind: 1, ledgerId: "0x2", assetId: "8" }, { kind: 3 }] } };
  assert.deepEqual(problemOfOrder(late, ADA, NOW, new Map([["o", [noted]]])).proposed, [{ ledgerId: "0x2", id: "8" }]);
  const cases = [
    [canceled({ updatedAt: new Date(NOW).toISOString() }), ADA, "orderLapsed"],
    [late, ADA, "orderLapsed"],
    // A colleague has declined an order of Ada, and needs no note of it.
    [canceled(), BOB, null],
    [canceled({}, [ADA]), ADA, null],
    [canceled({ updatedAt: LONG_AGO }), ADA, null],
  ];
  for (const [order, account, expected] of cases) assert.equal(whatOf(problemOfOrder(order, account, NOW)), expected, JSON.stringify(order));
});

test("deployments, domains, webhooks, deliveries and certificates are problems only in trouble", () => {
  const deployment = { ref: "d", status: 4, deploy: { assetLedgerData: { name: "Courses" } }, error: null, updatedAt: RECENT };
  assert.deepEqual(
    [{}, { status: 7 }, { status: 1 }, { status: 1, updatedAt: EARLIER }].map((change) => whatOf(problemOfDeployment({ ...deployment, ...change }, NOW))),
    ["deploymentFailed", null, null, "deploymentStuck"],
  );
  const domain = { domain: "uni.example", displayDomain: "uni.example", state: "notConfirmed", confirmedUntil: null, isBeingChecked: false, message: "no file", checkedAt: RECENT };
  assert.deepEqual(
    [{}, { state: "confirmed" }, { state: "confirmed", confirmedUntil: RECENT }, { domain: null }, { isBeingChecked: true }].map((change) => whatOf(problemOfDomain({ ...domain, ...change }))),
    ["domainUnconfirmed", null, "domainFailing", null, null],
  );
  assert.deepEqual(
    ["active", "paused", "pending"].map((state) => whatOf(problemOfWebhook({ url: "https://x.example", state, stateReason: null }))),
    [null, "webhookSilent", "webhookSilent"],
  );
  assert.equal(problemOfWebhook({ url: null, state: null, stateReason: null }), null);
  const delivery = { ref: "e", state: "failed", error: "timeout", responseStatus: null, updatedAt: RECENT };
  assert.deepEqual(
    [{}, { state: "delivered" }, { state: "waiting" }, { state: "waiting", error: null }, { updatedAt: LONG_AGO }].map((change) => whatOf(problemOfDelivery({ ...delivery, ...change }, NOW))),
    ["deliveryFailed", null, "deliveryLate", null, null],
  );
  const codes = ["valid", "not-checked", "changed", "expired", "issuer-not-confirmed"];
  assert.deepEqual(
    codes.map((code) => problemOfCertificate({ ledgerId: "0x1", id: "7" }, "Courses", { headline: { code }, errors: [] }) !== null),
    [false, true, true, false, false],
  );
  assert.notEqual(problemOfCertificate({ ledgerId: "0x1", id: "7" }, "Courses", null), null);
});

test("reading a source again replaces its problems only, newest first", () => {
  const one = problemOfOrder(orderWith({}), ADA, NOW);
  const webhook = problemOfWebhook({ url: "https://x.example", state: "paused", stateReason: null });
  const state = after(reduceProblems, PROBLEMS, { type: "read", source: "orders", problems: [{ ...one, id: "old", at: EARLIER }, one] }, { type: "read", source: "webhook", problems: [webhook] });
  assert.deepEqual(
    state.problems.map(({ id }) => id),
    ["https://x.example", "o", "old"],
  );
  const next = after(reduceProblems, state, { type: "reading", source: "orders" }, { type: "read", source: "orders", problems: [] });
  assert.deepEqual(next.problems, [webhook]);
  assert.equal(after(reduceProblems, next, { type: "reading", source: "files" }, { type: "failed", source: "files" }).sources.has("files"), false);
});

test("the secret of a key is forgotten when it is hidden or the key is revoked", () => {
  const made = { ref: "k", key: "secret", name: "Report", scopes: ["read"], createdAt: RECENT, expiresAt: null };
  const state = after(reduceDevelopers, DEVELOPERS, { type: "keysRead", keys: [] }, { type: "keyMade", key: made });
  assert.doesNotMatch(JSON.stringify(state.keys), /secret/);
  for (const action of [{ type: "keyHidden" }, { type: "keyRevoked", ref: "k" }]) assert.doesNotMatch(JSON.stringify(reduceDevelopers(state, action)), /secret/);
  assert.deepEqual(
    othersOf([
      { ref: "a", isCurrent: true },
      { ref: "b", isCurrent: false },
    ]).map(({ ref }) => ref),
    ["b"],
  );
  const log = after(reduceDevelopers, DEVELOPERS, { type: "requestsRead", requests: [1], isMore: false, next: "n" }, { type: "requestsRead", requests: [2], isMore: true, next: null });
  assert.deepEqual([log.requests, log.next], [[1, 2], null]);
});

test("a request as curl has no secret, and no address ends its quotes", () => {
  assert.equal(curlOf({ method: "GET", url: "https://x.example/a?b=it's" }), `curl -H "authorization: Bearer $ASSAY_API_KEY" 'https://x.example/a?b=it'\\''s'`);
  assert.equal(
    curlOf({ method: "POST", url: "https://x.example/orders" }),
    `curl -X 'POST' -H "authorization: Bearer $ASSAY_API_KEY" -H 'content-type: application/json' -d @body.json 'https://x.example/orders'`,
  );
  assert.equal(refIn(" 018BCFE5-6800-71fe-808a-a83b63f1ee08 "), "018bcfe5-6800-71fe-808a-a83b63f1ee08");
  for (const text of ["", "7", "018bcfe5-6800-71fe-808a-a83b63f1ee0", "../account"]) assert.equal(refIn(text), null, text);
});

test("a statement has whole months since the account began, and exact amounts", () => {
  const monthsSince = (since) => monthsUpTo(Date.parse("2026-01-01T00:00:00Z"), since);
  assert.deepEqual([monthsSince("2025-11-30T23:59:59.999Z"), monthsSince("2026-02-01T00:00:00.000Z"), monthsSince(null)], [["2026-01", "2025-12", "2025-11"], ["2026-01"], ["2026-01"]]);
  assert.equal(monthsSince("1970-01-01T00:00:00.000Z").length, 24);
  const { fromDate, toDate } = aroundMonth("2026-02");
  assert.deepEqual([fromDate.toISOString(), toDate.toISOString()], ["2026-01-31T23:59:59.999Z", "2026-03-01T00:00:00.000Z"]);
  const day = { date: "2026-02-01", orders: 1, deployments: 0, approvals: 0, actions: 2, amount: "900719925474099300" };
  assert.deepEqual(sumsOf([day, day]), { orders: 2, deployments: 0, approvals: 0, actions: 4, amount: 1801439850948198600n });
  assert.deepEqual(["12", "12,5", "0.01", "10000"].map(centsIn), [1200, 1250, 1, 1_000_000]);
  for (const text of ["", "0", "0,00", "-1", "1e3", "1.005", "1,000.00", "10000.01", "x"]) assert.equal(centsIn(text), null, text);
  const state = after(reduceMoney, startMoney("2026-02"), { type: "monthChosen", month: "2026-01" }, { type: "monthRead", month: "2026-02", days: [day] });
  assert.equal(state.days, null);
});

test("what a domain says about its organisation fills only fields that are empty", () => {
  const known = { domain: "uni.example", name: "University", logo: "https://uni.example/logo.svg", state: "notConfirmed", isBeingChecked: true, confirmedUntil: null };
  const read = (kept) => after(reduceOrganisation, startOrganisation({}, organisationIn(kept)), { type: "read", known }).domain;
  assert.deepEqual([read(null).organisation, read(null).name], ["University", "uni.example"]);
  assert.equal(read('{"organisation":"My school"}').organisation, "My school");
  // A removed domain is not entered again, and what certificates show stays for another one.
  const removed = after(reduceOrganisation, startOrganisation({}, organisationIn(null)), { type: "read", known }, { type: "removed", known: { domain: null, name: null, logo: null } });
  assert.deepEqual([removed.known.domain, removed.domain.name, removed.domain.ways, removed.domain.organisation], [null, "", null, "University"]);
  for (const text of ["{", "7", '{"organisation":7}']) assert.equal(organisationIn(text).organisation, "", text);
  const standings = [{}, { isBeingChecked: false }, { state: "confirmed" }, { state: "confirmed", confirmedUntil: "2026-02-01T00:00:00.000Z" }, { state: "disowned" }, { domain: null }].map((change) =>
    standingOf({ ...known, ...change }),
  );
  assert.deepEqual(standings, ["checking", "unconfirmed", "confirmed", "failing", "disowned", "none"]);
  const webhook = { url: "https://a.example/", state: "active", events: [0, 5] };
  const alarms = [{}, { events: [0, 4] }, { state: "paused" }, { state: "pending" }, { url: null, state: null, events: [] }].map((change) => alarmOf({ ...webhook, ...change }));
  assert.deepEqual(alarms, ["on", "kind", "waiting", "waiting", "off"]);
});

test("the file to publish keeps what is published, except the values that the person changes", () => {
  const at = "https://uni.example/.well-known/did.json";
  const endpoint = { name: "University", logo: "https://elsewhere.example/logo.svg", contact: "a@uni.example", revoked: [BOB], more: 1 };
  const method = (account) => ({ id: `#${account}`, blockchainAccountId: `eip155:1:${account}` });
  const published = {
    "@context": ["https://other.example"],
    id: "did:web:uni.example",
    verificationMethod: [{ id: "#key", publicKeyMultibase: "z6" }, method(ADA)],
    assertionMethod: ["#key", `#${ADA}`],
    service: [{ type: "Other" }, { type: ["AssayIssuer"], serviceEndpoint: endpoint }],
  };
  const place = { at, account: ADA };
  // A logo that certificates do not show is no value of the form, and stays in the file.
  assert.deepEqual(publishedIn(JSON.stringify(published), place), { organisation: "University", contact: "a@uni.example" });
  const made = (given, file = published) => JSON.parse(issuerFile(JSON.stringify(file), { ...place, name: "University", logo: "", contact: "a@uni.example", ...given }));
  assert.deepEqual(made({}), published);
  assert.deepEqual(made({ name: "School", contact: "" }).service[1].serviceEndpoint, { name: "School", logo: endpoint.logo, revoked: [BOB], more: 1 });
  assert.equal(made({ logo: "https://uni.example/l.svg" }).service[1].serviceEndpoint.logo, "https://uni.example/l.svg");
  assert.deepEqual({ ...made({ name: "School" }), service: null }, { ...published, service: null });
  for (const given of [{ name: " " }, { name: "x".repeat(101) }, { logo: "https://elsewhere.example/l.svg" }, { contact: "nobody" }]) assert.throws(() => made(given));
  // Indentation does not make the file larger than its readers allow.
  const large = { ...published, more: Array(20_000).fill(1) };
  assert.ok(issuerFile(JSON.stringify(large), { ...place, name: "School", logo: "", contact: "" }).length <= 65_536);
});

test("another filter begins another list of events, and late pages of the earlier one change nothing", () => {
  const start = startActivity(new Map([[BOB.toLowerCase(), "Bob"]]));
  const page = { type: "read", list: start.list, events: [{ by: ADA }, { by: null }], next: "n" };
  const state = after(reduceActivity, start, { type: "reading", list: start.list }, page, { ...page, events: [{ by: BOB }], next: null });
  assert.deepEqual([state.events.length, state.next, state.isReading], [3, null, false]);
  const filtered = after(reduceActivity, state, { type: "filtered", filter: { kind: "issued" } }, page, { type: "failed", list: start.list });
  assert.deepEqual([filtered.events.length, filtered.isRead, filtered.filter.kind], [0, false, "issued"]);
  // The accounts of earlier lists can still be chosen.
  const other = `0x${"7".repeat(40)}`;
  assert.deepEqual(accountsOf(filtered, other), [other, BOB.toLowerCase(), ADA.toLowerCase()]);
});

test("a period of events has its whole first and last day in the time zone of the browser", () => {
  const all = { kind: null, account: null, register: null, from: null, to: null };
  assert.deepEqual(optionsOf(all), {});
  const { fromDate, toDate, ...rest } = optionsOf({ kind: "withdrawn", account: ADA, register: "r", from: "2026-03-29", to: "2026-03-29" });
  assert.deepEqual(rest, { kinds: ["withdrawn"], accountId: ADA, ledgerRefs: ["r"] });
  assert.deepEqual([fromDate.getTime() + 1, toDate.getTime()], [new Date(2026, 2, 29).getTime(), new Date(2026, 2, 30).getTime()]);
  for (const text of ["", "2026-3-1", "2026-03-01T00:00", "x"]) assert.equal(dayIn(text), null, text);
});

test("empty pages of events are passed, and a list that never ends is not read for ever", async () => {
  const clientOf = (pages) => {
    const asked = [];
    const getActivity = async ({ after }) => {
      asked.push(after ?? null);
      return pages(asked.length);
    };
    return { client: { getActivity }, asked };
  };
  const some = clientOf((count) => (count < 3 ? { data: [], meta: { next: `n${count}` } } : { data: ["e"], meta: {} }));
  assert.deepEqual(await readActivity(some.client, {}, null), { events: ["e"], next: null });
  assert.deepEqual(some.asked, [null, "n1", "n2"]);
  const empty = clientOf(() => ({ data: [], meta: { next: "n" } }));
  assert.deepEqual(await readActivity(empty.client, {}, null), { events: [], next: "n" });
  assert.deepEqual(await readAllActivity(empty.client, {}, "n", 10), { events: [], isWhole: false });
  assert.ok(empty.asked.length <= 1100);
  assert.deepEqual(await readAllActivity(clientOf(() => assert.fail()).client, {}, null, 10), { events: [], isWhole: true });
  const full = clientOf(() => ({ data: ["a", "b"], meta: { next: "n" } }));
  assert.deepEqual(await readAllActivity(full.client, {}, "n", 3), { events: ["a", "b", "a"], isWhole: false });
});

test("an operator's change is sent once, with the reason that was last entered", () => {
  const pause = { message: null, pausedAt: null };
  const asked = { id: "approve-r", reason: "Asked" };
  const open = after(reduceOperator, OPERATOR, { type: "allowed", pause }, { type: "asked", asked }, { type: "reasoned", reason: "Called them" });
  assert.deepEqual(open, { isAllowed: true, pause, asked: { id: "approve-r", reason: "Called them" }, isBusy: false });
  const sending = after(reduceOperator, open, { type: "busy", isBusy: true }, { type: "asked", asked: { id: "decline-r", reason: "" } }, { type: "reasoned", reason: "" }, { type: "closed" });
  assert.deepEqual(sending.asked, open.asked);
  assert.equal(after(reduceOperator, sending, { type: "busy", isBusy: false }, { type: "closed" }).asked, null);
  // An account that may no longer administer sees nothing of an earlier answer.
  assert.deepEqual(reduceOperator(open, { type: "refused" }), { ...OPERATOR, isAllowed: false });
});

test("a list of the operator shows what changes made of its items, and drops late answers", () => {
  const is = ({ ref }) => ref === "a";
  const read = (reading, items, next, isMore = false) => ({ type: "read", reading, items, next, isMore });
  const list = after(
    reduceOfAdmin,
    EMPTY,
    { type: "begun", reading: 1, isMore: false },
    read(1, [{ ref: "a" }, { ref: "b" }], "n"),
    { type: "begun", reading: 2, isMore: true },
    read(2, [{ ref: "c" }], null, true),
  );
  assert.deepEqual([list.items.map(({ ref }) => ref), list.next], [["a", "b", "c"], null]);
  const changed = after(reduceOfAdmin, list, { type: "replaced", is, item: { ref: "a", status: "approved" } });
  assert.deepEqual(changed.items[0], { ref: "a", status: "approved" });
  assert.deepEqual(after(reduceOfAdmin, changed, { type: "replaced", is, item: null }).items, [{ ref: "b" }, { ref: "c" }]);
  const other = after(reduceOfAdmin, list, { type: "begun", reading: 3, isMore: false }, read(2, [{ ref: "late" }], null));
  assert.equal(other.items, null);
});

test("reasons, multiples and parts of the operator's view are those that the service takes", () => {
  assert.deepEqual([" Called them ", "\u{1f4de}".repeat(280)].map(reasonIn), ["Called them", "\u{1f4de}".repeat(280)]);
  for (const text of ["", "  ", "two\nlines", "a\u0000b", "x".repeat(281)]) assert.equal(reasonIn(text), null, JSON.stringify(text));
  assert.deepEqual(["1", " 100 "].map(factorIn), [1, 100]);
  for (const text of ["", "0", "-1", "1.5", "1e3", "0x10", "101"]) assert.equal(factorIn(text), null, text);
  assert.deepEqual([undefined, "audit", "constructor"].map(partIn), ["admissions", "audit", "admissions"]);
});

test("the audit log has a text for every change of an administrator", async () => {
  const { paths } = JSON.parse(await readFile(new URL("../../www/openapi.json", import.meta.url), "utf8"));
  const { operate } = JSON.parse(await readFile(new URL("../../pkg/view/texts/en.operate.json", import.meta.url), "utf8"));
  const calls = Object.entries(paths).filter(([path, { post }]) => path.startsWith("/admin/") && post);
  assert.ok(calls.length > 8);
  for (const [path] of calls) {
    const action = `POST ${path.replace(/\{(\w+)\}/g, ":$1")}`;
    assert.ok(operate.actions[actionIn(action)], action);
    assert.equal(isLook(action), false);
  }
  assert.deepEqual(["GET /admin/audit", "GET /admin/accounts/:accountId/data"].map(isLook), [true, false]);
});

test("the audit log is filtered by call, and by each address of an entry", () => {
  const entry = (action, subject) => ({ accountId: ADA, action, subject });
  const filter = { name: "", account: "", isAll: false };
  const [block, look] = [entry("POST /admin/blocks", BOB), entry("GET /admin/audit", null)];
  const shown = (change, one = block) => isShown(one, { ...filter, ...change });
  assert.deepEqual([shown({}), shown({}, look), shown({ isAll: true }, look)], [true, false, true]);
  assert.deepEqual([shown({ name: "blocked" }), shown({ name: "unblocked" }), shown({ name: "blocked", isAll: true }, look)], [true, false, false]);
  for (const account of [ADA, BOB, ` ${BOB.toUpperCase().slice(2, 9)} `]) assert.equal(shown({ account }), true, account);
  assert.deepEqual([shown({ account: "0xffff" }), shown({ account: BOB, isAll: true }, look)], [false, false]);
});

test("amounts have the signs of the language and two decimals, and no price looks like nothing", () => {
  const shown = (number) => [shownDecimal(number, "en-GB"), shownDecimal(number, "de")];
  assert.deepEqual(shown("1190.47619047619047619"), ["1,190.47", "1.190,47"]);
  assert.deepEqual(shown("344.10"), ["344.1", "344,1"]);
  assert.deepEqual(shown("9007199254740993.999"), ["9,007,199,254,740,993.99", "9.007.199.254.740.993,99"]);
  for (const [number, expected = number] of [["0"], ["8"], ["0.5"], ["0.01"], ["0.0047"], ["0.000000000000000001"], ["0.004799", "0.0047"], ["2.001", "2"]]) {
    assert.equal(shownDecimal(number, "en-GB"), expected, number);
  }
});

test("an account that may not issue is told before the form, and a page does not ask twice to sign in", () => {
  const operator = { isChoosing: true };
  for (const [reduce, start] of [
    [reduceIssue, ISSUE],
    [reduceMany, MANY],
  ]) {
    const told = (session, isRefused, of = operator) => reduce({ ...start, session }, { type: "operatorKnown", operator: of, isRefused }).operator;
    assert.deepEqual([told(null, false), told({}, true), told({}, false), told({}, true, { isChoosing: false })], [operator, operator, null, null]);
  }
});

test("the note about administrators is for each account, and a browser without storage has none", () => {
  assert.equal(isNoted(ADA), false);
  const kept = new Map();
  globalThis.localStorage = { getItem: (key) => kept.get(key) ?? null, setItem: (key, value) => kept.set(key, value) };
  try {
    noteOperator(ADA, true);
    noteOperator(BOB, true);
    noteOperator(ADA.toLowerCase(), true);
    assert.deepEqual([isNoted(ADA.toLowerCase()), isNoted(BOB), isNoted(ADA.slice(0, -1))], [true, true, false]);
    noteOperator(ADA, false);
    assert.deepEqual([isNoted(ADA), isNoted(BOB)], [false, true]);
  } finally {
    delete globalThis.localStorage;
  }
});

test("a person can judge only orders that issue certificates of their sender on registers of both", () => {
  const [me, sender, register] = ["a1", "b2", "c3"].map((byte) => `0x${byte.repeat(20)}`);
  const creation = { kind: 1, ledgerId: register.toUpperCase().replace("X", "x"), senderId: sender, receiverId: sender, assetId: "7", assetImprint: "ab".repeat(32) };
  const payment = { kind: 3, ledgerId: me, senderId: sender, receiverId: register, value: "1" };
  const orderOf = (actions, changes = {}, content = {}) => ({
    ref: "1",
    status: 0,
    creatorId: sender,
    wildcardSigner: false,
    order: {
      expiration: 10,
      actions,
      signers: [
        { accountId: sender, claim: "3:0x" },
        { accountId: me.toUpperCase().replace("X", "x"), claim: "" },
      ],
      ...content,
    },
    ...changes,
  });
  const judged = (order) => proposalOf(order, me, new Set([register]), 5);
  const plain = judged(orderOf([creation, payment]));
  assert.deepEqual([plain.isPlain, plain.certificates], [true, [{ ledgerId: creation.ledgerId, id: "7", imprint: creation.assetImprint }]]);
  const unusual = [
    [payment],
    [],
    [{ ...creation, senderId: me }],
    [creation, { ...payment, senderId: me }],
    [payment, creation],
    [{ ...creation, ledgerId: me }],
    [{ ...creation, receiverId: null }],
    ...[2, 4, 5, 6].map((kind) => [creation, { ...creation, kind }]),
  ];
  for (const actions of unusual) assert.equal(judged(orderOf(actions)).isPlain, false, JSON.stringify(actions));
  assert.equal(judged(orderOf([creation], { wildcardSigner: true })).isPlain, false);
  for (const order of [
    orderOf([creation], { status: 7 }),
    orderOf([creation], { creatorId: me }),
    orderOf([creation], {}, { expiration: 5 }),
    orderOf([creation], {}, { signers: [{ accountId: me, claim: "3:0x" }] }),
    orderOf([creation], {}, { signers: [{ accountId: sender, claim: "" }] }),
  ])
    assert.equal(judged(order), null);
  const opened = (isIt) => ({ type: "opened", ref: "1", opened: { isIt, certificates: [] } });
  const read = after(reduceReview, REVIEW, { type: "read", proposals: [plain] });
  assert.deepEqual([signable(read), signable(reduceReview(read, opened(false))), signable(reduceReview(read, opened(true)))], [[], [], [plain]]);
  assert.deepEqual(signable(after(reduceReview, REVIEW, { type: "read", proposals: [{ ...plain, isPlain: false }] }, opened(true))), []);
  const state = after(reduceReview, read, opened(true), { type: "ended", ref: "1" });
  assert.deepEqual([state.proposals, [...state.ended]], [[], ["1"]]);
});

test("only other accounts with a role can be asked for a second signature", async () => {
  const holders = [
    { accountId: ADA, abilities: [1] },
    { accountId: BOB.toUpperCase().replace("X", "x"), abilities: [512] },
    // Its roles were all taken back.
    { accountId: `0x${"c".repeat(40)}`, abilities: [] },
    { accountId: `0x${"d".repeat(40)}`, abilities: [2] },
  ];
  const client = { getAccount: async () => ({ data: { id: ADA.toLowerCase(), gateway: { proxies: { createAsset: `0x${"D".repeat(40)}` } } } }), getLedgerAbilities: async () => ({ data: holders }) };
  assert.deepEqual(await reviewersOf(client, { ref: "r" }), [BOB]);
});

test("the file of a list covers an order only with all its certificates", () => {
  const [ledger, other] = ["a1", "b2"].map((byte) => `0x${byte.repeat(20)}`);
  const ids = ["7", "8"];
  const proposal = { order: {}, isPlain: true, certificates: ids.map((id) => ({ ledgerId: ledger, id, imprint: "" })) };
  const certificate = (asset) => ({ asset, document: { holder: asset }, evidence: {} });
  const file = (of, ...assets) => readReview(writeReview({ ledger: of, schema: {}, certificates: assets.map(certificate) }));
  assert.deepEqual(reviewed(proposal, file(ledger, "9", "8", "7")), ids.map(certificate));
  for (const [review, isIts] of [
    [file(ledger, "7"), true],
    [file(other, ...ids), false],
    [file(ledger, "9"), false],
    [file(ledger), false],
  ])
    assert.deepEqual([reviewed(proposal, review), isAbout(proposal, review)], [null, isIts]);
  assert.equal(reviewed({ ...proposal, isPlain: false }, file(ledger, ...ids)), null);
  const text = writeReview({ ledger, schema: {}, certificates: [certificate("7")] });
  const wrong = [
    { assayReview: 2 },
    { ledger: 7 },
    { schema: [] },
    { certificates: {} },
    { certificates: [null] },
    { certificates: [{ asset: "7", document: {} }] },
    { certificates: Array(2001).fill(certificate("7")) },
  ];
  for (const value of ["", "null", "[]", "{", ...wrong.map((change) => JSON.stringify({ ...JSON.parse(text), ...change }))]) assert.throws(() => readReview(value), { key: "review.fileWrong" });
});
