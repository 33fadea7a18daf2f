import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openDurableValue } from '../../infra/local/data/durable-file.ts';
import { startServer } from '../../infra/local/listening.ts';
import {
  applyCustomResource,
  type CustomResource,
  CustomResourceRecords,
} from '../../infra/local/template/custom-resources.ts';
import { systemRuntime } from '../../shared/kernel/serve/invocation.ts';
import { type DeploymentEvent, serveDeployment } from '../../shared/kernel/serve/serve-deployment.ts';
import { deploymentOperation } from '../../shared/kernel/trigger.ts';

interface CustomResourceEvent {
  RequestType: string;
  ResponseURL: string;
  RequestId: string;
  StackId: string;
  LogicalResourceId: string;
  PhysicalResourceId?: string;
  ResourceProperties: Record<string, unknown>;
  OldResourceProperties?: Record<string, unknown>;
}

let events: CustomResourceEvent[];
beforeEach(() => {
  events = [];
});

/** The resource of a function that responds to each event with the result of `respond`, over HTTP, as real ones do. */
function resource(
  properties: Record<string, unknown>,
  respond: (event: CustomResourceEvent) => object | undefined = () => ({}),
  contentType = '',
): CustomResource {
  return {
    logicalId: 'SigningKey',
    resourceType: 'Custom::SigningKey',
    serviceToken: 'arn:aws:lambda:eu-central-1:000000000000:function:create-signing-key',
    properties,
    async invoke(input) {
      const event = input as CustomResourceEvent;
      events.push(event);
      const body = respond(event);
      if (!body) {
        return;
      }
      const { RequestId, StackId, LogicalResourceId } = event;
      const identity = { RequestId, StackId, LogicalResourceId, PhysicalResourceId: 'key-1' };
      await fetch(event.ResponseURL, {
        method: 'PUT',
        headers: { 'content-type': contentType },
        body: JSON.stringify({ Status: 'SUCCESS', ...identity, ...body }),
      });
    },
  };
}

test('A new resource is created with its properties as strings', async () => {
  const created = await applyCustomResource(
    resource({ Name: 'access', Days: 30, Nested: { flags: [true] } }, () => ({ Data: { PublicKey: 'abc' } })),
  );
  expect(created).toEqual({ physicalId: 'key-1', data: { PublicKey: 'abc' } });
  expect(events).toHaveLength(1);
  expect(events[0]).toMatchObject({
    RequestType: 'Create',
    LogicalResourceId: 'SigningKey',
    ResourceType: 'Custom::SigningKey',
    ServiceToken: 'arn:aws:lambda:eu-central-1:000000000000:function:create-signing-key',
    ResourceProperties: { Name: 'access', Days: '30', Nested: { flags: ['true'] } },
  });
});

test('A resource with the same properties keeps its response, without a call', async () => {
  const previous = { physicalId: 'key-1', properties: { Days: 30 }, data: { PublicKey: 'abc' } };
  const same = await applyCustomResource({ ...resource({ Days: '30' }), previous });
  expect(same).toEqual({ physicalId: 'key-1', data: { PublicKey: 'abc' } });
  expect(events).toEqual([]);
});

test('A resource with other properties is updated and sees the old ones', async () => {
  const previous = { physicalId: 'key-1', properties: { Days: 30 }, data: {} };
  await applyCustomResource({ ...resource({ Days: 60 }), previous });
  expect(events).toHaveLength(1);
  expect(events[0]).toMatchObject({
    RequestType: 'Update',
    PhysicalResourceId: 'key-1',
    ResourceProperties: { Days: '60' },
    OldResourceProperties: { Days: '30' },
  });
});

test('A resource that an update replaced is deleted', async () => {
  const previous = { physicalId: 'key-0', properties: { Days: 30 }, data: {} };
  const replaced = await applyCustomResource({ ...resource({ Days: 60 }), previous });
  expect(replaced.physicalId).toBe('key-1');
  expect(events.map(({ RequestType }) => RequestType)).toEqual(['Update', 'Delete']);
  expect(events[1]).toMatchObject({ PhysicalResourceId: 'key-0', ResourceProperties: { Days: '30' } });
});

test.each<[string, (event: CustomResourceEvent) => object | undefined, RegExp]>([
  [
    'with its own reason when the function says that it failed',
    () => ({ Status: 'FAILED', Reason: 'no key' }),
    /no key/,
  ],
  [
    'when the function throws',
    () => {
      throw new Error('out of memory');
    },
    /out of memory/,
  ],
  [
    'when the response belongs to another request',
    () => ({ RequestId: 'other' }),
    /must be those of the request/,
  ],
  ['when the response has no status', () => ({ Status: undefined }), /Status/],
  ['when the response is too long', () => ({ Data: { text: 'x'.repeat(5000) } }), /too long/],
])('An apply fails %s', async (_, respond, reason) => {
  const failed = applyCustomResource(resource({}, respond));
  await expect(failed).rejects.toThrow(reason);
  await expect(failed).rejects.toThrow('Create of custom resource SigningKey (Custom::SigningKey) failed');
});

test('An apply fails when the function never responds', async () => {
  const failed = applyCustomResource(resource({ ServiceTimeout: 0.2 }, () => undefined));
  await expect(failed).rejects.toThrow(/no response within 0.2 s/);
});

test('A response with a content type is refused, because the address of a real one is signed without', async () => {
  const failed = applyCustomResource(resource({}, () => ({}), 'text/plain;charset=UTF-8'));
  await expect(failed).rejects.toThrow(/no content-type or an empty one; it has "text\/plain;charset=UTF-8"/);
});

/** The resource of a deployment step that is served as the product serves its own. */
function step(run: (properties: Record<string, string>) => Promise<Record<string, string>>) {
  const logged: unknown[] = [];
  const runtime = { ...systemRuntime, log: (entry: unknown) => void logged.push(entry) };
  const operation = deploymentOperation({ summary: 'A step', uses: {}, run });
  const handler = serveDeployment('a-step', operation, {}, runtime);
  const invoke = (event: object) => handler(event as DeploymentEvent);
  return { ...resource({ Generation: 2 }), logged, handler, invoke };
}

test('The report of a deployment step is one that CloudFormation takes', async () => {
  const applied = await applyCustomResource(step(async ({ Generation = '' }) => ({ Generation })));
  expect(applied).toEqual({ physicalId: 'a-step', data: { Generation: '2' } });
});

test('A deployment step that fails reports so, and only its log says why', async () => {
  const failing = step(async () => {
    throw new Error('the secret is locked');
  });
  await expect(applyCustomResource(failing)).rejects.toThrow('a-step failed; its log says why');
  expect(JSON.stringify(failing.logged)).toContain('the secret is locked');
});

test('A deployment step whose report is refused fails, and does not report its success as a failure', async () => {
  const reports: unknown[] = [];
  const server = createServer(async (request, response) => {
    reports.push(await json(request));
    response.writeHead(403).end('SignatureDoesNotMatch');
  });
  const { endpoint, stop } = await startServer(server, 0);
  const event: DeploymentEvent = {
    RequestType: 'Create',
    ResponseURL: endpoint,
    StackId: 's',
    RequestId: 'r',
    LogicalResourceId: 'l',
    ResourceProperties: {},
  };
  try {
    const refused = step(async () => ({})).handler(event);
    await expect(refused).rejects.toThrow('CloudFormation refused the report: 403 SignatureDoesNotMatch');
  } finally {
    await stop();
  }
  expect(reports).toEqual([expect.objectContaining({ Status: 'SUCCESS' })]);
});

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'custom-resources-'));
});
afterEach(() => rm(folder, { recursive: true }));

test('Records are there again after a restart', async () => {
  const file = join(folder, 'custom-resources.json');
  const open = () => openDurableValue({ file, schema: CustomResourceRecords, initial: {} });
  const records = await open();
  expect(records.current()).toEqual({});
  const record = { physicalId: 'key-1', properties: { Days: 30 }, data: { PublicKey: 'abc' } };
  const put = (logicalId: string) => records.change((former) => ({ ...former, [logicalId]: record }));
  await Promise.all([put('SigningKey'), put('Other')]);

  expect((await open()).current()).toEqual({ SigningKey: record, Other: record });
});
