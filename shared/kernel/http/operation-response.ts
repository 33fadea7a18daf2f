import * as z from 'zod/mini';
import type { Operation } from '../operation.ts';
import type { Answer } from '../ports.ts';
import type { AnyRequest } from '../request.ts';
import { withoutSecrets } from '../schemas/shown-once.ts';
import { accepts } from './accepted-coding.ts';
import { Asset } from './asset.ts';
import { assetResponse } from './asset-response.ts';
import type { HttpEvent, HttpResponse } from './http-event.ts';
import { requestScheme } from './http-request.ts';
import { JsonText } from './json-text.ts';
import { OtherResponse } from './other-response.ts';
import { Oversized, type ResponseOptions, response } from './response.ts';

/** The parts of a response that depend on the request. */
export function responseOptions({ contentType }: Operation, event: HttpEvent): ResponseOptions {
  return {
    requestId: event.requestContext.requestId,
    acceptsGzip: accepts(event.headers['accept-encoding'], 'gzip'),
    overHttps: requestScheme(event) === 'https',
    ...(contentType === undefined ? {} : { contentType }),
  };
}

/** The HTTP response for what the operation returned. An `output` must match its schema. */
export async function buildResponse(
  operation: Operation,
  output: unknown,
  event: HttpEvent,
  request: AnyRequest,
  context: unknown,
): Promise<HttpResponse> {
  const { headers, oversized } = operation;
  const options = responseOptions(operation, event);
  if (output instanceof Asset) {
    return assetResponse(output, event.headers, { ...options, headers });
  }
  if (output instanceof OtherResponse) {
    return otherResponse(output, options);
  }
  const body = output instanceof JsonText ? output : z.parse(operation.output, output);
  const status = statusOf(operation, body);
  try {
    return response(status, body, options, headers);
  } catch (error) {
    if (!(error instanceof Oversized) || oversized === undefined) {
      throw error;
    }
    return otherResponse(await oversized(error.zipped, request, context), options);
  }
}

function otherResponse(
  { status, body, contentType, headers }: OtherResponse,
  options: ResponseOptions,
): HttpResponse {
  const text = contentType === 'application/json' ? new JsonText(body) : body;
  return response(status, text, { ...options, contentType }, headers);
}

function statusOf({ createsNothing, status = 200 }: Operation, body: unknown): number {
  return createsNothing?.when(body) ? 200 : status;
}

/** The response to store. An operation that takes a key returns its `output`. */
export function answerTo(operation: Operation, output: unknown): Answer {
  const body = output instanceof JsonText ? output : z.parse(operation.output, output);
  const kept = body instanceof JsonText ? body : withoutSecrets(operation.output, body);
  const status = statusOf(operation, body);
  return { status, body: textOf(body), ...(kept !== body && { kept: textOf(kept) }) };
}

const textOf = (body: unknown) => (body instanceof JsonText ? body.text : JSON.stringify(body));

/** The response with an answer, which may be one that was kept. */
export function answerResponse(
  { status, body, isRepeated }: Answer & { readonly isRepeated: boolean },
  options: ResponseOptions,
  headers: Operation['headers'],
): HttpResponse {
  return response(status, new JsonText(body), options, {
    ...headers,
    ...(isRepeated && { 'idempotent-replayed': 'true' }),
  });
}
