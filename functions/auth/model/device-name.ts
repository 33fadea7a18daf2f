import type { Device } from '../../../shared/organizations/queued-mail.ts';

/** Programs by what their `User-Agent` says, those first whose text also names another one. */
const programs: readonly [RegExp, string][] = [
  [/\bEdg(?:e|A|iOS)?\//, 'Edge'],
  [/\b(?:OPR|Opera)\//, 'Opera'],
  [/\bSamsungBrowser\//, 'Samsung Internet'],
  [/\b(?:Firefox|FxiOS)\//, 'Firefox'],
  [/\b(?:Chrome|CriOS)\//, 'Chrome'],
  [/\bSafari\//, 'Safari'],
];

const systems: readonly [RegExp, string][] = [
  [/\bWindows\b/, 'Windows'],
  [/\bAndroid\b/, 'Android'],
  [/\biPhone\b/, 'an iPhone'],
  [/\biPad\b/, 'an iPad'],
  [/\bMac OS X\b/, 'a Mac'],
  [/\bCrOS\b/, 'a Chromebook'],
  [/\bLinux\b/, 'Linux'],
];

/** A device in words of our own: whoever sent the request could write any message into its `User-Agent`. */
export function deviceName({ userAgent = '' }: Device): string {
  const nameIn = (known: readonly [RegExp, string][]) =>
    known.find(([pattern]) => pattern.test(userAgent))?.[1];
  const [program, system] = [nameIn(programs), nameIn(systems)];
  if (program === undefined) {
    return system === undefined ? 'an unknown device' : `an app on ${system}`;
  }
  return system === undefined ? program : `${program} on ${system}`;
}
