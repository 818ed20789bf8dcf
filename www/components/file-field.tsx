// A button that chooses a file, or several.
import { filesOf } from '/lib/page.ts';

interface Properties {
  readonly id: string;
  readonly accept: string;
  readonly label: string;
  readonly kind?: string;
  readonly isMultiple?: boolean;
  readonly chosen: (file: File, ...others: File[]) => void;
}

export function FileField({ id, accept, label, kind = 'choose', isMultiple = false, chosen }: Properties) {
  return (
    <label class={kind}>
      <span>{label}</span>
      <input
        type="file"
        id={id}
        accept={accept}
        multiple={isMultiple}
        onChange={({ currentTarget }) => {
          const [file, ...others] = filesOf(currentTarget);
          if (file !== undefined) {
            chosen(file, ...others);
          }
          // Allows choosing the same file again.
          currentTarget.value = '';
        }}
      />
    </label>
  );
}
