// The expert part: it loads a certificate from its ledger, and checks documents value by value. Its texts are English. Loaded when the part is opened.
import { fieldRow } from '/lib/fields.ts';
import { count, pathText, visible } from '/view/json.ts';
import { acceptFiles, byId, put } from '/lib/page.ts';
import { facts, factsTitle } from '/lib/record.ts';
import type { FieldRow } from '/view/display.ts';
import type { HiddenField, ListFinding } from '/view/field.ts';
import type { Texts as HandedOver } from '/lib/handover.ts';
import type { ServiceRecord } from '/lib/record.ts';
import { CopyButton } from '/components/copy-button.tsx';
import { useDrawn } from '/components/drawn.ts';
import { CopiedText } from '/components/text.tsx';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { type Areas, NAMES, enterLedger, load, makeWay, placeOf, verify } from './checking.ts';
import type { Dispatch } from './opening.ts';
import { type Expert as ExpertState, type Result, type Texts, knownOf } from './state.ts';

interface Properties {
  readonly expert: ExpertState;
  readonly dispatch: Dispatch;
}

interface ExpertProperties extends Properties {
  readonly isOpen: boolean;
  /** Whether the page's address names a certificate. */
  readonly isAsked: boolean;
  /** The certificate that the certify page has left in this browser, or null. */
  readonly made: HandedOver | null;
}

export function Expert({ expert, dispatch, isOpen, isAsked, made }: ExpertProperties) {
  const latest = useRef({ expert, isOpen });
  latest.current = { expert, isOpen };
  const areas = useRef<Areas | null>(null);
  const check = () => areas.current !== null && verify(latest.current.expert, areas.current, dispatch);
  useLayoutEffect(() => {
    areas.current = acceptDocuments(latest, check, dispatch);
  }, []);
  useEffect(() => {
    if (isAsked) {
      load(expert, dispatch);
    } else if (made !== null) {
      dispatch({ type: 'received', made });
    }
  }, []);
  useLayoutEffect(() => {
    if (areas.current !== null) {
      show(expert, areas.current);
    }
  }, [expert.loaded]);
  useEffect(() => {
    if (expert.loaded?.isComplete) {
      check();
    }
  }, [expert.loaded]);
  return (
    <>
      <Record record={expert.record} />
      <ResultPart result={expert.result} />
      <LedgerForm expert={expert} dispatch={dispatch} />
      <DocumentsForm expert={expert} dispatch={dispatch} check={check} />
    </>
  );
}

type Latest = { readonly current: { readonly expert: ExpertState; readonly isOpen: boolean } };

/** Connects the fields of the documents, which keep their texts themselves. Returns the fields. */
function acceptDocuments(latest: Latest, check: () => void, dispatch: Dispatch): Areas {
  const areaOf = (name: keyof Texts) => byId(name, HTMLTextAreaElement);
  const areas = { metadata: areaOf('metadata'), evidence: areaOf('evidence'), schema: areaOf('schema') };
  for (const area of Object.values(areas)) {
    area.addEventListener('input', () => dispatch({ type: 'edited' }));
  }
  areas.evidence.addEventListener('input', () => makeWay(latest.current.expert, areas, dispatch));
  const report = (text: string, read: number) => {
    dispatch({ type: 'noted', text });
    // Files are checked at once if the imprint comes from the ledger.
    if (read > 0 && knownOf(latest.current.expert)?.name === 'ledger') {
      check();
    }
  };
  acceptFiles(
    NAMES.map(areaOf),
    (text) => areas[placeOf(text)],
    report,
    undefined,
    () => latest.current.isOpen,
  );
  return areas;
}

/** Puts loaded texts into the fields. The page's address names a certificate that was loaded from its ledger. */
function show({ loaded, known }: ExpertState, areas: Areas): void {
  if (loaded === null) {
    return;
  }
  for (const name of NAMES) {
    put(areas[name], loaded.texts[name], loaded.name);
    byId(`${name}-file`, HTMLInputElement).value = '';
  }
  if (known?.record) {
    const { ledgerId = '', assetId = '' } = known.record.asked;
    history.replaceState(null, '', `${location.pathname}?${new URLSearchParams({ ledgerId, assetId })}`);
  }
}

function Record({ record }: { readonly record: ServiceRecord | null }) {
  const list = useDrawn<HTMLDListElement>((place) => place.replaceChildren(...(record === null ? [] : facts(record))), [record]);
  return (
    <section id="record" aria-labelledby="record-title" hidden={record === null}>
      <h2 id="record-title">{record === null ? '' : factsTitle(record)}</h2>
      <dl class="facts" id="facts" ref={list} />
    </section>
  );
}

function ResultPart({ result }: { readonly result: Result | null }) {
  const found = result?.answer === 'untrusted' ? 'by this evidence' : 'provably';
  const { title = null, rows = [], more = 0, lists = [], hidden = [], pointers = [], machine = { whole: '', shown: '' } } = result ?? {};
  const shown = useRef<HTMLPreElement>(null);
  const [copied, setCopied] = useState('');
  return (
    <section id="result" aria-labelledby="result-title" hidden={result === null}>
      <h2 id="result-title">{title ?? 'Value by value'}</h2>
      <FieldTable id="fields" rows={rows} />
      <p class="hint" id="fields-more">
        {more > 0 ? `${count(more, 'more value')} in the machine-readable result.` : ''}
      </p>
      <Sentences id="lists" heading="Lists" sentences={lists.map((list) => listSentence(list, found))} />
      <Sentences id="hidden" heading="What the document does not say" sentences={hidden.map((field) => hiddenSentence(field, found))} />
      <details id="pointers" hidden={pointers.length === 0}>
        <summary>Where its schema and evidence are</summary>
        <FieldTable id="pointer-fields" rows={pointers} />
      </details>
      <details id="details">
        <summary>Machine-readable result</summary>
        <p class="actions">
          <CopyButton id="copy" label="Copy the result" words={{ copied: 'Copied.', selected: 'Selected: copy it with your keyboard.' }} text={machine.whole} shown={shown} done={setCopied} />{' '}
          <span class="note" id="copied" role="status">
            {copied}
          </span>
        </p>
        <CopiedText id="machine" text={machine.shown} label="Result as JSON" place={shown} />
      </details>
    </section>
  );
}

function FieldTable({ id, rows }: { readonly id: string; readonly rows: readonly FieldRow[] }) {
  const body = useDrawn<HTMLTableSectionElement>((place) => place.replaceChildren(...rows.map(fieldRow)), [rows]);
  return (
    <table>
      <thead>
        <tr>
          <th scope="col">Finding</th>
          <th scope="col">Field</th>
          <th scope="col">Value</th>
        </tr>
      </thead>
      <tbody id={id} ref={body} />
    </table>
  );
}

function Sentences({ id, heading, sentences }: { readonly id: string; readonly heading: string; readonly sentences: readonly string[] }) {
  return (
    <div id={id}>
      {sentences.length > 0 && (
        <>
          <h3>{heading}</h3>
          <ul>
            {sentences.map((sentence) => (
              <li>
                <bdi>{sentence}</bdi>
              </li>
            ))}
          </ul>
        </>
      )}
    </div>
  );
}

/** The number of leading items whose positions are certain. Items are hashed in the order of their indexes as strings (0, 1, 10, 2), so the third shown item may be the eleventh. */
const ORDERED = 2;

/** Returns a sentence about a list. Lists of AIH-2 have `atMost`, and their items are at their original positions. */
function listSentence({ path, length, complete, atMost }: ListFinding, found: string): string {
  const name = visible(pathText(path));
  const items = count(length ?? 0, 'item');
  if (complete) {
    return `${name} has ${found} exactly ${items}.`;
  }
  if (atMost !== undefined) {
    return length === null ? `${name} has ${found} at most ${count(atMost, 'item')}.` : `${name} has ${found} ${items}, of which some are hidden.`;
  }
  const gaps = length !== null && length > ORDERED ? ' After the second shown item, items in between may be missing, too.' : '';
  return `${name} shows ${items}. The list may be longer: the evidence does not show where it ends.${gaps}`;
}

function hiddenSentence({ path, absent }: HiddenField, found: string): string {
  const name = visible(pathText(path));
  return absent ? `${name} is ${found} absent or empty.` : `${name} is hidden. It may have a value or none.`;
}

function LedgerForm({ expert, dispatch }: Properties) {
  const { ledgerId, assetId, linkNote } = expert;
  const submit = (event: Event) => {
    event.preventDefault();
    load(expert, dispatch);
  };
  return (
    <form class="from-ledger" id="link" noValidate aria-labelledby="link-title" onSubmit={submit}>
      <h2 id="link-title">Load a certificate from its ledger</h2>
      <div class="pair">
        <div>
          <label for="ledger-id">Ledger, or a link</label>
          <input
            id="ledger-id"
            autocomplete="off"
            spellcheck={false}
            placeholder="0x…, or the link of a certificate or badge"
            aria-describedby="link-note"
            value={ledgerId}
            onInput={({ currentTarget }) => enterLedger(currentTarget.value, assetId, dispatch)}
          />
        </div>
        <div>
          <label for="asset-id">Asset</label>
          <input
            id="asset-id"
            autocomplete="off"
            spellcheck={false}
            placeholder="1"
            value={assetId}
            onInput={({ currentTarget }) => dispatch({ type: 'assetEntered', ledgerId, assetId: currentTarget.value, note: '' })}
          />
        </div>
        <button type="submit" id="load">
          Load
        </button>
      </div>
      <p class="hint" id="link-note" role="status">
        {linkNote}
      </p>
    </form>
  );
}

const SOURCES = [
  { name: 'metadata', label: 'Metadata', hint: 'The public document: what you were shown.' },
  { name: 'evidence', label: 'Evidence', hint: 'The proofs that came with it.' },
  { name: 'schema', label: 'Schema', hint: 'The description of such documents.' },
] as const;

function DocumentsForm({ expert, dispatch, check }: Properties & { readonly check: () => void }) {
  const { imprint, isLeftOut, note } = expert;
  const submit = (event: Event) => {
    event.preventDefault();
    check();
  };
  return (
    <form id="form" noValidate aria-labelledby="form-title" onSubmit={submit}>
      <h2 id="form-title">Or check documents that you have</h2>
      <div class="sources">
        {SOURCES.map(({ name, label, hint }) => (
          <Source name={name} label={label} hint={name === 'metadata' && isLeftOut ? 'Left out, because the evidence includes its values.' : hint} />
        ))}
      </div>
      <div class="field">
        <label for="imprint">Imprint</label>
        <p class="hint" id="imprint-hint">
          The certificate’s check number: 64 characters. Take it from the ledger or the issuer, not from the person who showed you the document. Without it, nothing is proven.
        </p>
        <input
          id="imprint"
          autocomplete="off"
          spellcheck={false}
          autocapitalize="off"
          aria-describedby="imprint-hint imprint-source"
          value={imprint}
          onInput={({ currentTarget }) => dispatch({ type: 'imprintEntered', imprint: currentTarget.value })}
        />
        <p class="hint" id="imprint-source">
          {sourceSentence(expert)}
        </p>
      </div>
      <p class="actions">
        <button type="submit" class="primary">
          Verify
        </button>{' '}
        <span class="note" id="note" role="status">
          {note}
        </span>
      </p>
    </form>
  );
}

function sourceSentence(expert: ExpertState): string {
  const known = knownOf(expert);
  if (expert.imprint === '' || known === null) {
    return '';
  }
  const { record } = known;
  return known.name === 'made' ? 'From the certificate that you have just made.' : `From ledger ${record?.ledger?.id}, asset ${record?.asset?.id}.`;
}

/** The field of a document. It is filled by the person and by files, so it keeps its text itself. */
function Source({ name, label, hint }: { readonly name: string; readonly label: string; readonly hint: string }) {
  return (
    <div class="source">
      <label for={name}>{label}</label>
      <p class="hint" id={`${name}-hint`}>
        {hint}
      </p>
      <textarea id={name} rows={7} spellcheck={false} autocomplete="off" autocapitalize="off" aria-describedby={`${name}-hint`} placeholder="Paste JSON, or drop a file" />
      <label class="file" for={`${name}-file`}>
        {label} from a file
      </label>
      <input type="file" id={`${name}-file`} accept=".json,application/json" />
    </div>
  );
}
