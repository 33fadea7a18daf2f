/**
 * Objects of one organization, outside the table. Keys are relative to the organization and to the objects' purpose: the port
 * adds both, so that no key can lead to another organization.
 */

/** Seconds for which a response's URL of a file works. Source: decisions 9. */
export const urlLifetime = 3_600;

/** A file in the store, as it is at the moment. */
export interface UploadedFile {
  readonly relative: string;
  /** In bytes. */
  readonly size: number;
  readonly type: string;
  /** Changes with the content. */
  readonly etag: string;
  /** The version in the store; undefined in a store without versions. */
  readonly version: string | undefined;
}

/** A form by which a browser sends one file directly to the store. */
export interface PresignedPost {
  readonly method: 'POST';
  readonly url: string;
  readonly fields: Readonly<Record<string, string>>;
}

/** Signs links to files attached to records. */
export interface Downloads {
  /** The relative part of a full key; undefined for other organizations' keys. */
  relativeKey(key: string): string | undefined;
  /** A URL that downloads the object under this name, valid for `seconds`. */
  downloadUrl(relative: string, options: { name: string; type: string; seconds: number }): Promise<string>;
}

/** Files attached to records, for responses. */
export interface Attachments extends Downloads {
  /** The full key of an object. */
  keyOf(relative: string): string;
}

/**
 * Turns uploads into attachments. An upload can be replaced as long as its form works, and it expires after a day; an attachment is
 * a copy that no form can reach.
 */
export interface NewAttachments extends Attachments {
  /** The upload with this full key; undefined for other organizations' keys and for files that were never uploaded. */
  upload(key: string): Promise<UploadedFile | undefined>;
  /**
   * Copies an upload to this relative key.
   * @returns the version of the copy; undefined in a store without versions.
   * @throws a 503 `Failure` if the upload was replaced meanwhile.
   */
  copy(upload: UploadedFile, relative: string): Promise<string | undefined>;
}

export interface Uploads {
  /** The full key of an object, as clients see it. */
  keyOf(relative: string): string;
  /** A form for exactly this key and type, with at most `maxBytes`, valid for `seconds`. */
  presignedPost(
    relative: string,
    options: { type: string; maxBytes: number; seconds: number },
  ): Promise<PresignedPost>;
}

/** Files of tables to be imported. */
export interface ImportFiles {
  /** The bytes of the upload with this full key; undefined for other organizations' keys and for files that were never uploaded. */
  readUpload(key: string): Promise<Uint8Array | undefined>;
  /** Stores a document. */
  put(relative: string, bytes: Uint8Array): Promise<void>;
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

/** Deletes objects of one organization, whatever their purpose. */
export interface Erasure {
  /**
   * Deletes the object, and the named version of it for good; the bucket keeps other versions for as long as its rules say, and
   * shows them to nobody. Does nothing if it does not exist.
   */
  remove(object: OwnedObject): Promise<void>;
}

/** An object that belongs to a record. */
export interface OwnedObject {
  readonly area: 'uploads' | 'files' | 'documents' | 'exports';
  /** Relative to the organization and the area. */
  readonly key: string;
  /** If it is known: nothing can restore this version. */
  readonly version?: string | undefined;
}

/** Files that jobs write for people to download, and the parts of which they make them. All are gzipped. */
export interface ExportFiles extends Pick<Downloads, 'downloadUrl'> {
  /** @throws if there is none. */
  get(relative: string): Promise<Uint8Array>;
  put(relative: string, zipped: Uint8Array, type: string): Promise<void>;
}

/** Responses that are too large for the platform. Announce one (`announceObjects`) before storing it, so that it expires. */
export interface Exports {
  /** An export also names uploaded files. */
  readonly attachments: Attachments;
  /** Stores a gzipped JSON text. */
  put(relative: string, zipped: Uint8Array): Promise<void>;
  downloadUrl(relative: string, options: { name: string; type: string; seconds: number }): Promise<string>;
}
