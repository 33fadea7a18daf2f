import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { deskOf } from '../contacts/desk.ts';
import type { Person, Product } from '../harness/product.ts';
import { startProduct } from '../harness/product.ts';
import { expectStatus } from '../harness/world.ts';
import { pipelineDeskOf } from '../pipelines/pipeline-desk.ts';
import { type ApplicationDesk, applicationDeskOf, applicationFields } from './application-desk.ts';

let product: Product;
let admin: Person;
let desk: ApplicationDesk;
beforeAll(async () => {
  product = await startProduct();
  admin = await product.newOrganization();
  desk = applicationDeskOf(product, admin);
});
afterAll(() => product.stop());

const newContact = (firstName = 'Ada', person = admin) => deskOf(product, person).created({ firstName });
const stagesOf = (person: Person) => pipelineDeskOf(product, person).stageIds('Application');

describe('POST /api/applications', () => {
  it('answers 201 with the whole application, in the first stage of the active Application pipeline', async () => {
    const contact = await newContact();
    const at = new Date();
    const { status, body } = await desk.create({ contactId: contact._id, name: '  Loan ' }, at);
    expect(status).toBe(201);
    expect(Object.keys(body)).toEqual(['success', 'message', 'data']);
    expect(Object.keys(body.data)).toEqual(applicationFields);
    const { Submitted } = await stagesOf(admin);
    expect(body).toEqual({
      success: true,
      message: 'Application created',
      data: {
        _id: expect.stringMatching(/^[0-9A-Za-z]+$/),
        organizationId: admin.organizationId,
        contactId: contact._id,
        userId: admin.userId,
        name: 'Loan',
        pipelineId: body.data.pipelineId,
        stageId: Submitted,
        stage: 'Submitted',
        customFields: {},
        createdAt: at.toISOString(),
        updatedAt: at.toISOString(),
      },
    });
  });

  it('puts it where it is asked to: by stage id, by name, in the pipeline named', async () => {
    const { _id: contactId } = await newContact();
    const stages = await stagesOf(admin);
    const other = expectStatus(
      await product.call('create-pipeline', {
        token: admin.token,
        body: { name: 'Jobs', type: 'Application', stages: [{ name: 'Sent' }, { name: 'Approved' }] },
      }),
      201,
    ).data;
    for (const [wish, expected] of [
      [{ stage: 'Approved' }, stages.Approved],
      [{ stageId: stages.Declined, stage: 'Approved' }, stages.Declined],
      [{ pipelineId: other._id }, other.stages[0]._id],
      [{ pipelineId: other._id, stage: 'Approved' }, other.stages[1]._id],
      [{ stageId: other.stages[1]._id }, other.stages[1]._id],
    ] as const) {
      expect((await desk.created({ contactId, name: 'Loan', ...wish })).stageId).toBe(expected);
    }
  });

  it('keeps custom applicationFields with odd names, and ignores system applicationFields', async () => {
    const { _id: contactId } = await newContact();
    const customFields = { constructor: 'x', toString: [1, { a: null }], '': false };
    const application = await desk.created({
      contactId,
      name: 'Odd',
      customFields,
      _id: 'mine',
      organizationId: 'other',
      userId: 'nobody',
      createdAt: '2000-01-01',
    });
    expect(application).toMatchObject({
      customFields,
      organizationId: admin.organizationId,
      userId: admin.userId,
    });
    expect(application._id).not.toBe('mine');
    expect((await desk.read(application._id)).body.data).toEqual(application);
  });

  it('answers 404 for a contact, a pipeline or a stage that is not there, or is not of applications', async () => {
    const { _id: contactId } = await newContact();
    const foreigner = await product.newOrganization();
    const contacts = expectStatus(await product.call('list-pipelines', { token: admin.token }), 200).data[0];
    const foreign = await stagesOf(foreigner);
    for (const [wish, message] of [
      [{ contactId: 'nobody' }, 'Contact not found'],
      [{ contactId: (await newContact('Far', foreigner))._id }, 'Contact not found'],
      [{ pipelineId: 'nothing' }, 'Pipeline not found'],
      [{ pipelineId: contacts._id }, 'Pipeline not found'],
      [{ stage: 'Nowhere' }, 'Stage not found'],
      [{ stage: 'New' }, 'Stage not found'],
      [{ stageId: contacts.stages[0]._id }, 'Stage not found'],
      [{ stageId: foreign.Submitted }, 'Stage not found'],
    ] as const) {
      const { status, body } = await desk.create({ contactId, name: 'Loan', ...wish });
      expect({ status, body }).toEqual({ status: 404, body: { success: false, message } });
    }
    expect((await desk.everything()).filter(({ _id }) => _id === contactId)).toEqual([]);
  });

  it('says so when no Application pipeline is active', async () => {
    const own = await product.newOrganization();
    const { _id: contactId } = await newContact('Alone', own);
    const [pipeline] = expectStatus(
      await product.call('list-pipelines', { token: own.token, query: { type: 'Application' } }),
      200,
    ).data;
    const inactive = { token: own.token, path: { id: pipeline._id }, body: { isActive: false } };
    expectStatus(await product.call('update-pipeline', inactive), 200);
    const { create, created } = applicationDeskOf(product, own);
    expect(await create({ contactId, name: 'Loan' })).toMatchObject({
      status: 404,
      body: { message: 'No Application pipeline is active. Name a stageId, or make a pipeline active.' },
    });
    const stageId = pipeline.stages[1]._id;
    expect(await created({ contactId, name: 'Loan', stageId })).toMatchObject({ stage: 'In review' });
  });

  it('takes five for a contact, and answers 409 for the sixth, also when all come at once', async () => {
    const { _id: contactId } = await newContact();
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, n) => desk.create({ contactId, name: `Number ${n}` })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 201, 201, 201, 201, 409, 409, 409]);
    expect(answers.find(({ status }) => status === 409)?.body).toEqual({
      success: false,
      message: 'The contact already has 5 applications, the maximum. Delete one first.',
    });
    const id = answers.find(({ status }) => status === 201)?.body.data._id;
    expectStatus(await desk.remove(id), 200);
    expectStatus(await desk.create({ contactId, name: 'In its place' }), 201);
  });

  it.each([
    [{ name: 'No contact' }, 'contactId is required'],
    [{ contactId: 'c' }, 'name is required'],
    [{ contactId: 'c', name: ' ' }, 'name must not be empty'],
    [{ contactId: 'c', name: '😀'.repeat(201) }, 'name must have at most 200 characters'],
    [{ contactId: 'c#d', name: 'a' }, 'contactId must be an identifier'],
    [{ contactId: 'c', name: 'a', customFields: [] }, 'customFields must be an object'],
    [
      {
        contactId: 'c',
        name: 'a',
        customFields: Object.fromEntries(Array.from({ length: 51 }, (_, n) => [n, n])),
      },
      'customFields must have at most 50 keys',
    ],
    [
      { contactId: 'c', name: 'a', customFields: { k: 'x'.repeat(16 * 1024) } },
      'customFields must be at most 16 KB',
    ],
  ])('of %o says what is wrong: 400', async (body, message) => {
    const answer = await desk.create(body);
    expect(answer).toMatchObject({ status: 400, body: { success: false, message } });
  });

  it('takes each field at its limit', async () => {
    const { _id: contactId } = await newContact();
    const name = '😀'.repeat(200);
    const customFields = { k: 'x'.repeat(16 * 1024 - Buffer.byteLength(JSON.stringify({ k: '' }))) };
    expect(await desk.created({ contactId, name, customFields })).toMatchObject({ name, customFields });
  });
});
