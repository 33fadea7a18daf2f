/** XML that is finished and goes into a document as it is. */
export interface Xml {
  xml: string;
}

const namespace = 'http://s3.amazonaws.com/doc/2006-03-01/';
const entities: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

/** `<name>content</name>`; text is escaped, and nothing at all comes of `undefined`. */
export function element(name: string, content: string | number | boolean | Xml[] | undefined): Xml {
  if (content === undefined) {
    return { xml: '' };
  }
  const inner = Array.isArray(content) ? content.map(({ xml }) => xml).join('') : escaped(String(content));
  return { xml: `<${name}>${inner}</${name}>` };
}

/** A whole document; answers are in the namespace of S3, errors in none. */
export function xmlDocument(root: string, content: Xml[]): string {
  const start = root === 'Error' ? '<Error>' : `<${root} xmlns="${namespace}">`;
  return `<?xml version="1.0" encoding="UTF-8"?>\n${start}${content.map(({ xml }) => xml).join('')}</${root}>`;
}

function escaped(text: string): string {
  return text.replace(/[&<>"\p{Cc}]/gu, (character) => `&#${character.codePointAt(0)};`);
}

/** The keys, and the wish to hear of failures alone, of a `<Delete>` document; undefined when it is not one. */
export function readDeleteDocument(xml: string): { keys: string[]; quiet: boolean } | undefined {
  const root = /^\s*(?:<\?xml[^>]*\?>)?\s*<Delete(?:\s[^>]*)?>(.*)<\/Delete>\s*$/s.exec(xml)?.[1];
  if (root === undefined) {
    return undefined;
  }
  const keys: string[] = [];
  let quiet = false;
  const rest = root.replace(
    /<Object>\s*<Key>([^<]*)<\/Key>\s*<\/Object>|<Quiet>\s*(true|false)\s*<\/Quiet>/g,
    (_, key: string | undefined, isQuiet: string | undefined) => {
      if (key === undefined) {
        quiet = isQuiet === 'true';
      } else {
        keys.push(unescaped(key));
      }
      return '';
    },
  );
  return rest.trim() === '' && keys.length > 0 ? { keys, quiet } : undefined;
}

function unescaped(text: string): string {
  return text.replace(
    /&(?:#x([\da-f]+)|#(\d+)|(\w+));/gi,
    (whole, hex?: string, decimal?: string, name = '') => {
      if (hex !== undefined) {
        return String.fromCodePoint(Number.parseInt(hex, 16));
      }
      if (decimal !== undefined) {
        return String.fromCodePoint(Number(decimal));
      }
      return entities[name] ?? whole;
    },
  );
}
