// The issuer confirms values that can hardly be meant. `cert-tables` finds them, and its tests have the vectors.
import assert from "node:assert/strict";
import { test } from "node:test";
import { doubtsConfirmation } from "../www/lib/doubts.ts";

test("each kind is confirmed once for the same content, with its first rows", () => {
  const confirm = doubtsConfirmation({
    say: (key, { row, list, count, field }) => [key, row, list, count, field].filter((part) => part !== undefined).join(" "),
    listText: (items) => items.join(" and "),
  });
  const dates = ["until", "from"].map((key) => ({ row: 2, path: [key], kind: "dates", code: "old" }));
  const doubts = [...dates, ...Array.from({ length: 11 }, (_, index) => ({ row: index + 3, path: ["name"], kind: "spaces", code: "around" }))];
  const refused = (content) => {
    try {
      confirm({}, doubts, content);
    } catch ({ key, values }) {
      return [key, values.list.replaceAll(/[\u2068\u2069]/g, "")];
    }
    return null;
  };
  const first = ["doubt.confirm.dates", "doubt.row 2 doubt.old until and doubt.old from"];
  assert.deepEqual(refused("A"), first);
  const [key, list] = refused("A");
  assert.equal(key, "doubt.confirm.spaces");
  assert.match(list, /^doubt\.row 3 doubt\.around name; .*doubt\.row 12 doubt\.around name; certificate\.more 1$/);
  assert.equal(refused("A"), null);
  assert.deepEqual(refused("B"), first);
  assert.doesNotThrow(() => confirm({}, [], "C"));
});
