// An office's whole way: from the home page with an Excel list to a mail for each person, with their own link and PDF.
import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, before, test } from "node:test";
import { unzipSync } from "fflate";
import { certificateIn } from "../../www/lib/pdf-file.ts";
import { skip as noPrograms } from "../pdf/programs.mjs";
import { MailServer, decoded } from "../send/mail.mjs";
import { skip as noMail } from "../send/python.mjs";
import { program } from "../support/cargo.mjs";
import { answerOf, skip as noBrowser, shoot, start } from "./browser.mjs";
import { workbook } from "./workbook.mjs";

const skip = noBrowser || noPrograms || noMail;
const TOOL = program("debug/cert");
/** The most clicks between the home page and the mails. A command in a terminal counts as one. */
const MAX_CLICKS = 20;

const FIRST_NAMES = ["Jörg", "Zoë", "Anna-Lena", "Çağla", "Łukasz", "Renée", "Günther", "Ángel", "Bjørn", "Maša"];
const LAST_NAMES = ["Müller", "Öztürk", "Weiß"];
const COURSE = "Kryptographie für die Verwaltung";

/** A person of the list. Their dates and hours are written in several ways. */
function person(index) {
  const [first, last] = [FIRST_NAMES[index % FIRST_NAMES.length], LAST_NAMES[Math.floor(index / FIRST_NAMES.length)]];
  const day = (index % 28) + 1;
  return {
    name: `${first} ${last}`,
    email: `person${index}@example.com`,
    date: index % 2 === 0 ? `${String(day).padStart(2, "0")}.11.2026` : new Date(Date.UTC(2026, 10, day)),
    shown: `${day}. November 2026`,
    hours: `${20 + index},5`,
    grade: `${(index % 3) + 1},${index % 10}`,
  };
}

const PEOPLE = Array.from({ length: 30 }, (_, index) => person(index));
const HEADER = ["Name", "E-Mail", "Ausgestellt am", "Stunden", "Note"];
const cellsOf = ({ name, email, date, hours, grade }) => [name, email, date, hours, grade];

/** Returns the list as an Excel workbook below its title. */
function list(people) {
  const rows = [["Teilnehmerliste Herbst 2026"], [], HEADER, ...people.map(cellsOf)];
  return { name: "Teilnehmer.xlsx", mimeType: "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", buffer: workbook(rows) };
}

/** The list as the office has it at first: one name is misspelt, and one row stands there twice. */
const FIRST = [...PEOPLE.slice(0, 5), { ...PEOPLE[5], name: "Reneé Müler" }, ...PEOPLE.slice(6), PEOPLE[11]];

const TEMPLATE = "Subject: Ihr Zertifikat, {Name}\n\nGuten Tag {Name},\n\nIhr Zertifikat: {certificate_holder_link}\n";

let host, mail, folder;
before(async () => {
  if (skip) return;
  [host, mail, folder] = await Promise.all([
    start({ vars: { ENVIRONMENT: "development", PAYMENTS: "off", FILES: "on" }, quiet: true }),
    MailServer.start(),
    mkdtemp(path.join(tmpdir(), "assay-clerk-")),
  ]);
});
after(async () => {
  await mail?.stop();
  await host?.stop();
  if (folder) await rm(folder, { recursive: true });
});

/** The clerk at a computer. Counts clicks as a person makes them: two for a chosen file or option, one for a field, and one for a command. */
class Clerk {
  clicks = 0;

  constructor(page) {
    this.page = page;
  }

  async click(role, name) {
    this.clicks += 1;
    await this.page.getByRole(role, { name, exact: true }).click();
  }

  async save(name) {
    const [download] = await Promise.all([this.page.waitForEvent("download"), this.click("button", name)]);
    return { name: download.suggestedFilename(), bytes: await readFile(await download.path()) };
  }

  async choose(file) {
    this.clicks += 2;
    await this.page.locator("#file").setInputFiles(file);
  }

  async select(label, option) {
    this.clicks += 2;
    await this.page.getByLabel(label).selectOption(option);
  }

  async fill(label, text) {
    this.clicks += 1;
    await this.page.getByLabel(label).first().fill(text);
  }

  async run(...words) {
    this.clicks += 1;
    const child = spawn(TOOL, words, { cwd: folder, stdio: ["ignore", "pipe", "pipe"] });
    let text = "";
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (part) => (text += part));
    const [code] = await once(child, "close");
    assert.equal(code, 0, text);
    return text;
  }
}

/** Issues the list on the pages, and saves the archive. */
async function issue(page, clerk) {
  await clerk.click("link", "Zertifikate ausstellen");
  await clerk.click("link", "Sie haben eine Liste von Personen? Stellen Sie für jede Zeile Ihrer Tabelle ein Zertifikat aus");
  await clerk.choose(list(FIRST));
  await clerk.select("Wie die Spalte Ausgestellt am geschrieben ist", "day-month-year");
  await clerk.select("Wie die Spalte Stunden geschrieben ist", "decimal-comma");
  await clerk.fill("Kurs", COURSE);
  await shoot(page, "clerk-columns");
  await clerk.click("button", "Alle Zeilen prüfen");
  // The clerk sees the row that stands in the table twice, corrects the table, and chooses it again. The page asks nothing a second time.
  const { text } = await answerOf(page);
  assert.match(text, /gleiche.* Zeile.*34.*15/i);
  await shoot(page, "clerk-doubt");
  await clerk.choose(list(PEOPLE));
  await page.locator("#remembered:not(:empty)").waitFor();
  await clerk.click("button", "Alle Zeilen prüfen");
  await page.locator("#preview").waitFor();
  await clerk.click("button", "Neuen Schlüssel erzeugen");
  await clerk.save("Schlüsseldatei speichern");
  await shoot(page, "clerk-checked");
  await clerk.click("button", "30 Zertifikate ausstellen");
  await page.locator("#finished").waitFor();
  const saved = await clerk.save("Alle Dateien speichern (ZIP)");
  await shoot(page, "clerk-finished");
  return saved;
}

/** Unpacks the archive into the clerk's folder. */
async function unpack({ bytes }) {
  for (const [name, content] of Object.entries(unzipSync(bytes))) {
    await mkdir(path.dirname(path.join(folder, name)), { recursive: true });
    await writeFile(path.join(folder, name), content);
  }
}

/** Asserts that a link shows the person's certificate. */
async function assertOpens(page, link, { name, grade, shown }) {
  await page.goto(link);
  await page.locator(".checked", { hasText: "Von Ihrem Browser geprüft" }).waitFor();
  assert.equal(await page.locator(".headline").innerText(), "Unverändert. Aussteller nicht bestätigt");
  const words = await page.locator(".paper").innerText();
  for (const part of [COURSE, name, grade, shown]) assert.ok(words.includes(part), `${part}: ${words}`);
}

/** Asserts that other programs read a PDF, and that it has the person's certificate with the imprint of the record. */
async function assertPdf(name, bytes, person) {
  const file = path.join(folder, name);
  await writeFile(file, bytes);
  const text = execFileSync("pdftotext", ["-layout", file, "-"], { encoding: "utf8" }).normalize().replace(/\s+/g, " ");
  for (const part of [COURSE, person.name, person.grade, person.shown]) assert.ok(text.includes(part), `${part}: ${text}`);
  const { ledger, asset } = JSON.parse(await certificateIn(new Uint8Array(bytes)));
  const { data } = await (await fetch(new URL(`/badge.json?ledgerId=${ledger}&assetId=${asset}`, host.url))).json();
  execFileSync(TOOL, ["check", file, "--imprint", data.asset.imprint], { stdio: "pipe" });
}

test("a clerk sends thirty certificates from an Excel list", { skip }, () =>
  host.visit(
    "/",
    async (page) => {
      const clerk = new Clerk(page);
      await unpack(await issue(page, clerk));
      // Excel splits this table into columns where the comma is the decimal sign.
      assert.match(await readFile(path.join(folder, "result.csv"), "utf8"), /^\ufeffName;E-Mail;/);
      await writeFile(path.join(folder, "mail.txt"), TEMPLATE);
      const from = "Büro <buero@uni.example>";
      await clerk.run("send", "result.csv", "--to", "E-Mail", "--from", from, "--template", "mail.txt", "--smtp", `smtp://127.0.0.1:${mail.port}`, "--attach=pdf", "--yes");
      assert.ok(clerk.clicks <= MAX_CLICKS, `${clerk.clicks} clicks`);
      console.log(`${clerk.clicks} clicks`);
      assert.deepEqual(
        mail.messages.map(({ to }) => to),
        PEOPLE.map(({ email }) => email),
      );
      const messages = await decoded(mail.messages.map(({ content }) => content));
      const links = new Set();
      for (const [index, { subject, text, files }] of messages.entries()) {
        const person = PEOPLE[index];
        assert.equal(subject, `Ihr Zertifikat, ${person.name}`);
        const [link] = /http\S+/.exec(text);
        links.add(link);
        await assertOpens(page, link, person);
        const [[name, bytes], ...others] = files;
        assert.deepEqual(others, []);
        await assertPdf(name, bytes, person);
      }
      assert.equal(links.size, PEOPLE.length);
      await shoot(page, "clerk-certificate");
      await page.goto(new URL("/verify/", host.url).href);
      const [[name, buffer]] = messages[5].files;
      await page.locator("#given-files").setInputFiles({ name, mimeType: "application/pdf", buffer });
      await page.locator(".compare .value", { hasText: PEOPLE[5].name }).waitFor();
    },
    { locale: "de-DE" },
  ),
);
