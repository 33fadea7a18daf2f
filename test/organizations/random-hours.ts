import { Temporal } from 'temporal-polyfill';
import { day, hour, minute } from '../../shared/kernel/time.ts';
import type { BusinessHours } from '../../shared/organizations/business-hours.ts';
import type { Randomness } from '../harness/randomness.ts';
import { edgesAround } from './opening-model.ts';

/** Zones whose clocks change in every way there is, and some where they never do. */
export const zones = [
  ...['UTC', 'Asia/Kolkata', 'Asia/Kathmandu', 'Pacific/Kiritimati', 'Asia/Tokyo', 'America/Phoenix'],
  ...['Europe/Berlin', 'Europe/London', 'Europe/Dublin', 'Europe/Moscow', 'Europe/Volgograd'],
  ...['America/New_York', 'America/Los_Angeles', 'America/St_Johns', 'America/Havana', 'America/Asuncion'],
  ...['America/Santiago', 'America/Sao_Paulo', 'America/Nuuk', 'America/Scoresbysund', 'America/Adak'],
  ...['Africa/Casablanca', 'Africa/Cairo', 'Asia/Beirut', 'Asia/Gaza', 'Asia/Tehran'],
  ...['Australia/Lord_Howe', 'Pacific/Chatham', 'Pacific/Apia', 'Antarctica/Troll'],
];

const [first, last] = [Date.UTC(2018, 0, 1), Date.UTC(2028, 0, 1)];

/** When the clocks of a zone change in these ten years. */
function changesOf(zone: string): number[] {
  const changes: number[] = [];
  let from = Temporal.Instant.fromEpochMilliseconds(first).toZonedDateTimeISO(zone);
  for (;;) {
    const next = from.getTimeZoneTransition('next');
    if (next === null || next.epochMilliseconds >= last) {
      return changes;
    }
    changes.push(next.epochMilliseconds);
    from = next;
  }
}

export const clockChanges = new Map(zones.map((zone) => [zone, changesOf(zone)]));

/** Business hours and an instant to ask about, often within hours of a change of clocks, or exactly where hours begin or end. */
export function randomCase(random: Randomness): { hours: BusinessHours; instant: number } {
  const timezone = random.pick(zones);
  const near = (instant: number, distance: number) =>
    Math.round(instant + (random.next() * 2 - 1) * distance * random.next());
  const changes = clockChanges.get(timezone) ?? [];
  const somewhere = random.momentBetween(new Date(first), new Date(last)).getTime();
  const center = changes.length > 0 && random.chance(0.5) ? near(random.pick(changes), 2 * day) : somewhere;
  const dateNear = (distance: number) => new Date(near(center, distance)).toISOString().slice(0, 10);
  const distance = random.pick([2 * day, 10 * day, 40 * day]);
  const hours: BusinessHours = {
    timezone,
    businessHours: randomWeek(random),
    holidays: some(random, 6, () => ({ date: dateNear(distance), label: '' })),
    exceptionalHours: some(random, 6, () => ({
      ...{ date: dateNear(distance), label: '' },
      ...(random.chance(0.3) ? { closed: true } : { closed: false, ...randomTimes(random) }),
    })),
    allowUserBusinessHoursOverride: false,
  };
  const edges = random.chance(0.6) ? edgesAround(hours, center) : [];
  const edge = edges.length > 0 ? random.pick(edges) : center;
  return { hours, instant: edge + random.pick([0, 0, -1, 1, minute, -minute, hour, -hour]) };
}

function some<Item>(random: Randomness, most: number, item: () => Item): Item[] {
  return Array.from({ length: Math.max(0, random.below(2 * most) - most) }, item);
}

function randomWeek(random: Randomness): BusinessHours['businessHours'] {
  if (random.chance(0.1)) {
    return null;
  }
  const always = randomTimes(random);
  const usual = random.pick([
    ...Array.from({ length: 8 }, () => always),
    { start: always.start, end: always.start },
    { start: random.pick(['00:00', '23:59']), end: '23:59' },
  ]);
  const gaps = random.pick([0, 0.2, 0.7, 1]);
  const names = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'] as const;
  const hoursOn = () => {
    const times = random.chance(0.7) ? usual : randomTimes(random);
    if (random.chance(gaps)) {
      return random.chance(0.5) ? undefined : { enabled: false, ...(random.chance(0.5) && times) };
    }
    return { enabled: true, ...times };
  };
  return Object.fromEntries(
    names.map((name) => [name, hoursOn()] as const).filter(([, times]) => times !== undefined),
  );
}

/** Often at night, when clocks change, often with the same time twice, and often until the end of the day. */
function randomTimes(random: Randomness) {
  const time = () => {
    const hours = random.chance(0.5) ? random.below(5) : random.below(24);
    const minutes = random.chance(0.6) ? random.pick([0, 0, 30]) : random.below(60);
    return `${String(hours).padStart(2, '0')}:${String(minutes).padStart(2, '0')}`;
  };
  const start = time();
  return { start, end: random.chance(0.1) ? start : random.chance(0.15) ? '23:59' : time() };
}
