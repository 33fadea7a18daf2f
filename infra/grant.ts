/** An IAM statement that allows; written by hand, because the library's grants give more than an operation needs. */
export interface Grant {
  readonly actions: readonly string[];
  readonly resources: readonly string[];
  readonly conditions?: Record<string, Record<string, readonly string[] | string>>;
  /** Why a resource has a wildcard, if one has. */
  readonly wildcard?: string;
}
