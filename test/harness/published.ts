import { loadOperations } from '../../infra/registry.ts';
import { publishedBy } from '../openapi/published.ts';

/** The description of the product, once for all test files of a process. */
export const published = publishedBy(await loadOperations());
