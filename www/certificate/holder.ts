// The part of a certificate's page for its holder: to keep the certificate, to show a part of it, and to have it corrected. Loaded after the verdict.
import type { Validity } from '/client/index.js';
import { ask } from '/lib/beside.ts';
import { choicesOf } from '/lib/choices.ts';
import { toCompact } from '/lib/compact.ts';
import { MEDIA_TYPE, SHARED_ENDING, readFile } from '/lib/file.ts';
import type { Held } from '/lib/holder.ts';
import { linkedInAddress } from '/lib/linkedin.ts';
import { copyButton, download, element } from '/lib/page.ts';
import type { Child } from '/lib/page.ts';
import { part } from '/lib/part.ts';
import type { PlanNode } from '/lib/plan.ts';
import { sentence } from '/lib/sentence.ts';
import { locale, say as sayMain } from '/lib/texts.ts';
import { showTree } from '/lib/tree.ts';
import { fileStem } from '/view/issue.ts';
import type { Field } from '/view/field.ts';
import { valueAt } from '/view/json.ts';
import type { Path } from '/view/json.ts';
import { certificateOf } from '/view/model.ts';
import type { Say } from '/view/say.ts';
import type { Verdict } from '/view/verdict.ts';
import { contactLink, words } from './next.ts';
import { fileOf } from './saving.ts';
import type { ToSave } from './saving.ts';
import { saveButtons } from './view.ts';
import type { Confirmed } from './view.ts';

/** The holder's certificate, as the view shows it. `schema` has the titles of the visitor's language. */
interface Holders extends ToSave {
  verdict: Verdict;
  schema: unknown;
  fields: readonly Field[];
  found: Promise<Confirmed>;
}

/** Returns the part for the holder. */
export async function holderPart(held: Holders): Promise<HTMLElement> {
  const [say] = await Promise.all([words(), styled(new URL('./holder.css', import.meta.url))]);
  const page = `${location.origin}/c/${held.ledger}/${BigInt(held.asset)}`;
  return element(
    'section',
    { class: 'holders', 'aria-labelledby': 'holders-title' },
    element('h2', { id: 'holders-title' }, say('holder.title')),
    element('p', {}, say('holder.lead')),
    element('h3', {}, say('holder.keepTitle')),
    element('p', {}, say('holder.keep')),
    element('p', { class: 'actions' }, ...saveButtons(held)),
    element('p', { class: 'hint' }, say('holder.keepPage')),
    element('h3', {}, say('holder.showTitle')),
    ...showing(say, held, page),
    ...profile(say, held, page),
    ...wrong(say, held, page),
  );
}

/** Loads a style after the verdict, so the page's own style stays small. */
function styled(address: URL): Promise<unknown> {
  const link = element('link', { rel: 'stylesheet', href: address.href });
  const loaded = new Promise((resolve) => {
    link.addEventListener('load', resolve);
    // Without the style, the part is plain.
    link.addEventListener('error', resolve);
  });
  document.head.append(link);
  return loaded;
}

/** Returns the check boxes, and the link that shows what is ticked. */
function showing(say: Say, held: Holders, page: string): HTMLElement[] {
  const tree = element('ul', { class: 'tree', 'aria-label': say('holder.showTitle') });
  const make = element('button', { type: 'button', class: 'primary', disabled: true }, say('holder.make'));
  const note = element('p', { class: 'hint', role: 'status' });
  const made = element('div', { class: 'made', role: 'group', 'aria-label': sayMain('share.madeTitle') });
  made.hidden = true;
  const open = async () => {
    const text = fileOf(held);
    const opened = await ask('hold', { texts: [text] });
    const ticked = showTree(tree, choicesOf(opened, held.schema), publicPaths(opened.nodes, held.answer.metadata));
    const changed = () => {
      made.hidden = true;
      make.disabled = ticked().length === 0;
    };
    changed();
    tree.addEventListener('change', changed);
    make.addEventListener('click', () =>
      link(say, held, page, { text, opened, paths: ticked() }).then(
        (parts) => {
          made.replaceChildren(...parts);
          made.hidden = false;
          note.textContent = '';
        },
        (error) => {
          note.textContent = sentence(error);
        },
      ),
    );
  };
  open().catch((error) => {
    // The evidence of AIH-1 cannot show less without the issuer's secret.
    tree.remove();
    make.remove();
    note.textContent = sentence(error);
  });
  return [element('p', {}, say('holder.show')), tree, element('p', { class: 'actions' }, make), note, made];
}

/** Returns the paths of the values that are public, because anybody may see them already. */
function publicPaths(nodes: readonly PlanNode[], metadata: unknown): Path[] {
  return nodes.flatMap(({ path, children }) => (children.length > 0 ? publicPaths(children, metadata) : valueAt(metadata, path) === undefined ? [] : [path]));
}

/** Makes the link for some paths, and returns it with the ways to pass it on. */
async function link(say: Say, { ledger, asset, answer }: Holders, page: string, { text, opened, paths }: { text: string; opened: Held; paths: Path[] }): Promise<HTMLElement[]> {
  const { file, fragment } = await ask('share', { texts: [text], paths, ledger, asset: BigInt(asset).toString(), service: location.origin });
  const name = `${fileStem({ name: valueAt(opened.document, ['name']) }, { assetId: asset }, '')}${SHARED_ENDING}`;
  const save = button(sayMain('share.save'), () => download(name, file, MEDIA_TYPE));
  const warning = element('p', { class: 'hint' }, sayMain('share.warning'));
  if (fragment === null) {
    return [element('p', {}, sayMain('share.tooLong')), element('p', { class: 'actions' }, save), warning];
  }
  const address = `${page}#${fragment}`;
  const note = element('span', { class: 'note', role: 'status' });
  const shown = element('pre', { class: 'link', tabindex: 0, 'aria-label': sayMain('share.link') }, address);
  const copy = element('button', { type: 'button', class: 'primary' }, sayMain('common.copy'));
  copyButton(
    copy,
    shown,
    () => address,
    (sentence) => (note.textContent = sentence),
    { copied: sayMain('common.copied'), selected: sayMain('common.selected') },
  );
  // Only some browsers can pass a link to other programs of the device.
  const share = typeof navigator.share === 'function' ? [button(say('holder.share'), () => navigator.share({ url: address }).catch(() => undefined))] : [];
  const ids = { ledger: answer.ledger?.id ?? ledger, asset: answer.asset?.id ?? asset };
  const code = button(say('holder.code'), async () => {
    const isShown = await showCode(say, { page, address, file, ids, answer });
    note.textContent = isShown ? '' : say('holder.codeTooMuch');
  });
  const open = element('a', { href: address, target: '_blank', rel: 'noopener' }, sayMain('share.open'));
  return [shown, element('p', { class: 'actions' }, copy, ...share, code, save, open, note), warning];
}

/** A link to show as a code, with the service's answer. */
interface ToScan {
  page: string;
  address: string;
  file: string;
  ids: { ledger: string; asset: string };
  answer: Validity;
}

/** Shows the code of a link on the whole screen. Returns false if the link is too long for a code. */
async function showCode(say: Say, { page, address, file, ids, answer }: ToScan): Promise<boolean> {
  const { MAX_QR, printable, qrPicture } = await part(import('/lib/qr.ts'));
  const { schema, document, evidence } = readFile(file);
  // A reader takes the schema from the service, and a supplement's other values from the public files.
  const isPackable = document !== null && answer.schema !== null;
  const opens = [null, ...(answer.integrity === 'unchanged' && answer.evidence !== null ? [answer.evidence] : [])];
  const forms = isPackable ? await Promise.all(opens.map((open) => toCompact({ schema, document, evidence }, ids, open))) : [];
  const compact = printable(forms.flatMap((form) => (form === null ? [] : [`${page}#${form}`])));
  const text = compact ?? (address.length <= MAX_QR ? address : null);
  if (text === null) {
    return false;
  }
  const close = element('button', { type: 'button' }, say('holder.close'));
  const label = say('holder.codeHint');
  const dialog = element('dialog', { class: 'big-code', 'aria-label': label }, element('p', {}, label), element('div', { class: 'big' }, qrPicture(text, sayMain('certificate.qr'))), close);
  close.addEventListener('click', () => dialog.close());
  dialog.addEventListener('close', () => dialog.remove());
  globalThis.document.body.append(dialog);
  dialog.showModal();
  return true;
}

/** Returns the link that adds a certificate of a confirmed issuer to a profile. Nothing is sent before the click. */
function profile(say: Say, { verdict, schema, fields, asset, answer, found }: Holders, page: string): HTMLElement[] {
  // LinkedIn gets only values that anybody can see.
  const open = fields.filter(({ path }) => valueAt(answer.metadata, path) !== undefined);
  const { title, kind } = certificateOf({ schema, fields: open, locale });
  const address = linkedInAddress({ verdict, schema, fields: open, title: title?.value.text ?? kind ?? '', page, asset });
  if (address === null) {
    return [];
  }
  const made = element('div');
  found.then(({ result }) => {
    // The domain may have ended its confirmation since the service read it.
    if (result === 'confirmed' || result === 'unreadable') {
      made.append(
        element('p', { class: 'actions' }, element('a', { class: 'button', href: address, target: '_blank', rel: 'noopener noreferrer' }, say('holder.linkedIn'))),
        element('p', { class: 'hint' }, say('holder.linkedInHint')),
      );
    }
  });
  return [made];
}

/** Returns the way to have a wrong value corrected. */
function wrong(say: Say, { answer: { issuer }, found, title }: Holders, page: string): HTMLElement[] {
  const named: Child[] =
    issuer?.confirmed && issuer.domain && issuer.kind === 'confirmed' ? [contactLink(say, issuer.domain, found, { subject: title, body: say('holder.wrongMessage', { page }) })] : [];
  return [element('h3', {}, say('holder.wrongTitle')), element('p', {}, say('holder.wrong'), ' ', ...named)];
}

function button(text: string, act: () => unknown) {
  const made = element('button', { type: 'button' }, text);
  made.addEventListener('click', act);
  return made;
}
