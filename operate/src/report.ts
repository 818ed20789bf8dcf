// Prints the progress of a command on standard error: a line when a step starts, and a line when it ends.
const paint = (code: string, text: string) => (process.stderr.isTTY ? `\u001b[${code}m${text}\u001b[0m` : text);

/** Prints a line. */
export function note(text: string): void {
  process.stderr.write(`${text}\n`);
}

/** Runs a step and prints its name, its result and its duration. */
export async function step<T>(name: string, run: () => T | Promise<T>): Promise<T> {
  note(`${paint("36", "»")} ${name}`);
  const started = performance.now();
  const end = (sign: string) => note(`${sign} ${name} ${paint("2", `${((performance.now() - started) / 1000).toFixed(1)} s`)}`);
  try {
    const result = await run();
    end(paint("32", "✓"));
    return result;
  } catch (error) {
    end(paint("31", "✗"));
    throw error;
  }
}

/** Prints an error and its causes, the outermost first. */
export function printError(error: unknown): void {
  note(`${paint("31;1", "error:")} ${messageOf(error)}`);
  for (let cause = causeOf(error); cause !== undefined; cause = causeOf(cause)) note(`  because ${messageOf(cause)}`);
}

/** Returns the message of an error, or the value as text if it is no error. */
export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

const causeOf = (error: unknown): unknown => (error instanceof Error ? error.cause : undefined);
