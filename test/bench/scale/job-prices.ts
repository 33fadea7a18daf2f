import advanceWorkflowRun from '../../../functions/workflows/advance-workflow-run.ts';
import { betweenSlices } from '../../../shared/jobs/end-slice.ts';
import { pacePerSecond, sliceTime } from '../../../shared/jobs/run-job.ts';
import { after, minute, second } from '../../../shared/kernel/time.ts';
import { arrange, newPhoneNumber, type Tenants } from '../../harness/tenants.ts';
import { csv, importsClient } from '../../imports/imports-client.ts';
import { type JobRecord, jobsClient } from '../../jobs/jobs-client.ts';
import { figure, markdownTable } from '../table.ts';
import { measureRun, type Used, used } from './measure-run.ts';
import { functionTime, prices, processorFor, tableAnswer, usualMemory } from './prices.ts';

/** At least as many records of each job are worked on here, within one slice. */
const sample = 250;

/** A job that is measured, and the records for which its price is stated. */
interface MeasuredJob {
  readonly what: string;
  readonly records: number;
  /** Whether each record has its turn at the pace of the engine. */
  readonly isPaced: boolean;
  begin(): Promise<JobRecord>;
}

function jobsToMeasure({ product, admin, rep, newContact }: Tenants): MeasuredJob[] {
  const { begin, change } = importsClient(product);
  const row = (_: unknown, index: number) => [
    `Ada Lovelace ${index}`,
    `${index}@example.com`,
    newPhoneNumber(),
  ];
  const file = csv(['Name', 'Mail', 'Phone'], ...Array.from({ length: sample }, row));
  const mapping = { Name: 'fullName', Mail: 'email', Phone: 'phone' };
  return [
    {
      what: 'import of names, addresses and numbers, all new',
      records: 100_000,
      isPaced: true,
      begin: () => begin(rep, file, { mapping }),
    },
    {
      what: 'bulk change that adds a tag',
      records: 10_000,
      isPaced: true,
      async begin() {
        const ids: string[] = [];
        while (ids.length < sample) {
          ids.push((await newContact())._id);
        }
        return change(rep, { ids, change: { addTags: ['fair'] } });
      },
    },
    {
      what: 'export of all contacts',
      records: 100_000,
      isPaced: false,
      async begin() {
        const request = { token: admin.token, body: { filter: {}, format: 'csv' } };
        return (await arrange(product.call('export-contacts', request))).data;
      },
    },
  ];
}

/** What a job takes on AWS. */
export interface JobPrice extends Pick<MeasuredJob, 'what' | 'records'> {
  /** By one record. */
  readonly used: Used;
  readonly minutes: number;
  /** Dollars for a million records. */
  readonly million: number;
}

/** As long as the pace of the engine takes, or the function's processor or the table if they are slower. */
export async function jobPrices(tenants: Tenants): Promise<JobPrice[]> {
  const all: JobPrice[] = [];
  for (const { what, records, isPaced, begin } of jobsToMeasure(tenants)) {
    const used = await measureJob(tenants, await begin());
    const { cpu, roundTrips, readUnits, writeUnits } = used;
    const turn = Math.max(
      isPaced ? second / pacePerSecond : 0,
      cpu / processorFor(usualMemory),
      roundTrips * tableAnswer,
    );
    const minutes = (records * turn * (1 + betweenSlices / sliceTime.most)) / minute;
    const table = readUnits * prices.million.readUnits + writeUnits * prices.million.writeUnits;
    const million = table + functionTime(0, turn / tableAnswer, usualMemory);
    all.push({ what, records, used, minutes, million });
  }
  return all;
}

export function jobTable(jobs: readonly JobPrice[]): string {
  const rows = jobs.map(({ what, records, used: { readUnits, writeUnits, cpu }, minutes, million }) => [
    ...[what, figure(records), figure(minutes, 1), figure((million * records) / 1e6, 2)],
    ...[readUnits, writeUnits, cpu].map((value) => figure(value, 1)),
    figure(million, 2),
  ]);
  const header = ['Job', 'records', 'minutes', 'dollars', 'RU', 'WU', 'CPU ms', 'a million records'];
  return markdownTable(header, rows, 1);
}

/** Runs a job to its end; what each of its records takes. */
async function measureJob({ product, admin }: Tenants, { _id }: JobRecord): Promise<Used> {
  const { clock, read } = jobsClient(product);
  const own = { objects: await product.objects.provider('plans'), queue: () => product.queues.workflowRuns };
  const runs: Used[] = [];
  let job = await read(admin, _id);
  while (job.endedAt === null) {
    const due = (await clock.waitingUntil(after(new Date(), minute))).find(({ id }) => id === _id);
    const at = new Date(due?.at ?? '');
    runs.push(await measureRun(advanceWorkflowRun, { due }, { ...product.providers, ...own }, at));
    job = await read(admin, _id);
  }
  const { total, failed } = job.counts;
  if (total < sample || failed > 0) {
    throw new Error(`A job ended as ${JSON.stringify(job)}`);
  }
  return used((of) => runs.reduce((sum, run) => sum + run[of], 0) / total);
}
