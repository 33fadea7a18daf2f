import * as demo from '../../../shared/demo-ids.ts';
import { timestamp } from '../../../shared/kernel/time.ts';
import { newPipeline, type Pipeline, pipelinesKey } from '../../../shared/pipelines/pipeline.ts';
import type { Step, TableWriter } from '../../../shared/table/table.ts';
import { fixedIds } from './randomness.ts';

const samples = [
  { _id: demo.partnersPipeline, name: 'Partners', stages: ['Invited', 'Signed'] },
  { _id: demo.sparePipeline, name: 'Trade fair', stages: ['Met', 'Written to', 'Met again'] },
];

/** Pipelines of contacts beside those that an organization is founded with; nothing is in them yet. */
export function pipelineSteps(
  table: TableWriter,
  organizationId: string,
  founded: readonly Pipeline[],
  at: Date,
): Step[] {
  const newId = fixedIds(6);
  const more = samples.map(({ _id, ...sample }) => ({
    ...newPipeline({ organizationId, type: 'Contact', isActive: false, ...sample }, newId, timestamp(at)),
    _id,
  }));
  return [table.add(pipelinesKey(), { pipelines: [...founded, ...more] })];
}
