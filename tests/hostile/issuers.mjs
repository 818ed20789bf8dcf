// An attack by unknown callers, who use the public check of domains to make the service send requests.
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import { until } from "../support/until.mjs";
import { HEAP_MEGABYTES, atMost, common, exactly, timed } from "./bounds.mjs";
import { watched } from "./watch.mjs";

const HOUR_MS = 3_600_000;
/** The bounds of docs/decisions/0040-issuers.md: the checks per hour of one domain, by one client network, and in total. */
const OF_DOMAIN = 60;
const OF_CLIENT = 60;
const OF_ALL = 1_800;
/** Maximum number of requests of a check to the domain's server: one for the file, and three for redirects. */
const PER_CHECK = 4;
/** The number of ordinary domains, and of the attacker's client networks. With so many, each domain and each network stays below its own bound. */
const SPREAD = 40;
/** The number of checks that run at the same time. */
const AT_ONCE = 10;

const network = (n) => ({ "cf-connecting-ip": `198.51.${n}.1` });
const account = () => `0x${randomBytes(20).toString("hex")}`;

/** A domain's server, which counts its requests. */
class Site {
  requests = 0;

  static async of(answer) {
    const site = new Site();
    site.server = createServer((request, response) => {
      site.requests += 1;
      response.on("error", () => {});
      answer(request, response, site);
    });
    site.server.listen(0, "127.0.0.1");
    await once(site.server, "listening");
    site.domain = `localhost:${site.server.address().port}`;
    return site;
  }

  close() {
    this.server.closeAllConnections();
    this.server.close();
  }
}

const missing = (_request, response) => response.writeHead(404).end();
const redirected = (request, response) => response.writeHead(302, { location: `${request.url}?` }).end();
const endless = (_request, response) => {
  response.writeHead(200, { "content-type": "application/json" });
  const part = Buffer.alloc(1 << 16, " ");
  const more = () => {
    while (!response.destroyed && response.write(part));
  };
  response.on("drain", more);
  more();
};
const hanging = () => {};
const noRecord = (_request, response) => response.writeHead(200, { "content-type": "application/dns-json" }).end('{"Status":3}');

/** Returns the answer of a domain that confirms an account. */
const confirming =
  (id) =>
  (_request, response, { domain }) => {
    const did = `did:web:${domain.replace(":", "%3A")}`;
    const method = { id: `${did}#assay`, type: "EcdsaSecp256k1RecoveryMethod2020", controller: did, blockchainAccountId: `eip155:1:${id}` };
    response.end(JSON.stringify({ id: did, verificationMethod: [method], assertionMethod: [method.id] }));
  };

/** Returns the answer of a domain whose file has very many methods, and references to methods that it does not have. */
const crowded =
  (methods) =>
  (_request, response, { domain }) => {
    const did = `did:web:${domain.replace(":", "%3A")}`;
    const verificationMethod = Array.from({ length: methods }, (_, n) => ({ id: `#${n}` }));
    response.end(JSON.stringify({ id: did, verificationMethod, assertionMethod: Array(2 * methods).fill("#x") }));
  };

/**
 * Clients check one domain, domains with long files, many domains from one address, domains whose answers never end, and many domains from many addresses.
 * Meanwhile an issuer sets its own domain.
 */
export async function checkedDomains(stage, { checked, hung, methods }) {
  const resolver = await Site.of(noRecord);
  const server = await stage.start({ DOH_URL: `http://${resolver.domain}/dns-query` }, { heapMegabytes: HEAP_MEGABYTES });
  const [redirects, ends, hangs, long, own, ...ordinary] = await Promise.all(
    [redirected, endless, hanging, crowded(methods), confirming(stage.issuer.id), ...Array(SPREAD).fill(missing)].map((answer) => Site.of(answer)),
  );
  await stage.issuer.client.createDeposit(1_000);
  // Moves the clock to the start of an hour, so that all checks count for the same hour.
  await stage.later(HOUR_MS - (Date.now() % HOUR_MS), 0);

  let all = 0;
  /** Requests checks of different accounts, so that no answer is cached. Returns the number of checks that were not refused. */
  const check = async (number, siteOf, networkOf) => {
    let [next, let_in] = [0, 0];
    const turns = Array.from({ length: AT_ONCE }, async () => {
      for (let n = next++; n < number; n = next++) {
        const { status, text } = await stage.ask("GET", `/issuers/${siteOf(n).domain}/check?account=${account()}`, network(networkOf(n)));
        if (status !== 200 && status !== 429) throw new Error(`a check was answered ${text}`);
        if (status === 200) let_in += 1;
      }
    });
    await Promise.all(turns);
    all += let_in;
    return let_in;
  };
  const one = (site) => () => site;
  const any = (n) => ordinary[n % SPREAD];
  const found = {};
  const figures = await watched(server, async () => {
    // These checks last until their timeout.
    const waiting = check(hung, one(hangs), (n) => n % SPREAD);
    found.domain = await check(OF_DOMAIN + 10, one(redirects), (n) => n % SPREAD);
    found.client = await check(OF_CLIENT + 10, any, () => 100);
    await check(2 * AT_ONCE, one(ends), (n) => n);
    await check(2 * AT_ONCE, one(long), (n) => n);
    await check(checked, any, (n) => Math.floor(n / SPREAD) % SPREAD);
    const started = performance.now();
    await stage.issuer.client.setDomain(own.domain);
    const named = async () => (await stage.issuer.client.getDomain()).data.state;
    found.named = await until(named, (state) => ["confirmed", "notConfirmed"].includes(state));
    found.took = performance.now() - started;
    await waiting;
    return {};
  });
  const sites = [redirects, ends, hangs, long, ...ordinary];
  const requests = sites.reduce((sum, site) => sum + site.requests, 0);
  for (const site of [resolver, own, ...sites]) site.close();
  return [
    ...common(figures),
    exactly("checks of one domain", found.domain, OF_DOMAIN, "an hour"),
    atMost("requests to that domain's server", redirects.requests, OF_DOMAIN * PER_CHECK, "requests"),
    exactly("checks by one client", found.client, OF_CLIENT, "an hour"),
    atMost("checks by all clients", all, OF_ALL, "an hour"),
    // Only the domain of the first attack redirects.
    atMost("requests to all domains' servers", requests, all + redirects.requests - found.domain, "requests"),
    atMost("questions to the resolver", resolver.requests, all + 1, "questions"),
    exactly("state of another issuer's domain", found.named, "confirmed", ""),
    timed(atMost("delay of that state", Math.round(found.took), 5_000, "ms")),
  ];
}
