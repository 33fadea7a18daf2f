import { readFileSync } from 'node:fs';

/** The response of a host with demo data to the example of an operation. */
export interface RecordedResponse {
  readonly status: number;
  /** JSON in which constant values replace times, new ids and secrets; long lists are cut. */
  readonly body: unknown;
}

/** The file that `npm run examples` writes. */
export const recordedResponsesFile = new URL('./recorded-responses.json', import.meta.url);

/** The recorded responses by operation. A newer operation than the file has none. */
export const recordedResponses: Readonly<Record<string, RecordedResponse>> = JSON.parse(
  readFileSync(recordedResponsesFile, 'utf8'),
);
