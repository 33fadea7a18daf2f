import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { parse, stringify } from 'node:querystring';

/** A request that claims to be from Twilio, as it was received. */
export type SignedByTwilio = {
  readonly authToken: string;
  /** The whole URL of the request, with scheme, host and query string. */
  readonly url: string;
  /** The header `X-Twilio-Signature`. */
  readonly signature: string | undefined;
} & (
  | {
      /** The fields of a form in any order, such as a `URLSearchParams`. */
      readonly parameters: Iterable<readonly [name: string, value: string]>;
    }
  | {
      /** Any other body as it was sent; the URL then contains its hash, `bodySHA256`. */
      readonly rawBody: string;
    }
);

/**
 * Whether the account with this token signed the request. It accepts the same as Twilio's own library: proxies add and remove the
 * port of the URL, and some older senders signed a normalized spelling. Source:
 * https://www.twilio.com/docs/usage/webhooks/webhooks-security
 */
export function isTwilioSignature({ authToken, url, signature = '', ...body }: SignedByTwilio): boolean {
  // With an empty token anybody could sign.
  if (authToken === '' || ('rawBody' in body && !isHashOf(body.rawBody, url))) {
    return false;
  }
  const signed = 'rawBody' in body ? '' : inOneText(body.parameters);
  return spellingsOf(url).some((spelling) => {
    const expected = createHmac('sha1', authToken)
      .update(spelling + signed)
      .digest('base64');
    return isSame(signature, expected);
  });
}

/** All fields, ordered by name, with each value once. */
function inOneText(parameters: Iterable<readonly [string, string]>): string {
  return [...Map.groupBy(parameters, ([name]) => name)]
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .flatMap(([name, pairs]) =>
      [...new Set(pairs.map(([, value]) => value))].sort().map((value) => name + value),
    )
    .join('');
}

function isHashOf(body: string, url: string): boolean {
  const stated = URL.canParse(url) ? new URL(url).searchParams.get('bodySHA256') : null;
  return isSame(stated ?? '', createHash('sha256').update(body).digest('hex'));
}

/** In constant time; the length of the expected text is no secret. */
function isSame(sent: string, expected: string): boolean {
  const [one, other] = [Buffer.from(sent), Buffer.from(expected)];
  return one.length === other.length && timingSafeEqual(one, other);
}

function spellingsOf(url: string): string[] {
  const normalized = URL.canParse(url) ? new URL(url).toString() : url;
  const withAndWithoutPort = [url, normalized].flatMap((one) => [
    withPort(one, 'none'),
    withPort(one, 'standard'),
  ]);
  return [...new Set([...withAndWithoutPort, ...withAndWithoutPort.slice(2).map(reencoded)])];
}

const authority = /^([a-z][a-z0-9+.-]*:\/\/)((?:[^/?#]*@)?(?:\[[^\]/?#]*\]|[^/?#:@]*))(:[^/?#]*)?/i;

/** The URL without a port, or with its scheme's port if it has none; otherwise to the letter. */
function withPort(url: string, wanted: 'none' | 'standard'): string {
  return url.replace(authority, (_, scheme: string, host: string, port = '') => {
    const standard = scheme.toLowerCase() === 'https://' ? ':443' : ':80';
    return scheme + host + (wanted === 'none' ? '' : port || standard);
  });
}

/** The URL with its query string as `node:querystring` writes it. */
function reencoded(url: string): string {
  const [before = '', query] = url.split(/\?(.*)/s);
  return query ? `${before}?${stringify(parse(query))}` : url;
}
