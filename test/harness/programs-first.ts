import { readFile } from 'node:fs/promises';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** A file that calls this runs for a long time, with pauses, however short it is. */
const long = /\b(firstBuild|documentationTests)\(/;
/** A file that calls this uses the product on the local host, which files that follow each other share. */
const onHost = /\bsetUpLiveHost\(/;

/**
 * Begins with the files that run longest, since others can run in their pauses, and lets those that use the local host follow each other.
 * For all others Vitest knows the times from earlier runs.
 */
export default class ProgramsFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const ranks = new Map(
      await Promise.all(
        sorted.map(async (file) => {
          const text = await readFile(file.moduleId, 'utf8');
          return [file, long.test(text) ? 0 : onHost.test(text) ? 1 : 2] as const;
        }),
      ),
    );
    return sorted.sort((a, b) => (ranks.get(a) ?? 0) - (ranks.get(b) ?? 0));
  }
}
