// Debian's packages, where this machine is Debian's and this process may install them.
import { execFileSync } from "node:child_process";

/** Installs what it can; whether the program is there then is the caller's to see. */
export function install(...packages) {
  if (process.getuid?.() !== 0) return;
  // Test files start side by side: each waits for the other's lock, and finds the program there. A new machine has no
  // package lists yet.
  const wait = ["-o", "DPkg::Lock::Timeout=300"];
  const options = { stdio: "ignore", timeout: 600_000, env: { ...process.env, DEBIAN_FRONTEND: "noninteractive" } };
  for (const words of [["update"], ["install", "-y", ...packages]]) {
    try {
      execFileSync("apt-get", [...wait, ...words], options);
    } catch {
      // Lists that cannot be brought up to date may still be good enough.
    }
  }
}
