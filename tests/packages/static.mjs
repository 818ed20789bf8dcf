// A plain file server: it serves the files of a folder with its default headers.
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import path from "node:path";

const TYPES = { ".html": "text/html", ".js": "text/javascript", ".mjs": "text/javascript", ".wasm": "application/wasm", ".json": "application/json" };

/** Serves `folder` on a free port of loopback. `types` are additional content types, and `headers` are sent with each file. */
export async function serve(folder, { types = {}, headers = {} } = {}) {
  const server = createServer(async (request, response) => {
    const file = path.join(folder, path.normalize(decodeURIComponent(new URL(request.url, "http://localhost").pathname)));
    try {
      const body = await readFile(file);
      const type = { ...TYPES, ...types }[path.extname(file)] ?? "application/octet-stream";
      response.writeHead(200, { ...headers, "content-type": type }).end(body);
    } catch {
      response.writeHead(404).end();
    }
  });
  await new Promise((resolve, reject) => server.once("error", reject).listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${server.address().port}/`,
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
