// Prints the figures of a measurement, and writes them to the file that the task names.
import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";

/** Prints a table. The first column is aligned to the left, all others to the right. */
export function printTable(titles, rows) {
  const lines = [titles, ...rows].map((cells) => cells.map((cell) => String(cell ?? "")));
  const widths = titles.map((_, index) => Math.max(...lines.map((cells) => [...cells[index]].length)));
  for (const cells of lines)
    console.log(
      `  ${cells
        .map((cell, index) => (index === 0 ? cell.padEnd(widths[index]) : cell.padStart(widths[index])))
        .join("  ")
        .trimEnd()}`,
    );
  console.log();
}

export const note = (text) => console.log(`  ${text}`);

/** Writes the figures as JSON into the file that the environment variable `ASSAY_FIGURES` names. Without it, only the tables are printed. */
export async function keepFigures(figures) {
  const file = process.env.ASSAY_FIGURES;
  if (file === undefined) return;
  await mkdir(path.dirname(file), { recursive: true });
  await writeFile(file, `${JSON.stringify(figures, null, 2)}\n`);
  note(`written to ${file}`);
}
