// The number of random samples of a test.

/**
 * Returns the number of samples to try: a tenth if the test has already run on another version of Node.js. The rules of certification do not depend on
 * the version, so a later version tests loading, and the border to WebAssembly, with fewer samples.
 */
export const samples = (count) => (process.env.ASSAY_NODE_AGAIN === undefined ? count : count / 10);
