import type { CodeSample } from './code-samples.ts';
import type { Schema } from './schemas.ts';

/** The part of OpenAPI 3.1 that the document uses. */
export interface OpenApiDocument {
  openapi: '3.1.0';
  info: Record<string, unknown>;
  servers: { url: string; description: string }[];
  tags: { name: string; description: string }[];
  paths: Record<string, Record<string, OperationObject>>;
  components: {
    schemas: Record<string, Schema>;
    headers: Record<string, HeaderObject>;
    /** Described, but not at a path of this API. */
    pathItems: Record<string, Record<string, OperationObject>>;
    securitySchemes: Record<string, Record<string, string>>;
  };
}

export interface OperationObject {
  operationId: string;
  tags: string[];
  summary: string;
  description: string;
  security: Record<string, string[]>[];
  parameters?: ParameterObject[];
  requestBody?: { required: boolean; content: Record<string, MediaType> };
  responses: Record<string, ResponseObject>;
  'x-codeSamples'?: CodeSample[];
}

export interface ParameterObject {
  name: string;
  in: 'path' | 'query' | 'header';
  required: boolean;
  description?: string;
  schema: Schema;
  example?: unknown;
}

export interface ResponseObject {
  description: string;
  headers?: Record<string, HeaderObject | Reference>;
  /** Missing for a redirect. */
  content?: Record<string, MediaType>;
}

export interface MediaType {
  schema: Schema;
  example?: unknown;
  examples?: Record<string, { summary: string; value: unknown }>;
}

export interface HeaderObject {
  description: string;
  schema: Schema;
}

export interface Reference {
  $ref: string;
}
