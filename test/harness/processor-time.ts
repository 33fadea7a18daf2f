/**
 * Milliseconds of processor time that this process takes for some work. Unlike the time on the wall it is the same while other
 * programs keep the machine busy.
 */
export async function processorTime(work: () => unknown): Promise<number> {
  const start = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1_000;
}
