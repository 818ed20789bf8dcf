// Draws the picture of a badge: a ring with the title and the issuer.

/** The width and height of the picture, in pixels. */
const SIZE = 600;

/** Returns a PNG with the title of a certificate, and the name of its issuer. */
export async function badgePicture(title: string, issuer: string, colour: string): Promise<Uint8Array<ArrayBuffer>> {
  const canvas = new OffscreenCanvas(SIZE, SIZE);
  const drawing = canvas.getContext('2d');
  if (drawing === null) {
    throw new Error('the canvas has no context');
  }
  const middle = SIZE / 2;
  drawing.beginPath();
  drawing.arc(middle, middle, middle - 20, 0, 2 * Math.PI);
  drawing.fillStyle = '#fff';
  drawing.fill();
  drawing.lineWidth = 28;
  drawing.strokeStyle = colour;
  drawing.stroke();
  drawing.textAlign = 'center';
  drawing.textBaseline = 'middle';
  drawing.fillStyle = '#1a1a1a';
  write(drawing, title, { size: 48, width: 420, most: 4, at: 260 });
  drawing.fillStyle = colour;
  write(drawing, issuer, { size: 30, width: 320, most: 2, at: 455 });
  return new Uint8Array(await (await canvas.convertToBlob({ type: 'image/png' })).arrayBuffer());
}

/** How a text is written: its size, the maximum width and number of its lines, and the height of its middle, in pixels. */
interface Style {
  size: number;
  width: number;
  most: number;
  at: number;
}

/** Writes a text in lines. A text that is too long ends with an ellipsis. */
function write(drawing: OffscreenCanvasRenderingContext2D, text: string, { size, width, most, at }: Style): void {
  drawing.font = `bold ${size}px system-ui, sans-serif`;
  const fits = (line: string) => drawing.measureText(line).width <= width;
  const lines: string[] = [];
  for (const word of text.trim().split(/\s+/)) {
    const longer = lines.length === 0 ? word : `${lines.at(-1)} ${word}`;
    if (lines.length > 0 && (fits(longer) || lines.length === most)) {
      lines.pop();
      lines.push(longer);
    } else {
      lines.push(word);
    }
  }
  lines.forEach((line, index) => drawing.fillText(fits(line) ? line : shortened(line, fits), SIZE / 2, at + (index - (lines.length - 1) / 2) * size * 1.2));
}

function shortened(line: string, fits: (line: string) => boolean): string {
  const characters = [...line];
  while (characters.length > 1 && !fits(`${characters.join('')}…`)) {
    characters.pop();
  }
  return `${characters.join('')}…`;
}
