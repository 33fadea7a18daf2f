import type { Faker } from '@faker-js/faker';
import type { Region } from './phone-numbers.ts';
import type { Randomness } from './randomness.ts';

export interface Person {
  readonly firstName: string;
  readonly lastName: string;
  readonly city: string;
  readonly company: string;
  /** The region of the telephone number. */
  readonly region: Region;
}

/** Languages, and where their speakers live. English comes twice as often. */
const locales: readonly (readonly [code: string, region: Region])[] = [
  ['en', 'north-america'],
  ['en', 'north-america'],
  ['es', 'north-america'],
  ['en_GB', 'united-kingdom'],
  ['en_AU', 'australia'],
  ['de', 'germany'],
  ['fr', 'france'],
  ['ru', 'germany'],
  ['el', 'germany'],
  ['ar', 'france'],
  ['he', 'north-america'],
  ['fa', 'united-kingdom'],
  ['hy', 'france'],
  ['ka_GE', 'germany'],
  ['ne', 'united-kingdom'],
  ['th', 'australia'],
  ['vi', 'australia'],
  ['zh_CN', 'australia'],
  ['ja', 'north-america'],
  ['ko', 'north-america'],
];

/** Each locale is imported by itself: all those of the package would add a second to a start. */
const fakers = await Promise.all(
  locales.map(async ([code, region]) => {
    const { faker }: { faker: Faker } = await import(`@faker-js/faker/locale/${code}`);
    return { faker, region };
  }),
);

const poolSize = 40;

interface Pool {
  /** Names by sex, because in some languages last names depend on it. */
  readonly names: readonly { readonly first: readonly string[]; readonly last: readonly string[] }[];
  readonly cities: readonly string[];
  readonly companies: readonly string[];
  readonly region: Region;
}

/** People of many languages and scripts, combined from small pools, so that 100,000 of them cost little time. */
export function people(seed: number, random: Randomness): () => Person {
  const pools = fakers.map(({ faker, region }) => poolOf(faker, region, seed));
  return () => {
    const { names, cities, companies, region } = random.pick(pools);
    const { first, last } = random.pick(names);
    return {
      firstName: random.pick(first),
      lastName: random.pick(last),
      city: random.pick(cities),
      company: random.pick(companies),
      region,
    };
  };
}

function poolOf(faker: Faker, region: Region, seed: number): Pool {
  faker.seed(seed);
  const several = (make: () => string) => Array.from({ length: poolSize }, make);
  return {
    names: (['female', 'male'] as const).map((sex) => ({
      first: several(() => faker.person.firstName(sex)),
      last: several(() => faker.person.lastName(sex)),
    })),
    cities: several(() => faker.location.city()),
    companies: several(() => faker.company.name()),
    region,
  };
}
