// Loaded into each test file. Ends a file that a failed test keeps from ending, for example by a server that still runs. Node's own option
// --test-force-exit also loses results of tests that passed: https://github.com/nodejs/node/issues/64833.
import { after } from "node:test";

/** Milliseconds for the file's own hooks, which stop servers, after its last test. A file without anything left ends at once. */
const GRACE = 60_000;

function end() {
  process.stderr.write(`${process.argv[1]} ends, although something that a test started still runs\n`);
  process.exit();
}

// The process that starts the files also loads this module, but has no tests of its own.
if (process.env.NODE_TEST_CONTEXT === "child-v8") after(() => setTimeout(end, GRACE).unref());
