// The page's answer: a live region that follows the control that was used, so it is seen without scrolling.
import { answer, byId } from './page.ts';

/** The control that was used last. Null before the first one. */
let used: Element | null = null;

const remember = (control: Element | null) => (used = control ?? used);
const around = ({ target }: Event, selector: string) => (target instanceof Element ? target.closest(selector) : null);
addEventListener('click', (event) => remember(around(event, 'button, summary')), { capture: true });
addEventListener('change', (event) => remember(around(event, 'select, input[type="file"]')), { capture: true });
addEventListener('submit', (event) => remember(event.submitter), { capture: true });
addEventListener('drop', (event) => remember(around(event, '.drop') ?? document.querySelector('.drop')), { capture: true });

/** The regions by their ids. A region leaves the document together with the part of the page below which it was shown, so it is looked up once. */
const regions = new Map<string, HTMLElement>();

/** Returns the region with an id, which is in the page's HTML. */
export function regionOf(id: string): HTMLElement {
  const region = regions.get(id) ?? byId(id);
  regions.set(id, region);
  return region;
}

/** The places of regions in the page's HTML, as comments. */
const homes = new WeakMap<HTMLElement, Comment>();

/** Returns the row of the used control, or the nearest visible element around it. Null if there is none within the page's content. */
function rowOfControl() {
  let row = used?.closest('.drop') ?? used?.closest('.actions, .pair, ul, ol') ?? used?.closest('p, div') ?? used?.parentElement ?? null;
  while (row !== null && !row.checkVisibility()) {
    row = row.parentElement;
  }
  return row?.closest('main *') ?? null;
}

function homeOf(region: HTMLElement): Comment {
  const known = homes.get(region);
  if (known !== undefined) {
    return known;
  }
  const home = document.createComment(region.id);
  homes.set(region, home);
  region.before(home);
  return home;
}

/** Shows a region below the used control. `role` is `alert` for refusals, which screen readers read at once. Otherwise it is `status`. */
function showBelow(region: HTMLElement, role: 'alert' | 'status') {
  const home = homeOf(region);
  const place = rowOfControl() ?? home;
  // A region that is moved without need could be read twice.
  if (place.nextSibling !== region) {
    place.after(region);
  }
  region.setAttribute('role', role);
  region.hidden = false;
}

/** Shows below the used control that work is in progress. */
export function announceBelow(region: HTMLElement, text: string) {
  showBelow(region, 'status');
  region.dataset.kind = 'busy';
  region.textContent = text;
}

/** Shows below the used control that its work is done. */
export function finishBelow(region: HTMLElement, kind: string, text: string) {
  showBelow(region, 'status');
  region.dataset.kind = kind;
  region.textContent = text;
  region.focus({ preventScroll: true });
  region.scrollIntoView({ block: 'nearest' });
}

/**
 * Shows a refusal below the used control. The focus stays where it is: at the control, or at the first field with a problem, which stays in view. If the focus is lost,
 * because the control was disabled or hidden, the region gets it.
 */
export function refuseBelow(region: HTMLElement, heading: string, sentence: string) {
  showBelow(region, 'alert');
  answer(region, 'unchecked', heading, sentence);
  if (document.activeElement === null || document.activeElement === document.body) {
    region.focus({ preventScroll: true });
  }
  if (document.activeElement?.getAttribute('aria-invalid') !== 'true') {
    region.scrollIntoView({ block: 'nearest' });
  }
}

function bringHome(region: HTMLElement) {
  const home = homeOf(region);
  if (home.nextSibling !== region) {
    home.after(region);
  }
}

/** Hides a region at its own place, before the part of the page leaves the document in which it was shown. */
export function hideAtHome(region: HTMLElement) {
  bringHome(region);
  region.hidden = true;
}

/** Shows a result at the region's own place, where the details follow. */
export function showAtHome(region: HTMLElement, kind: string, heading: string, sentence: string) {
  bringHome(region);
  region.setAttribute('role', 'status');
  region.hidden = false;
  answer(region, kind, heading, sentence);
}
