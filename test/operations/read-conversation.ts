export { default } from './list-messages.ts';
