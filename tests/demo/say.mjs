// Prints the output of the demonstration.
let number = 0;
const bold = process.stdout.isTTY ? (text) => `\u001b[1m${text}\u001b[0m` : (text) => text;

export function step(title) {
  number += 1;
  console.log(`\n${bold(`${number}. ${title}`)}`);
}

export function say(name, value) {
  console.log(`   ${`${name}`.padEnd(16)} ${value}`);
}

export function done(text) {
  console.log(`\n${bold(text)}`);
}

/** Prints the reason why the demonstration stops, and ends the process with code 1. */
export function fail(text) {
  console.error(`\nThe demonstration stopped: ${text}`);
  process.exit(1);
}
