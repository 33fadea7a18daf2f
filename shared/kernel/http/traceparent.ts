/** Version, trace, parent and flags; no zeros for the ids, and no version ff. Source: W3C Trace Context, 3.2. */
const form = /^(?!ff)[\da-f]{2}-(?!0{32})[\da-f]{32}-(?!0{16})[\da-f]{16}-[\da-f]{2}$/;

/** The trace that a request belongs to, for the log line; nothing if its header `traceparent` is missing or has another form. */
export function traceFields(headers: Readonly<Record<string, string | undefined>> = {}): {
  traceparent?: string;
} {
  // The WebSocket API passes on the names of headers as the client wrote them.
  const name = Object.keys(headers).find((header) => header.toLowerCase() === 'traceparent') ?? '';
  const traceparent = headers[name] ?? '';
  return form.test(traceparent) ? { traceparent } : {};
}
