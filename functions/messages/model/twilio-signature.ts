import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { parse, stringify } from 'node:querystring';

/** A request that says it comes from Twilio, as it was received. */
export type SignedByTwilio = {
  readonly authToken: string;
  /** The whole URL that was called, with scheme, host and query string. */
  readonly url: string;
  /** The header `X-Twilio-Signature`. */
  readonly signature: string | undefined;
} & (
  | {
      /** The fields of a form, in any order, for example a `URLSearchParams`. */
      readonly parameters: Iterable<readonly [name: string, value: string]>;
    }
  | {
      /** Any other body, as it came; the URL then has its hash, as `bodySHA256`. */
      readonly rawBody: string;
    }
);

/**
 * Whether the account that has this token signed the request. Accepts what Twilio's own library accepts: proxies add and
 * remove the port of the URL, and some older senders signed it in a normalized spelling.
 * Source: https://www.twilio.com/docs/usage/webhooks/webhooks-security
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

/** All fields by name, each value once. */
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

/** In constant time; the length of what is expected is no secret. */
function isSame(given: string, expected: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(expected)];
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

/** The URL without any port, or with that of its scheme unless it has one; otherwise to the letter as it was. */
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
