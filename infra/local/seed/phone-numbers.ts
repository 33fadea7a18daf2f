/** Returns a new phone number of the region at each call. */
export type NumberSource = (region: Region) => string;

export type Region = 'north-america' | 'france' | 'germany' | 'united-kingdom' | 'australia';

interface NumberRange {
  readonly prefixes: readonly string[];
  /** The first number after each prefix, and how many there are. */
  readonly first: number;
  readonly count: number;
  /** The number of digits after the prefix. */
  readonly digits: number;
}

/**
 * Ranges that are reserved for fiction, so that nobody's telephone rings because of sample data. Sources: NANPA's 555
 * line numbers, Arcep's numbering plan, BNetzA's and Ofcom's drama numbers, ACMA's numbers for use in film and television.
 */
const fictional: Record<Region, NumberRange> = {
  'north-america': {
    prefixes: ['212', '310', '415', '604', '416', '512', '206', '305', '617', '773'].map(
      (area) => `+1${area}555`,
    ),
    first: 100,
    count: 100,
    digits: 4,
  },
  france: { prefixes: ['+3363998'], first: 0, count: 10_000, digits: 4 },
  germany: { prefixes: ['+493023125'], first: 0, count: 1_000, digits: 3 },
  'united-kingdom': { prefixes: ['+447700900'], first: 0, count: 1_000, digits: 3 },
  australia: { prefixes: ['+6125550'], first: 0, count: 10_000, digits: 4 },
};

/** The step between numbers. It shares no factor with the sizes of the ranges, so every number of a range comes once. */
const stride = 37;

/** Numbers reserved for fiction, at least 1,000 of each region. @throws an `Error` when a region has no more. */
export function fictionalNumbers(): NumberSource {
  const used = new Map<Region, number>();
  return (region) => {
    const { prefixes, first, count, digits } = fictional[region];
    const index = used.get(region) ?? 0;
    if (index >= prefixes.length * count) {
      throw new Error(`All numbers of ${region} that are reserved for fiction are used`);
    }
    used.set(region, index + 1);
    const line = first + ((Math.floor(index / prefixes.length) * stride + 11) % count);
    return `${prefixes[index % prefixes.length]}${String(line).padStart(digits, '0')}`;
  };
}
