import type { Faker } from '@faker-js/faker';
import { faker as arabic } from '@faker-js/faker/locale/ar';
import { faker as german } from '@faker-js/faker/locale/de';
import { faker as greek } from '@faker-js/faker/locale/el';
import { faker as english } from '@faker-js/faker/locale/en';
import { faker as australian } from '@faker-js/faker/locale/en_AU';
import { faker as british } from '@faker-js/faker/locale/en_GB';
import { faker as spanish } from '@faker-js/faker/locale/es';
import { faker as persian } from '@faker-js/faker/locale/fa';
import { faker as french } from '@faker-js/faker/locale/fr';
import { faker as hebrew } from '@faker-js/faker/locale/he';
import { faker as armenian } from '@faker-js/faker/locale/hy';
import { faker as japanese } from '@faker-js/faker/locale/ja';
import { faker as georgian } from '@faker-js/faker/locale/ka_GE';
import { faker as korean } from '@faker-js/faker/locale/ko';
import { faker as nepali } from '@faker-js/faker/locale/ne';
import { faker as russian } from '@faker-js/faker/locale/ru';
import { faker as thai } from '@faker-js/faker/locale/th';
import { faker as vietnamese } from '@faker-js/faker/locale/vi';
import { faker as chinese } from '@faker-js/faker/locale/zh_CN';
import type { Region } from './phone-numbers.ts';
import type { Randomness } from './randomness.ts';

export interface Person {
  readonly firstName: string;
  readonly lastName: string;
  readonly city: string;
  readonly company: string;
  /** Where the telephone is. */
  readonly region: Region;
}

/** Every locale is imported by itself: all of them together would cost a second of every start. */
const locales: readonly (readonly [Faker, Region])[] = [
  [english, 'north-america'],
  [english, 'north-america'],
  [spanish, 'north-america'],
  [british, 'united-kingdom'],
  [australian, 'australia'],
  [german, 'germany'],
  [french, 'france'],
  [russian, 'germany'],
  [greek, 'germany'],
  [arabic, 'france'],
  [hebrew, 'north-america'],
  [persian, 'united-kingdom'],
  [armenian, 'france'],
  [georgian, 'germany'],
  [nepali, 'united-kingdom'],
  [thai, 'australia'],
  [vietnamese, 'australia'],
  [chinese, 'australia'],
  [japanese, 'north-america'],
  [korean, 'north-america'],
];

const poolSize = 40;

interface Pool {
  /** Names by sex, since last names follow it in some languages. */
  readonly names: readonly { readonly first: readonly string[]; readonly last: readonly string[] }[];
  readonly cities: readonly string[];
  readonly companies: readonly string[];
  readonly region: Region;
}

/** People of many languages and scripts: combined from small pools, so that 100,000 of them cost little. */
export function people(seed: number, random: Randomness): () => Person {
  const pools = locales.map(([faker, region]) => poolOf(faker, region, seed));
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
