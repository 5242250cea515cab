// What several stories do.
import assert from 'node:assert/strict';

/** Cookies of the sessions that were opened, by demo and who signed in: a story goes on with the session of an earlier one. */
const sessions = new Map();
/** Address of the demo of each browser context. */
const demos = new WeakMap();

/** Names the demo that a browser context is for. */
export const belongsTo = (context, url) => demos.set(context, url);

/** Signs in, with the form where there is no session yet or it has ended. */
export async function signIn(page, email, password) {
  const key = `${demos.get(page.context())} ${email} ${password}`;
  const known = sessions.get(key);
  if (known) await page.context().addCookies(known);
  await page.goto('/');
  const navigation = page.getByRole('navigation', { name: 'Main navigation' }).first();
  await navigation.or(page.getByLabel('E-mail address')).first().waitFor();
  if (!(await navigation.isVisible())) await fillSignIn(page, email, password, navigation);
  sessions.set(key, await page.context().cookies());
}

async function fillSignIn(page, email, password, navigation) {
  await page.getByLabel('E-mail address').fill(email);
  await page.getByLabel('Password', { exact: true }).fill(password);
  const button = page.getByRole('button', { name: 'Sign in', exact: true });
  await button.click();
  // Stories sign in faster than people do: the service then asks to wait some seconds, and the button is pressed again.
  const refused = page.getByText('Too many sign-in attempts');
  for (let attempt = 0; attempt < 5; attempt += 1) {
    await navigation.or(refused).first().waitFor();
    if (!(await refused.isVisible())) break;
    const [, seconds] = /in (\d+) s/.exec(await refused.innerText()) ?? [undefined, '1'];
    await page.waitForTimeout(1000 * (Number(seconds) + 1));
    await button.click();
    await refused.waitFor({ state: 'hidden' });
  }
  await navigation.waitFor();
}

/** The field of a query: plain text at first, with suggestions (a combobox) once they have loaded. */
export const queryField = (page) =>
  page.getByRole('textbox', { name: 'Query' }).or(page.getByRole('combobox', { name: 'Query' }));

const pageLink = (page, name) =>
  page
    .getByRole('navigation', { name: 'Main navigation' })
    .getByRole('link', { name: new RegExp(`^${name}\\b`) });

/** Opens a page of the room that is open from the navigation. */
export async function openPage(page, name) {
  await pageLink(page, name).click();
  await onPage(page, name);
}

/** Waits until a page of a room is marked in the navigation. */
export async function onPage(page, name) {
  await pageLink(page, name).and(page.locator('[aria-current=page]')).waitFor();
}

/** Reads the interface with the page's own session. */
export async function read(page, path) {
  return page.evaluate(async (address) => {
    const answer = await fetch(address);
    if (!answer.ok) throw new Error(`${address}: ${answer.status} ${await answer.text()}`);
    return answer.json();
  }, `/api/v1/${path}`);
}

/** Sends JSON to the interface with the page's own session; the answer. */
export async function send(page, method, path, given) {
  return page.evaluate(
    async ([verb, address, json]) => {
      const answer = await fetch(address, {
        method: verb,
        headers: { 'content-type': 'application/json' },
        body: json,
      });
      if (!answer.ok) throw new Error(`${address}: ${answer.status} ${await answer.text()}`);
      return answer.json();
    },
    [method, `/api/v1/${path}`, JSON.stringify(given)],
  );
}

/** A story that stops changes; one that fails does not hold back those after it. */
export const endingStops = (run) => async (story) => {
  const { page, program } = story;
  await signIn(page, program.email, program.password);
  const before = await read(page, 'intelligence/guardrails');
  try {
    await run(story);
  } finally {
    let now = await read(page, 'intelligence/guardrails');
    if (now.kill_switch && !before.kill_switch) {
      const off = { on: false, reason: 'the story has ended' };
      now = await send(page, 'POST', 'intelligence/kill-switch', off);
    }
    const body = { version: now.version, change_control: before.change_control };
    await send(page, 'PUT', 'intelligence/guardrails', body);
  }
};

/** Makes a person of each role that signs; their tokens. */
export async function makeSigners(page, domain) {
  const secrets = [];
  for (const role of ['manager', 'director', 'security_analyst']) {
    const user = await send(page, 'POST', 'users', {
      email: `${role}@${domain}`,
      name: 'Sam Signer',
      roles: [role],
      password: 'correct horse battery 5',
    });
    secrets.push(
      (await send(page, 'POST', 'tokens', { name: 'signing', user_id: user.id })).secret,
    );
  }
  return secrets;
}

/** Has all of them approve a request; those whose signature it does not need are refused. */
export async function sign(program, approval, signers) {
  for (const secret of signers) {
    await fetch(`${program.url}/api/v1/intelligence/approvals/${approval}/approve`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${secret}` },
      body: '{}',
    });
  }
}

/** The open recommendations of agents that act. */
export async function actionable(page) {
  const agents = await read(page, 'intelligence/agents');
  const acting = new Set(
    agents.items.filter(({ mode }) => mode !== 'learning').map(({ id }) => id),
  );
  const { items } = await read(page, 'intelligence/recommendations?status=open&limit=1000');
  return items.filter(({ agent_id }) => acting.has(agent_id));
}

/** Agents judge again within minutes, and other stories follow recommendations meanwhile. */
const RECOMMENDED_MS = 180_000;

/** The first of them that fits and that nothing blocks. */
export async function recommendation(page, what, fits) {
  let items = [];
  const found = async () => {
    items = await actionable(page);
    return items.find((item) => item.applicability?.state === 'ready' && fits(item));
  };
  try {
    return await eventually(what, found, RECOMMENDED_MS);
  } catch (error) {
    const others = items.map((item) => `${item.type} ${item.impact_level}`).join(', ');
    throw new Error(`the demo has no ${what}; it has: ${others}`, { cause: error });
  }
}

/** Opens a recommendation the way a person does: filter the list by its resource, then click its row. */
export async function openFromList(page, found) {
  await page.getByRole('link', { name: 'Intelligence Automation' }).click();
  await openPage(page, 'Recommendations');
  await page.getByRole('textbox', { name: 'Resource' }).fill(found.resource.id);
  await page
    .getByRole('status')
    .filter({ hasText: /^[1-5] found/ })
    .waitFor();
  await page.getByRole('link', { name: found.title, exact: true }).click();
  await page.getByRole('heading', { level: 1, name: found.title }).waitFor();
}

/** Reloads until the test holds; for what the service does in its own time. */
export async function eventually(what, test, limitMs = 60_000) {
  const end = Date.now() + limitMs;
  for (;;) {
    const value = await test();
    if (value) return value;
    assert.ok(Date.now() < end, `${what}: not within ${limitMs / 1000} s`);
    await new Promise((done) => setTimeout(done, 500));
  }
}

/** The page itself never scrolls sideways. */
export async function fitsWidth(page) {
  const over = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
  assert.ok(over <= 0, `${page.url()} is ${over} px too wide`);
}

/** The page fits a phone: as soon as the window gets that narrow, and when it is opened there. */
export async function onPhone(page, title) {
  await page.setViewportSize({ width: 390, height: 844 });
  await page.evaluate(
    () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))),
  );
  await fitsWidth(page);
  await page.reload();
  await page.getByRole('heading', { level: 1, name: title }).waitFor();
  await page.waitForLoadState('networkidle');
  await fitsWidth(page);
}
