// Starts the Worker on this machine with the settings of a configuration, before anything is uploaded.
import { spawn } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import { at, itemsAt } from "./json.ts";
import { linesIn } from "./lines.ts";
import { HOME } from "./programs.ts";
import type { Secrets } from "./secrets.ts";

/** Starts the Worker of a build, and returns the settings that weaken it. Throws if the Worker refuses a setting. */
export async function tryStart(dist: string, configuration: string, secrets: Secrets): Promise<string[]> {
  const words = ["--port", "0", "--dist", dist, "--config", configuration, "--sweep-every", "0", "--private-network", "--quiet"];
  const vars = secrets.flatMap(([name, placeholder]) => ["--var", `${name}=${placeholder}`]);
  const server = spawn(process.execPath, [path.join(HOME, "host/serve.mjs"), ...words, ...vars], { stdio: ["pipe", "pipe", "inherit"] });
  const closed = once(server, "close");
  for await (const line of linesIn(server.stdout)) {
    const message = JSON.parse(line);
    if (at(message, "ready") === undefined) continue;
    // The server ends with its input.
    server.stdin.end();
    await closed;
    return itemsAt(message, "weakening").map(String);
  }
  throw new Error("the Worker refuses its settings: correct each by `--set NAME=VALUE`; an empty value restores the default");
}
