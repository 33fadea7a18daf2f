/** Trigger nodes that start in one transaction. */
export const nodesAtOnce = 6;
