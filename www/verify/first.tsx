// The first part of the page: one field and one drop zone for every form of a certificate, and the certificate that was opened.
import { view } from '/certificate/view.ts';
import { say } from '/lib/texts.ts';
import { useDrawn } from '/components/drawn.ts';
import { useDrop } from '/components/drop.ts';
import { FileField } from '/components/file-field.tsx';
import { usePart } from '/components/part.ts';
import { Certified } from '/components/text.tsx';
import { useState } from 'preact/hooks';
import { type Dispatch, openCode, openExample, openFiles, openGiven, refuse } from './opening.ts';
import type { Shown, State } from './state.ts';

interface Properties {
  readonly state: State;
  /** True if the expert part is open and loaded. It then handles dropped files itself. */
  readonly hasExpert: boolean;
  readonly dispatch: Dispatch;
}

/** Browsers offer the camera only to pages of protected connections. */
const hasCamera = navigator.mediaDevices?.getUserMedia !== undefined;

export function First({ state, hasExpert, dispatch }: Properties) {
  const { given, whose, isWarning, isReading, shown } = state;
  useDrop((files) => {
    if (!hasExpert) {
      openFiles(files, state, dispatch);
    }
  });
  const submit = (event: Event) => {
    event.preventDefault();
    openGiven(state, dispatch);
  };
  const [isScanning, setIsScanning] = useState(false);
  const end = (error: unknown) => {
    setIsScanning(false);
    if (error !== null) {
      refuse(error, dispatch);
    }
  };
  const camera = usePart(isScanning, () => import('./camera.tsx'), end);
  const found = (text: string) => {
    setIsScanning(false);
    openCode(text, dispatch);
  };
  return (
    <>
      <form class="drop" id="drop" noValidate onSubmit={submit}>
        <label for="given">{say('verify.field')}</label>
        <div class="given">
          <input
            id="given"
            autocomplete="off"
            spellcheck={false}
            autocapitalize="off"
            inputMode="url"
            placeholder="https://…/c/0x…/1"
            value={given}
            onInput={({ currentTarget }) => dispatch({ type: 'givenEntered', given: currentTarget.value })}
          />
          <button type="submit" class="primary">
            {say('verify.go')}
          </button>
        </div>
        <p class="drop-line">{say('verify.drop')}</p>
        <FileField
          id="given-files"
          isMultiple
          accept=".json,application/json,.html,text/html,.pdf,application/pdf,image/*,.sdjwt,application/dc+sd-jwt,.jwt,application/jwt"
          label={say('verify.choose')}
          chosen={(...files) => openFiles(files, state, dispatch)}
        />
        {hasCamera && (
          <p class="actions">
            <button type="button" id="camera" aria-expanded={isScanning} onClick={() => setIsScanning(!isScanning)}>
              {say('verify.camera')}
            </button>
          </p>
        )}
        {isScanning && camera !== null && <camera.Camera found={found} ended={end} />}
        <p class="hint">{say('verify.kinds')}</p>
        <p class="actions examples">
          <button type="button" id="example" onClick={() => openExample((data) => data, dispatch)}>
            {say('verify.example')}
          </button>{' '}
          <button type="button" id="forged" onClick={() => openExample((data) => ({ ...data, metadata: { ...data.metadata, hours: 960 } }), dispatch)}>
            {say('verify.exampleForged')}
          </button>
        </p>
      </form>
      <p class={isWarning ? 'answer' : 'hint'} data-kind={isWarning ? 'changed' : undefined} id="whose" role="status">
        {isReading ? say('verify.reading') : whose.map((part, index) => (index % 2 === 0 ? part : <Certified text={part} />))}
      </p>
      <View shown={shown} />
    </>
  );
}

/** Shows the certificate, and scrolls to it or to the sentence above it. */
function View({ shown }: { readonly shown: Shown | null }) {
  const draw = (place: HTMLElement) => {
    if (shown === null) {
      place.replaceChildren();
      return;
    }
    view(place, shown);
    // The sentence above the certificate may warn of a badge.
    const above = place.previousElementSibling;
    (above?.textContent ? above : place).scrollIntoView({ block: 'start' });
  };
  const place = useDrawn<HTMLDivElement>(draw, [shown]);
  return <div id="view" ref={place} />;
}
