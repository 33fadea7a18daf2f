// `npm run examples`: what a fresh host answers to the examples becomes the examples of answers in the documentation.
import { writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { recordedResponsesFile } from '../../infra/openapi/recorded-responses.ts';
import { loadOperations } from '../../infra/registry.ts';
import prepareAssembly from '../harness/assembly.ts';
import { publishedBy } from './published.ts';
import { recordable } from './recordable.ts';
import { triedExamples } from './tried-examples.ts';

const all = await loadOperations();
const removeAssembly = await prepareAssembly();
try {
  console.log('Asking a fresh host every example of the documentation; this takes a minute.');
  const tried = await triedExamples(all, publishedBy(all));
  const refused = tried.filter(({ status }) => status >= 400);
  for (const { operationId, status, text } of refused) {
    console.error(`${operationId}: ${status} ${text.slice(0, 300)}`);
  }
  if (refused.length > 0) {
    throw new Error('Not every example succeeds; fix these first. Nothing was recorded.');
  }
  const answers = recordable(tried);
  await writeFile(recordedResponsesFile, `${JSON.stringify(answers, null, 2)}\n`);
  console.log(`Recorded ${Object.keys(answers).length} answers in ${fileURLToPath(recordedResponsesFile)}.`);
} finally {
  await removeAssembly();
}
