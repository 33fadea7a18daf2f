import { Failure } from '../../../../shared/kernel/failure.ts';
import { after, hour, timestamp } from '../../../../shared/kernel/time.ts';
import type { SkipReason } from '../../../../shared/workflows/run-statuses.ts';
import { httpRequest } from '../definition/flow-nodes.ts';
import { fieldsNamedIn } from '../definition/named-fields.ts';
import type { OutgoingRequest } from '../runs/run.ts';
import { findHiddenReason } from './can-see.ts';
import { executable } from './executable.ts';
import { fieldRoot } from './fields.ts';
import { skippedFor } from './gone.ts';
import { type Texts, textsFrom } from './texts.ts';

/** Longer than all attempts take, with the time that they may wait for their turn. */
const longestRequest = hour;

/** Bytes of JSON that a request may have once its placeholders are filled. */
const filledBodyLimit = 100 * 1024;

/** How runs take the steps of nodes that post to an address outside. The post itself follows the transaction of the step. */
export default executable(httpRequest, {
  read({ url, headers, body }, sources): Promise<SkipReason | undefined> {
    // A name without a root is that of a field of the contact, as in templates.
    const fields = fieldsNamedIn([url, headers, body]).map((name) =>
      fieldRoot(name) === undefined ? `contact.${name}` : name,
    );
    return findHiddenReason(sources, fields);
  },
  decide({ url, headers = {}, body = {} }, { context, now, extra: hidden }) {
    if (hidden !== undefined) {
      return skippedFor(hidden);
    }
    const texts = textsFrom({ context, now });
    return {
      outcome: { status: 'waiting', until: timestamp(after(now, longestRequest)), isRequest: true },
      request: {
        url: filledUrl(url, texts),
        headers: filledHeaders(headers, texts),
        body: filledBody(body, texts),
      },
    };
  },
});

/** The value of a placeholder cannot add parameters or leave its place in the path, unless the URL begins with it. */
function filledUrl(url: string, texts: Texts): string {
  return url.replaceAll(/\{\{[^{}]*\}\}/g, (placeholder, offset: number) => {
    const value = texts.filled(placeholder);
    return offset === 0 ? value : encodeURIComponent(value.toWellFormed());
  });
}

/** A value in one line of the characters that a header may have. */
function filledHeaders(headers: Readonly<Record<string, string>>, texts: Texts): OutgoingRequest['headers'] {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name.toLowerCase(),
      texts
        .filled(value)
        .replaceAll(/[^\x20-\x7e\xa0-\xff]+/g, ' ')
        .trim(),
    ]),
  );
}

/** @throws a 400 `Failure` for more than `filledBodyLimit`. */
function filledBody(body: unknown, texts: Texts): string {
  const text = JSON.stringify(texts.filledIn(body));
  if (Buffer.byteLength(text) > filledBodyLimit) {
    throw new Failure(
      'INVALID',
      `The body has more than ${filledBodyLimit / 1024} KB once its placeholders are filled`,
    );
  }
  return text;
}
