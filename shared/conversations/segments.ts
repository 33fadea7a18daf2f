/**
 * The alphabet of text messages: a character takes 7 bits, one of the extension table 14. Any other character makes the whole text
 * UCS-2, with 16 bits for each UTF-16 code unit. Source: 3GPP TS 23.038, 6.2.1.
 */
const basic = new Set(
  '@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !"#¤%&\'()*+,-./0123456789:;<=>?¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà',
);
const extension = new Set('\f^{}\\[~]|€');

/** Units that one message holds; a part of several also has a header of 6 bytes. Source: 3GPP TS 23.040, 9.2.3.24.1. */
const limits = { gsm: { single: 160, part: 153 }, ucs2: { single: 70, part: 67 } };

/** How many messages a text takes on its way, and so costs; one at least. */
export function segmentsOf(text: string): number {
  const characters = [...text];
  const isGsm = characters.every((character) => basic.has(character) || extension.has(character));
  const { single, part } = isGsm ? limits.gsm : limits.ucs2;
  const units = (character: string) => (isGsm ? (extension.has(character) ? 2 : 1) : character.length);
  if (characters.reduce((sum, character) => sum + units(character), 0) <= single) {
    return 1;
  }
  let parts = 1;
  let room = part;
  for (const character of characters) {
    // No character is divided between two parts.
    if (units(character) > room) {
      parts += 1;
      room = part;
    }
    room -= units(character);
  }
  return parts;
}
