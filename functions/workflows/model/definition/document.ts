import { Failure } from '../../../../shared/kernel/failure.ts';
import { withoutByteOrderMark } from '../../../../shared/kernel/json.ts';
import type { SentRequest } from '../../../../shared/kernel/request.ts';
import { hasKeyTwice, type Members, membersOf, objectOf } from './members.ts';
import type { ShownHeader } from './workflow.ts';
import { workflowLimits } from './workflow-fields.ts';

/**
 * The document of a workflow is a JSON object of its graph, its viewport and all further properties, kept exactly as written: any
 * depth, number or key. Source: decisions 5.
 */

/** The members of a new document that the request leaves out. Source: specification, "Workflow". */
const blank: Members = new Map([
  ['nodes', '[]'],
  ['edges', '[]'],
  ['viewport', '{"x":0,"y":0,"zoom":1}'],
]);

/** The properties in the header, some set only by the service. The document leaves them out. */
const apart: Readonly<Record<keyof ShownHeader, true>> = {
  _id: true,
  organizationId: true,
  userId: true,
  name: true,
  description: true,
  enabled: true,
  createdAt: true,
  updatedAt: true,
};

/** Bytes that a document may have: those of a body, and room for the members that a new document adds. */
const documentLimit = workflowLimits.bodyBytes + 1024;

/** The document's members in a request. @throws a 400 `Failure` when an object has a key twice. */
export function sentMembers({ text }: SentRequest): Members {
  const json = withoutByteOrderMark(text);
  if (hasKeyTwice(json)) {
    throw new Failure('INVALID', 'body must not have the same key twice in one object');
  }
  const isSent = ([key, value]: [string, string]) => !Object.hasOwn(apart, key) && !isBlank(key, value);
  return new Map([...membersOf(json)].filter(isSent));
}

/** Null counts as absent for the graph's own members; an extra property may be null. */
function isBlank(key: string, value: string): boolean {
  return blank.has(key) && value === 'null';
}

/** The document of a new workflow: the sent members, and empty ones where the graph has none. */
export function newDocument(sent: Members): string {
  return objectOf(new Map([...blank, ...sent]));
}

/**
 * The document with the sent members replacing its own, and the keys of those that differ.
 * @throws a 400 `Failure` when it becomes too large.
 */
export function mergedDocument(document: string, sent: Members): { document: string; changed: string[] } {
  const before = sent.size === 0 ? sent : membersOf(document);
  const changed = [...sent].filter(([key, value]) => before.get(key) !== value).map(([key]) => key);
  if (changed.length === 0) {
    return { document, changed };
  }
  const merged = objectOf(new Map([...before, ...sent]));
  if (Buffer.byteLength(merged) > documentLimit) {
    throw new Failure('INVALID', 'The workflow would be larger than 4 MB. Remove something from it.');
  }
  return { document: merged, changed };
}
