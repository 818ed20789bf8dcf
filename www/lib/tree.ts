// Shows nodes as nested lists of check boxes that a user can tick. They work with keyboards and screen readers.
import type { Path } from '../../pkg/view/src/json.ts';
import { element } from './page.ts';

/** A value to tick, with the text that is shown. */
export interface Choice {
  path: Path;
  name: string;
  text: string;
  plain: boolean;
  children: Choice[];
}

/** A shown value with its check box. */
interface TreeItem {
  path: Path;
  box: HTMLInputElement;
  item: HTMLLIElement;
  parent: TreeItem | null;
  children: TreeItem[];
}

/**
 * Shows the nodes in `list`, and ticks the nodes of `paths`. Returns a function that returns the ticked paths. An object or list that is
 * ticked as a whole has a single path.
 */
export function showTree(list: HTMLElement, nodes: Choice[], paths: readonly Path[] = []): () => Path[] {
  const roots = nodes.map((node) => show(node, null));
  list.replaceChildren(...roots.map(({ item }) => item));
  tickAll(roots, new Set(paths.map((path) => JSON.stringify(path))));
  return () => roots.flatMap(ticked);
}

function show({ path, name, text, plain, children: below }: Choice, parent: TreeItem | null): TreeItem {
  const box = element('input', { type: 'checkbox' });
  const node: TreeItem = { path, box, item: element('li'), parent, children: [] };
  node.children = below.map((child) => show(child, node));
  const label = element('label', {}, box, element('bdi', { class: 'name' }, name), ' ', element('bdi', { class: plain ? 'value' : 'hint' }, text));
  const items = node.children.map((child) => child.item);
  node.item.append(label, ...(items.length > 0 ? [element('ul', { 'aria-label': name }, ...items)] : []));
  box.addEventListener('change', () => tick(node));
  return node;
}

/** Applies a tick to all descendants. Updates the ancestors, which show whether all, some or none of their descendants are ticked. */
function tick(node: TreeItem) {
  tickBelow(node, node.box.checked);
  for (let above = node.parent; above; above = above.parent) {
    above.box.checked = above.children.every(({ box }) => box.checked);
    above.box.indeterminate = !above.box.checked && above.children.some(({ box }) => box.checked || box.indeterminate);
  }
}

function tickBelow(node: TreeItem, checked: boolean) {
  node.box.checked = checked;
  node.box.indeterminate = false;
  for (const child of node.children) {
    tickBelow(child, checked);
  }
}

function tickAll(nodes: TreeItem[], paths: ReadonlySet<string>) {
  for (const node of nodes) {
    if (paths.has(JSON.stringify(node.path))) {
      node.box.checked = true;
      tick(node);
    } else {
      tickAll(node.children, paths);
    }
  }
}

function ticked(node: TreeItem): Path[] {
  return node.box.checked ? [node.path] : node.children.flatMap(ticked);
}
