import type { Faker } from '@faker-js/faker';
import type { Randomness } from '../harness/randomness.ts';

export interface Person {
  readonly firstName: string;
  readonly lastName: string;
  readonly city: string;
  readonly company: string;
}

/** Languages. English comes twice as often. */
const locales = [
  'en',
  'en',
  'es',
  'en_GB',
  'en_AU',
  'de',
  'fr',
  'ru',
  'el',
  'ar',
  'he',
  'fa',
  'hy',
  'ka_GE',
  'ne',
  'th',
  'vi',
  'zh_CN',
  'ja',
  'ko',
];

/** Each locale is imported by itself: all those of the package would add a second to a start. */
const fakers = await Promise.all(
  locales.map(async (code) => {
    const { faker }: { faker: Faker } = await import(`@faker-js/faker/locale/${code}`);
    return faker;
  }),
);

const poolSize = 40;

interface Pool {
  /** Names by sex, because in some languages last names depend on it. */
  readonly names: readonly { readonly first: readonly string[]; readonly last: readonly string[] }[];
  readonly cities: readonly string[];
  readonly companies: readonly string[];
}

/** People of many languages and scripts, combined from small pools, so that 100,000 of them cost little time. */
export function people(seed: number, random: Randomness): () => Person {
  const pools = fakers.map((faker) => poolOf(faker, seed));
  return () => {
    const { names, cities, companies } = random.pick(pools);
    const { first, last } = random.pick(names);
    return {
      firstName: random.pick(first),
      lastName: random.pick(last),
      city: random.pick(cities),
      company: random.pick(companies),
    };
  };
}

function poolOf(faker: Faker, seed: number): Pool {
  faker.seed(seed);
  const several = (make: () => string) => Array.from({ length: poolSize }, make);
  return {
    names: (['female', 'male'] as const).map((sex) => ({
      first: several(() => faker.person.firstName(sex)),
      last: several(() => faker.person.lastName(sex)),
    })),
    cities: several(() => faker.location.city()),
    companies: several(() => faker.company.name()),
  };
}
