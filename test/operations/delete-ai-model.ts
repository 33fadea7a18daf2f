export { default } from './read-ai-model.ts';
