import { Secret, TOTP } from 'otpauth';

/** Settings that every app for codes understands. Source: RFC 6238, with the defaults of Google's Key URI Format. */
const parameters = { algorithm: 'SHA1', digits: 6, period: 30 } as const;

/** Time steps by which the clock of a phone may differ. Source: RFC 6238, 5.2. */
const window = 1;

/** The name of the service in the user's app. */
const issuer = 'Switchboard';

/** A new secret of 160 random bits, in base32. Source: RFC 4226, 4, R6. */
export function newSecret(): string {
  return new Secret({ size: 20 }).base32;
}

/** The address that an app for codes reads from a QR code. */
export function totpUri(secret: string, email: string): string {
  return new TOTP({ ...parameters, issuer, label: email, secret }).toString();
}

/** Whether a text has the form of a code. */
export const isCode = (text: string) => /^\d{6}$/.test(text);

/** The time step that a code is of, at most one from now; undefined if the code is wrong. Takes the same time for every wrong code. */
export function totpStep(code: string, secret: string, now: Date): number | undefined {
  const timestamp = now.getTime();
  const token = { ...parameters, token: code, secret: Secret.fromBase32(secret), timestamp, window };
  const distance = TOTP.validate(token);
  return distance === null ? undefined : TOTP.counter({ period: parameters.period, timestamp }) + distance;
}
