import type { FieldDefinition } from '../../shared/contacts/field-definition.ts';
import type { Call } from '../harness/call.ts';
import type { Person, Product } from '../harness/product.ts';
import { expectStatus, type Tenants } from '../harness/tenants.ts';

type Fields = Record<string, unknown>;

export type CustomFieldsClient = ReturnType<typeof customFieldsClient>;

/** The operations on definitions of custom fields, as one person calls them. */
export function customFieldsClient(product: Product, { token }: Person) {
  const call = (name: string, more: Call) => product.call(name, { token, ...more });
  const create = (body: Fields, at?: Date) => call('create-custom-field', { body, at });
  const list = async (query: Record<string, string> = {}): Promise<FieldDefinition[]> =>
    expectStatus(await call('list-custom-fields', { query }), 200).data;
  return {
    create,
    list,
    update: (id: string, body: Fields, at?: Date) => call('update-custom-field', { path: { id }, body, at }),
    remove: (id: string) => call('delete-custom-field', { path: { id } }),
    /** A new definition, of contacts unless stated, labelled with its key; creating it must succeed. */
    defined: async (body: Fields): Promise<FieldDefinition> =>
      expectStatus(await create({ label: body.key, appliesTo: 'contact', ...body }), 201).data,
  };
}

const spareKey = 'spare';

/** A definition that nothing depends on: the one made for this before, as long as it is there. */
export async function spareDefinition({ product, admin }: Tenants): Promise<FieldDefinition> {
  const fields = customFieldsClient(product, admin);
  const spare = (await fields.list()).find(({ key }) => key === spareKey);
  return spare ?? fields.defined({ key: spareKey, type: 'text' });
}

/** Deletes the definitions without whose fields nobody can create a record. */
export async function removeRequiredFields({ product, admin }: Tenants): Promise<void> {
  const fields = customFieldsClient(product, admin);
  for (const { _id } of (await fields.list()).filter(({ required }) => required)) {
    await fields.remove(_id);
  }
}
