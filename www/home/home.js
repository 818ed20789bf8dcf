// The home page: shows texts in the visitor's language, and loads the example when the example scrolls into view.
import { byId } from '/lib/page.js';
import { offerLanguages, translate } from '/lib/texts.js';

translate();
offerLanguages(byId('languages'));
byId('demo-verdict').hidden = false;

const view = new IntersectionObserver((entries) => {
  if (entries.some(({ isIntersecting }) => isIntersecting)) {
    view.disconnect();
    import('./demo.js');
  }
});
view.observe(byId('demo'));
