import type { IncomingHttpHeaders, RequestListener } from 'node:http';
import { text } from 'node:stream/consumers';
import { setUpTenants } from '../harness/fixtures.ts';
import { arrange } from '../harness/tenants.ts';
import { startReceiver } from '../outgoing-posts/receiver.ts';
import { prepareRuns } from './advancing.ts';
import { preparePosting } from './posting.ts';
import { graphWith, manual } from './simulating.ts';

interface Received {
  readonly url: string | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly body: unknown;
}

/** A receiver that answers each request with the next of these, and the last one from then on. */
export async function startAnswering(...answers: readonly RequestListener[]) {
  const received: Received[] = [];
  const receiver = await startReceiver(async (request, response) => {
    const { url, headers } = request;
    received.push({ url, headers, body: JSON.parse(await text(request)) });
    (answers[received.length - 1] ?? answers.at(-1))?.(request, response);
  });
  return { receiver, received, url: `http://127.0.0.1:${receiver.port}` };
}

/** Answers with a status. */
export const answering =
  (status: number, body = ''): RequestListener =>
  (_, response) =>
    response.writeHead(status).end(body);

/** Workflows with the step httpRequest, their runs, and what posts for them. */
export async function setUpHttpRequests() {
  const tenants = await setUpTenants();
  const { product, rep } = tenants;
  const runs = await prepareRuns(tenants);
  const posting = await preparePosting(tenants, runs);

  /** A workflow that posts, and goes on at the node `after`, or `failed` on the way `error`. */
  const posts = (data: object, after: { type: string; data?: object }, edges: readonly string[] = []) =>
    runs.newWorkflow(
      graphWith(
        {
          trigger: manual,
          ask: { type: 'httpRequest', data },
          after,
          failed: { type: 'addTags', data: { tags: ['failed'] } },
        },
        ['trigger ask', 'ask after', ...edges],
      ),
    );

  /** Starts a run for a new contact, and goes on until it has stored its request. */
  async function begin(workflow: Parameters<typeof runs.start>[0], fields: object = {}) {
    const { _id: contactId } = await tenants.newContact({ firstName: 'Ada', ...fields });
    const runId = await runs.start(workflow, contactId, { event: { plan: 'gold' } });
    await runs.advance(runId);
    return { runId, contactId };
  }

  const told = async (runId: string) =>
    (await runs.stepRecords(runId)).map(({ nodeId, status, way, reason }) =>
      [nodeId, status, way, reason].filter(Boolean).join(' '),
    );

  const tagsOf = async (contactId: string) =>
    (await arrange(product.call('read-contact', { token: rep.token, path: { id: contactId } }))).data.tags;

  return { tenants, product, runs, posting, posts, begin, told, tagsOf };
}
