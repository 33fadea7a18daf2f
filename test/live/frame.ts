import { published } from '../harness/published.ts';

/** A frame as a client reads it. */
export interface Frame {
  id: string;
  event: string;
  at: string;
  actor?: Record<string, unknown>;
  data: Record<string, unknown>;
}

/** A frame that the product has sent. @throws when it is other than the published description says. */
export function readFrame(text: string): Frame {
  const frame = JSON.parse(text) as Frame;
  const problems = published.frameProblems(frame);
  if (problems.length > 0) {
    throw new Error(`A frame is other than published: ${problems.join('; ')}: ${text}`);
  }
  return frame;
}
