export { default } from './read-workflow.ts';
