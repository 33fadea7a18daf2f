import * as z from 'zod/mini';
import {
  applicationMoves,
  historyLimit,
  toApplicationResponse,
} from '../../shared/contact-aggregate/application.ts';
import { ApplicationResponse } from '../../shared/contact-aggregate/application-response.ts';
import { ContactResponse } from '../../shared/contacts/contact-response.ts';
import { readPipelines } from '../../shared/contacts/pipeline.ts';
import { StageResponse } from '../../shared/contacts/pipeline-response.ts';
import { stageById } from '../../shared/contacts/stages.ts';
import { toContactResponse } from '../../shared/contacts/to-contact-response.ts';
import * as demo from '../../shared/kernel/demo-ids.ts';
import { operation } from '../../shared/kernel/operation.ts';
import { described } from '../../shared/kernel/schemas/descriptions.ts';
import { dataResponse, ok } from '../../shared/kernel/schemas/envelope.ts';
import { anyString, dateTime } from '../../shared/kernel/schemas/fields.ts';
import { findApplication } from './model/find-application.ts';

const textOrNull = z.nullable(anyString);

const MoveResponse = described(
  z.object({
    at: dateTime,
    userId: anyString,
    fromStageId: textOrNull,
    fromStage: textOrNull,
    toStageId: anyString,
    toStage: anyString,
  }),
  {
    at: 'When it was moved.',
    userId: 'The user who moved it.',
    fromStageId: 'The stage it left; null for its creation.',
    fromStage: 'The name that stage had then; null for its creation.',
    toStageId: 'The stage it entered.',
    toStage: 'The name that stage had then.',
  },
);

export default operation({
  route: 'GET /api/application-management/{id}',
  summary: 'Read an application with its contact, stages and history',
  description: `The application, its contact, the stages of its pipeline in the order of the board, and its history, oldest first. The history has an entry for the creation (\`fromStageId\` and \`fromStage\` are null) and one for each move since, with the user who made it and the names of the stages at that time. Only the latest ${historyLimit} entries are kept.`,
  family: 'plain',
  minimumRole: 'SALES_REP',
  output: dataResponse(
    described(
      z.object({
        application: ApplicationResponse,
        contact: ContactResponse,
        stages: z.array(StageResponse),
        history: z.array(MoveResponse),
      }),
      {
        application: 'The application.',
        contact: 'The contact who applies.',
        stages: 'The stages of its pipeline, in the order of the board.',
        history: 'How it was created and each move since, oldest first.',
      },
    ),
  ),
  failures: ['NOT_FOUND'],
  example: { path: { id: demo.application } },
  uses: { table: 'read' },
  async run({ path }, { table, caller }) {
    const [{ application, contact }, { data }] = await Promise.all([
      findApplication(table, caller, path.id),
      readPipelines(table),
    ]);
    const { pipelines } = data;
    return ok({
      data: {
        application: toApplicationResponse(application, stageById(pipelines, application.stageId)),
        contact: toContactResponse(contact, stageById(pipelines, contact.stageId)),
        stages: pipelines.find(({ _id }) => _id === application.pipelineId)?.stages ?? [],
        history: applicationMoves(application),
      },
    });
  },
});
