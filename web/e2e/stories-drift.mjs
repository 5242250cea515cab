// What people do with baselines and drifts.
import {
  eventually,
  fitsWidth,
  makeSigners,
  openPage,
  read,
  recommendation,
  send,
  sign,
  signIn,
} from './steps.mjs';

/** A change of a simulated resource takes minutes; the next sync of its account compares it. */
const DRIFTED_MS = 600_000;

/** Changes that are a drift. The size of a group is none, and neither is the state of a machine: both change as they run. */
const SETTINGS = ['storage_optimization', 'right_size'];

const IMPACTS = ['low', 'medium'];

/** Has Reeve change a resource; its identifier. */
async function changesOne(page, program) {
  const found = await recommendation(
    page,
    'change of a setting',
    ({ plan, impact_level, type }) =>
      plan &&
      plan.change.name !== 'change_group_size' &&
      IMPACTS.includes(impact_level) &&
      SETTINGS.includes(type),
  );
  const { approval_id } = await send(
    page,
    'POST',
    `intelligence/recommendations/${found.id}/execute`,
    { plan_hash: found.plan.hash },
  );
  if (approval_id) await sign(program, approval_id, await makeSigners(page, 'drift.example'));
  return found.resource.id;
}

async function pinsAndAccepts({ page, program }) {
  await signIn(page, program.email, program.password);
  await openPage(page, 'Drift');
  await page.getByText('No baseline yet').waitFor();
  await page.getByRole('button', { name: 'Pin a baseline' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name').fill('As reviewed');
  await dialog.getByRole('button', { name: 'Pin', exact: true }).click();
  await page.getByText(/^Pinned [\d,]+ resources/).waitFor();

  const [baseline] = (await read(page, 'intelligence/baselines')).items;
  const row = page
    .getByRole('table', { name: 'Baselines' })
    .getByRole('row')
    .filter({ hasText: 'As reviewed' });
  await row.getByText(baseline.resources.toLocaleString('en-US'), { exact: true }).waitFor();

  const changed = await changesOne(page, program);
  const found = await eventually(
    'the change is a drift',
    async () =>
      (await read(page, 'intelligence/drift?state=open&limit=1000')).items.find(
        ({ resource_id: id }) => id === changed,
      ),
    DRIFTED_MS,
  );
  await page.reload();
  const table = page.getByRole('table', { name: 'Drifts from baselines' });
  await table.getByRole('link', { name: found.resource_name }).first().click();
  await page.getByRole('heading', { level: 1, name: found.resource_name }).waitFor();
  const cause = page.getByRole('region', { name: 'Changed by', exact: true });
  await cause.getByText('an action of Reeve').first().waitFor();
  await fitsWidth(page);

  await page.getByRole('button', { name: 'Accept', exact: true }).click();
  const accept = page.getByRole('dialog');
  await accept.getByLabel('Reason').fill('short');
  await accept.getByRole('button', { name: 'Accept', exact: true }).click();
  await accept.getByText('Enter a reason of at least 10 characters').waitFor();
  await accept.getByLabel('Reason').fill('until the review of next month');
  await accept.getByRole('button', { name: 'Accept', exact: true }).click();
  await accept.waitFor({ state: 'detached' });
  await page.getByText('until the review of next month').first().waitFor();

  const id = page.url().split('/').at(-1);
  await eventually(
    'it is accepted',
    async () => (await read(page, `intelligence/drift/${id}`)).state === 'accepted',
  );
  const history = page.getByRole('region', { name: 'History', exact: true });
  await history.getByText(`Accepted by ${program.email}`).waitFor();

  await page.getByRole('button', { name: 'Withdraw acceptance' }).click();
  await page.getByRole('button', { name: 'Accept', exact: true }).waitFor();
  await page.getByRole('button', { name: 'Pin as it is now' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Pin', exact: true }).click();
  await page.getByText('Resolved', { exact: true }).first().waitFor();
}

export const drift = [
  { name: 'a baseline is pinned, and a drift from it accepted and pinned', run: pinsAndAccepts },
];
