import { expect, test } from 'vitest';
import { resolvedPart } from '../../infra/openapi/page/references.ts';

const document = {
  paths: {
    '/a': { get: { schema: { $ref: '#/components/schemas/A' }, list: [{ $ref: '#/components/b~1c' }] } },
  },
  components: {
    'b/c': { description: 'slash' },
    schemas: {
      A: { type: 'object', properties: { name: { $ref: '#/components/schemas/Name', description: 'here' } } },
      Name: { type: 'string', description: 'there' },
      Tree: { properties: { children: { items: { $ref: '#/components/schemas/Tree' } } } },
    },
  },
};

test('What is referred to stands in the place of the reference, with the name by which the viewer shows it', () => {
  expect(resolvedPart(document, ['paths', '/a', 'get'])).toEqual({
    schema: {
      $$ref: '#/components/schemas/A',
      type: 'object',
      properties: { name: { $$ref: '#/components/schemas/Name', type: 'string', description: 'here' } },
    },
    list: [{ $$ref: '#/components/b~1c', description: 'slash' }],
  });
});

test('What contains itself stays a reference where it comes again', () => {
  expect(resolvedPart(document, ['components', 'schemas', 'Tree'])).toEqual({
    properties: {
      children: {
        items: {
          $$ref: '#/components/schemas/Tree',
          properties: { children: { items: { $ref: '#/components/schemas/Tree' } } },
        },
      },
    },
  });
});

test('A reference to what is not in the document resolves to nothing', () => {
  expect(resolvedPart(document, ['components', 'securitySchemes'])).toBeUndefined();
});
