import { expect, test } from 'vitest';
import { setUpTenants } from '../harness/fixtures.ts';
import { arrange } from '../harness/tenants.ts';
import { organizationsClient } from '../organizations/client.ts';
import { prepareStarts, trigger } from './starting.ts';

const tenants = await setUpTenants();
const { product, admin, rep } = tenants;
const starts = await prepareStarts(tenants);
// A day begins there at ten in the morning of the day before, in UTC.
await arrange(
  organizationsClient(product, admin)('update-business-hours', { timezone: 'Pacific/Kiritimati' }),
);

test.each([
  ['a time without an offset', '2026-11-30T20:00:00Z', 'equals', '2026-12-01T10:00'],
  ['a time without an offset in a list', '2026-11-30T20:00:00Z', 'in', ['soon', '2026-12-01 10:00:00']],
  ['a day in the event before a time', '2026-12-01', 'lt', '2026-12-01T10:00:00Z'],
  ['a time without an offset in the event', '2026-12-01T10:00', 'lte', '2026-11-30T20:00:00Z'],
])(
  'A filter of the event alone goes by the clocks of the organization: %s',
  async (name, visit, operator, value) => {
    const filter = [
      { field: 'event.name', operator: 'equals', value: name },
      { field: 'event.customFields.visit', operator, value },
    ];
    await starts.newWorkflow({ nodes: [trigger('application.created', { filter })] });
    const { _id: contactId } = await tenants.newContact();
    const body = { contactId, name, customFields: { visit } };
    await arrange(product.call('create-application', { token: rep.token, body }));
    await starts.tell();
    expect(await starts.runs(contactId)).toHaveLength(1);
  },
);
