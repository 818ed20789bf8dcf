// Tests the command line.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, test } from "node:test";
import { fileURLToPath } from "node:url";

const CLI = fileURLToPath(new URL("../src/cli.ts", import.meta.url));
const folder = mkdtempSync(path.join(tmpdir(), "assay-operate-"));
after(() => rmSync(folder, { recursive: true }));

function run(line) {
  const words = line === "" ? [] : line.split(" ");
  const env = { ...process.env, ASSAY_OPERATE: "operate" };
  const { status, stdout, stderr } = spawnSync(process.execPath, ["--disable-warning=ExperimentalWarning", CLI, ...words], { cwd: folder, env, encoding: "utf8", input: "" });
  return { status, stdout, stderr };
}

test("the help lists each command, and each command explains its options", () => {
  const { status, stdout } = run("help");
  assert.equal(status, 0);
  for (const name of ["deploy", "check", "alerts", "backup", "restore", "admin", "wrangler"]) assert.match(stdout, new RegExp(`^ {2}${name} `, "m"));
  for (const [name, named] of Object.entries({ deploy: "--dry-run", backup: "--into", restore: "--instance", admin: "--key" })) {
    const help = run(`${name} --help`);
    assert.equal(help.status, 0, name);
    assert.ok(help.stdout.startsWith(`Usage: operate ${name}`) && help.stdout.includes(named), help.stdout);
  }
});

test("a mistake in a command line is explained, and has the exit code 2", () => {
  for (const [line, said] of [
    ["", /Usage: operate COMMAND/],
    ["publish", /`publish` is not a command/],
    ["deploy --dry", /--dry/],
    ["deploy twice", /`twice` is not `rollback`/],
    ["deploy rollback --set A=1", /`rollback` has no option --set/],
    ["deploy --set name", /expected NAME=VALUE/],
    ["deploy --env A", /lower-case letters/],
    ["backup --env a --state b", /exclude each other/],
    ["backup thrice", /`thrice` is not `fetch` or `drill`/],
    ["backup drill --rows 5", /`drill` has no option --rows/],
    ["backup fetch --state s", /`fetch` has no option --state/],
    ["backup drill fetch", /`fetch` was not expected/],
    ["check staging", /`staging` was not expected/],
    ["alerts https://hooks.example.org", /was not expected/],
    ["backup --rows 0", /a number from 1 to 20000/],
    ["restore", /folder of a backup/],
    ["restore x", /--env, or a state folder/],
    ["restore x --state y --instance same", /`keep` or `new`/],
    ["admin", /--key/],
    ["admin --key k --url u GET", /a call needs --url, a method and a path/],
  ]) {
    const { status, stdout, stderr } = run(line);
    assert.equal(status, 2, `${line}: ${stderr}`);
    assert.match(stdout + stderr, said, line);
  }
});

test("a command that fails has the exit code 1 and says what to do", () => {
  for (const [line, said] of [
    ["deploy rollback", /names no account, so this command knows no service/],
    ["backup", /copy the file from the machine that deployed the service/],
    ["check", /names no account, so this command knows no service/],
    ["alerts", /names no account, so this command knows no service/],
    ["backup drill", /names no account, so this command knows no service/],
    ["wrangler whoami --env nosuch", /nosuch.jsonc does not exist, so this command knows no service of the name `nosuch`/],
    ["wrangler whoami --env No", /lower-case letters/],
    ["backup fetch", /names no account, so this command knows no service/],
    ["restore nothing --state s --instance new", /finish it with `operate backup --into/],
    ["admin --key none", /none/],
  ]) {
    const { status, stderr } = run(line);
    assert.equal(status, 1, `${line}: ${stderr}`);
    assert.match(stderr, said, line);
  }
});
