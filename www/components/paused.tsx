// The operator's message while changes are paused, for pages that change something.
import { serviceOf } from '/lib/service.ts';
import { say } from '/lib/texts.ts';
import { useEffect, useState } from 'preact/hooks';

export function Paused() {
  const [message, setMessage] = useState<string | null>(null);
  useEffect(() => {
    // Without an answer, the first change tells the person.
    serviceOf().then(
      ({ pause }) => setMessage(pause),
      () => {},
    );
  }, []);
  return message === null ? null : (
    <p class="answer" data-kind="unchanged" id="paused" role="status">
      {say('signer.pausedNow', { message })}
    </p>
  );
}
