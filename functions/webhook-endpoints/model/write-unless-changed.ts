import { VersionConflict } from '../../../shared/table/table.ts';

/** Waits for a write that is not needed any more once somebody else has changed the record. */
export async function writeUnlessChanged(write: Promise<unknown>): Promise<void> {
  await write.catch((error: unknown) => {
    if (!(error instanceof VersionConflict)) {
      throw error;
    }
  });
}
