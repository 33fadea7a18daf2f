import { AwsJson1_0Protocol } from '@aws-sdk/core/protocols';
import { HttpRequest } from '@smithy/core/protocols';
import { fromBase64 } from '@smithy/core/serde';

type Request = Parameters<AwsJson1_0Protocol['serializeRequest']>;
type Response = Parameters<AwsJson1_0Protocol['deserializeResponse']>;
type Output = Awaited<ReturnType<AwsJson1_0Protocol['deserializeResponse']>>;

/** A value or an item in JSON. Bytes are base64. */
type Wire = { B?: unknown; BS?: unknown; L?: unknown; M?: unknown };
type WireItem = Record<string, Wire>;

/** Decodes the base64 inside a value, in place. */
function decodeValue(value: Wire): void {
  if (typeof value.B === 'string') {
    value.B = fromBase64(value.B);
  } else if (Array.isArray(value.BS)) {
    value.BS = value.BS.map((bytes: string) => fromBase64(bytes));
  } else if (Array.isArray(value.L)) {
    value.L.forEach(decodeValue);
  } else if (value.M !== undefined) {
    decodeItem(value.M as WireItem);
  }
}

function decodeItem(item: WireItem | null | undefined): void {
  for (const name in item) {
    decodeValue(item[name] as Wire);
  }
}

interface Parsed {
  Item?: WireItem;
  Items?: WireItem[];
  Attributes?: WireItem;
  LastEvaluatedKey?: WireItem;
  Responses?: Record<string, WireItem[]>;
  UnprocessedKeys?: Record<string, { Keys?: WireItem[] }>;
}

const nothing = () => undefined;
const attributes = ({ Attributes }: Parsed) => decodeItem(Attributes);
const page = ({ Items, LastEvaluatedKey }: Parsed) => {
  Items?.forEach(decodeItem);
  decodeItem(LastEvaluatedKey);
};

/** The commands of the table, and where their responses hold values. */
const decoders: ReadonlyMap<string, (parsed: Parsed) => void> = new Map([
  ['GetItem', ({ Item }: Parsed) => decodeItem(Item)],
  ['Query', page],
  ['Scan', page],
  [
    'BatchGetItem',
    ({ Responses, UnprocessedKeys }: Parsed) => {
      Object.values(Responses ?? {}).forEach((items) => void items.forEach(decodeItem));
      Object.values(UnprocessedKeys ?? {}).forEach(({ Keys }) => void Keys?.forEach(decodeItem));
    },
  ],
  ['PutItem', attributes],
  ['UpdateItem', attributes],
  ['TransactWriteItems', nothing],
]);

/** For `JSON.stringify`: encodes bytes as base64 and leaves out null. `this` has the value from before its `toJSON`. */
function toWire(this: Record<string, unknown>, name: string, value: unknown): unknown {
  const raw = this[name];
  if (raw instanceof Uint8Array) {
    return Buffer.from(raw.buffer, raw.byteOffset, raw.byteLength).toString('base64');
  }
  return value ?? undefined;
}

/** DynamoDB's JSON without a schema for the commands above. The SDK handles everything else. */
export class TableProtocol extends AwsJson1_0Protocol {
  override async serializeRequest(...all: Request): ReturnType<AwsJson1_0Protocol['serializeRequest']> {
    const [{ name }, input, context] = all;
    const { ClientRequestToken, ReturnItemCollectionMetrics } = input as Record<string, unknown>;
    // The SDK creates the token of a transaction without one.
    const tokenless = name === 'TransactWriteItems' && typeof ClientRequestToken !== 'string';
    if (!decoders.has(name) || tokenless || ReturnItemCollectionMetrics !== undefined) {
      return super.serializeRequest(...all);
    }
    const request = new HttpRequest({
      method: 'POST',
      path: '/',
      headers: {
        'content-type': this.getDefaultContentType(),
        'x-amz-target': `${this.serviceTarget}.${name}`,
      },
      body: JSON.stringify(input, toWire),
    });
    this.updateServiceEndpoint(request, await context.endpoint());
    if (!request.path.endsWith('/')) {
      request.path += '/';
    }
    return request;
  }

  override async deserializeResponse<T extends Output>(...all: Response): Promise<T> {
    const [{ name }, , response] = all;
    const decode = response.statusCode < 300 ? decoders.get(name) : undefined;
    const parsed = decode && objectIn(response.body);
    // Item collection metrics would hold values too, but our table has none.
    if (decode === undefined || parsed === undefined || 'ItemCollectionMetrics' in parsed) {
      return super.deserializeResponse<T>(...all);
    }
    decode(parsed);
    return Object.assign(parsed, { $metadata: this.deserializeMetadata(response) }) as unknown as T;
  }
}

/** The JSON object in these bytes; undefined for anything else. */
function objectIn(body: unknown): Parsed | undefined {
  if (!Buffer.isBuffer(body)) {
    return undefined;
  }
  try {
    const parsed: unknown = JSON.parse(body.toString());
    return typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed) ? parsed : undefined;
  } catch {
    return undefined;
  }
}
