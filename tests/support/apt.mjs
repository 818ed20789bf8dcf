// Installs Debian packages, if this machine has `apt-get` and this process runs as root.
import { execFileSync } from "node:child_process";

/** Tries to install packages. The caller must check that the program then exists. */
export function install(...packages) {
  if (process.getuid?.() !== 0) return;
  // Test files start in parallel, so a process may have to wait for the package lock of another process. A new machine has no package lists
  // yet, so `update` runs first.
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
