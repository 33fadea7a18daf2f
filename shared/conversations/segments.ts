/**
 * The alphabet of text messages: a character takes 7 bits, one of the extension table 14. Any other character makes the whole text
 * UCS-2, with 16 bits for each UTF-16 code unit. Source: 3GPP TS 23.038, 6.2.1.
 */
const basic = '@£$¥èéùìòÇ\\nØø\\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !"#¤%&\'()*+,\\-./0-9:;<=>?¡A-ZÄÖÑÜ§¿a-zäöñüà';
const extension = '\\f^{}\\\\[~\\]|€';
const ofBasic = new RegExp(`^[${basic}]*$`);
const ofBoth = new RegExp(`^[${basic}${extension}]*$`);
const ofExtension = new RegExp(`[${extension}]`);
const surrogate = /[\ud800-\udfff]/;

/** Units that one message holds; a part of several also has a header of 6 bytes. Source: 3GPP TS 23.040, 9.2.3.24.1. */
const limits = { gsm: { single: 160, part: 153 }, ucs2: { single: 70, part: 67 } };

/** How many messages a text takes on its way, and so costs; one at least. */
export function countSegments(text: string): number {
  // Most texts have characters that all take the same: these need not be counted one by one.
  if (ofBasic.test(text)) {
    return partsOf(text, limits.gsm);
  }
  const isGsm = ofBoth.test(text);
  if (!isGsm && !surrogate.test(text)) {
    return partsOf(text, limits.ucs2);
  }
  const { single, part } = isGsm ? limits.gsm : limits.ucs2;
  const units = Array.from(text, (character) =>
    isGsm ? (ofExtension.test(character) ? 2 : 1) : character.length,
  );
  if (units.reduce((sum, unit) => sum + unit, 0) <= single) {
    return 1;
  }
  let parts = 1;
  let room = part;
  for (const unit of units) {
    // No character is divided between two parts.
    if (unit > room) {
      parts += 1;
      room = part;
    }
    room -= unit;
  }
  return parts;
}

/** The same where each character takes one unit. */
function partsOf({ length }: string, { single, part }: { single: number; part: number }): number {
  return length <= single ? 1 : Math.ceil(length / part);
}
