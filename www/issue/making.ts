// Side effects of the first steps: choosing a template, and reading the issuer's own data.
import { describes, isAssetKey, isPrivateFile } from '/view/issue.ts';
import { Refusal, isObject, own, parseDocument } from '/view/json.ts';
import { type TemplateName, schemaFrom, schemaOf, templateOf, today } from '/view/templates.ts';
import { serviceOf } from '/lib/service.ts';
import { say } from '/lib/texts.ts';
import { refusal } from '/components/answer.ts';
import type { JsonObject } from '/view/json.ts';
import { type Action, type Choice, OTHER, type State, type Template, type Unfinished } from './state.ts';

export type Dispatch = (action: Action) => void;

/** Chooses a template, or the issuer's own data, which have no form yet. */
export async function choose(choice: Choice, dispatch: Dispatch): Promise<void> {
  try {
    const { isOnChain } = choice === OTHER ? { isOnChain: false } : await serviceOf();
    dispatch({ type: 'chosen', choice, template: choice === OTHER ? null : namedTemplate(choice, isOnChain) });
  } catch (error) {
    dispatch({ type: 'answered', answer: refusal(error) });
  }
}

function namedTemplate(name: TemplateName, isOnChain: boolean): Template {
  const template = templateOf(name, say, isOnChain);
  return { ...template, schemaIn: (say) => templateOf(name, say, isOnChain).schema, document: emptyDocument(template.schema) };
}

/** Returns the document with which a form begins: the day of issue is today. */
export const emptyDocument = (schema: JsonObject): JsonObject => (describes(schema, 'issuedAt') ? { issuedAt: today() } : {});

/** Makes a form from the pasted JSON: an example document or a schema. */
export function readExample({ example, kind }: State, dispatch: Dispatch): void {
  dispatch({ type: 'answered', answer: null });
  try {
    dispatch({ type: 'exampleRead', template: exampleTemplate(example, kind) });
  } catch (error) {
    if (error instanceof Refusal && error.key === 'issue.kindMissing') {
      dispatch({ type: 'focused', focus: { id: 'kind' } });
    }
    dispatch({ type: 'answered', answer: refusal(error) });
  }
}

/** Returns the template of an example document or a schema. */
function exampleTemplate(example: string, kind: string): Template {
  if (isPrivateFile(example)) {
    throw Refusal.of('issue.examplePrivate');
  }
  const given = parsed(example);
  const isSchema = isObject(own(given, 'properties'));
  const title = kind.trim() || (isSchema && typeof given.title === 'string' ? given.title : '');
  if (title === '') {
    throw Refusal.of('issue.kindMissing');
  }
  const schema: JsonObject = isSchema ? schemaOf(given, title) : schemaFrom(given, title);
  const keys = Object.keys(Object(own(schema, 'properties'))).filter((key) => !isAssetKey(key));
  const named = keys.filter((key) => ['name', 'title', 'description'].includes(key));
  const shown = (named.length > 0 ? named : keys.slice(0, 1)).map((key) => [key]);
  return { schema, schemaIn: () => schema, shown, ledger: { name: title, symbol: 'CERT' }, document: isSchema ? {} : given };
}

/** Shows an unfinished certificate again. Its template is in the current language, and of the current version of the page. */
export async function restore(unfinished: Unfinished, dispatch: Dispatch): Promise<void> {
  const { choice, example, kind, isFilling } = unfinished;
  try {
    const isOnChain = choice !== OTHER && (await serviceOf()).isOnChain;
    const template = choice === null || (choice === OTHER && !isFilling) ? null : choice === OTHER ? exampleTemplate(example, kind) : namedTemplate(choice, isOnChain);
    dispatch({ type: 'restored', unfinished, template });
  } catch (error) {
    dispatch({ type: 'answered', answer: refusal(error) });
  }
}

function parsed(text: string): JsonObject {
  try {
    const value = parseDocument(text, 'document', 'Certify');
    if (isObject(value)) {
      return value;
    }
  } catch {
    // For a text that is not JSON, the message below has advice.
  }
  throw Refusal.of('issue.exampleBroken');
}
