import { type ImportGraph, type Imports, reachedFrom } from './imports.ts';

/** Parts of `shared/` that are there for every capability. */
const foundations = ['shared/kernel/', 'shared/table/', 'shared/ports/'];

const foundationOf = (file: string) => foundations.find((part) => file.startsWith(part));

/** A machine behind its doors stands in `shared/` whoever uses it, because it is no capability's rule. */
const machine = 'shared/column-index/';

/** The user of a file: a capability, a part of the foundations, or the machine. */
function userOf(file: string): string | undefined {
  const [top, folder] = file.split('/');
  if (file.startsWith(machine)) {
    return machine;
  }
  return top === 'functions' ? folder : foundationOf(file);
}

/** The files of `shared/` that are not part of the foundations. */
export function sharedFiles(imports: ImportGraph): string[] {
  return [...imports.keys()].filter((file) => file.startsWith('shared/') && foundationOf(file) === undefined);
}

/** The shared files that fewer than two users reach, directly or indirectly: they belong in the folder of one capability. */
export function usedByOne(imports: ImportGraph): string[] {
  const users = new Map(sharedFiles(imports).map((file) => [file, new Set<string>()]));
  for (const file of imports.keys()) {
    const user = userOf(file);
    if (user !== undefined) {
      for (const reached of reachedFrom(file, imports)) {
        users.get(reached)?.add(user);
      }
    }
  }
  return [...users].filter(([file, { size }]) => size < 2 && !file.startsWith(machine)).map(([file]) => file);
}

/** For each operation, how many files it loads, foundations not counted; most first. */
export function filesBehindOperations({ values }: Imports): [operation: string, files: number][] {
  return [...values.keys()]
    .filter((file) => /^functions\/[^/]+\/(?!tag\.ts)[^/]+$/.test(file))
    .map((file): [string, number] => {
      const loaded = [...reachedFrom(file, values)].filter((path) => foundationOf(path) === undefined);
      return [file, loaded.length];
    })
    .sort(([, a], [, b]) => b - a);
}

/** The rooms of `shared/`, each with the others that its files import. A room is a folder, or a file beside them. */
function arrowsOf(imports: ImportGraph): Map<string, Set<string>> {
  const roomOf = (path: string) => path.split('/').slice(0, 2).join('/');
  const files = [...imports.keys()].filter((file) => file.startsWith('shared/')).sort();
  const byRoom = Map.groupBy(files, roomOf);
  return new Map(
    Array.from(byRoom, ([room, own]) => {
      const others = own.flatMap((file) => imports.get(file) ?? []).map(roomOf);
      return [room, new Set(others.filter((other) => other !== room))];
    }),
  );
}

export interface Arrows {
  readonly all: number;
  /** `from → to`, where `to` stands above `from`. */
  readonly upward: readonly string[];
}

/**
 * The arrows between the rooms of `shared/`: from each room to each that it imports, however often. The rooms stand one above the
 * other in the order in which the fewest arrows lead upward, as far as moving one room at a time finds it: where no rooms import
 * each other in a circle, none leads upward.
 */
export function arrowsBetweenRooms(imports: ImportGraph): Arrows {
  const arrows = arrowsOf(imports);
  const rooms = [...arrows.keys()];
  const upwardIn = (order: readonly string[]) =>
    order.flatMap((room, place) =>
      order
        .slice(place)
        .filter((above) => arrows.get(room)?.has(above))
        .map((above) => `${room} → ${above}`),
    );
  const withRoom = (order: readonly string[], room: string) => {
    const others = order.filter((one) => one !== room);
    const orders = [...others, room].map((_, place) => others.toSpliced(place, 0, room));
    return orders.reduce((best, one) => (upwardIn(one).length < upwardIn(best).length ? one : best));
  };
  let order = rooms.reduce<readonly string[]>(withRoom, []);
  for (let before = Number.POSITIVE_INFINITY; upwardIn(order).length < before; ) {
    before = upwardIn(order).length;
    order = rooms.reduce(withRoom, order);
  }
  return { all: [...arrows.values()].reduce((sum, { size }) => sum + size, 0), upward: upwardIn(order) };
}
