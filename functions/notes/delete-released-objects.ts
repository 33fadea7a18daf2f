import { forEachOrThrow } from '../../shared/kernel/for-each-concurrently.ts';
import { streamOperation } from '../../shared/kernel/trigger.ts';
import type { OwnedObjects } from '../../shared/notes/owned-objects.ts';
import { keyPrefix } from '../../shared/table/key.ts';
import { organizationIn } from '../../shared/table/spaces.ts';

/** Objects deleted at the same time. */
const width = 20;

export default streamOperation({
  reader: 'background',
  on: { change: 'REMOVE', sortPrefix: keyPrefix(['OBJECTS']) },
  summary: 'Delete objects whose records are gone',
  uses: { objects: 'erasure' },
  async run(changes, { objects }) {
    const released = changes.flatMap(({ partition, before }) => {
      const organizationId = organizationIn(partition);
      const { objects: owned = [] } = (before ?? {}) as Partial<OwnedObjects>;
      return organizationId === undefined ? [] : owned.map((object) => ({ organizationId, object }));
    });
    await forEachOrThrow(released, width, ({ organizationId, object }) =>
      objects(organizationId).remove(object),
    );
  },
});
