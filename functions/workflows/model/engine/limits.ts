/** What a run may have before it fails as `too_long`; its length in time is `longestRun`. Source: the page of workflows, "Guards". */
export const runLimits = { steps: 1_000, tokens: 50 } as const;

export const tooLong = 'too_long';
