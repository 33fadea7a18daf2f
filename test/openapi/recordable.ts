import type { RecordedResponse } from '../../infra/openapi/recorded-responses.ts';
import { StableValues } from './stable-values.ts';
import type { Tried } from './tried-examples.ts';

/** Elements of a list that the document shows. */
const longestList = 2;

/** Whether an answer is a document about the service, of which only the outline is shown. */
const isDocument = (body: unknown) => isObject(body) && ('openapi' in body || 'asyncapi' in body);

/** The JSON answers among these as the document shows them, by operation: the same in every run while the service is the same. */
export function recordable(tried: readonly Tried[]): Record<string, RecordedResponse> {
  const answers = tried
    .filter(({ status, type }) => status >= 200 && status < 300 && type.startsWith('application/json'))
    .map((one): [string, RecordedResponse] => [one.operationId, { status: one.status, body: bodyOf(one) }]);
  return Object.fromEntries(answers.sort(([a], [b]) => (a < b ? -1 : 1)));
}

function bodyOf({ text, sent, ...recording }: Tried): unknown {
  const body: unknown = JSON.parse(text);
  const said = JSON.stringify([decodeURIComponent(sent.url), sent.body]);
  const stable = new StableValues(recording, said);
  return shown(isDocument(body) ? outlineOf(body) : body, stable, listNames(sent.body));
}

/** The texts at the top of a document, and those one level deeper. */
function outlineOf(value: unknown, levels = 1): unknown {
  const entries = Object.entries(isObject(value) ? value : {});
  const texts = entries.filter(
    // Its introduction is a page long.
    ([name, one]) => (typeof one === 'string' ? name !== 'description' : isObject(one) && levels > 0),
  );
  return Object.fromEntries(
    texts.map(([name, one]) => [name, typeof one === 'string' ? one : outlineOf(one, levels - 1)]),
  );
}

function shown(value: unknown, stable: StableValues, whole: ReadonlySet<string>, name = ''): unknown {
  if (typeof value === 'string') {
    return stable.text(value);
  }
  if (Array.isArray(value)) {
    const elements = whole.has(name) ? value : value.slice(0, longestList);
    return elements.map((element) => shown(element, stable, whole, name));
  }
  if (!isObject(value)) {
    return value;
  }
  const entries = Object.entries(value).map(([key, one]): [string, unknown] => [
    stable.text(key),
    // Holidays have a label, and are the same days in every run.
    key === 'date' && !('label' in value) ? stable.day(String(one)) : shown(one, stable, whole, key),
  ]);
  // How long an address took differs each time.
  if ('milliseconds' in value) {
    return { ...Object.fromEntries(entries), milliseconds: 120 };
  }
  return withDuration(Object.fromEntries(entries));
}

/** A call's seconds, as its times now say: those it had depend on when it was ended. */
function withDuration(value: Record<string, unknown>): unknown {
  const { duration, startTime, endTime } = value;
  return typeof duration === 'number' && typeof startTime === 'string' && typeof endTime === 'string'
    ? { ...value, duration: (Date.parse(endTime) - Date.parse(startTime)) / 1_000 }
    : value;
}

/** The names of all lists in a request: the answer to it shows them whole. */
function listNames(body: unknown): ReadonlySet<string> {
  const names = new Set<string>();
  JSON.stringify(body, (name, value: unknown) => {
    if (Array.isArray(value)) {
      names.add(name);
    }
    return value;
  });
  return names;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
