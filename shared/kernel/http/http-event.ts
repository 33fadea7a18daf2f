/** The part of API Gateway's payload format 2.0 that the kernel reads. Nothing else knows the event. */
export interface HttpEvent {
  rawPath: string;
  rawQueryString?: string;
  headers: Record<string, string | undefined>;
  pathParameters?: Record<string, string | undefined>;
  queryStringParameters?: Record<string, string | undefined>;
  /** The raw text. */
  body?: string;
  isBase64Encoded?: boolean;
  requestContext: {
    requestId: string;
    domainName?: string;
    http: { method: string; path: string; sourceIp: string };
    authorizer?: { lambda?: Record<string, unknown> | null };
  };
}

export interface HttpResponse {
  statusCode: number;
  headers: Record<string, string>;
  body: string;
  isBase64Encoded?: boolean;
}
