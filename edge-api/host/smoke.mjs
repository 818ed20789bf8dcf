// Tests a deployed service from outside: its health, a badge and a page.
//
//   node edge-api/host/smoke.mjs ADDRESS
//
// Prints {"service":…,"version":…,"weakening":[…]} on standard output if every answer is right in three successive rounds. One round
// is not enough, because the platform's locations get a new version one after another. Otherwise prints the wrong answer on standard
// error, and exits with status 1.

/** Number of rounds that must succeed one after another. */
const ROUNDS = 3;
/** Number of failed rounds after which the test fails. Rounds in which the service itself did not answer do not count. */
const WRONG = 3;
/** Milliseconds between two rounds. */
const PAUSE = 1000;
/** Milliseconds within which the service must answer. The platform creates the DNS name and certificate of a new address after the deployment. */
const PATIENCE = 300_000;
/** Timeout of a request in milliseconds. */
const TIMEOUT = 20_000;

const HEADER = "x-request-id";
/** The address of a ledger that does not exist. */
const UNKNOWN = `0x${"1".repeat(40)}`;

const sleep = (time) => new Promise((resolve) => setTimeout(resolve, time));

/** Thrown if the service itself did not answer: the network failed, or the platform answered. */
class NotThere extends Error {}

async function ask(address, path, headers = {}) {
  let answer;
  try {
    answer = await fetch(new URL(path, address), { headers, redirect: "manual", signal: AbortSignal.timeout(TIMEOUT) });
    return { status: answer.status, headers: answer.headers, text: await answer.text() };
  } catch (error) {
    throw new NotThere(`${path}: ${error.cause?.message ?? error.message}`);
  }
}

function expect(holds, path, { status, text }, wanted) {
  if (!holds) throw new Error(`${path} answered ${status} instead of ${wanted}: ${text.slice(0, 300)}`);
}

/** Makes one round of requests. Returns the name, version and weakening settings of the service. Throws if an answer is wrong or missing. */
async function round(address) {
  const health = await ask(address, "/health", { accept: "application/json" });
  if (!health.headers.has(HEADER)) throw new NotThere(`/health answered ${health.status} without the service's header ${HEADER}`);
  expect(health.status === 200, "/health", health, "200");
  const { data } = JSON.parse(health.text);
  // If its chain does not answer, the service stores orders but performs none.
  expect(!data.chain?.problem, "/health", health, "200 with a chain that answers");

  // The badge of an unknown asset is a special image. The service needs the database to choose it.
  const badge = `/badge?ledgerId=${UNKNOWN}&assetId=1`;
  const image = await ask(address, badge, { accept: "image/*" });
  const isImage = image.headers.get("content-type")?.startsWith("image/svg+xml");
  expect(image.status === 400 && isImage && image.headers.has("x-asset-validity"), badge, image, "400 with an image");

  const page = await ask(address, "/verify/", { accept: "text/html" });
  const isPage = page.headers.get("content-type")?.startsWith("text/html");
  expect(page.status === 200 && isPage && page.text.includes("<html"), "/verify/", page, "200 with a page");
  return { service: data.service, version: data.version, weakening: data.weakening };
}

async function main(address) {
  const deadline = Date.now() + PATIENCE;
  let [good, wrong, waited] = [0, 0, 0];
  for (;;) {
    try {
      const said = await round(address);
      good += 1;
      if (good === ROUNDS) return said;
    } catch (error) {
      good = 0;
      if (error instanceof NotThere) {
        if (Date.now() > deadline) throw error;
        if (waited % 10 === 0) process.stderr.write(`    waiting for ${address}: ${error.message}\n`);
        waited += 1;
      } else {
        wrong += 1;
        if (wrong === WRONG) throw error;
      }
    }
    await sleep(PAUSE);
  }
}

const address = process.argv[2];
if (!URL.canParse(address)) throw new Error("expected the address of a service, such as https://certificates.example.org");
try {
  process.stdout.write(`${JSON.stringify(await main(address))}\n`);
} catch (error) {
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}
