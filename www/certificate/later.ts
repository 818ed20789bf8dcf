// The parts that every certificate loads after its verdict: the titles in the visitor's language, and the next step. Each part that the view loads later imports the view. Then
// one file has all code that they share. Otherwise each set of parts that share code would be a file, and a request before the verdict (0057).
import './view.ts';

export { readable } from '/lib/titles.ts';
export { addNext } from './next.ts';
