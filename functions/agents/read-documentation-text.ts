import * as z from 'zod/mini';
import { Failure } from '../../shared/kernel/failure.ts';
import { listed } from '../../shared/kernel/http/listed.ts';
import { operation } from '../../shared/kernel/operation.ts';
import { anyString } from '../../shared/kernel/schemas/fields.ts';

/** Each group with its name, behind the line that the build writes in front of it. */
const groups = /^<!-- group: (\S+) -->\n(.*?)(?=^<!-- group: |(?![\s\S]))/gms;

export default operation({
  route: 'GET /api/docs.md',
  summary: 'Read the documentation as Markdown',
  description:
    'What `/api/docs` shows, as text; `GET /llms.txt` lists the groups with a sentence about each.',
  family: 'plain',
  minimumRole: 'anyone',
  answersHead: true,
  // Parameters that prevent caching are no reason to refuse a client.
  query: z.looseObject({ group: z.optional(anyString) }),
  descriptions: {
    group: 'One group of the documentation, such as `contact-notes`; all by default, with an introduction.',
  },
  output: anyString,
  contentType: 'text/markdown',
  // A client keeps the document and asks only whether it has changed.
  throttle: { rate: 5, burst: 10 },
  uses: { asset: 'documentationText' },
  async run({ query: { group } }, { asset }) {
    if (group === undefined) {
      return asset;
    }
    const texts = new Map([...asset.text.matchAll(groups)].map(([, name, text = '']) => [name, text]));
    const text = texts.get(group);
    if (text === undefined) {
      throw new Failure(
        'INVALID',
        `No group has this name. There are ${listed([...texts.keys()] as string[])}.`,
      );
    }
    return asset.variant(group, () => text);
  },
});
