import type { ComparedPlace } from '../segments/key-columns.ts';
import type { Segment } from '../segments/segment.ts';

/** The matching rows of a stage's segments, in board order. */
export class MatchingRows {
  readonly #parts: { segment: Segment; rows: Uint32Array; start: number }[] = [];
  readonly length: number;

  /** The segments must be in board order. */
  constructor(found: Iterable<readonly [Segment, Uint32Array]>) {
    let length = 0;
    for (const [segment, rows] of found) {
      if (rows.length > 0) {
        this.#parts.push({ segment, rows, start: length });
        length += rows.length;
      }
    }
    this.length = length;
  }

  idAt(position: number): string {
    const { segment, row } = this.#at(position);
    return segment.keys.id(row);
  }

  /** How many of them stand above a place. */
  above(place: ComparedPlace): number {
    let [low, high] = [0, this.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      const { segment, row } = this.#at(middle);
      if (segment.keys.isAbove(row, place)) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

  #at(position: number): { segment: Segment; row: number } {
    let [low, high] = [0, this.#parts.length - 1];
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((this.#parts[middle]?.start ?? 0) <= position) {
        low = middle;
      } else {
        high = middle - 1;
      }
    }
    const part = this.#parts[low];
    if (part === undefined) {
      throw new RangeError('There is no match at this position');
    }
    return { segment: part.segment, row: part.rows[position - part.start] as number };
  }
}
