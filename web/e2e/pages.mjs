// The pages of web/dist in front of a running program, for working on them without compiling them into it
// (REEVE_E2E_PAGES=dist). Everything that is no file is passed on, and the pages keep the program's own policy.
import { createReadStream, existsSync, statSync } from 'node:fs';
import { createServer, request } from 'node:http';
import { extname, join } from 'node:path';

const TYPES = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
};
const OWN = /^\/(api|healthz|readyz|metrics)(\/|$)/;

/** Serves a folder in front of the program at `behind`; answers the address and how to stop. */
export async function inFront(folder, behind) {
  const { hostname, port } = new URL(behind);
  const policy = (await fetch(behind)).headers.get('content-security-policy') ?? '';
  const server = createServer((asked, answer) => {
    const path = new URL(asked.url, behind).pathname;
    if (!OWN.test(path)) {
      const file = join(folder, path);
      const found = existsSync(file) && statSync(file).isFile() ? file : join(folder, 'index.html');
      answer.writeHead(200, {
        'content-type': TYPES[extname(found)] ?? 'application/octet-stream',
        'content-security-policy': policy,
      });
      createReadStream(found).pipe(answer);
      return;
    }
    const passed = request(
      { hostname, port, path: asked.url, method: asked.method, headers: asked.headers },
      (from) => {
        answer.writeHead(from.statusCode, from.headers);
        from.pipe(answer);
      },
    );
    passed.on('error', () => answer.destroy());
    answer.on('close', () => passed.destroy());
    asked.pipe(passed);
  });
  await new Promise((done) => server.listen(0, '127.0.0.1', done));
  return { url: `http://127.0.0.1:${server.address().port}`, stop: () => server.close() };
}
