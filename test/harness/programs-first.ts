import { readFile } from 'node:fs/promises';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** What a file calls that runs for long, and waits in between, however short the file is. */
const long = /\b(provideFirstBuild|documentationTests)\(/;
/** What a file calls that has the product on the local host, which files that follow each other share. */
const onHost = /\bsetUpLiveHost\(/;

/**
 * Begins with the files that run longest, which others fill the pauses of, and lets those with the product on the local host follow each
 * other. Of all others Vitest knows the times after the first run.
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
