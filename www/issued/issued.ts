// This page is a view of the console.
import { moveToConsole } from '/lib/moved.ts';

moveToConsole('issued');
