import * as z from 'zod/mini';
import { findContact } from '../../shared/contacts/find-contact.ts';
import { readHeldPage } from '../../shared/contacts/holdings.ts';
import { buildSnapshotResponse } from '../../shared/conversations/build-snapshot-response.ts';
import type { TrainingSnapshot } from '../../shared/conversations/snapshot.ts';
import { snapshotRange } from '../../shared/conversations/snapshot.ts';
import { SnapshotResponse } from '../../shared/conversations/snapshot-response.ts';
import * as demo from '../../shared/kernel/demo-ids.ts';
import { operation } from '../../shared/kernel/operation.ts';
import { ok } from '../../shared/kernel/schemas/envelope.ts';
import { Id } from '../../shared/kernel/schemas/fields.ts';
import { listResponse, pageDescriptions, pageQuery } from '../../shared/kernel/schemas/paging.ts';
import { readOwnSnapshots } from './model/own-snapshots.ts';

export default operation({
  route: 'GET /api/training-snapshots',
  summary: 'List training snapshots',
  description:
    'Newest first. With `contactId`: all snapshots of that contact. Without it: your own snapshots of all contacts that you can see.',
  family: 'plain',
  minimumRole: 'SALES_REP',
  query: z.object({ contactId: z.optional(Id), ...pageQuery }),
  descriptions: { contactId: 'Only snapshots of this contact.', ...pageDescriptions },
  output: listResponse(SnapshotResponse),
  failures: ['NOT_FOUND'],
  example: { query: { contactId: demo.ada } },
  uses: { table: 'read', objects: 'attachments' },
  async run({ query: { contactId, ...paging } }, { table, objects, caller }) {
    const toResponses = (snapshots: readonly TrainingSnapshot[]) =>
      Promise.all(snapshots.map((snapshot) => buildSnapshotResponse(snapshot, objects)));
    if (contactId !== undefined) {
      const finding = findContact(table, caller, contactId);
      const { records, nextCursor } = await readHeldPage(table, contactId, finding, snapshotRange, paging);
      return ok({ data: await toResponses(records.map(({ data }) => data)), nextCursor });
    }
    const { snapshots, nextCursor } = await readOwnSnapshots(table, caller, paging);
    return ok({ data: await toResponses(snapshots), nextCursor });
  },
});
