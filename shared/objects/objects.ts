/**
 * Objects of one organization, outside the table. Keys are relative to the organization and to the objects' purpose: the port
 * adds both, so that no key can lead to another organization.
 */

/** The metadata of a stored object. */
export interface ObjectHead {
  /** In bytes. */
  readonly size: number;
  readonly type: string;
}

/** A form by which a browser sends one file directly to the store. */
export interface PresignedPost {
  readonly method: 'POST';
  readonly url: string;
  readonly fields: Readonly<Record<string, string>>;
}

/** Signs links to files that users uploaded. */
export interface Downloads {
  /** The relative part of a full key; undefined for other organizations' keys. */
  relativeKey(key: string): string | undefined;
  /** A URL that downloads the object under a name for so many seconds. */
  downloadUrl(relative: string, options: { name: string; type: string; seconds: number }): Promise<string>;
}

/** Files that users uploaded, for responses. */
export interface Attachments extends Downloads {
  /** The full key of an object, as clients see it. */
  keyOf(relative: string): string;
  /** Undefined if the object does not exist. */
  head(relative: string): Promise<ObjectHead | undefined>;
}

export interface Uploads extends Attachments {
  /** A form for exactly this key and type, with at most `maxBytes`, for so many seconds. */
  presignedPost(
    relative: string,
    options: { type: string; maxBytes: number; seconds: number },
  ): Promise<PresignedPost>;
}

/** Reads documents that are too large for an item of the table. */
export interface DocumentReader {
  /** Undefined if the document does not exist. */
  get(relative: string): Promise<Uint8Array | undefined>;
}

export interface Documents extends DocumentReader {
  put(relative: string, bytes: Uint8Array): Promise<void>;
  remove(relative: string): Promise<void>;
}

/** Responses that are too large for the platform; they expire within days. */
export interface Exports {
  /** An export also names uploaded files. */
  readonly attachments: Attachments;
  /** Stores a gzipped JSON text. */
  put(relative: string, zipped: Uint8Array): Promise<void>;
  downloadUrl(relative: string, options: { name: string; type: string; seconds: number }): Promise<string>;
}
