import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { type Loader, transform } from 'esbuild';

const { resolve } = createRequire(import.meta.url);

/** A token given under "Authorize" stays in the page's memory; a reload forgets it. */
const start = `SwaggerUIBundle({
  url: '/api/openapi.json',
  dom_id: '#documentation',
  deepLinking: true,
  displayRequestDuration: true,
  filter: true,
  validatorUrl: null,
});`;

/**
 * The interactive documentation as one self-contained page: it loads nothing but the document that it shows. Its policy
 * lets run only the scripts written here, and lets them talk to this service only.
 */
export async function documentationPage(): Promise<string> {
  const [script, style, licenses] = await Promise.all([
    distributed('swagger-ui-bundle.js', 'js'),
    distributed('swagger-ui.css', 'css'),
    readFile(resolve('swagger-ui-dist/swagger-ui-bundle.js.LICENSE.txt'), 'utf8'),
  ]);
  const scripts = [embeddable(`${licenses}\n${script}`), start];
  const policy = [
    "default-src 'none'",
    "base-uri 'none'",
    "form-action 'none'",
    "connect-src 'self'",
    'img-src data:',
    `script-src ${scripts.map(hashSource).join(' ')}`,
    `style-src ${hashSource(style)}`,
  ].join('; ');
  return [
    '<!doctype html>',
    '<html lang="en">',
    '<head>',
    '<meta charset="utf-8">',
    `<meta http-equiv="Content-Security-Policy" content="${policy}">`,
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    '<meta name="referrer" content="no-referrer">',
    '<title>Switchboard API</title>',
    '<link rel="icon" href="data:,">',
    `<style>${style}</style>`,
    '</head>',
    '<body>',
    '<div id="documentation"></div>',
    ...scripts.map((text) => `<script>${text}</script>`),
    '</body>',
    '</html>',
    '',
  ].join('\n');
}

/** A file of Swagger UI, minified once more, without source map, and safe against a premature `</script>`. */
async function distributed(file: string, loader: Loader): Promise<string> {
  const text = await readFile(resolve(`swagger-ui-dist/${file}`), 'utf8');
  const { code } = await transform(text, { loader, minify: true, legalComments: 'none' });
  return code;
}

/** `<!--` before a `<script` would make an HTML parser read on behind the end of the script. */
const embeddable = (script: string) => script.replaceAll('<!--', '\\x3C!--');

const hashSource = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
