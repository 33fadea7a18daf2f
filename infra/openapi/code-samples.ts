import type { OperationObject, ParameterObject } from './object-types.ts';

/** How to call an operation, for a reader to copy. Source: "x-codeSamples" of Redocly's documentation. */
export interface CodeSample {
  readonly lang: 'Shell' | 'JavaScript';
  readonly label: 'curl' | 'fetch';
  readonly source: string;
}

interface Request {
  readonly method: string;
  /** With the examples of its parameters. */
  readonly path: string;
  readonly hasToken: boolean;
  /** The example of the body, as JSON. */
  readonly body: string | undefined;
}

/** The example of an operation in two languages, on a service at `$BASE` or `base`, with the token of a user. */
export function codeSamples(route: string, operation: OperationObject): CodeSample[] {
  const { parameters = [], requestBody, security } = operation;
  const [method = '', path = ''] = route.split(' ');
  const example = requestBody?.content['application/json']?.example;
  const request = {
    method,
    path: path.replaceAll(/\{(\w+)\}/g, (_, name) => exampleOf(parameters, name)) + queryOf(parameters),
    hasToken: security.length === 1,
    body: example === undefined ? undefined : JSON.stringify(example, null, 2),
  };
  return [
    { lang: 'Shell', label: 'curl', source: curlOf(request) },
    { lang: 'JavaScript', label: 'fetch', source: fetchOf(request) },
  ];
}

function exampleOf(parameters: readonly ParameterObject[], wanted: string): string {
  return encodeURIComponent(String(parameters.find(({ name }) => name === wanted)?.example));
}

function queryOf(parameters: readonly ParameterObject[]): string {
  const query = parameters.filter((parameter) => parameter.in === 'query' && parameter.example !== undefined);
  return query
    .map(({ name }, index) => `${index === 0 ? '?' : '&'}${name}=${exampleOf(query, name)}`)
    .join('');
}

function curlOf({ method, path, hasToken, body }: Request): string {
  return [
    `curl${method === 'GET' ? '' : ` -X ${method}`} "$BASE${path}"`,
    hasToken ? '-H "authorization: Bearer $TOKEN"' : '',
    body === undefined
      ? ''
      : `-H "content-type: application/json" \\\n  -d '${body.replaceAll("'", String.raw`'\''`)}'`,
  ]
    .filter((part) => part !== '')
    .join(' \\\n  ');
}

function fetchOf({ method, path, hasToken, body }: Request): string {
  const headers = [
    hasToken ? `authorization: \`Bearer \${token}\`` : '',
    body === undefined ? '' : "'content-type': 'application/json'",
  ].filter((header) => header !== '');
  const options = [
    method === 'GET' ? '' : `  method: '${method}',\n`,
    headers.length === 0 ? '' : `  headers: { ${headers.join(', ')} },\n`,
    body === undefined ? '' : `  body: JSON.stringify(${body.replaceAll('\n', '\n  ')}),\n`,
  ].join('');
  return `const response = await fetch(\`\${base}${path}\`${options === '' ? '' : `, {\n${options}}`});`;
}
