import type { OpenApiDocument, OperationObject } from './object-types.ts';
import { resolvedPart } from './page/references.ts';
import { fieldLine, fieldLines } from './schema-text.ts';

/** The documentation as Markdown: what the page shows, group by group, each behind a line by which it can be found. */
export function documentationText(document: OpenApiDocument): string {
  const { info, tags } = document;
  return `${[
    `# ${info.title}: the API`,
    `${info.summary} This is the text of [the page](/api/docs). [The OpenAPI document](/api/openapi.json) has the schemas of all responses, [the AsyncAPI document](/api/asyncapi.json) those of live events. \`GET /api/docs.md?group=\` with one of these names returns one group:`,
    tags.map(({ name }) => `- [${name}](${groupAddress(name)})`).join('\n'),
    info.description,
    ...tags.flatMap(({ name, description }) => [
      `${groupLine(groupName(name))}\n# ${name}`,
      description,
      ...operationsIn(document, name),
    ]),
  ]
    .map((part) => linked(String(part)))
    .join('\n\n')}\n`;
}

/** The index of the documentation for language models. Source: https://llmstxt.org. */
export function documentationIndex({ info, tags }: OpenApiDocument): string {
  return `${[
    `# ${info.title}`,
    `> ${info.summary}`,
    'Programs call with an API key, `Authorization: Bearer sbk_…`. Agents connect to `/mcp` by the Model Context Protocol, with the same key.',
    [
      '## Documentation\n',
      '- [Everything](/api/docs.md): authentication, errors, limits, live events, and then all groups',
      '- [The OpenAPI document](/api/openapi.json): every operation with its schemas',
      '- [The AsyncAPI document](/api/asyncapi.json): the frames of live events',
      '- [The client](/api/client.js) for JavaScript, with [its types](/api/client.d.ts)',
    ].join('\n'),
    [
      '## Groups\n',
      ...tags.map(({ name, description }) => `- [${name}](${groupAddress(name)}): ${firstLine(description)}`),
    ].join('\n'),
  ].join('\n\n')}\n`;
}

/** The name of a group in an address: `contact-notes`. */
const groupName = (tag: string) => tag.toLowerCase().replaceAll(' ', '-');

const groupAddress = (tag: string) => `/api/docs.md?group=${groupName(tag)}`;

/** The line in front of a group. The operation that returns one group looks for it. */
const groupLine = (name: string) => `<!-- group: ${name} -->`;

/** With the addresses of groups in place of links within the page. */
const linked = (text: string) =>
  text.replaceAll(/\]\(#\/([^)]+)\)/g, (_, tag: string) => `](${groupAddress(decodeURIComponent(tag))})`);

const firstLine = (description: string) => linked(description.split('\n')[0] ?? '');

function operationsIn(document: OpenApiDocument, tag: string): string[] {
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([, { tags }]) => tags.includes(tag))
      .map(([method]) =>
        operationText(
          `${method.toUpperCase()} ${path}`,
          resolvedPart(document, ['paths', path, method]) as OperationObject,
        ),
      ),
  );
}

function operationText(route: string, operation: OperationObject): string {
  const { summary, description, parameters = [], requestBody, responses } = operation;
  const [type, body] = Object.entries(requestBody?.content ?? {})[0] ?? [];
  return [
    `## ${summary}`,
    `\`${route}\``,
    description,
    ...list(
      'Parameters',
      parameters.map(({ name, in: place, required, description, schema }) =>
        fieldLine(`${name}`, schema, {
          isRequired: required,
          description: [`in the ${place}.`, description].join(' '),
        }),
      ),
    ),
    ...(body === undefined ? [] : list(`Body (\`${type}\`)`, fieldLines(body.schema))),
    ...example('Example of a body', body?.example),
    ...Object.entries(responses).flatMap(([status, { content = {} }]) =>
      Object.values(content).flatMap((media) =>
        Number(status) < 300 ? example(`Example of a response, ${status}`, media.example) : [],
      ),
    ),
    `Errors: ${Object.keys(responses)
      .filter((status) => Number(status) >= 400)
      .join(', ')}.`,
  ]
    .filter((part) => part !== '')
    .join('\n\n');
}

const list = (title: string, lines: readonly string[]) =>
  lines.length === 0 ? [] : [`${title}:\n\n${lines.join('\n')}`];

const example = (title: string, value: unknown) =>
  value === undefined ? [] : [`${title}:\n\n\`\`\`json\n${JSON.stringify(value, null, 1)}\n\`\`\``];
