// The home page: shows texts in the visitor's language, and loads the example when the example scrolls into view.
import { byId } from '/lib/page.ts';
import { part } from '/lib/part.ts';
import { showOperator } from '/lib/operator.ts';
import { offerLanguages, translate } from '/lib/texts.ts';

translate();
offerLanguages(byId('languages'));
showOperator(byId('operator'));
byId('demo-verdict').hidden = false;

const view = new IntersectionObserver((entries) => {
  if (entries.some(({ isIntersecting }) => isIntersecting)) {
    view.disconnect();
    part(import('./demo.ts'));
  }
});
view.observe(byId('demo'));
