// Makes an Open Badge from the private file of a certificate.
import { readCertificate } from '/lib/certificate-file.ts';
import { say } from '/lib/texts.ts';
import { FileField } from '/components/file-field.tsx';
import { usePart } from '/components/part.ts';
import type { SignedIn } from '/lib/sign-in.ts';
import { useState } from 'preact/hooks';

interface Properties {
  readonly session: SignedIn;
  readonly failed: (error: unknown) => void;
}

export function BadgeFromFile({ session, failed }: Properties) {
  const [files, setFiles] = useState<[{ readonly name: string; readonly text: string }] | null>(null);
  const badge = usePart(files !== null, () => import('/components/open-badge.tsx'), failed);
  const choose = (chosen: File) => readCertificate(chosen).then((text) => setFiles([{ name: chosen.name, text }]), failed);
  return (
    <details class="field" id="badge-part">
      <summary>{say('issue.openBadge')}</summary>
      <p class="hint">{say('issued.badgeHint')}</p>
      <p class="actions">
        <FileField id="badge-source" accept=".json,application/json,.pdf,application/pdf" label={say('issued.badgeFile')} chosen={choose} />
      </p>
      {badge !== null && files !== null && <badge.OpenBadge key={files[0].text} session={session} files={files} />}
    </details>
  );
}
