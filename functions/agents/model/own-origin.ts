import { Failure } from '../../../shared/kernel/failure.ts';

/**
 * The origin at which the request was sent to the service. A gateway of AWS takes no request for a name that is not its own.
 * @throws a 400 `Failure` for a host that cannot be one; a 403 for a page of another origin, except that pages on this machine may call a
 * service on this machine.
 */
export function requireOwnOrigin(url: string, sentFrom: string | undefined): string {
  if (!URL.canParse(url)) {
    throw new Failure('INVALID', 'The header Host is not valid.');
  }
  const own = new URL(url).origin;
  if (sentFrom !== undefined && sentFrom !== own && !(isLoopback(own) && isLoopback(sentFrom))) {
    throw new Failure(
      'FORBIDDEN',
      'Pages of another origin may not use this address. A program sends no header Origin.',
    );
  }
  return own;
}

function isLoopback(origin: string): boolean {
  return URL.canParse(origin) && /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/.test(new URL(origin).hostname);
}
