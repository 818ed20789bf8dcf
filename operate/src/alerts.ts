// Sets the receiver of the service's alerts, after a test message has reached it.
import { createInterface } from "node:readline/promises";
import { type Environment } from "./configuration.ts";
import { deployed } from "./deploy.ts";
import { note, step } from "./report.ts";

/** Timeout of the test message in milliseconds. */
const TIMEOUT = 20_000;

/** Reads the address from the standard input, because it is a credential. Sends a test message, and stores the address as the secret `ALERT_URL`. */
export async function setReceiver(environment: Environment): Promise<void> {
  const { configuration, wrangler } = deployed(environment);
  const address = await askAddress();
  if (!URL.canParse(address) || !address.startsWith("https://")) throw new Error("expected an https address on the standard input");
  await step("a test message", () => sendTest(address, configuration.setting("SERVICE_NAME")));
  await step("store the address", () => wrangler.putSecret("ALERT_URL", address));
  note("  Alerts are sent from now on. The test message above must have arrived.");
}

async function askAddress(): Promise<string> {
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    if (process.stdin.isTTY) return (await terminal.question("Address of the receiver: ")).trim();
    for await (const line of terminal) return line.trim();
    return "";
  } finally {
    terminal.close();
  }
}

/** Sends a message of the form that the service sends. The error does not repeat the address. */
async function sendTest(address: string, service: string): Promise<void> {
  const body = JSON.stringify({ text: `${service}: Test. Alerts of this service arrive here.`, cause: "test", severity: "resolved" });
  const answer = await fetch(address, { method: "POST", redirect: "manual", headers: { "content-type": "application/json" }, body, signal: AbortSignal.timeout(TIMEOUT) });
  if (!answer.ok) throw new Error(`the receiver answered ${answer.status}`);
}
