import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { build, type Loader, transform } from 'esbuild';

const { resolve } = createRequire(import.meta.url);

/**
 * The interactive documentation as one self-contained page, which loads only the OpenAPI document. Its content security policy allows
 * only the scripts in the page, and these may call only this service. The page has a token, so no other page may frame it and steal
 * clicks.
 */
export async function buildDocumentationPage(): Promise<{ text: string; headers: Record<string, string> }> {
  const [viewer, licenses, viewerStyle, start, ownStyle, body] = await Promise.all([
    distributed('swagger-ui-bundle.js', 'js'),
    readFile(resolve('swagger-ui-dist/swagger-ui-bundle.js.LICENSE.txt'), 'utf8'),
    distributed('swagger-ui.css', 'css'),
    startScript(),
    minified(await readFile(pageFile('style.css'), 'utf8'), 'css'),
    readFile(pageFile('body.html'), 'utf8'),
  ]);
  const scripts = [embeddable(`${licenses}\n${viewer}`), embeddable(start)];
  const style = `${viewerStyle}${ownStyle}`;
  const policy = [
    "default-src 'none'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "connect-src 'self'",
    'img-src data:',
    `script-src ${scripts.map(hashSource).join(' ')}`,
    `style-src ${hashSource(style)}`,
  ].join('; ');
  const text = [
    '<!doctype html>',
    '<html lang="en">',
    '<head>',
    '<meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    '<meta name="color-scheme" content="light dark">',
    '<title>Switchboard API</title>',
    '<link rel="icon" href="data:,">',
    // The document loads while the viewer is parsed.
    '<link rel="preload" href="/api/openapi.json" as="fetch" crossorigin>',
    `<style>${style}</style>`,
    '</head>',
    '<body>',
    body.trim(),
    ...scripts.map((text) => `<script>${text}</script>`),
    '</body>',
    '</html>',
    '',
  ].join('\n');
  return { text, headers: { 'content-security-policy': policy } };
}

const pageFile = (file: string) => join(import.meta.dirname, 'page', file);

/** The page's own additions to the viewer, as one script. */
async function startScript(): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [pageFile('start.ts')],
    bundle: true,
    minify: true,
    format: 'iife',
    target: 'es2022',
    legalComments: 'none',
    write: false,
  });
  return outputFiles.map(({ text }) => text).join('');
}

/** A file of Swagger UI, minified once more, without source map, and safe against a premature `</script>`. */
async function distributed(file: string, loader: Loader): Promise<string> {
  return minified(await readFile(resolve(`swagger-ui-dist/${file}`), 'utf8'), loader);
}

async function minified(text: string, loader: Loader): Promise<string> {
  const { code } = await transform(text, { loader, minify: true, legalComments: 'none' });
  return code;
}

/** After `<!--`, a `<script` would make an HTML parser read past the end of the script. */
const embeddable = (script: string) => script.replaceAll('<!--', '\\x3C!--');

const hashSource = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
