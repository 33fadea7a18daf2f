/** A group of operations in the documentation. */
export interface Tag {
  /** As the specification names it. */
  readonly name: string;
  readonly description: string;
}

/** The tags of a capability: an operation has the first one, unless it names another by `tag`. */
export type Tags = readonly [Tag, ...Tag[]];
