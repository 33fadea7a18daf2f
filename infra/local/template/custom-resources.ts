import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { json } from 'node:stream/consumers';
import { isDeepStrictEqual } from 'node:util';
import * as z from 'zod';
import { startServer } from '../listening.ts';

const Properties = z.record(z.string(), z.unknown());
const ResourceRecord = z.object({ physicalId: z.string(), properties: Properties, data: Properties });

/** The record that CloudFormation keeps of a custom resource. */
export type CustomResourceRecord = z.infer<typeof ResourceRecord>;

/** The records of all custom resources, by stack and logical id. */
export const CustomResourceRecords = z.record(z.string(), ResourceRecord);

/** One custom resource of a template, and the function behind its service token. */
export interface CustomResource {
  invoke: (event: object) => Promise<unknown>;
  logicalId: string;
  resourceType: string;
  serviceToken: string;
  /** `ServiceTimeout` among them is the number of seconds within which the function must respond; 60 when absent. */
  properties: Record<string, unknown>;
  previous?: CustomResourceRecord;
}

const stackId = 'arn:aws:cloudformation:local:000000000000:stack/local/00000000-0000-0000-0000-000000000000';
const maxResponseBytes = 4096;

interface LifecycleRequest {
  RequestType: 'Create' | 'Update' | 'Delete';
  PhysicalResourceId?: string;
  ResourceProperties: unknown;
  OldResourceProperties?: unknown;
}

const ProviderResponse = z.object({
  Status: z.enum(['SUCCESS', 'FAILED']),
  Reason: z.string().optional(),
  PhysicalResourceId: z.string().min(1).max(1024),
  StackId: z.string(),
  RequestId: z.string(),
  LogicalResourceId: z.string(),
  Data: Properties.nullish(),
});
type ProviderResponse = z.infer<typeof ProviderResponse>;

/**
 * Applies the properties of a custom resource as CloudFormation does: `Create` for a new resource, `Update` when its properties have
 * changed (followed by `Delete` of the previous resource if the function replaced it), otherwise nothing. Rejects with the function's own
 * reason when it fails, and when it does not respond in time.
 */
export async function applyCustomResource(
  resource: CustomResource,
): Promise<Pick<CustomResourceRecord, 'physicalId' | 'data'>> {
  const { previous } = resource;
  const ResourceProperties = asStrings(resource.properties);
  if (!previous) {
    return send(resource, { RequestType: 'Create', ResourceProperties });
  }

  const OldResourceProperties = asStrings(previous.properties);
  const { physicalId: PhysicalResourceId, data } = previous;
  if (isDeepStrictEqual(ResourceProperties, OldResourceProperties)) {
    return { physicalId: PhysicalResourceId, data };
  }
  const updated = await send(resource, {
    RequestType: 'Update',
    PhysicalResourceId,
    ResourceProperties,
    OldResourceProperties,
  });
  if (updated.physicalId !== PhysicalResourceId) {
    await send(resource, {
      RequestType: 'Delete',
      PhysicalResourceId,
      ResourceProperties: OldResourceProperties,
    });
  }
  return updated;
}

async function send(
  resource: CustomResource,
  request: LifecycleRequest,
): Promise<Pick<CustomResourceRecord, 'physicalId' | 'data'>> {
  const identity = { RequestId: randomUUID(), StackId: stackId, LogicalResourceId: resource.logicalId };
  const received = Promise.withResolvers<unknown>();
  const server = createServer(async (incoming, response) => {
    const isResponse = incoming.method === 'PUT' && incoming.url === `/${identity.RequestId}`;
    const type = incoming.headers['content-type'] ?? '';
    const body = await json(incoming).catch(() => undefined);
    response.writeHead(isResponse && type === '' ? 200 : 403).end();
    if (!isResponse) {
      return;
    }
    if (type === '') {
      return received.resolve(body);
    }
    // CloudFormation's URL is signed for a request without a content type; S3 refuses any other.
    received.reject(new Error(`the response must have no content-type or an empty one; it has "${type}".`));
  });
  const { endpoint, stop } = await startServer(server, 0);
  const seconds = Number(resource.properties.ServiceTimeout ?? 60);
  const timer = setTimeout(
    () => received.reject(new Error(`no response within ${seconds} s`)),
    seconds * 1000,
  );
  try {
    const invocation = resource.invoke({
      ...request,
      ...identity,
      ResourceType: resource.resourceType,
      ResponseURL: `${endpoint}/${identity.RequestId}`,
      ServiceToken: resource.serviceToken,
    });
    invocation.catch(received.reject);
    const accepted = acceptedResponse(await received.promise, identity);
    // The function has responded but is still ending, and the caller may end its worker next.
    await invocation.catch(() => undefined);
    return { physicalId: accepted.PhysicalResourceId, data: accepted.Data ?? {} };
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    const what = `${request.RequestType} of custom resource ${resource.logicalId} (${resource.resourceType})`;
    throw new Error(`${what} failed: ${reason}`, { cause });
  } finally {
    clearTimeout(timer);
    await stop();
  }
}

function acceptedResponse(body: unknown, identity: Partial<ProviderResponse>): ProviderResponse {
  if (Buffer.byteLength(JSON.stringify(body) ?? '') > maxResponseBytes) {
    throw new Error(`Response object is too long: CloudFormation takes ${maxResponseBytes} bytes.`);
  }
  const { success, data: response, error } = ProviderResponse.safeParse(body);
  if (!success) {
    throw new Error(`the response is not one that CloudFormation takes: ${z.prettifyError(error)}`);
  }
  if (!isDeepStrictEqual({ ...response, ...identity }, response)) {
    throw new Error('RequestId, StackId and LogicalResourceId of the response must be those of the request.');
  }
  if (response.Status === 'FAILED') {
    throw new Error(response.Reason ?? 'the function gave no reason.');
  }
  return response;
}

/** CloudFormation passes numbers and booleans to functions as strings, at any depth. */
function asStrings(value: unknown): unknown {
  if (Array.isArray(value)) {
    return value.map(asStrings);
  }
  if (typeof value !== 'object' || value === null) {
    return String(value);
  }
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, asStrings(inner)]));
}
