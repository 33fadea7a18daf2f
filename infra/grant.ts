/** An IAM statement that allows actions. Written by hand, because the library's grants allow more than an operation needs. */
export interface Grant {
  readonly actions: readonly string[];
  readonly resources: readonly string[];
  readonly conditions?: Record<string, Record<string, readonly string[] | string>>;
  /** Why a resource has a wildcard, if it has one. */
  readonly wildcard?: string;
}
