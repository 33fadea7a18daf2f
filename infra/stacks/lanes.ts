import type { CfnResource } from 'aws-cdk-lib/core';

/**
 * How many resources of API Gateway a deployment works on at once. A resource costs two or three management calls in about a second,
 * and the account has ten a second for all its APIs, which cannot be raised; a call beyond them fails the deployment, and often its
 * rollback too. Source: API Gateway quotas, "Quotas for creating, deploying and managing an API".
 */
const lanesOfApis = 4;

/** Rows of resources in which each is deployed after the one before it, so that no more are under way than there are rows. */
export class Lanes {
  readonly #ends: (CfnResource | undefined)[];
  #next = 0;

  constructor(count = lanesOfApis) {
    this.#ends = Array.from({ length: count }, () => undefined);
  }

  /** Puts the resources behind each other at the end of the next lane. A resource must come after those that it refers to. */
  add(...resources: readonly CfnResource[]): void {
    for (const resource of resources) {
      const before = this.#ends[this.#next];
      if (before !== undefined) {
        resource.addResourceDependency(before);
      }
      this.#ends[this.#next] = resource;
    }
    this.#next = (this.#next + 1) % this.#ends.length;
  }

  /** Puts the resource behind everything that is in a lane by now. */
  addAfterAll(resource: CfnResource): void {
    for (const before of this.#ends) {
      if (before !== undefined) {
        resource.addResourceDependency(before);
      }
    }
  }
}
