// The public page of a certificate, as strangers see it, inside the console.
import { view } from '/certificate/view.ts';
import { type Ids, validityOf } from '/lib/validity.ts';
import { useDrawn } from '/components/drawn.ts';
import type { Certificate } from './state.ts';

export function PublicPage({ certificate: { ledgerId, id }, link }: { readonly certificate: Certificate; readonly link: string }) {
  // The browser may have cached an answer from before a change.
  const record = (asset: Ids) => validityOf(asset, 'reload');
  const place = useDrawn<HTMLDivElement>((place) => view(place, { ledger: ledgerId, asset: id, address: link, record }), [link]);
  return <div id="view" ref={place} />;
}
