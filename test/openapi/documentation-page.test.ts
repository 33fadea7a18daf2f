import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { buildDocumentationPage } from '../../infra/openapi/documentation-page.ts';

const { text: page, headers } = await buildDocumentationPage();
const scripts = elements('script');
const styles = elements('style');
const markup = page.replaceAll(/<(script|style)>.*?<\/\1>/gs, '');

/** As an HTML parser cuts them: to the first closing tag. */
function elements(name: string): string[] {
  return [...page.matchAll(new RegExp(`<${name}>(.*?)</${name}`, 'gs'))].map(([, text = '']) => text);
}

const hash = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

test('The documentation page is one page whose markup loads nothing but the description', () => {
  expect(markup).not.toMatch(/\bsrc=|https?:|url\(|@import/);
  expect([...markup.matchAll(/<link [^>]*href="([^"]*)"/g)].map(([, target]) => target)).toEqual([
    'data:,',
    '/api/openapi.json',
  ]);
});

test('The documentation page has a style that loads nothing', () => {
  expect(styles).toHaveLength(1);
  const targets = [...(styles[0] ?? '').matchAll(/url\(["']?([^)]{0,20})/g)].map(([, target = '']) => target);
  expect(targets.length).toBeGreaterThan(0);
  expect(targets.filter((target) => !target.startsWith('data:'))).toEqual([]);
  expect(styles[0]).not.toContain('@import');
});

test('The documentation page lets the browser run exactly its own scripts and talk to this service alone', () => {
  expect(headers['content-security-policy']?.split('; ')).toEqual([
    "default-src 'none'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "connect-src 'self'",
    'img-src data:',
    `script-src ${scripts.map(hash).join(' ')}`,
    `style-src ${styles.map(hash).join(' ')}`,
  ]);
});

test('The documentation page has two scripts that an HTML parser reads whole and as they are: the viewer, and its start', () => {
  expect(scripts).toHaveLength(2);
  expect(page.match(/<\/script/gi)).toHaveLength(2);
  expect(page).not.toMatch(/<!--|\r|sourceMappingURL/);
  expect(scripts[1]).toContain('url:"/api/openapi.json"');
  expect(scripts[1]).toContain('validatorUrl:null');
});

test('The documentation page is small enough for the response of a function', () => {
  expect(Buffer.byteLength(page)).toBeLessThan(2 * 1024 * 1024);
});
