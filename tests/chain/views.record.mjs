// Prints the content of tests/vectors/chain/views.json: node tests/chain/views.record.mjs MULTICALL3_CODE. The code is the creation code of
// Multicall3 in hex.
import { anvil } from "./contracts.mjs";
import { record } from "./views.mjs";

const program = anvil();
if (!program) throw new Error("npm has no anvil for this machine");
const recorded = await record(program, process.argv[2]);
// Writes each case on its own line.
const lists = Object.entries(recorded).map(([name, value]) => {
  const items = Array.isArray(value) ? `[\n${value.map((item) => `  ${JSON.stringify(item)}`).join(",\n")}\n ]` : JSON.stringify(value);
  return ` ${JSON.stringify(name)}: ${items}`;
});
console.log(`{\n${lists.join(",\n")}\n}`);
