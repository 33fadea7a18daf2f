import type { Fault, FaultyTable } from '../contacts/faulty-table.ts';

/** The process ends after it has written this often: nothing that it asks of the table arrives any more. */
export function endAfterWrites(faults: FaultyTable, count: number): void {
  let left = count;
  const write: Fault = async (next) => {
    left -= 1;
    return left < 0 ? gone(next) : next();
  };
  const read: Fault = async (next) => (left <= 0 ? gone(next) : next());
  const gone: Fault = async () => {
    throw new Error('The process has ended');
  };
  for (const command of ['PutItem', 'UpdateItem', 'TransactWriteItems', 'BatchWriteItem'] as const) {
    faults.always(`${command}Command`, write);
  }
  for (const command of ['GetItem', 'BatchGetItem', 'Query'] as const) {
    faults.always(`${command}Command`, read);
  }
}
