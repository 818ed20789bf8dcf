// Draws the sheet of a certificate that people print and frame.
import type { Certificate, Leaf, TreeNode } from '../../pkg/view/src/model.ts';
import type { Design } from './design.ts';
import { certified, element } from './page.ts';
import { showPaper } from './sheet.ts';
import type { PaperOptions } from './sheet.ts';
import { say } from './texts.ts';

/** The paths of the person or organisation that a certificate is for. */
export const HOLDERS: readonly string[] = ['holder', 'holder.name', 'owner'];
/** The width of a module of a printed code, in millimetres. Phones read half a millimetre from a hand's distance. */
const MODULE = 0.5;

/** A certificate to print. */
export interface Sheet extends PaperOptions {
  certificate: Certificate;
  /** The address of the certificate's page. */
  link: string;
  /** The text and the name of the file with the values on the sheet, for a PDF. */
  source: { file: string; name: string };
  /** The link with the values on the sheet, for its QR code. Null if the code opens the page with the public values. */
  proving: string | null;
  /** The holder's name that the sheet cannot prove, as the issuer noted it. An empty text if the sheet names no holder. Absent if the sheet shows the name among its values. */
  noted?: string | undefined;
}

/** Returns a sheet as an element. */
export function framedSheet({ certificate, link, proving, noted = '', ...options }: Sheet, { layout, colour, logo, signature, signer }: Design, { qrPicture }: typeof import('./qr.ts')): HTMLElement {
  const paper = element('article', { class: 'paper framed', 'data-layout': layout });
  paper.style.setProperty('--accent', colour);
  const holder = holderIn(certificate.nodes);
  const content = element('div', { class: 'content' });
  showPaper(content, { ...certificate, nodes: holder === null ? certificate.nodes : without(certificate.nodes, holder) }, { ...options, logo, holder });
  if (noted !== '') {
    content.querySelector('.name')?.after(element('div', { class: 'holder noted' }, element('p', { class: 'kicker' }, say('issued.ownNote')), element('p', {}, certified(noted))));
  }
  const { host, pathname } = new URL(link);
  const code = qrPicture(proving ?? link, say('certificate.qr'));
  code.style.width = `${code.viewBox.baseVal.width * MODULE}mm`;
  const seal = element('div', { class: 'code' }, code, element('p', { class: 'number', translate: 'no' }, say('paper.number', { number: pathname.split('/').at(-1) ?? '' })));
  const words = element(
    'div',
    { class: 'words' },
    element('p', { class: 'check-paper' }, say(proving === null ? 'paper.checkPublic' : 'paper.check', { host })),
    element('p', { class: 'address', translate: 'no' }, `${host}${pathname}`),
  );
  const sign = element(
    'div',
    { class: 'sign' },
    ...(signature === null ? [] : [element('img', { src: signature, alt: '' })]),
    element('p', {}, ...(signer === '' ? [say('paper.signature')] : [certified(signer)])),
  );
  paper.append(content, element('footer', { class: 'ends' }, sign, words, seal));
  return paper;
}

/** Returns the holder's name among the fields, or null. */
export function holderIn(nodes: readonly TreeNode[]): Leaf | null {
  const leaves = nodes.flatMap((node) => (node.value === undefined ? (node.group ?? []) : [node])).filter((node) => node.value !== undefined);
  return leaves.find(({ path, value }) => value.kind === 'text' && HOLDERS.includes(path.join('.'))) ?? null;
}

/** Returns the fields without one, and without the group that only had this one. */
function without(nodes: readonly TreeNode[], leaf: Leaf): TreeNode[] {
  return nodes.flatMap((node): TreeNode[] => {
    if (node === leaf) {
      return [];
    }
    if (node.value !== undefined || node.group === undefined) {
      return [node];
    }
    const group = without(node.group, leaf);
    return group.length === 0 ? [] : [{ ...node, group }];
  });
}
