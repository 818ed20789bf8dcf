// `cert send` with a mail server that accepts, refuses, delays and loses messages. No message is sent twice, and none is lost.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, readFile, readdir, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { program } from "../support/cargo.mjs";
import { until } from "../support/until.mjs";
import { MailServer, decoded } from "./mail.mjs";
import { skip } from "./python.mjs";

// tls/ has a certificate for localhost, valid until 2126, and the authority that signed it. Made by `openssl`.
const TOOL = program("debug/cert");
const options = { skip };
const here = (name) => fileURLToPath(new URL(name, import.meta.url));

const TEMPLATE = "Subject: Ihr Zertifikat, {name}\nReply-To: office@uni.example\n\nGuten Tag {name},\n\n{certificate_holder_link}\n";
const link = (row) => `https://certs.example/c/0x${"ab".repeat(20)}/${row}`;

/** Returns a result table with a row for each address. */
const table = (addresses) =>
  [
    "name;E-Mail;certificate_status;certificate_holder_link;certificate_public_link;certificate_file",
    ...addresses.map((address, index) => `Zoë ${index};${address};issued;${link(index)}#1abc;${link(index)};zoë-${index}.private.assay.json`),
  ].join("\r\n");

/** A folder with a result table and a template, and a mail server. */
class Office {
  static async open(addresses, ...serverOptions) {
    const office = new Office();
    office.folder = await mkdtemp(path.join(tmpdir(), "assay-send-"));
    await mkdir(office.file("private"));
    await office.write("result.csv", table(addresses));
    await office.write("mail.txt", TEMPLATE);
    office.server = await MailServer.start(...serverOptions);
    return office;
  }

  async close() {
    await this.server.stop();
    await rm(this.folder, { recursive: true });
  }

  get port() {
    return this.server.port;
  }

  get messages() {
    return this.server.messages;
  }

  file(name) {
    return path.join(this.folder, name);
  }

  write(name, content) {
    return writeFile(this.file(name), content);
  }

  start(more, { url = `smtp://127.0.0.1:${this.port}`, env = {} } = {}) {
    const words = ["send", "result.csv", "--to", "E-Mail", "--from", "Büro <office@uni.example>", "--template", "mail.txt", "--smtp", url, "--pause", "0", ...more];
    return spawn(TOOL, words, { cwd: this.folder, env: { ...process.env, ...env }, stdio: ["ignore", "pipe", "pipe"] });
  }

  /** Runs the tool. Returns its exit code, its output and the parsed lines of its output if it is JSON. */
  async run(more, settings) {
    const child = this.start(more, settings);
    const texts = { out: "", err: "" };
    child.stdout.on("data", (text) => (texts.out += text));
    child.stderr.on("data", (text) => (texts.err += text));
    const [code] = await once(child, "close");
    return { code, ...texts };
  }

  recipients() {
    return this.messages.map(({ to }) => to);
  }
}

async function inOffice(addresses, serverOptions, act) {
  const office = await Office.open(addresses, ...serverOptions);
  try {
    await act(office);
  } finally {
    await office.close();
  }
}

const unsentOf = ({ out }) =>
  out
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line))
    .map(({ row, to, state }) => [row, to, state]);

test("each person gets one message with their own link and file, and a second run sends none", options, () =>
  inOffice(["ada@example.com", "grace@example.com"], [], async (office) => {
    for (const index of [0, 1]) await office.write(`private/zoë-${index}.private.assay.json`, `{"assay":1,"row":${index}}`);
    const planned = await office.run([]);
    assert.equal(planned.code, 2);
    assert.match(planned.err, /2 of 2 messages are to be sent/);
    assert.match(planned.err, /error\[not-confirmed\]/);
    assert.match(planned.out, /^From: .*office@uni\.example/m);
    assert.deepEqual(office.messages, []);

    const sent = await office.run(["--yes", "--attach"]);
    assert.equal(sent.code, 0, sent.err);
    assert.match(sent.err, /2 messages are sent, 0 refused, 0 in doubt, 0 not sent/);
    assert.deepEqual(office.recipients(), ["ada@example.com", "grace@example.com"]);
    for (const [index, { content, sender }] of office.messages.entries()) {
      assert.equal(sender, "office@uni.example");
      assert.match(content, /^Reply-To: office@uni\.example\r?$/m);
      assert.match(content, /^Message-ID: <[0-9a-f]{32}@uni\.example>\r?$/m);
      const [{ subject, text, files }] = await decoded([content]);
      assert.equal(subject, `Ihr Zertifikat, Zoë ${index}`);
      assert.equal(text.replaceAll("\r\n", "\n"), `Guten Tag Zoë ${index},\n\n${link(index)}#1abc\n`);
      assert.deepEqual(files, [[`zoë-${index}.private.assay.json`, Buffer.from(`{"assay":1,"row":${index}}`)]]);
    }
    assert.equal((await stat(office.file("result.sent.ndjson"))).mode & 0o077, 0);

    const again = await office.run(["--yes", "--attach"]);
    assert.equal(again.code, 0, again.err);
    assert.equal(office.messages.length, 2);
    // A corrected address is a new message.
    await office.write("result.csv", table(["ada@example.org", "grace@example.com"]));
    assert.equal((await office.run(["--yes", "--attach"])).code, 0);
    assert.deepEqual(office.recipients().slice(2), ["ada@example.org"]);
  }),
);

test("refused, delayed and lost messages are told apart, and none is sent twice", options, () =>
  inOffice(["later@example.com", "refused@example.com", "lost@example.com", "dropped@example.com", "full@example.com", "ada@example.com"], [], async (office) => {
    const first = await office.run(["--yes"]);
    assert.equal(first.code, 2);
    assert.deepEqual(unsentOf(first), [
      [3, "refused@example.com", "refused"],
      [4, "lost@example.com", "in-doubt"],
      [6, "full@example.com", "refused"],
    ]);
    assert.match(first.out, /550.*No such user/);
    assert.match(first.err, /3 messages are sent, 2 refused, 1 in doubt, 0 not sent/);
    assert.deepEqual(office.recipients().toSorted(), ["ada@example.com", "dropped@example.com", "later@example.com", "lost@example.com"]);

    const second = await office.run(["--yes"]);
    assert.equal(second.code, 2);
    assert.equal(office.messages.length, 4);
    await office.run(["--yes", "--resend-doubtful"]);
    assert.deepEqual(office.recipients().slice(4), ["lost@example.com"]);
  }),
);

test("a delivery that is killed continues without sending a message twice", options, () =>
  inOffice(
    Array.from({ length: 12 }, (_, index) => `person${index}@example.com`),
    ["--slow", "0.05"],
    async (office) => {
      for (const count of [2, 5, 9]) {
        const child = office.start(["--yes"]);
        // On a busy machine, the tool can end before it is killed.
        const ended = once(child, "close");
        await until(
          () => office.messages.length,
          (length) => length >= count,
        );
        child.kill("SIGKILL");
        await ended;
      }
      const last = await office.run(["--yes"]);
      const received = office.recipients();
      assert.equal(new Set(received).size, received.length);
      // A message in transit at the time of a kill is in doubt, and the tool does not send it again.
      const doubtful = unsentOf(last).map(([, to, state]) => [to, state]);
      assert.ok(doubtful.length <= 3 && doubtful.every(([, state]) => state === "in-doubt"), JSON.stringify(doubtful));
      assert.equal(new Set([...received, ...doubtful.map(([to]) => to)]).size, 12);
    },
  ),
);

test("a login goes only over a connection that is protected and trusted", options, () =>
  inOffice(["ada@example.com"], ["--password", "right", "--tls", here("tls/server.pem"), here("tls/server.key")], async (office) => {
    const url = `smtp://localhost:${office.port}?tls=required`;
    const run = (password, trusted = true) => office.run(["--yes", "--smtp-user", "office"], { url, env: { CERT_SMTP_PASSWORD: password, ...(trusted && { SSL_CERT_FILE: here("tls/ca.pem") }) } });
    const strange = await run("right", false);
    assert.equal(strange.code, 2);
    assert.match(strange.err, /error\[smtp-refused\].*certificate/i);
    const wrong = await run("wrong");
    assert.equal(wrong.code, 2);
    assert.match(wrong.err, /error\[smtp-refused\].*535/);
    assert.doesNotMatch(wrong.err + wrong.out, /wrong"/);
    assert.deepEqual(office.messages, []);
    const sent = await run("right");
    assert.equal(sent.code, 0, sent.err);
    assert.deepEqual(
      office.messages.map(({ to, login, tls }) => [to, login, tls]),
      [["ada@example.com", "office", true]],
    );
  }),
);

test("rows without a usable address or file stop the delivery before its first message", options, () =>
  inOffice(["ada@example.com", "no address", "grace@example.com"], [], async (office) => {
    await office.write("private/zoë-0.private.assay.json", "{}");
    const run = await office.run(["--yes", "--attach"]);
    assert.equal(run.code, 2);
    const errors = run.out
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    assert.deepEqual(
      errors.map(({ row, column }) => [row, column]),
      [
        [3, "E-Mail"],
        [4, "certificate_file"],
      ],
    );
    assert.deepEqual(office.messages, []);
    await office.write("mail.txt", "Subject: Hello\n\nYour certificate.");
    const bare = await office.run(["--yes"]);
    assert.match(bare.err, /error\[template-invalid\].*would have no certificate/);
  }),
);

test("a dry run writes messages as files, and a server that does not answer is named", options, () =>
  inOffice(["ada@example.com", "grace@example.com"], [], async (office) => {
    const dry = await office.run(["--dry-run", "mails"]);
    assert.equal(dry.code, 0, dry.err);
    assert.deepEqual((await readdir(office.file("mails"))).toSorted(), ["00002.eml", "00003.eml"]);
    const [{ subject }] = await decoded([await readFile(office.file("mails/00003.eml"), "utf8")]);
    assert.equal(subject, "Ihr Zertifikat, Zoë 1");
    await office.server.stop();
    const away = await office.run(["--yes"]);
    assert.equal(away.code, 2);
    assert.match(away.err, /does not answer/);
    assert.match(away.err, /0 messages are sent, 0 refused, 0 in doubt, 2 not sent/);
    assert.deepEqual(office.messages, []);
  }),
);
