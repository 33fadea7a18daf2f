import type { CfnResource } from 'aws-cdk-lib/core';

/**
 * How many resources of API Gateway a deployment works on at once. A resource takes two or three management calls in about a second. The
 * account has ten calls a second for all its APIs, which cannot be raised; a call beyond them makes the deployment fail, and often its
 * rollback, too. Source: API Gateway quotas, "Quotas for creating, deploying and managing an API".
 */
const lanesOfApis = 4;

/** Makes resources wait for each other in a few lanes, so that a deployment works on no more resources at once than there are lanes. */
export class Lanes {
  readonly #ends: (CfnResource | undefined)[];
  #next = 0;

  constructor(count = lanesOfApis) {
    this.#ends = Array.from({ length: count }, () => undefined);
  }

  /** Adds the resources, one after the other, at the end of the next lane. A resource must come after those that it refers to. */
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

  /** Makes the resource wait for all resources that are in a lane by now. */
  addAfterAll(resource: CfnResource): void {
    for (const before of this.#ends) {
      if (before !== undefined) {
        resource.addResourceDependency(before);
      }
    }
  }
}
