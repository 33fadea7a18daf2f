import { readFileSync } from 'node:fs';

/** What a host with the demo data answered to the example of an operation. */
export interface RecordedResponse {
  readonly status: number;
  /** JSON. Times, new ids and secrets are replaced by values that stay the same; long lists are cut. */
  readonly body: unknown;
}

/** The file that `npm run examples` writes. */
export const recordedAnswersFile = new URL('./recorded-answers.json', import.meta.url);

/** By operation. One that is younger than the file is not in it. */
export const recordedAnswers: Readonly<Record<string, RecordedResponse>> = JSON.parse(
  readFileSync(recordedAnswersFile, 'utf8'),
);
