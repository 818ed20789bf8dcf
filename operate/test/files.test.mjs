// Tests the file that keeps two deployments apart.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, test } from "node:test";
import { hold } from "../src/files.ts";

const folder = mkdtempSync(path.join(tmpdir(), "assay-files-"));
after(() => rmSync(folder, { recursive: true }));
const file = path.join(folder, "deploy", "production.lock");

test("a command is refused while another process is at work, and runs after it", async () => {
  const other = spawn(process.execPath, ["--eval", "setInterval(() => {}, 1_000)"]);
  const end = hold(file);
  writeFileSync(file, String(other.pid));
  assert.throws(() => hold(file), new RegExp(`process ${other.pid}\\).*delete .*production\\.lock`));
  writeFileSync(file, "");
  assert.throws(() => hold(file), /not known yet/);
  end();
  assert.deepEqual(readdirSync(path.dirname(file)), []);
  hold(file)();
  other.kill("SIGKILL");
  await once(other, "exit");
});

test("the file of a killed process does not keep a command from running", async () => {
  const killed = spawn(process.execPath, ["--eval", ""]);
  await once(killed, "exit");
  hold(file);
  for (const left of [String(killed.pid), "nonsense"]) {
    writeFileSync(file, left);
    const end = hold(file);
    assert.equal(readFileSync(file, "utf8"), String(process.pid));
    end();
  }
});
