import { stripVTControlCharacters } from 'node:util';
import { beforeEach, expect, test, vi } from 'vitest';
import type { HostLog } from '../../infra/local/host-log.ts';
import { readableLog } from '../../infra/local/readable-log.ts';

let lines: string[];
let now: Date;
let log: HostLog;
beforeEach(() => {
  lines = [];
  now = new Date('2026-11-20T19:02:11Z');
  log = readableLog(
    (line) => lines.push(stripVTControlCharacters(line)),
    'America/New_York',
    () => now,
  );
});

const entry = (more: object) =>
  JSON.stringify({
    level: 'info',
    operation: 'list-contacts-by-stage',
    requestId: 'request-1',
    status: 200,
    requests: 6,
    roundTrips: 1,
    readUnits: 3.5,
    writeUnits: 0,
    ...more,
  });

function arrives(method = 'POST', path = '/api/contacts'): void {
  log.arrived({ requestId: 'request-1', method, path });
}

function answeredAfter(milliseconds: number, status = 200): void {
  now = new Date(now.getTime() + milliseconds);
  log.answered('request-1', status);
}

test('A request is one line: time, method, path, status, duration, operation, and what it cost', () => {
  arrives();
  log.printed('list-contacts-by-stage', entry({}));
  answeredAfter(34);
  expect(lines).toEqual(['14:02:11 POST /api/contacts 200 34 ms list-contacts-by-stage  6 requests 3.5 RU']);
});

test('What a function prints after its response is still one line', () => {
  arrives();
  answeredAfter(5);
  expect(lines).toEqual([]);
  log.printed('create-contact', entry({ operation: 'create-contact', requests: 1, writeUnits: 14 }));
  expect(lines).toEqual(['14:02:11 POST /api/contacts 200 5 ms create-contact  1 request 3.5 RU 14 WU']);
});

test('A response of the gateway itself has a line, too', async () => {
  arrives('GET', '/api/contacts/1');
  answeredAfter(1, 401);
  await vi.waitUntil(() => lines.length > 0);
  expect(lines).toEqual(['14:02:11 GET /api/contacts/1 401 1 ms']);
});

test('A 404 names the path, and no path can command the terminal', () => {
  arrives('GET', '/api/\u001b[2Jnothing\n');
  log.printed(
    'answer-unknown-route',
    entry({ operation: 'answer-unknown-route', requests: 0, readUnits: 0 }),
  );
  answeredAfter(2, 404);
  expect(lines).toEqual(['14:02:11 GET /api/nothing? 404 2 ms answer-unknown-route']);
});

test('Health checks that pass and rounds of the clock that found nothing are not there; those that fail are', () => {
  arrives('GET', '/api/health');
  log.printed('check-health', entry({ operation: 'check-health' }));
  answeredAfter(1);
  log.printed(
    'run-due-operations',
    entry({ operation: 'run-due-operations', requestId: undefined, status: undefined, part: 3, fired: 0 }),
  );
  expect(lines).toEqual([]);

  arrives();
  arrives('GET', '/api/health');
  log.printed('check-health', entry({ operation: 'check-health', requests: 0, readUnits: 0 }));
  answeredAfter(1, 500);
  log.printed(
    'run-due-operations',
    entry({ operation: 'run-due-operations', requestId: undefined, status: undefined, part: 3, fired: 3 }),
  );
  expect(lines).toEqual([
    '14:02:11 GET /api/health 500 1 ms check-health',
    '14:02:11 run-due-operations  3 fired 6 requests 3.5 RU',
  ]);
});

test('Before the first request a run in the background has a line only if it failed', () => {
  const run = { operation: 'run-due-operations', requestId: undefined, status: undefined, fired: 3 };
  log.printed('run-due-operations', entry(run));
  expect(lines).toEqual([]);
  log.printed('run-due-operations', entry({ ...run, defect: { name: 'Error', message: 'boom' } }));
  expect(lines).toEqual(['14:02:11 run-due-operations  3 fired 6 requests 3.5 RU', '  Error: boom']);
});

test('A reader of changes that found nothing to do with them has no line; one that has only changes to report has one', () => {
  arrives();
  const reader = { requestId: undefined, status: undefined, changes: 1, readUnits: 0, requests: 0 };
  const unassigned = { operation: 'deliver-unassigned-messages', ...reader };
  log.printed('background', entry({ ...unassigned, delivered: 0, left: 0 }));
  expect(lines).toEqual([]);
  log.printed('background', entry({ ...unassigned, delivered: 2, left: 0 }));
  log.printed('background', entry({ operation: 'index-changed-contacts', ...reader }));
  expect(lines).toEqual([
    '14:02:11 deliver-unassigned-messages  1 changes 2 delivered 0 left',
    '14:02:11 index-changed-contacts  1 changes',
  ]);
});

test('A defect shows its stack and its cause below the line', () => {
  const defect = {
    name: 'TypeError',
    message: 'boom',
    stack: 'TypeError: boom\n    at run (/project/functions/a.ts:3:7)',
    cause: { name: 'Error', message: 'why' },
  };
  arrives();
  log.printed('list-contacts-by-stage', entry({ status: 500, requests: 0, readUnits: 0, defect }));
  answeredAfter(1, 500);
  expect(lines).toEqual([
    '14:02:11 POST /api/contacts 500 1 ms list-contacts-by-stage',
    '  TypeError: boom',
    '      at run (/project/functions/a.ts:3:7)',
    '  caused by',
    '  Error: why',
  ]);
});

test('What a function prints of its own is shown as it is, behind its name', () => {
  log.printed('ping', 'looking for a bug');
  expect(lines).toEqual(['14:02:11 [ping] looking for a bug']);
});
