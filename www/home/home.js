// The home page: texts in the visitor's language, and the example, which is loaded when it comes into view.
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
