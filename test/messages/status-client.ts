import type { ApiResponse, Call } from '../harness/call.ts';
import { domainName } from '../harness/gateway.ts';
import type { Product } from '../harness/product.ts';
import { signedForm, signedJson } from './twilio-signing.ts';
import { form } from './webhook-client.ts';

/** A report as Twilio posts it. */
export type Report = Record<string, string>;

interface Reporting extends Pick<Call, 'at' | 'query'> {
  /** The secret that signs it; unsigned without one. */
  secret?: string;
  as?: 'form' | 'JSON';
}

const path = '/api/webhook/twilio/status';

/** Posts reports as Twilio's own library would sign them. */
export function statusClient(product: Product) {
  return (
    report: Report,
    { secret, as = 'form', query = {}, ...more }: Reporting = {},
  ): Promise<ApiResponse> => {
    const body = as === 'form' ? new URLSearchParams(report).toString() : JSON.stringify(report);
    const url = `https://${domainName}${path}`;
    const search = new URLSearchParams(query).toString();
    const signed =
      secret !== undefined &&
      (as === 'form'
        ? signedForm(secret, `${url}${search && `?${search}`}`, report)
        : signedJson(secret, url, body, query));
    return product.call('receive-status', {
      path: { provider: 'twilio' },
      query,
      body,
      ...(as === 'form' && { headers: form }),
      ...signed,
      ...more,
    });
  };
}

/** The query of the address that the provider was given for a message. */
export function callbackQuery(statusPath: string): Record<string, string> {
  return Object.fromEntries(new URL(statusPath, 'https://api.example.com').searchParams);
}
