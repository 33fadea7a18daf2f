export { default } from './read-contact.ts';
