import { expect, test } from 'vitest';
import { countSegments } from '../../shared/conversations/segments.ts';

const euro = '€';

test.each<[string, string, number]>([
  ['nothing', '', 1],
  ['160 letters', 'a'.repeat(160), 1],
  ['161 letters', 'a'.repeat(161), 2],
  ['306 letters, twice 153', 'a'.repeat(306), 2],
  ['307 letters', 'a'.repeat(307), 3],
  ['letters and signs of the whole alphabet', '@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ¡ÄÖÑÜ§¿äöñüà'.repeat(3), 1],
  ['80 signs of the extension table, two each', euro.repeat(80), 1],
  ['81 of them', euro.repeat(81), 2],
  [
    'an extension at the end of a part, which it does not fit into',
    `${'a'.repeat(152)}${euro}${'a'.repeat(151)}`,
    2,
  ],
  ['the same with one letter more', `${'a'.repeat(152)}${euro}${'a'.repeat(152)}`, 3],
  ['70 characters outside the alphabet', 'ж'.repeat(70), 1],
  ['71 of them', 'ж'.repeat(71), 2],
  ['134 of them, twice 67', 'ж'.repeat(134), 2],
  ['135 of them', 'ж'.repeat(135), 3],
  ['69 letters and one typographic quote', `${'a'.repeat(69)}’`, 1],
  ['70 letters and one typographic quote', `${'a'.repeat(70)}’`, 2],
  ['35 emojis, two units each', '👋'.repeat(35), 1],
  ['36 emojis', '👋'.repeat(36), 2],
  ['66 emojis: 33 in a part, because none is divided', '👋'.repeat(66), 2],
  ['67 emojis', '👋'.repeat(67), 3],
  ['a backtick, which is not in the alphabet', `${'a'.repeat(70)}\``, 2],
  ['a small cedilla, which is not in the alphabet', `${'a'.repeat(70)}ç`, 2],
])('A text of %s takes the segments that it is billed for', (_, text, segments) => {
  expect(countSegments(text)).toBe(segments);
});
