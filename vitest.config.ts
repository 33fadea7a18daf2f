// Vitest looks for its configuration here; its packages are installed in `test/`.
export { default } from './test/vitest.config.ts';
