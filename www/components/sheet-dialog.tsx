// The dialog in which an issuer chooses how certificates are printed. Loaded before the first print.
import { DEFAULT, type Design, LAYOUTS, MAX_SIGNER, designOf, keepDesign } from '/lib/design.ts';
import { type Sheet, framedSheet } from '/lib/framed.ts';
import { printSheets } from '/lib/sheets.ts';
import { part } from '/lib/part.ts';
import { element } from '/lib/page.ts';
import { pictureIn } from '/lib/pictures.ts';
import * as qr from '/lib/qr.ts';
import { say } from '/lib/texts.ts';
import { render } from 'preact';
import { useLayoutEffect, useState } from 'preact/hooks';
import { useDrawn } from './drawn.ts';
import { FileField } from './file-field.tsx';
import { useModal } from './modal.ts';

/** The largest part of the window's height that the preview takes. */
const MAX_HEIGHT = 0.8;

interface Properties {
  readonly template: string;
  readonly sheet: Sheet;
  readonly making: Making;
  readonly ended: (choice: Choice | null) => void;
}

/** The sheets that are being made while the dialog is open. */
interface Making {
  readonly made: readonly Sheet[];
  /** Calls a function after each made sheet. */
  onMade: (changed: () => void) => void;
}

/** The issuer's choice: how certificates look, and whether they are printed or saved as PDF. */
interface Choice {
  readonly design: Design;
  readonly isPdf: boolean;
}

/**
 * Asks how certificates are printed, with the first one as an example, and prints them or saves them as PDF, unless the issuer cancels. `template` is the
 * id of the template's schema, and `sheets` are functions that make the sheets one after the other. Returns a sentence about what PDFs show
 * differently, or an empty text.
 */
export async function printDesigned(place: HTMLElement, template: string, sheets: readonly (() => Promise<Sheet>)[]): Promise<string> {
  const [first, ...others] = sheets;
  if (first === undefined) {
    return '';
  }
  const example = await first();
  const made = [example];
  let isCanceled = false;
  let changed = () => {};
  // The dialog tells how many of the sheets have a name that they do not prove.
  const rest = (async () => {
    for (const make of others) {
      if (!isCanceled) {
        made.push(await make());
        changed();
      }
    }
  })();
  // A failure is reported after the choice.
  rest.catch(() => {});
  const choice = await askDesign(template, example, { made, onMade: (call) => (changed = call) });
  if (choice === null) {
    isCanceled = true;
    return '';
  }
  await rest;
  if (choice.isPdf) {
    const { saveSheets } = await part(import('/lib/pdf-sheets.ts'));
    return saveSheets(made, choice.design);
  }
  await printSheets(place, made, choice.design);
  return '';
}

/** Returns the issuer's choice, or null. */
function askDesign(template: string, sheet: Sheet, making: Making): Promise<Choice | null> {
  const host = element('div', {});
  const before = document.activeElement;
  document.body.append(host);
  return new Promise((resolve) => {
    const ended = (choice: Choice | null) => {
      render(null, host);
      host.remove();
      if (before instanceof HTMLElement) {
        before.focus();
      }
      resolve(choice);
    };
    render(<SheetDialog template={template} sheet={sheet} making={making} ended={ended} />, host);
  });
}

function SheetDialog({ template, sheet, making, ended }: Properties) {
  const [design, setDesign] = useState(() => designOf(template));
  const [note, setNote] = useState('');
  const dialog = useModal(() => ended(null));
  const [isOpen, setOpen] = useState(false);
  useLayoutEffect(() => setOpen(true), []);
  const change = (changed: Partial<Design>) => {
    const next = { ...design, ...changed };
    setDesign(next);
    setNote(keepDesign(template, next) ? '' : say('paper.notKept'));
  };
  const choose = async (name: 'logo' | 'signature', file: File) => {
    try {
      change({ [name]: await pictureIn(file) });
    } catch {
      setNote(say('form.pictureBroken'));
    }
  };
  return (
    <dialog id="design" class="design" aria-labelledby="design-title" ref={dialog} onCancel={() => ended(null)}>
      <h2 id="design-title">{say('paper.design')}</h2>
      <Names making={making} />
      <div class="choices">
        <fieldset>
          <legend>{say('paper.layout')}</legend>
          {LAYOUTS.map((layout) => (
            <label>
              <input type="radio" name="layout" value={layout} checked={design.layout === layout} onChange={() => change({ layout })} /> <span>{say(`paper.${layout}`)}</span>
            </label>
          ))}
        </fieldset>
        <p>
          <label for="design-colour">{say('paper.colour')}</label>{' '}
          <input type="color" id="design-colour" value={design.colour} onInput={({ currentTarget }) => change({ colour: currentTarget.value })} />
        </p>
        {(['logo', 'signature'] as const).map((name) => (
          <p class="actions">
            <FileField id={`design-${name}`} accept="image/jpeg,image/png,image/webp" kind="choose second" label={say(`paper.${name}Picture`)} chosen={(file) => choose(name, file)} />{' '}
            {design[name] !== null && (
              <button type="button" id={`no-${name}`} onClick={() => change({ [name]: null })}>
                {say('form.removePicture')}
              </button>
            )}
          </p>
        ))}
        <p>
          <label for="design-signer">{say('paper.signer')}</label>
          <input id="design-signer" maxLength={MAX_SIGNER} autocomplete="off" value={design.signer} onInput={({ currentTarget }) => change({ signer: currentTarget.value })} />
        </p>
        <p class="hint">{say('paper.kept')}</p>
        <p class="problem" role="status">
          {note}
        </p>
        <p class="actions">
          <button type="button" class="primary" id="print-now" onClick={() => ended({ design, isPdf: false })}>
            {say('common.print')}
          </button>{' '}
          <button type="button" id="pdf-now" onClick={() => ended({ design, isPdf: true })}>
            {say('common.savePdf')}
          </button>{' '}
          <button type="button" id="print-cancel" onClick={() => ended(null)}>
            {say('paper.cancel')}
          </button>{' '}
          <button type="button" id="design-default" onClick={() => change(DEFAULT)}>
            {say('paper.default')}
          </button>
        </p>
      </div>
      {isOpen && <Preview sheet={sheet} design={design} />}
    </dialog>
  );
}

/** Says how many sheets have the holder's name as a note, and how many name no holder. */
function Names({ making: { made, onMade } }: { readonly making: Making }) {
  const [, redraw] = useState(0);
  useLayoutEffect(() => {
    onMade(() => redraw(made.length));
    redraw(made.length);
    return () => onMade(() => {});
  }, []);
  const [noted, nameless] = [made.filter(({ noted = '' }) => noted !== '').length, made.filter(({ noted }) => noted === '').length];
  return (
    <div class="names" role="status">
      {noted > 0 && <p id="names-noted">{say('issued.namesNoted', { count: noted })}</p>}
      {nameless > 0 && (
        <p class="problem" id="names-missing">
          {say('issued.namesMissing', { count: nameless })}
        </p>
      )}
    </div>
  );
}

/** Shows the whole sheet, reduced to the width of its place and to most of the window's height. */
function Preview({ sheet, design }: { readonly sheet: Sheet; readonly design: Design }) {
  const draw = (place: HTMLElement) => {
    const drawn = framedSheet(sheet, design, qr);
    place.replaceChildren(drawn);
    drawn.style.zoom = String(Math.min(place.clientWidth / drawn.offsetWidth, (MAX_HEIGHT * innerHeight) / drawn.offsetHeight));
  };
  const place = useDrawn<HTMLElement>(draw, [sheet, design]);
  return <section class="sample" aria-label={say('paper.preview')} ref={place} />;
}
