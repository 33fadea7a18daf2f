import { Code } from 'aws-cdk-lib/aws-lambda';
import { afterAll, describe, expect, test } from 'vitest';
import cdk from '../../cdk.json' with { type: 'json' };
import { loadOperations, ofKind, type Registered } from '../../infra/registry.ts';
import { httpApiIn, httpRoutesIn } from './http-routes.ts';
import { collisions, losses, refusals } from './next-deployment.ts';
import { replacementRules } from './replacement-rules.ts';
import { behind, isRequired, resynthesized, type Synthesized, synthesized } from './synthesized.ts';

const rules = await replacementRules();
const registered = await loadOperations();
const former = await synthesized();
const made: Synthesized[] = [];
afterAll(() => Promise.all(made.map((app) => app.remove())));

/** Templates with these differences from those of today; in place of code they have names. */
async function next(options: { operations: Registered[]; context: Record<string, unknown> }) {
  const app = await resynthesized({ code: Code.fromInline, ...options });
  made.push(app);
  return app;
}

/** The function behind the route with this key. */
function behindRoute(app: Synthesized, key: string): string {
  const { template } = httpApiIn(app);
  const uri = httpRoutesIn(app).get(key)?.['x-amazon-apigateway-integration'].uri;
  const target = behind(app, template, uri);
  return `${target?.template.file} ${target?.id}`;
}

/** The only route of a WebSocket API with this key, and the function behind it. */
function socketRoute(app: Synthesized, key: string) {
  const [route, ...others] = app
    .ofType('AWS::ApiGatewayV2::Route')
    .filter(({ Properties }) => Properties.RouteKey === key);
  expect([route?.id, others]).toEqual([expect.any(String), []]);
  const { id = '', template } = (route && behind(app, route.template, route.Properties.Target)) ?? {};
  const uri = template?.resources[id]?.Properties.IntegrationUri;
  const target = template && behind(app, template, uri);
  return { id: route?.id, target: `${target?.template.file} ${target?.id}` };
}

describe('After operations were renamed, moved to other folders, added and removed, and the library’s flags were changed', async () => {
  const changes: Record<string, Partial<Registered>> = {
    'move-contact': { name: 'push-contact' },
    'list-calls': { folder: 'contacts' },
    ping: { name: 'answer-ping' },
    'run-due-operations': { name: 'do-what-is-due', folder: 'calls' },
    'hand-over-text-messages': { folder: 'outreach' },
    'send-text-message': { name: 'pass-text-message-on' },
    'receive-sms': { name: 'take-sms' },
    'make-signing-keys': { name: 'make-keys' },
    authorize: { name: 'check-token' },
  };
  const flags = Object.entries(cdk.context).map(([name, value]) => [
    name,
    typeof value === 'boolean' ? !value : value,
  ]);
  const staying = registered
    .filter(({ name, folder }) => folder !== 'training' && name !== 'register')
    .map((entry) => ({ ...entry, ...changes[entry.name] }));
  const added = ofKind(registered, 'http')
    .filter(({ name }) => name === 'login')
    .map((entry): Registered => {
      const operation = { ...entry.operation, route: 'POST /api/auth/login/again' } as const;
      return { ...entry, name: 'log-in-again', operation };
    });
  const app = await next({ operations: [...staying, ...added], context: Object.fromEntries(flags) });

  test('The next deployment passes: no route key and no name is under a second logical id', () => {
    expect(collisions(former.templates, app.templates, rules)).toEqual([]);
  });

  test('The next deployment replaces and forgets nothing that holds what people have stored', () => {
    expect(losses(former.templates, app.templates, rules)).toEqual([]);
  });

  test('The next deployment changes nothing that CloudFormation refuses to change', () => {
    expect(refusals(former.templates, app.templates)).toEqual([]);
  });

  test('The next deployment has the route that was added, and none of those removed', () => {
    const keys = [...httpRoutesIn(app).keys()];
    expect(keys).toContain('POST /api/auth/login/again');
    expect(keys).not.toContain('POST /api/auth/register');
    // That of the training, whose operations are gone, and that of the clock, whose only one has moved.
    expect(app.templates).toHaveLength(former.templates.length - 2);
  });

  test.each(['PUT /api/contacts/{id}/stage', 'GET /api/calls'])(
    'The next deployment leads %s to another function of the same API',
    (key) => {
      expect(httpApiIn(app).id).toBe(httpApiIn(former).id);
      expect(behindRoute(app, key)).not.toBe(behindRoute(former, key));
    },
  );

  test('The next deployment leads a frame to another function by the same route', () => {
    const [before, after] = [socketRoute(former, 'ping'), socketRoute(app, 'ping')];
    expect(after.id).toBe(before.id);
    expect(after.target).not.toBe(before.target);
  });
});

describe('Another stage', async () => {
  const app = await next({
    operations: registered.filter((entry) => isRequired(entry) || entry.folder === 'system'),
    context: { ...cdk.context, stage: 'production', documentation: false },
  });

  /** Names that both have in one account. What a reference is part of belongs to what it refers to. */
  const shared = (one: Synthesized) => {
    const elsewhere = one.templates.map((template) => ({ ...template, file: `other ${template.file}` }));
    return collisions(former.templates, elsewhere, rules).filter((claim) => !/"(Ref|Fn::\w+)"/.test(claim));
  };

  test('A deployment of another stage stands beside the first one: they share no name, which two of the same stage would', () => {
    expect(shared(app)).toEqual([]);
    expect(shared(former).length).toBeGreaterThan(2);
  });

  test('A deployment of another stage leaves the stack that must stay with the same exports, however few use them', () => {
    const exported = ({ templates }: Synthesized) => {
      const { outputs = {} } = templates.find(({ file }) => file === 'SwitchboardData.template.json') ?? {};
      // CloudFormation lets go what is no export, whoever reads it.
      return Object.keys(outputs).filter((name) => outputs[name]?.Export !== undefined);
    };
    expect(exported(app).sort()).toEqual(exported(former).sort());
    expect(exported(app).length).toBeGreaterThan(5);
  });

  test('A deployment of another stage can leave out what describes the API', () => {
    expect([...httpRoutesIn(app).keys()].sort()).toEqual(['$default', 'GET /api/health']);
  });
});
