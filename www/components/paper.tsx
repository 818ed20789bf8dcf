// The sheet of a certificate as a component.
import type { Certificate } from '/view/model.ts';
import { showPaper } from '/lib/sheet.ts';
import { useDrawn } from './drawn.ts';

interface Properties {
  readonly id?: string;
  readonly certificate: Certificate;
  /** The names of the fields that are not shown. */
  readonly hidden: string[];
  /** The level of the sheet's heading. */
  readonly level: 1 | 2 | 3;
}

/** Draws the sheet again for each other certificate. */
export function Paper({ id, certificate, hidden, level }: Properties) {
  const place = useDrawn<HTMLElement>((place) => showPaper(place, certificate, { hidden, level }), [certificate]);
  return <article class="paper" id={id} ref={place} />;
}
