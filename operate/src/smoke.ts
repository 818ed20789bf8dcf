// Tests a deployed service from outside: its health, a badge and a page.
import { setTimeout as sleep } from "node:timers/promises";
import { type Json, at, itemsAt, textAt } from "./json.ts";
import { messageOf, note } from "./report.ts";

/** The number of rounds that must succeed one after another. One is not enough, because the platform's locations get a new version one after another. */
const ROUNDS = 3;
/** The number of failed rounds after which the test fails. Rounds in which the service itself did not answer do not count. */
const WRONG = 3;
/** Milliseconds between two rounds. */
const PAUSE = 1000;
/** Milliseconds within which the service must answer. The platform creates the DNS name and certificate of a new address after the deployment. */
const PATIENCE = 300_000;
/** Timeout of a request in milliseconds. */
const TIMEOUT = 20_000;

const HEADER = "x-request-id";
/** Names the version that answers the request, as `<Worker>="<version>"`. Source: the platform's documentation of gradual deployments. */
const OVERRIDE = "cloudflare-workers-version-overrides";
/** The probability that `keepsClients` overlooks that the platform divides the requests of one client. */
const OVERLOOKED = 0.001;
/** The address of a ledger that does not exist. */
const UNKNOWN = `0x${"1".repeat(40)}`;

/** A service that answers as it should. */
export interface Answering {
  service: string;
  version: string;
  /** The platform's id of the version that answered. Null from a release that did not name it yet. */
  versionId: string | null;
  /** The settings that weaken it. */
  weakening: string[];
}

interface Answer {
  status: number;
  headers: Headers;
  text: string;
}

/** A version that answers only requests that name it. */
export interface Candidate {
  worker: string;
  version: string;
}

/** Thrown if the service itself did not answer: the network failed, or the platform answered. */
class NotThere extends Error {}

async function ask(address: string, path: string, accept: string, candidate: Candidate | null): Promise<Answer> {
  const named = candidate === null ? {} : { [OVERRIDE]: `${candidate.worker}="${candidate.version}"` };
  try {
    const answer = await fetch(new URL(path, address), { headers: { accept, ...named }, redirect: "manual", signal: AbortSignal.timeout(TIMEOUT) });
    return { status: answer.status, headers: answer.headers, text: await answer.text() };
  } catch (error) {
    throw new NotThere(`${path}: ${messageOf(error instanceof Error ? (error.cause ?? error) : error)}`);
  }
}

function expect(holds: boolean | undefined, path: string, { status, text }: Answer, wanted: string): void {
  if (!holds) throw new Error(`${path} answered ${status} instead of ${wanted}: ${text.slice(0, 300)}`);
}

/** Makes one round of requests. Throws if an answer is wrong or missing. */
async function round(address: string, candidate: Candidate | null): Promise<Answering> {
  const health = await ask(address, "/health", "application/json", candidate);
  if (!health.headers.has(HEADER)) throw new NotThere(`/health answered ${health.status} without the service's header ${HEADER}`);
  expect(health.status === 200, "/health", health, "200");
  const answer: Json = JSON.parse(health.text);
  const versionId = textAt(answer, "data", "versionId") || null;
  // The platform's locations learn about a new version one after another. Until then, they ignore the header.
  if (candidate !== null && versionId !== candidate.version) throw new NotThere(`the version ${versionId} answered instead of ${candidate.version}`);
  // If its chain does not answer, the service stores orders but performs none.
  expect(!at(answer, "data", "chain", "problem"), "/health", health, "200 with a chain that answers");

  // The badge of an unknown asset is a special image. The service needs the database to choose it.
  const badge = `/badge?ledgerId=${UNKNOWN}&assetId=1`;
  const image = await ask(address, badge, "image/*", candidate);
  const isImage = image.headers.get("content-type")?.startsWith("image/svg+xml");
  expect(image.status === 400 && isImage && image.headers.has("x-asset-validity"), badge, image, "400 with an image");

  const page = await ask(address, "/verify/", "text/html", candidate);
  const isPage = page.headers.get("content-type")?.startsWith("text/html");
  expect(page.status === 200 && isPage && page.text.includes("<html"), "/verify/", page, "200 with a page");
  return { service: textAt(answer, "data", "service"), version: textAt(answer, "data", "version"), versionId, weakening: itemsAt(answer, "data", "weakening").map(String) };
}

/**
 * Tests a service, or the named version of it, until it answers as it should in successive rounds. Throws the wrong answer, or the reason why
 * there is none.
 */
export async function smokeTest(address: string, candidate: Candidate | null = null): Promise<Answering> {
  const deadline = Date.now() + PATIENCE;
  let [good, wrong, waited] = [0, 0, 0];
  for (;;) {
    try {
      const said = await round(address, candidate);
      good += 1;
      if (good === ROUNDS) return said;
    } catch (error) {
      good = 0;
      if (error instanceof NotThere) {
        if (Date.now() > deadline) throw new Error(`the service at ${address} does not answer as it should`, { cause: error });
        if (waited % 10 === 0) note(`    waiting for ${address}: ${error.message}`);
        waited += 1;
      } else {
        wrong += 1;
        if (wrong === WRONG) throw new Error(`the service at ${address} does not answer as it should`, { cause: error });
      }
    }
    await sleep(PAUSE);
  }
}

/**
 * Returns whether the platform sends all requests of one client to one version, although a version has only `percent` of the requests. Otherwise
 * a page of one version may ask another version for its scripts, which that version does not have.
 */
export async function keepsClients(address: string, percent: number): Promise<boolean> {
  const least = Math.min(percent, 100 - percent) / 100;
  // A share of 1 % needs 688 requests, and 10 % needs 66. `/health` has no rate limit.
  const samples = Math.ceil(Math.log(OVERLOOKED) / Math.log(1 - least));
  const versions = new Set<string>();
  for (let sample = 0; sample < samples && versions.size < 2; sample++) {
    const { text } = await ask(address, "/health", "application/json", null);
    versions.add(textAt(JSON.parse(text), "data", "versionId"));
  }
  return versions.size === 1;
}
