import { expect, test } from 'vitest';
import * as z from 'zod';
import { collectSchemas } from '../../infra/openapi/schemas.ts';

const input = (schema: z.ZodType) => ({ schema, direction: 'input' as const });
const output = (schema: z.ZodType) => ({ schema, direction: 'output' as const });

test('The components of the document hold a schema with an id once, however often it is used', () => {
  const Colour = z.object({ name: z.string() }).meta({ id: 'Colour' });
  const palette = z.object({ first: Colour, others: z.array(Colour) });
  const schemas = collectSchemas([input(palette), output(palette), output(Colour)]);
  expect(Object.keys(schemas.components())).toEqual(['Colour']);
  expect(schemas.schemaOf(palette, 'output').properties).toEqual({
    first: { $ref: '#/components/schemas/Colour' },
    others: { type: 'array', items: { $ref: '#/components/schemas/Colour' } },
  });
  expect(schemas.schemaOf(Colour, 'output')).toEqual({ $ref: '#/components/schemas/Colour' });
});

test('The components of the document have a second form for responses where a default makes the two differ, even for what contains it', () => {
  const Leaf = z.object({ size: z.number().default(1) }).meta({ id: 'Leaf' });
  const Branch = z.object({ leaves: z.array(Leaf) }).meta({ id: 'Branch' });
  const schemas = collectSchemas([input(Branch), output(Branch)]);
  const components = schemas.components();
  expect(Object.keys(components).sort()).toEqual(['Branch', 'BranchOutput', 'Leaf', 'LeafOutput']);
  expect(components.Leaf?.required).toBeUndefined();
  expect(components.LeafOutput?.required).toEqual(['size']);
  expect(schemas.schemaOf(Branch, 'output')).toEqual({ $ref: '#/components/schemas/BranchOutput' });
  expect(JSON.stringify(components.BranchOutput)).toContain('#/components/schemas/LeafOutput');
});

test('The components of the document may contain themselves', () => {
  const Folder = z
    .object({
      name: z.string(),
      get folders() {
        return z.array(Folder);
      },
    })
    .meta({ id: 'Folder' });
  expect(collectSchemas([output(Folder)]).components()).toEqual({
    Folder: {
      type: 'object',
      required: ['name', 'folders'],
      properties: {
        name: { type: 'string' },
        folders: { type: 'array', items: { $ref: '#/components/schemas/Folder' } },
      },
    },
  });
});

test('The components of the document leave responses open to new properties, unless the schema is strict', () => {
  const open = z.object({ status: z.string() });
  const closed = z.strictObject({ status: z.string() });
  const schemas = collectSchemas([output(open), output(closed)]);
  expect(schemas.schemaOf(open, 'output').additionalProperties).toBeUndefined();
  expect(schemas.schemaOf(closed, 'output').additionalProperties).toBe(false);
});

test('The components of the document refuse one id for two different schemas', () => {
  const one = z.object({ shape: z.object({ a: z.string() }).meta({ id: 'Shape' }) });
  const other = z.object({ shape: z.object({ b: z.string() }).meta({ id: 'Shape' }) });
  expect(() => collectSchemas([output(one), output(other)])).toThrow('Duplicate schema id "Shape"');
});

test('The components of the document refuse a description of a field that there is not, and name the file', () => {
  const schema = z.object({ status: z.string() }).meta({ descriptions: { statuz: 'Always `ok`.' } });
  const file = 'functions/system/check-health.ts';
  expect(() => collectSchemas([{ ...output(schema), file }])).toThrow(
    'functions/system/check-health.ts: "statuz" has a description, but is not a field of status.',
  );
});
