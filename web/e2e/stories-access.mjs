// Accessibility of the main pages, checked by axe in both themes.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { read, signIn } from './steps.mjs';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** The failures of the page, each with the first elements that it is about. */
async function failures(page) {
  // Through the developer tools' protocol: the page's own policy allows no scripts that are written into it.
  await page.evaluate(AXE);
  return page.evaluate(async () => {
    const { violations } = await window.axe.run(document, {
      runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa'],
      rules: { 'label-content-name-mismatch': { enabled: true } },
    });
    return violations.map(
      ({ id, help, nodes }) =>
        `${id} (${help}): ${nodes
          .slice(0, 3)
          .map(({ html }) => html.slice(0, 160))
          .join(' | ')}`,
    );
  });
}

async function isAccessible({ page, program }) {
  await signIn(page, program.email, program.password);
  const {
    items: [recommendation],
  } = await read(page, 'intelligence/recommendations?status=open&limit=1');
  const {
    items: [resource],
  } = await read(page, 'resources?type=virtual_machine&limit=1');
  const pages = [
    '/intelligence',
    '/intelligence/recommendations',
    `/intelligence/recommendations/${recommendation.id}`,
    '/intelligence/approvals',
    '/intelligence/actions',
    '/intelligence/anomalies',
    '/intelligence/agents',
    '/intelligence/guardrails',
    '/intelligence/change-control',
    '/audit',
    '/audit/search',
    '/audit/alerts',
    '/estate/connections',
    '/estate/connections/aws',
    '/estate/resources',
    `/estate/resources/${encodeURIComponent(resource.id)}`,
    '/estate/costs',
    '/estate/budgets',
    '/settings/workspace',
    '/settings/users',
    '/docs/index.html',
    '/docs/howto/change-control.html',
  ];
  const found = [];
  for (const scheme of ['light', 'dark']) {
    await page.emulateMedia({ colorScheme: scheme, reducedMotion: 'reduce' });
    for (const path of pages) {
      await page.goto(path);
      await page.getByRole('heading', { level: 1 }).first().waitFor();
      await page.waitForLoadState('networkidle');
      await page.waitForFunction(() => !document.querySelector('[aria-busy=true]'));
      found.push(...(await failures(page)).map((failure) => `${scheme} ${path}: ${failure}`));
    }
  }
  assert.equal(found.join('\n'), '');
}

export const access = [
  { name: 'the main pages are accessible in light and dark', run: isAccessible },
];
