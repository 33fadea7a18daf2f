import { loadAssembly } from './assembly.ts';
import type { CodeByName } from './plan.ts';
import { Resources } from './resources.ts';

/** The application that a host runs. */
export interface Application {
  /** The folder of a synthesized cloud assembly. */
  assembly: string;
  /** The code of functions that is not in the assembly. */
  code?: CodeByName;
}

/** An application whose templates have been read. */
export interface LoadedApplication {
  resources: Resources;
  code: CodeByName;
}

/** @throws for an assembly that cannot be read. */
export async function loadApplication({ assembly, code = {} }: Application): Promise<LoadedApplication> {
  return { resources: new Resources(await loadAssembly(assembly)), code };
}
