import { parseJson } from '../../../../shared/kernel/exact-numbers.ts';
import type { MessageQueue } from '../../../../shared/kernel/message-queue.ts';
import type { ClockAndIds } from '../../../../shared/kernel/operation.ts';
import type { OutgoingPosts, PostResponse } from '../../../../shared/kernel/providers/outgoing-posts.ts';
import { second } from '../../../../shared/kernel/time.ts';
import { answeredRun, waitsForRequest } from '../execution/engine.ts';
import { changeRun } from './change-run.ts';
import { maxAttempts, type QueuedRequest, queueRequest } from './queued-request.ts';
import { type Answer, httpRequestKey, type RequestFailure, runKey } from './run.ts';
import type { RunTables } from './run-actions.ts';
import { runChangesKey } from './run-changes.ts';

/** Source: integrations 4, "The workflow node httpRequest". */
const timeout = 10 * second;

/** Bytes of an answer that later steps may refer to. */
const answerLimit = 16 * 1024;

interface PostingPorts {
  readonly tables: RunTables;
  readonly outgoingPosts: OutgoingPosts;
  readonly queue: MessageQueue;
}

/**
 * Makes an attempt to post the request of a step. After an answer of 2xx or the last attempt its run goes on; otherwise the next attempt is
 * queued. A repeated attempt posts with the same id, and changes nothing if the run has gone on.
 */
export async function postRequest(
  { tables, outgoingPosts, queue }: PostingPorts,
  queued: QueuedRequest,
  { clock, newId }: Pick<ClockAndIds, 'newId'> & { clock(): Date },
): Promise<'answered' | 'failed' | 'again' | 'dropped'> {
  const { runId, n, attempt } = queued;
  const request = await readOpenRequest(tables, queued);
  if (request === undefined) {
    return 'dropped';
  }
  const { url, headers, body, webhookId } = request;
  const response = await outgoingPosts.post({
    url,
    headers: { ...headers, 'content-type': 'application/json', 'webhook-id': webhookId },
    body,
    timeout,
    // One more shows that an answer is longer.
    keptBytes: answerLimit + 1,
  });
  const result = toResult(response);
  if ('failed' in result && attempt < maxAttempts) {
    await queueRequest(queue, { ...queued, attempt: attempt + 1 });
    return 'again';
  }
  await changeRun(
    tables,
    runId,
    (run) => (waitsForRequest(run, n) ? { after: answeredRun(run, n, result), isReady: true } : undefined),
    { now: clock(), newId },
  );
  return 'failed' in result ? 'failed' : 'answered';
}

/** The request, unless its run has ended or goes on without it. */
async function readOpenRequest({ table }: RunTables, { workflowId, runId, n }: QueuedRequest) {
  const [request, run, changes] = await Promise.all([
    table.read(httpRequestKey(runId, n)),
    table.read(runKey(runId)),
    table.read(runChangesKey(workflowId)),
  ]);
  const lastEnded = changes?.data.ended?.lastEnded ?? 0;
  const isOpen = run !== undefined && run.data.revision > lastEnded && waitsForRequest(run.data, n);
  return isOpen ? request?.data : undefined;
}

function toResult(response: Awaited<ReturnType<OutgoingPosts['post']>>): Answer | RequestFailure {
  if ('error' in response) {
    return { failed: response.error === 'refused_address' ? response.error : 'no_answer' };
  }
  const { status } = response;
  return status >= 200 && status < 300 ? { status, ...bodyIn(response) } : { failed: `status_${status}` };
}

/** The body of an answer if it is JSON and short enough. */
function bodyIn({ response }: PostResponse): Pick<Answer, 'body'> {
  if (Buffer.byteLength(response) > answerLimit) {
    return {};
  }
  try {
    parseJson(response);
    return { body: response };
  } catch {
    return {};
  }
}
