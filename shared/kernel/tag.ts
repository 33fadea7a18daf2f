/** A group of operations in the documentation. */
export interface Tag {
  /** The name in the specification. */
  readonly name: string;
  readonly description: string;
}

/** The tags of a capability. An operation has the first one unless its `tag` names another. */
export type Tags = readonly [Tag, ...Tag[]];
