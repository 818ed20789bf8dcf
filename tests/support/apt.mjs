// Installs Debian packages, if this machine runs Debian and the process may install them.
import { execFileSync } from "node:child_process";

/** Tries to install packages. The caller checks that the program exists afterwards. */
export function install(...packages) {
  if (process.getuid?.() !== 0) return;
  // Test files start in parallel: a process waits for the lock of another one, and then finds the program installed. A new machine has
  // no package lists yet.
  const wait = ["-o", "DPkg::Lock::Timeout=300"];
  const options = { stdio: "ignore", timeout: 600_000, env: { ...process.env, DEBIAN_FRONTEND: "noninteractive" } };
  for (const words of [["update"], ["install", "-y", ...packages]]) {
    try {
      execFileSync("apt-get", [...wait, ...words], options);
    } catch {
      // Outdated package lists may still suffice.
    }
  }
}
