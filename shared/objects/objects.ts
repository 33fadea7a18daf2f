/**
 * Objects of one organization, apart from the table. Keys are relative to the organization and to what the objects are for:
 * the port puts both in front, so that no key can lead to another organization.
 */

/** An object as it lies in the store. */
export interface ObjectHead {
  /** Bytes. */
  readonly size: number;
  readonly type: string;
}

/** A form that lets a browser send one file straight to the store. */
export interface PresignedPost {
  readonly method: 'POST';
  readonly url: string;
  readonly fields: Readonly<Record<string, string>>;
}

/** Files that users uploaded: what an answer tells of them. */
export interface Attachments {
  /** The full key of an object, as clients know it. */
  keyOf(relative: string): string;
  /** The part of a client's key that is relative to the organization; undefined for a key of anybody else. */
  relativeKey(key: string): string | undefined;
  /** Undefined when there is no such object. */
  head(relative: string): Promise<ObjectHead | undefined>;
  /** A URL that downloads the object under a name, as long as stated. */
  downloadUrl(relative: string, options: { name: string; type: string; seconds: number }): Promise<string>;
}

export interface Uploads extends Attachments {
  /** A form for exactly this key and type, with at most `maxBytes`, until the time is over. */
  presignedPost(
    relative: string,
    options: { type: string; maxBytes: number; seconds: number },
  ): Promise<PresignedPost>;
}

/** Documents too large for a row of the table, to read. */
export interface DocumentReader {
  /** Undefined when there is no such document. */
  get(relative: string): Promise<Uint8Array | undefined>;
}

export interface Documents extends DocumentReader {
  put(relative: string, bytes: Uint8Array): Promise<void>;
  remove(relative: string): Promise<void>;
}

/** Answers too large for the platform; they expire by themselves within days. */
export interface Exports {
  /** An export tells of uploaded files too. */
  readonly attachments: Attachments;
  /** Stores a gzipped JSON text. */
  put(relative: string, zipped: Uint8Array): Promise<void>;
  downloadUrl(relative: string, options: { name: string; type: string; seconds: number }): Promise<string>;
}
