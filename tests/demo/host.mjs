// A server on the loopback address that hosts an issuer's documents: metadata, evidence and schemas.
import { createServer } from "node:http";

export class Host {
  #server;
  #documents = new Map();

  static async start() {
    const host = new Host();
    host.#server = createServer((request, response) => {
      const document = host.#documents.get(request.url);
      response.writeHead(document === undefined ? 404 : 200, { "content-type": "application/json", "access-control-allow-origin": "*" });
      response.end(document ?? "{}");
    });
    await new Promise((resolve, reject) => host.#server.once("error", reject).listen(0, "127.0.0.1", resolve));
    return host;
  }

  /** Returns the address of a document. */
  url(path) {
    return `http://127.0.0.1:${this.#server.address().port}/${path}`;
  }

  /** Serves a document at a path. */
  serve(path, document) {
    this.#documents.set(`/${path}`, JSON.stringify(document));
  }

  async stop() {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}
