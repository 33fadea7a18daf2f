import type { ServerResponse } from 'node:http';

/** A response of the store, other than the content of an object. */
export interface StoreResponse {
  status: number;
  headers?: Record<string, string>;
  /** XML. */
  body?: string;
}

export function send(response: ServerResponse, { status, headers = {}, body = '' }: StoreResponse): void {
  response.writeHead(status, { ...(body === '' ? {} : { 'content-type': 'application/xml' }), ...headers });
  response.end(body);
}
