// Notes in this browser which accounts administer the service, so the navigation shows their view without a request for everybody. The service decides, not the note.

/** The key of the note in the browser's storage: the addresses in lower case, separated by spaces. */
const KEY = 'assay.operators';

function noted(): string[] {
  try {
    return (localStorage.getItem(KEY) ?? '').split(' ').filter((account) => account !== '');
  } catch {
    return [];
  }
}

/** Returns true if the service let this account administer when it was last asked in this browser. */
export const isNoted = (account: string): boolean => noted().includes(account.toLowerCase());

/** Notes what the service answered. */
export function noteOperator(account: string, isOperator: boolean): void {
  const key = account.toLowerCase();
  const others = noted().filter((one) => one !== key);
  try {
    localStorage.setItem(KEY, (isOperator ? [...others, key] : others).join(' '));
  } catch {
    // Without storage, the view is opened by its address.
  }
}
