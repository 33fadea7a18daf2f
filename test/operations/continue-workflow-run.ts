export { default } from './cancel-workflow-run.ts';
