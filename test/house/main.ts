// `npm run house [-- <folder>]`: how much there is to read in this checkout of the project, or in the one in another folder.
import { projectRoot } from '../../infra/project.ts';
import { figures } from './figures.ts';

for (const { what, value, most, list = [] } of figures(process.argv[2] ?? projectRoot)) {
  const limit = most === undefined ? '' : ` of at most ${most}`;
  console.log([`${what.padEnd(72)}${value}${limit}`, ...list.map((line) => `    ${line}`)].join('\n'));
}
