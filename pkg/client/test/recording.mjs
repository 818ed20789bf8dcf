// A server that answers what it is told and keeps what it was asked.
import { createServer } from "node:http";
import { once } from "node:events";

/** `answer(request)` gives `{ status, body, headers }`: text as it is, else JSON; `null` ends the connection without an answer. */
export async function recordingServer(answer) {
  const requests = [];
  const server = createServer(async (incoming, outgoing) => {
    let body = "";
    for await (const chunk of incoming) body += chunk;
    const url = new URL(incoming.url, "http://server");
    const request = {
      method: incoming.method,
      path: url.pathname,
      query: [...url.searchParams],
      headers: incoming.headers,
      rawBody: body === "" ? null : body,
    };
    requests.push(request);
    const given = await answer(request, requests.length - 1);
    if (given === null) return incoming.socket.destroy();
    const text = typeof given.body === "string" ? given.body : JSON.stringify(given.body);
    outgoing.writeHead(given.status, { "content-type": "application/json", ...given.headers });
    outgoing.end(given.status === 204 ? undefined : text);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    requests,
    stop() {
      server.closeAllConnections();
      server.close();
    },
  };
}
