export { default } from './read-outreach-configuration.ts';
