// A mail server on this machine, and the messages that it receives.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { python } from "./python.mjs";

const here = (name) => fileURLToPath(new URL(name, import.meta.url));

/** A mail server, which server.py describes. `messages` has the messages that it has received so far. */
export class MailServer {
  messages = [];
  #process;

  static async start(...options) {
    const server = new MailServer();
    server.#process = spawn(python, [here("server.py"), ...options], { stdio: ["ignore", "pipe", "ignore"] });
    const lines = createInterface(server.#process.stdout);
    const [first] = await once(lines, "line");
    server.port = JSON.parse(first).port;
    lines.on("line", (line) => server.messages.push(JSON.parse(line)));
    return server;
  }

  async stop() {
    if (this.#process.exitCode !== null || this.#process.signalCode !== null) return;
    const ended = once(this.#process, "exit");
    this.#process.kill();
    await ended;
  }
}

const SCRIPT = `
import base64, json, sys
from email import message_from_bytes, policy
def read(content):
    mail = message_from_bytes(content.encode(), policy=policy.default)
    bytes_of = lambda part: part.get_payload(decode=True)
    files = [[part.get_filename(), base64.b64encode(bytes_of(part)).decode()] for part in mail.iter_attachments()]
    return {"subject": mail["subject"], "text": mail.get_body(("plain",)).get_content(), "files": files}
print(json.dumps([read(content) for content in json.load(sys.stdin)]))
`;

/** Returns the subject, the text and the files of messages, as Python's mail library reads them. A file is its name and its bytes. */
export async function decoded(contents) {
  const child = spawn(python, ["-c", SCRIPT], { stdio: ["pipe", "pipe", "inherit"] });
  let out = "";
  child.stdout.on("data", (text) => (out += text));
  child.stdin.end(JSON.stringify(contents));
  await once(child, "close");
  return JSON.parse(out).map(({ files, ...others }) => ({ ...others, files: files.map(([name, bytes]) => [name, Buffer.from(bytes, "base64")]) }));
}
