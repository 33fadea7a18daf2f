import { createHash } from 'node:crypto';
import { brotliCompressSync, brotliDecompressSync, constants, gzipSync } from 'node:zlib';

/** A document as a bundle carries it. The compressed forms are in base64, as Lambda takes them. */
export interface BuiltAsset {
  /** The entity tag: it changes whenever the text changes. */
  readonly etag: string;
  readonly br: string;
  readonly gzip: string;
  /** Headers that depend on the text, such as a policy with the hashes of its scripts. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** The content codings of a document, the smallest result first. */
export const codings = ['br', 'gzip'] as const;
export type Coding = (typeof codings)[number];

/** Variants of one document that a process keeps. */
const maxVariants = 8;

/**
 * A document made when the bundle is built. An operation returns it as it is: the kernel adds the entity tag, sends the
 * precompressed form, and responds 304 to a client that already has the document.
 */
export class Asset {
  readonly etag: string;
  readonly headers: Readonly<Record<string, string>>;
  #text: string | undefined;
  readonly #coded: Partial<Record<Coding, string>>;
  readonly #variants = new Map<string, Asset>();

  constructor(made: BuiltAsset | { readonly text: string }) {
    if ('text' in made) {
      this.etag = entityTag(made.text);
      this.#text = made.text;
      this.headers = {};
      this.#coded = {};
    } else {
      this.etag = made.etag;
      this.headers = made.headers ?? {};
      this.#coded = { br: made.br, gzip: made.gzip };
    }
  }

  get text(): string {
    this.#text ??= brotliDecompressSync(Buffer.from(this.#coded.br ?? '', 'base64')).toString();
    return this.#text;
  }

  /** The document compressed, in base64. */
  coded(coding: Coding): string {
    this.#coded[coding] ??= quickly[coding](this.text).toString('base64');
    return this.#coded[coding];
  }

  /**
   * The document with a detail that depends on the request, and its own entity tag. It is changed and compressed once for each `key`, so
   * `change` must depend on nothing else.
   */
  variant(key: string, change: (text: string) => string): Asset {
    const known = this.#variants.get(key);
    if (known !== undefined) {
      return known;
    }
    const made = new Asset({ text: change(this.text) });
    // A client may send any host name, so the number of kept variants is limited.
    if (this.#variants.size >= maxVariants) {
      this.#variants.clear();
    }
    this.#variants.set(key, made);
    return made;
  }
}

/** Weak, since the document is the same in every content coding; with the version in front, if the document has one. */
export function entityTag(text: string, version?: string): string {
  const digest = createHash('sha256').update(text).digest('base64url').slice(0, 22);
  return `W/"${version === undefined ? '' : `${version}-`}${digest}"`;
}

/** For a variant, whose client waits: 2 % larger than the build's result, in less than half of the time. */
const quickly: Record<Coding, (text: string) => Buffer> = {
  br: (text) => brotliCompressSync(text, { params: { [constants.BROTLI_PARAM_QUALITY]: 7 } }),
  gzip: (text) => gzipSync(text, { level: 6 }),
};
