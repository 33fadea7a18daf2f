/** The part of API Gateway's payload format 2.0 that the kernel reads; nothing else knows the event. */
export interface HttpEvent {
  rawPath: string;
  rawQueryString?: string;
  headers: Record<string, string | undefined>;
  pathParameters?: Record<string, string | undefined>;
  queryStringParameters?: Record<string, string | undefined>;
  /** The raw text; the parsed object once the body has been read. */
  body?: string;
  isBase64Encoded?: boolean;
  requestContext: {
    requestId: string;
    domainName?: string;
    http: { method: string; path: string; sourceIp: string };
    authorizer?: { lambda?: Record<string, unknown> | null };
  };
}

export interface HttpAnswer {
  statusCode: number;
  headers: Record<string, string>;
  body: string;
  isBase64Encoded?: boolean;
}

/** What middy hands from step to step. */
export interface HttpRequest {
  event: HttpEvent;
  context: unknown;
  response?: HttpAnswer;
  error?: unknown;
  internal: Record<string, unknown>;
}
