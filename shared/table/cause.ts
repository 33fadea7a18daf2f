/** The run of a workflow that caused an event, or whose step writes. */
export interface Cause {
  readonly runId: string;
  readonly workflowId: string;
  /** The workflows of the runs that caused each other: the first one first, that of `runId` last. */
  readonly chain: readonly string[];
}
