export { default } from './read-listing.ts';
