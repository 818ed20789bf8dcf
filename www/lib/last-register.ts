// Notes in this browser in which registers an account issued, so that the last one is offered again. Without storage, the person chooses again. Does not use the DOM.
import { noteFirst, readNoted } from './noted.ts';

/** The key of an account's note in the browser's storage: the ids of registers, the last one first. */
const keyOf = (account: string): string => `assay.registers.${account.toLowerCase()}`;
/** The maximum number of noted registers of an account. */
const MOST = 20;

/** Returns the ids of the registers in which the account issued, the last one first. */
export const notedRegisters = (account: string): string[] => readNoted(keyOf(account));

/** Notes that an account issues in a register. */
export function noteRegister(account: string, ledgerId: string): void {
  noteFirst(keyOf(account), ledgerId, MOST);
}
