import { contactIdIn } from '../../../../shared/kernel/child-id.ts';
import type { Timestamp } from '../../../../shared/kernel/time.ts';
import type { Key, Range } from '../../../../shared/table/key.ts';
import type { Reach } from '../../../../shared/workflows/own-workflows.ts';
import type { RunRecord, StepRecord } from '../../../../shared/workflows/run-response.ts';
import type { AwaitedEvent } from '../definition/plan.ts';
import type { Topic } from '../definition/topics.ts';

/**
 * A run of a workflow for a contact. The record holds all its tokens, so that its version alone guards each step: whoever commits a
 * step on the version that it decided on is the only one who does.
 */
export interface Run extends RunRecord {
  /** The owner of the workflow, as whom it acts. */
  readonly userId: string;
  /** The most rights that it may use; those of the owner unless stated. */
  readonly most?: Reach;
  /** The node it started at, and the topic. */
  readonly triggerId: string;
  readonly topic: Topic;
  /** The topics that may end it at any time: those of the goal, and of replies. */
  readonly endedBy?: readonly Topic[];
  /** The last revision that the run could have moved to when it took its last step. It moves only to later ones. */
  readonly movesSeen?: number;
  /** When it may begin; absent for a run that begins at once. */
  readonly startsAt?: Timestamp;
  /** The workflows of the runs that caused each other, this run's last. */
  readonly chain: readonly string[];
  /** The job whose change started it, or the run that did: a revert of the job does not take its steps for somebody else's. */
  readonly jobId?: string;
  /** The tokens that have not ended; a failed run has the tokens that it would go on with if it were tried again. */
  readonly tokens: readonly Token[];
  /** Steps and tokens so far; the numbers of the next ones are one more. */
  readonly steps: number;
  readonly tokenCount: number;
}

/** A position in the graph where the run goes on. */
export interface Token {
  /** Unique in the run, from 1. */
  readonly n: number;
  /** The node that it is to pass next, or waits at. */
  readonly nodeId: string;
  /** It has passed the join of its node, together with all tokens that came there. */
  readonly joined?: true;
  /** Absent for a token that goes on at once. */
  readonly wait?: Wait;
  /** Present in a token that has come to a wait for an event, and does not wait yet. */
  readonly listens?: Listening;
}

/** Events between the step before a wait for an event and the wait itself: what that step has caused may come at once. */
export interface Listening {
  readonly since: Timestamp;
  readonly awaits: AwaitedEvent;
  /** Such an event has come: there is nothing to wait for. */
  readonly heard?: true;
}

/** The event that a token waits for or listens to, and since when; undefined if there is none, or it has come. */
export function awaitedBy({ wait, listens }: Token): Pick<Listening, 'since' | 'awaits'> | undefined {
  if (wait !== undefined) {
    const { since, awaits, ended } = wait;
    return awaits === undefined || ended !== undefined ? undefined : { since, awaits };
  }
  return listens?.heard ? undefined : listens;
}

export interface Wait {
  readonly since: Timestamp;
  /** When it ends; absent only for a token at a join. */
  readonly until?: Timestamp;
  /** The event that ends it earlier. */
  readonly awaits?: AwaitedEvent;
  /** How it ended, set by whoever ended it; the next step of the token then follows this way. */
  readonly ended?: 'time' | 'received' | 'timeout';
  /** The number of the step whose request it waits for. */
  readonly request?: number;
  /** What came of that request; absent if it ended before. */
  readonly result?: Answer | RequestFailure;
}

/** The answer to a request, with a status of 2xx. */
export interface Answer {
  readonly status: number;
  /** JSON text. */
  readonly body?: string;
}

/** Why a request has no such answer. */
export interface RequestFailure {
  readonly failed: string;
}

/** The record of a step. A wait has two: `waiting`, and `passed` when it ended. */
export interface StoredStepRecord extends StepRecord {
  /** Its number in the run, from 1. */
  readonly n: number;
  /** The answer to its request, with its body only if the plan has fields that refer to the step. */
  readonly answer?: Answer;
}

/** Runs lie in the partition of their contact, and so go with it. */
export const runKey = (runId: string): Key<Run> => ({
  partition: ['CONTACT', contactIdIn(runId)],
  sort: ['RUN', runId],
});

/** The runs of a contact, oldest first. */
export const runRange = (contactId: string): Range<Run> => ({
  partition: ['CONTACT', contactId],
  under: ['RUN'],
});

/** The number of a step as a part of a key that sorts. */
const stepPart = (n: number) => String(n).padStart(4, '0');

export const stepRecordKey = (runId: string, n: number): Key<StoredStepRecord> => ({
  partition: ['CONTACT', contactIdIn(runId)],
  sort: ['STEP', runId, stepPart(n)],
});

export const stepRecordRange = (runId: string): Range<StoredStepRecord> => ({
  partition: ['CONTACT', contactIdIn(runId)],
  under: ['STEP', runId],
});

/** The event that started a run: its fields, which `event.…` names. Apart, because the run is written with each step. */
export const runEventKey = (runId: string): Key<Readonly<Record<string, unknown>>> => ({
  partition: ['CONTACT', contactIdIn(runId)],
  sort: ['RUN_EVENT', runId],
});

/** Makes a run go on: the stream hands each write of it over to the queue. It expires by itself. */
export const readyRunKey = (runId: string): Key<ReadyRun> => ({
  partition: ['CONTACT', contactIdIn(runId)],
  sort: ['READY', runId],
});

export interface ReadyRun {
  readonly runId: string;
  /** The time that has come, if the clock woke it. */
  readonly dueAt?: Timestamp;
  /** Another one with each write, so that each is a change. */
  readonly writeId: string;
}

/** Says that a run may be ended, or its wait, by an event about its contact: one for each topic. */
export const awaitedEventKey = (runId: string, topic: Topic): Key<AwaitedRun> => ({
  partition: ['CONTACT', contactIdIn(runId)],
  sort: ['AWAITED', topic, runId],
});

export interface AwaitedRun {
  readonly runId: string;
}

/** The runs of a contact that an event with this topic may concern. */
export const awaitedEventRange = (contactId: string, topic: Topic): Range<AwaitedRun> => ({
  partition: ['CONTACT', contactId],
  under: ['AWAITED', topic],
});

/** A request to an address outside, as it is posted. */
export interface OutgoingRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** JSON text. */
  readonly body: string;
}

/** The stored request of a step. The stream hands it over to the queue; it expires by itself. */
export interface HttpRequest extends OutgoingRequest {
  readonly workflowId: string;
  readonly runId: string;
  /** The number of the step that waits for the answer. */
  readonly n: number;
  /** The same with every attempt. */
  readonly webhookId: string;
}

export const httpRequestKey = (runId: string, n: number): Key<HttpRequest> => ({
  partition: ['CONTACT', contactIdIn(runId)],
  sort: ['HTTP_REQUEST', runId, stepPart(n)],
});
