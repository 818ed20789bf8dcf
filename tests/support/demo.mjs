// Runs the demonstration of tests/demo as a process of its own.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

export const DEMO = fileURLToPath(new URL("../demo/demo.mjs", import.meta.url));

/** Runs the demonstration with --keep against a service. Calls `look` with the output while the demonstration waits, and then ends it. Returns its exit code. */
export async function keptDemo(url, options, look) {
  const demo = spawn(process.execPath, [DEMO, "--url", url, "--keep", ...options], { stdio: ["pipe", "pipe", "inherit"] });
  const exited = once(demo, "exit");
  try {
    let output = "";
    for await (const line of createInterface({ input: demo.stdout })) {
      output += `${line}\n`;
      if (line.includes("Press Enter")) break;
    }
    await look(output);
  } finally {
    demo.stdin.end("\n");
  }
  const [code] = await exited;
  return code;
}

/** Returns the addresses of the badges in the demonstration's output. */
export const badgesIn = (output) => [...new Set(output.match(/http:\/\/\S+\/badge\?\S+/g))];
