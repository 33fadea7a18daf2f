import { loadAssembly } from './assembly.ts';
import type { CodeByName } from './plan.ts';
import { Resources } from './resources.ts';

/** What a host runs. */
export interface Application {
  /** The folder of a synthesized cloud assembly. */
  assembly: string;
  /** The code that the assembly does not hold itself. */
  code?: CodeByName;
}

/** The same, with what its templates say. */
export interface LoadedApplication {
  resources: Resources;
  code: CodeByName;
}

/** @throws for an assembly that cannot be read. */
export async function loadApplication({ assembly, code = {} }: Application): Promise<LoadedApplication> {
  return { resources: new Resources(await loadAssembly(assembly)), code };
}
