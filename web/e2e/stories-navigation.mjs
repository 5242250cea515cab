// How people find their way: pages in groups, each with a name and a browser title of its own.
import assert from 'node:assert/strict';
import { fitsWidth, onPage, signIn } from './steps.mjs';

const ROOMS = {
  '/intelligence': {
    Act: ['Recommendations', 'Approvals', 'Rollouts', 'Actions'],
    Watch: ['Anomalies', 'Predictions', 'Models'],
    Configure: ['Agents', 'Guardrails', 'Change control', 'Exclusions'],
  },
  '/audit': {
    Watch: ['Search', 'Live View', 'Alerts'],
    Report: ['Compliance Reports', 'Reports', 'Exports'],
  },
};

async function findsPagesInGroups({ page, program }) {
  await signIn(page, program.email, program.password);
  const navigation = page.getByRole('navigation', { name: 'Main navigation' });
  const titles = new Set();
  for (const [room, groups] of Object.entries(ROOMS)) {
    await page.goto(room);
    await onPage(page, 'Dashboard');
    titles.add(await page.title());
    for (const [group, pages] of Object.entries(groups)) {
      for (const name of pages) {
        await navigation
          .getByRole('group', { name: group, exact: true })
          .getByRole('link', { name: new RegExp(`^${name}\\b`) })
          .click();
        await onPage(page, name);
        await page.getByRole('heading', { level: 1, name, exact: true }).waitFor();
        await page.waitForFunction((start) => document.title.startsWith(start), `${name} · `);
        titles.add(await page.title());
      }
    }
  }
  assert.equal(titles.size, 19, `every page has its own browser title: ${[...titles].join(', ')}`);
  await page.setViewportSize({ width: 1440, height: 640 });
  await page.goto('/settings/tokens');
  await page.waitForFunction(() => {
    const { top, bottom } = document
      .querySelector('nav [aria-current="page"]')
      ?.getBoundingClientRect() ?? { top: 0, bottom: Infinity };
    return top > 0 && bottom <= innerHeight;
  });
}

async function findsPagesOnAPhone({ page, program }) {
  await signIn(page, program.email, program.password);
  await page.setViewportSize({ width: 390, height: 844 });
  await page.getByRole('button', { name: 'Open navigation' }).click();
  await page.getByRole('link', { name: /^Approvals\b/ }).click();
  await page.getByRole('heading', { level: 1, name: 'Approvals', exact: true }).waitFor();
  await page.getByRole('button', { name: 'Open navigation' }).waitFor();
  await fitsWidth(page);
}

export const navigating = [
  { name: 'pages stand in groups and have titles of their own', run: findsPagesInGroups },
  { name: 'a page is found on a phone', run: findsPagesOnAPhone },
];
