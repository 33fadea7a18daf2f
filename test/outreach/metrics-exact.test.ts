import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Product, startProduct } from '../harness/product.ts';
import { newLead } from './lead-source.ts';
import { daysAgo, newPlace, onDay } from './metrics-desk.ts';

let product: Product;
beforeAll(async () => {
  product = await startProduct();
});
afterAll(() => product.stop());

describe('300 random leads, 10 at a time', () => {
  it('are counted exactly, in every group and on every day', async () => {
    const place = await newPlace(product);
    const sources = ['Radio', 'Website', null];
    const configurations = await Promise.all(
      [0, 1, 2, 3].map((index) =>
        place.configure({
          name: `Number ${index}`,
          source: sources[index % 3],
          createApplication: index % 2 === 0,
        }),
      ),
    );
    const people = Array.from({ length: 60 }, newLead);
    const below = (limit: number) => Math.floor(Math.random() * limit);
    const planned = Array.from({ length: 300 }, () => ({
      configuration: configurations[below(4)],
      person: people[below(60)],
      days: below(35),
    }));
    const got: { source: unknown; id: string; date: string; isNew: boolean; contactId: string }[] = [];
    for (let start = 0; start < planned.length; start += 10) {
      await Promise.all(
        planned.slice(start, start + 10).map(async ({ configuration, person, days }) => {
          const id = configuration?._id ?? '';
          const { body } = await place.send(id, person, onDay(days));
          const isNew = body.message === 'Lead received: new contact';
          got.push({ source: configuration?.source, id, date: daysAgo(days), isNew, ...body.data });
        }),
      );
    }
    const { totals, bySource, byConfiguration, byDay } = await place.metrics({ startDate: daysAgo(34) });
    const expected = (some: typeof got) => ({
      leads: some.length,
      newContacts: some.filter(({ isNew }) => isNew).length,
    });
    expect(totals).toMatchObject({ leads: 300, newContacts: new Set(planned.map((one) => one.person)).size });
    expect(totals).toMatchObject(expected(got));
    expect(totals.duplicates).toBe(300 - totals.newContacts);
    const applying = planned.filter(({ configuration }) =>
      [configurations[0], configurations[2]].includes(configuration),
    );
    expect(totals.applications).toBe(
      new Set(applying.map(({ configuration, person }) => `${configuration?._id} ${person?.phoneNumber}`))
        .size,
    );
    for (const { source, ...sum } of bySource) {
      expect(sum).toMatchObject(expected(got.filter((one) => one.source === source)));
    }
    for (const { configurationId, name: _, ...sum } of byConfiguration) {
      expect(sum).toMatchObject(expected(got.filter(({ id }) => id === configurationId)));
    }
    for (const { date, ...sum } of byDay) {
      expect(sum).toMatchObject(expected(got.filter((one) => one.date === date)));
    }
    for (const groups of [bySource, byConfiguration, byDay]) {
      for (const key of ['leads', 'newContacts', 'duplicates', 'applications'] as const) {
        expect(groups.reduce((sum, group) => sum + group[key], 0)).toBe(totals[key]);
      }
    }
  });
});
