// Small parts that the views of people and of invitations share.
import { fingerprintOf } from '/lib/fingerprint.ts';
import { mailTo } from '/lib/mail.ts';
import { say } from '/lib/texts.ts';
import { CopyButton } from '/components/copy-button.tsx';
import { CopiedText } from '/components/text.tsx';
import type { ComponentChildren } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { fragmentOf } from '../address.ts';
import type { ViewName } from '../views.ts';

/** The heading of a part of a view, which takes the focus, and the way back to the view. */
export function PartHeading({ view, children }: { readonly view: ViewName; readonly children: ComponentChildren }) {
  const heading = useRef<HTMLHeadingElement>(null);
  useLayoutEffect(() => {
    heading.current?.focus({ preventScroll: true });
    scrollTo(0, 0);
  }, []);
  return (
    <>
      <p>
        <a href={fragmentOf(view)}>{say('people.back')}</a>
      </p>
      <h3 id="part-title" tabIndex={-1} ref={heading}>
        {children}
      </h3>
    </>
  );
}

/** The digits by which two people compare an account. */
export function Fingerprint({ account, id = 'fingerprint', label = say('people.digits') }: { readonly account: string; readonly id?: string; readonly label?: string }) {
  const [digits, setDigits] = useState('');
  useEffect(() => {
    let isLate = false;
    fingerprintOf(account).then((text) => isLate || setDigits(text));
    return () => {
      isLate = true;
    };
  }, [account]);
  return (
    <p>
      {label}{' '}
      <b class="digits" id={id}>
        {digits}
      </b>
    </p>
  );
}

interface MessageProperties {
  readonly id: string;
  readonly subject: string;
  readonly text: string;
  /** Called when the person takes the text to send it. */
  readonly used?: () => void;
}

/** A text to send: a button for the person's mail program, and a button that copies. The service sends and sees nothing. */
export function Message({ id, subject, text, used }: MessageProperties) {
  const shown = useRef<HTMLPreElement>(null);
  const [copied, setCopied] = useState('');
  const done = (sentence: string) => {
    setCopied(sentence);
    used?.();
  };
  return (
    <>
      <CopiedText id={id} text={text} label={subject} place={shown} />
      <p class="actions">
        <a class="button" id={`${id}-mail`} href={mailTo(subject, text)} onClick={used}>
          {say('people.mail')}
        </a>{' '}
        <CopyButton id={`${id}-copy`} text={text} shown={shown} done={done} />{' '}
        <span class="note" role="status">
          {copied}
        </span>
      </p>
    </>
  );
}
