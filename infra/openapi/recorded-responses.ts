import { readFileSync } from 'node:fs';

/** The response of a host with demo data to an operation's example. */
export interface RecordedResponse {
  readonly status: number;
  /** JSON in which constant values replace times, new ids and secrets; long lists are cut. */
  readonly body: unknown;
}

/** The file that `npm run examples` writes. */
export const recordedResponsesFile = new URL('./recorded-responses.json', import.meta.url);

/** By operation. One newer than the file is missing. */
export const recordedResponses: Readonly<Record<string, RecordedResponse>> = JSON.parse(
  readFileSync(recordedResponsesFile, 'utf8'),
);
