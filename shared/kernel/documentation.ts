import type * as z from 'zod/mini';
import type { Failure } from './failure.ts';
import type { PathParameters } from './request.ts';
import type { Descriptions } from './schemas/descriptions.ts';

/** A header that a client may send to an operation. */
export interface HeaderParameter {
  /** A value that does not match is a 400 that names the header. */
  readonly schema: z.ZodMiniType<string>;
  readonly description: string;
}

/** What an agent reads to choose an operation among its tools, beside the summary. */
export interface ToolDescription {
  /** In snake case: models have learned to write such names. */
  readonly name: string;
  /** Sentences about when to use it, and with which tools before it. */
  readonly when: string;
}

/** A response other than `output`, for the documentation. */
export interface DescribedResponse {
  readonly status: 200 | 302 | 303;
  /** Missing for a redirect. */
  readonly contentType?: string;
  readonly description: string;
}

/** Descriptions of all fields of query and body, and of the path parameters that need one. */
type FieldDescriptions<R extends string, Query, Body> = Descriptions<Query> &
  Descriptions<Body> & { readonly [Name in keyof PathParameters<R>]?: string };

/** Required where there is a query or a body. */
export type WithDescriptions<R extends string, Query, Body> = [Query, Body] extends [undefined, undefined]
  ? { readonly descriptions?: FieldDescriptions<R, Query, Body> }
  : { readonly descriptions: FieldDescriptions<R, Query, Body> };

/** The parts of a request that the operation has. An example may leave out what a client may leave out. */
export type ExampleRequest<R extends string, Query, Body> = (keyof PathParameters<R> extends never
  ? unknown
  : { readonly path: PathParameters<R> }) &
  (Query extends z.ZodMiniType ? { readonly query?: z.input<Query> } : unknown) &
  (Body extends z.ZodMiniType ? { readonly body: z.input<Body> } : unknown);

/** A failure whose body has keys beyond those of its family, for the documentation. */
export interface DetailedFailure {
  readonly example: Failure;
  /** The further keys: their meaning, and their values where these are fixed. They are strings unless stated. */
  readonly details: Readonly<
    Record<
      string,
      {
        readonly description: string;
        readonly enum?: readonly string[];
        readonly type?: 'array';
        readonly items?: object;
      }
    >
  >;
}

/** A request as the documentation shows it. */
export interface Example {
  readonly path?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
}
