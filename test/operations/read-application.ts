export { default } from './read-application-management.ts';
