/** The errors of S3 that the store uses: the HTTP status and the usual text of each code. */
const errors = {
  AccessDenied: [403, 'Access Denied'],
  AuthorizationHeaderMalformed: [400, 'The authorization header that you provided is not valid.'],
  AuthorizationQueryParametersError: [400, 'Error parsing the X-Amz-Credential parameter.'],
  BadDigest: [400, 'The Content-MD5 you specified did not match what we received.'],
  EntityTooLarge: [400, 'Your proposed upload exceeds the maximum allowed size'],
  EntityTooSmall: [400, 'Your proposed upload is smaller than the minimum allowed size'],
  InternalError: [500, 'We encountered an internal error. Please try again.'],
  InvalidAccessKeyId: [403, 'The AWS Access Key Id you provided does not exist in our records.'],
  InvalidArgument: [400, 'Invalid Argument'],
  InvalidPolicyDocument: [
    400,
    'The content of the form does not meet the conditions specified in the policy.',
  ],
  InvalidRange: [416, 'The requested range is not satisfiable'],
  InvalidRequest: [400, 'Invalid Request'],
  InvalidURI: [400, "Couldn't parse the specified URI."],
  KeyTooLongError: [400, 'Your key is too long'],
  MalformedPOSTRequest: [400, 'The body of your POST request is not well-formed multipart/form-data.'],
  MaxPostPreDataLengthExceededError: [
    400,
    'Your POST request fields preceding the upload file were too large.',
  ],
  MissingContentLength: [411, 'You must provide the Content-Length HTTP header.'],
  NoSuchBucket: [404, 'The specified bucket does not exist'],
  NoSuchKey: [404, 'The specified key does not exist.'],
  NotImplemented: [501, 'A header or query you provided implies functionality that is not implemented'],
  PreconditionFailed: [412, 'At least one of the pre-conditions you specified did not hold'],
  RequestTimeTooSkewed: [403, 'The difference between the request time and the current time is too large.'],
  SignatureDoesNotMatch: [
    403,
    'The request signature we calculated does not match the signature you provided. Check your key and signing method.',
  ],
  XAmzContentSHA256Mismatch: [
    400,
    "The provided 'x-amz-content-sha256' header does not match what was computed.",
  ],
} as const satisfies Record<string, readonly [status: number, message: string]>;

export type StoreErrorCode = keyof typeof errors;

/** A refusal of a request, in the words of S3. */
export class StoreError extends Error {
  readonly code: StoreErrorCode;
  readonly status: number;
  readonly details: Record<string, string | number>;

  /** `details` become elements beside code and message; `message` replaces the usual text of the code. */
  constructor(code: StoreErrorCode, details: Record<string, string | number> = {}, message?: string) {
    super(message ?? errors[code][1]);
    this.name = 'StoreError';
    this.code = code;
    this.status = errors[code][0];
    this.details = details;
  }

  toXml(resource: string, requestId: string): string {
    const { code: Code, message: Message, details } = this;
    const content = { Code, Message, ...details, Resource: resource, RequestId: requestId };
    const elements = Object.entries(content).map(([name, text]) => `<${name}>${escaped(text)}</${name}>`);
    return `<?xml version="1.0" encoding="UTF-8"?>\n<Error>${elements.join('')}</Error>`;
  }
}

export function escaped(text: string | number): string {
  return String(text).replace(/[&<>"\p{Cc}]/gu, (character) => `&#${character.codePointAt(0)};`);
}
