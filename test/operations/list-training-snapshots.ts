export { default } from './list-notes.ts';
