// The API reference: /openapi.json drawn as a page. Whatever the document says becomes text, never markup.
import { byId, element } from '/lib/page.js';

/** What a `$ref` leads to, with the name of its last part. */
function resolve(document, value) {
  if (!value?.$ref) {
    return { value };
  }
  const parts = value.$ref.replace(/^#\//, '').split('/');
  return { value: parts.reduce((found, part) => found?.[part], document), name: parts.at(-1) };
}

/** Text whose `code` stands in backticks. */
function prose(text) {
  return String(text)
    .split('`')
    .map((part, index) => (index % 2 === 1 ? element('code', {}, part) : part));
}

/** The type of a schema in a few words; types of the reference are links. */
function typeOf(schema) {
  if (schema.$ref) {
    const name = schema.$ref.split('/').at(-1);
    return [element('a', { href: `#${name}` }, name)];
  }
  if (schema.anyOf && !schema.type) {
    return schema.anyOf.flatMap((one, index) => (index > 0 ? [' or ', ...typeOf(one)] : typeOf(one)));
  }
  if (schema.type === 'array') {
    return ['list of ', ...typeOf(schema.items ?? {})];
  }
  if ('const' in schema) {
    return [String(schema.const)];
  }
  return [[schema.type ?? 'anything'].flat().join(' or ')];
}

function table(head, rows) {
  const cells = head.map((text) => element('th', { scope: 'col' }, text));
  return element('table', {}, element('thead', {}, element('tr', {}, ...cells)), element('tbody', {}, ...rows));
}

function row(name, type, required, text) {
  const mark = required ? [' ', element('span', { class: 'required' }, 'required')] : [];
  return element(
    'tr',
    {},
    element('th', { scope: 'row' }, name, ...mark),
    element('td', {}, ...type),
    element('td', {}, ...prose(text ?? '')),
  );
}

function fields(schema) {
  const required = new Set(schema.required ?? []);
  const rows = Object.entries(schema.properties ?? {}).map(([name, field]) =>
    row(name, typeOf(field), required.has(name), field.description),
  );
  return rows.length > 0 ? [table(['Field', 'Type', 'Meaning'], rows)] : [];
}

function example(value, label) {
  if (value === undefined) {
    return [];
  }
  const text = JSON.stringify(value, null, 2);
  return [element('details', {}, element('summary', {}, label), element('pre', { tabindex: '0', 'aria-label': label }, text))];
}

function parameters(document, operation) {
  const all = (operation.parameters ?? []).map((one) => resolve(document, one).value);
  if (all.length === 0) {
    return [];
  }
  const rows = all.map((one) => row(one.name, [`${one.in}: `, ...typeOf(one.schema)], one.required, one.description));
  return [element('h4', {}, 'Parameters'), table(['Parameter', 'Type', 'Meaning'], rows)];
}

function body(operation) {
  const content = operation.requestBody?.content?.['application/json'];
  if (!content) {
    return [];
  }
  return [element('h4', {}, 'Body'), element('p', {}, ...typeOf(content.schema)), ...example(content.example, 'Example of a body')];
}

/** A link to what an error code means. */
const codeLink = (code) => element('a', { href: `#${code}` }, element('code', {}, String(code)));

function answers(operation, meanings) {
  const found = [element('h4', {}, 'Answers')];
  for (const [status, response] of Object.entries(operation.responses)) {
    const codes = response['x-error-codes'];
    if (codes) {
      const items = codes.map((code) => element('li', {}, codeLink(code), ' ', meanings.get(code) ?? ''));
      const text = `${status}: ${codes.length} error code${codes.length > 1 ? 's' : ''}`;
      found.push(element('details', {}, element('summary', {}, text), element('ul', { class: 'codes' }, ...items)));
      continue;
    }
    const [media, content] = Object.entries(response.content ?? {})[0] ?? [];
    const data = content?.schema?.properties?.data;
    const what = data ? ['data: ', ...typeOf(data)] : [media ?? ''];
    found.push(element('p', {}, element('strong', {}, status), ` ${response.description} `, ...what));
    found.push(...example(content?.example, `Example of an answer with ${status}`));
  }
  return found;
}

function drawOperation(document, method, path, operation, meanings) {
  const open = (operation.security ?? []).length === 0;
  const title = [element('code', {}, `${method.toUpperCase()} ${path}`), ' ', element('span', { class: 'about' }, operation.summary)];
  const access = open ? 'Public.' : 'Needs the Authorization header.';
  const content = element(
    'div',
    {},
    element('p', {}, ...prose(operation.description ?? `${operation.summary}.`)),
    element('p', { class: 'hint' }, access),
    ...parameters(document, operation),
    ...body(operation),
    ...answers(operation, meanings),
  );
  const made = element('details', { class: 'operation', id: operation.operationId }, element('summary', {}, ...title), content);
  made.dataset.words = [method, path, operation.summary, operation.operationId, operation.description].join(' ').toLowerCase();
  return made;
}

function drawSchema(name, schema) {
  const title = [element('code', {}, name), ' ', element('span', { class: 'about' }, ...typeOf(schema))];
  const text = schema.description ? [element('p', {}, ...prose(schema.description))] : [];
  const limits = ['pattern', 'minimum', 'maximum', 'enum', 'format']
    .filter((key) => schema[key] !== undefined && !schema['x-enum-descriptions'])
    .map((key) => element('p', { class: 'hint' }, `${key}: `, element('code', {}, JSON.stringify(schema[key]))));
  const meanings = (schema['x-enum-descriptions'] ?? []).map((meaning, index) => row(String(schema.enum[index]), ['error'], false, meaning));
  const codes = meanings.length > 0 ? [table(['Code', 'Type', 'Meaning'], meanings)] : [];
  const content = element('div', {}, ...text, ...limits, ...fields(schema), ...codes, ...example(schema.examples?.[0], 'Example'));
  const made = element('details', { class: 'operation', id: name }, element('summary', {}, ...title), content);
  made.dataset.words = [name, schema.description, ...Object.keys(schema.properties ?? {})].join(' ').toLowerCase();
  return made;
}

/** Which operations answer which codes, and with which HTTP status: `code → [{ status, operation, title }]`. */
function answeredBy(document) {
  const found = new Map();
  for (const [path, methods] of Object.entries(document.paths)) {
    for (const [method, operation] of Object.entries(methods)) {
      for (const [status, response] of Object.entries(operation.responses)) {
        for (const code of response['x-error-codes'] ?? []) {
          const title = `${method.toUpperCase()} ${path}`;
          found.set(code, [...(found.get(code) ?? []), { status, id: operation.operationId, title }]);
        }
      }
    }
  }
  return found;
}

function drawCode(code, meaning, where) {
  const title = [element('code', {}, String(code)), ' ', element('span', { class: 'about' }, meaning)];
  const items = where.map(({ status, id, title: name }) => element('li', {}, element('a', { href: `#${id}` }, element('code', {}, name)), ` (status ${status})`));
  const list = items.length > 0 ? [element('p', {}, 'Answered by:'), element('ul', { class: 'codes' }, ...items)] : [element('p', {}, 'Any path can answer it.')];
  const made = element('details', { class: 'operation', id: String(code) }, element('summary', {}, ...title), element('div', {}, ...list));
  made.dataset.words = `${code} ${meaning}`.toLowerCase();
  return made;
}

function draw(document) {
  byId('about').replaceChildren(...document.info.description.split('\n\n').map((text) => element('p', {}, ...prose(text))));
  const codes = document.components.schemas.Code;
  const meanings = new Map(codes.enum.map((code, index) => [code, codes['x-enum-descriptions'][index]]));
  const scheme = document.components.securitySchemes.authorization;
  const sections = [
    element('section', {}, element('h2', {}, 'Authorization'), element('p', {}, ...prose(scheme.description))),
  ];
  for (const tag of document.tags) {
    const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.entries(methods)
        .filter(([, operation]) => operation.tags.includes(tag.name))
        .map(([method, operation]) => drawOperation(document, method, path, operation, meanings)),
    );
    sections.push(element('section', {}, element('h2', {}, tag.name), element('p', {}, ...prose(tag.description)), ...operations));
  }
  const schemas = Object.entries(document.components.schemas).map(([name, schema]) => drawSchema(name, schema));
  sections.push(element('section', {}, element('h2', {}, 'types'), ...schemas));
  const where = answeredBy(document);
  const errors = [...meanings].map(([code, meaning]) => drawCode(code, meaning, where.get(code) ?? []));
  const about = element('p', {}, 'A refused request is answered with all that is wrong with it: a code, the path of the field, and a sentence.');
  sections.push(element('section', {}, element('h2', {}, 'error codes'), about, ...errors));
  byId('reference').replaceChildren(...sections);
}

/** Opens what the address points at. */
function follow() {
  const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (target instanceof HTMLDetailsElement) {
    byId('filter').value = '';
    filter();
    target.open = true;
    target.scrollIntoView();
    target.querySelector('summary').focus({ preventScroll: true });
  }
}

function filter() {
  const words = byId('filter').value.toLowerCase().split(/\s+/).filter(Boolean);
  let count = 0;
  for (const section of byId('reference').children) {
    const items = [...section.querySelectorAll('.operation')];
    for (const item of items) {
      item.hidden = !words.every((word) => item.dataset.words.includes(word));
      count += item.hidden ? 0 : 1;
    }
    section.hidden = words.length > 0 && items.every((item) => item.hidden);
  }
  byId('found').textContent = words.length > 0 ? `${count} found` : '';
}

try {
  const response = await fetch('/openapi.json');
  draw(await response.json());
  byId('search').hidden = false;
  byId('filter').addEventListener('input', filter);
  addEventListener('hashchange', follow);
  follow();
} catch (error) {
  console.error(error);
  byId('answer').hidden = false;
  byId('answer').dataset.kind = 'unchecked';
  byId('answer').textContent = 'The description of the API could not be loaded. Reload the page.';
}
