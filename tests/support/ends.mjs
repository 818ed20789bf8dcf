// This module is loaded into each test file. It ends a file that would otherwise never end, for example because a failed test left a server
// running. Node's own option --test-force-exit also loses results of tests that passed: https://github.com/nodejs/node/issues/64833.
import { after } from "node:test";

/**
 * Milliseconds after a file's last test in which its own hooks can stop servers. A file in which nothing runs any more ends immediately.
 * If tests are selected by name, Node.js starts the servers of a file without a selected test, but does not stop them. If all selected tests
 * follow an `await` at the top level of their file, Node.js calls `after` before it runs them, and the file ends without them.
 */
const GRACE = process.execArgv.some((word) => word.startsWith("--test-name-pattern")) ? 2_000 : 60_000;

function end() {
  process.stderr.write(`${process.argv[1]} ends, although something that a test started still runs\n`);
  process.exit();
}

// The process that starts the files also loads this module, but has no tests of its own.
if (process.env.NODE_TEST_CONTEXT === "child-v8") after(() => setTimeout(end, GRACE).unref());
